/** The form for a new table: number of players, opponents, options and clock. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { LOBBY, navigate, tableAddress } from "../addresses.js";
import { notify } from "../notifications.js";
import { listBots, getGame, createTable } from "../api.js";
import { identity } from "../identity.js";
import { translate } from "../words.js";

/** @typedef {import("../types.js").OptionInfo} OptionInfo */

const CLOCKS = [null, 30, 60, 180, 3600, 86400]; // seconds
const RESTS = [60, 30, 10, 0, null]; // seconds; 0: no limit; null: no rest

class NewTablePage extends LitElement {
  static properties = {
    game: { attribute: false },
    info: { state: true },
    seats: { state: true },
    withBots: { state: true },
    isBusy: { state: true },
    isMissing: { state: true },
  };

  constructor() {
    super();
    this.game = "";
    /** @type {import("../types.js").GameInfo | null} */
    this.info = null;
    /** @type {import("../types.js").BotInfo[]} */
    this.bots = [];
    this.seats = 0;
    this.withBots = false;
    this.isBusy = false;
    this.isMissing = false;
  }

  createRenderRoot() {
    return this;
  }

  async firstUpdated() {
    try {
      [this.info, this.bots] = await Promise.all([getGame(this.game), listBots()]);
      this.seats = this.info.usual_seats;
      document.title = `${this.info.title} · Tablée`;
    } catch {
      this.isMissing = true;
    }
  }

  render() {
    if (this.isMissing)
      return html`<div class="page empty-state">
        <h1>Tablée</h1>
        <p>${translate("app.nothing_here")}</p>
        <a class="button" href=${LOBBY}>${translate("app.to_lobby")}</a>
      </div>`;
    if (!this.info) return nothing;
    return html`<form class="page narrow new-table" @submit=${this.create}>
      <h1>${translate("new.title", { title: this.info.title })}</h1>
      <p class="summary">${this.info.summary}</p>
      ${this.seatChoice(this.info.seats)} ${this.opponents()}
      <fieldset class="field">
        <legend>${translate("new.options")}</legend>
        ${this.info.options.length ? this.info.options.map((option) => this.option(option)) : html`<p class="quiet">${translate("new.options_none")}</p>`}
      </fieldset>
      <fieldset class="field">
        <legend>${translate("new.more")}</legend>
        ${this.clock()} ${this.rest()}
        <label class="switch"
          ><span>${translate("new.is_open")}<small>${translate("new.is_open_help")}</small></span>
          <input type="checkbox" role="switch" name="is_open"
        /></label>
      </fieldset>
      <div class="sticky-action">
        <button class="button primary large" ?disabled=${this.isBusy}>${translate("new.create")}</button>
      </div>
    </form>`;
  }

  /** @param {[number, number]} range */
  seatChoice([low, high]) {
    const counts = Array.from({ length: high - low + 1 }, (_, step) => low + step);
    return html`<fieldset class="field">
      <legend>${translate("new.seats")}</legend>
      <div class="segments">
        ${counts.map(
          (count) =>
            html`<label class="segment">
              <input
                type="radio"
                name="seats"
                value=${count}
                .checked=${this.seats === count}
                @change=${() => (this.seats = count)}
              />
              <span>${count}</span></label
            >`,
        )}
      </div>
    </fieldset>`;
  }

  opponents() {
    const kinds = [
      ["friends", false],
      ["bots", true],
    ];
    return html`<fieldset class="field">
      <legend>${translate("new.with")}</legend>
      <div class="segments">
        ${kinds.map(
          ([name, isBots]) =>
            html`<label class="segment">
              <input
                type="radio"
                name="opponents"
                value=${name}
                .checked=${this.withBots === isBots}
                @change=${() => (this.withBots = !!isBots)}
              />
              <span>${translate(`new.with_${name}`)}</span></label
            >`,
        )}
      </div>
      <p class="help">${translate(this.withBots ? "new.with_bots_help" : "new.with_friends_help")}</p>
      ${this.withBots ? this.level() : nothing}
    </fieldset>`;
  }

  level() {
    const middle = Math.floor(this.bots.length / 2);
    return html`<label class="select-line"
      ><span>${translate("new.level")}</span>
      <select name="bot">
        ${this.bots.map(({ name, label }, index) => html`<option value=${name} ?selected=${index === middle}>${label}</option>`)}
      </select>
    </label>`;
  }

  /** @param {OptionInfo} option */
  option(option) {
    const help = html`<small
      >${option.help} ${option.clause ? translate("new.clause", { clause: option.clause }) : nothing}</small
    >`;
    if (typeof option.default === "boolean") {
      return html`<label class="switch"
        ><span>${option.label}${help}</span>
        <input type="checkbox" role="switch" name=${`option.${option.name}`} ?checked=${option.default}
      /></label>`;
    }
    return html`<label class="select-line"
      ><span>${option.label}${help}</span>
      <select name=${`option.${option.name}`}>
        ${option.choices.map(
          ({ value, label }, index) =>
            html` <option value=${index} ?selected=${value === option.default}>${label}</option>`,
        )}
      </select>
    </label>`;
  }

  clock() {
    return html`<label class="select-line"
      ><span>${translate("new.clock")}<small>${translate("new.clock_help")}</small></span>
      <select name="clock">
        ${CLOCKS.map((seconds) => html`<option value=${seconds ?? ""}>${clockLabel(seconds)}</option>`)}
      </select>
    </label>`;
  }

  rest() {
    return html`<label class="select-line"
      ><span>${translate("new.rest")}<small>${translate("new.rest_help")}</small></span>
      <select name="rest">
        ${RESTS.map((seconds) => html`<option value=${seconds ?? ""}>${restLabel(seconds)}</option>`)}
      </select>
    </label>`;
  }

  /** @param {SubmitEvent} event */
  async create(event) {
    event.preventDefault();
    const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
    this.isBusy = true;
    try {
      if (this.withBots) await identity.ensureName();
      else if (!(await identity.requireName(translate("new.create")))) return;
      const table = await createTable({
        game: this.game,
        seats: this.seats,
        options: Object.fromEntries((this.info?.options ?? []).map((option) => [option.name, optionValue(option, form)])),
        is_open: form.has("is_open"),
        clock: form.get("clock") ? Number(form.get("clock")) : null,
        rest: form.get("rest") ? Number(form.get("rest")) : null,
        bots: this.withBots ? Array(this.seats - 1).fill(form.get("bot")) : [],
        sits: true,
      });
      navigate(tableAddress(table.id));
    } catch (refusal) {
      notify(/** @type {Error} */ (refusal).message);
    } finally {
      this.isBusy = false;
    }
  }
}

/**
 * @param {OptionInfo} option
 * @param {FormData} form
 */
function optionValue(option, form) {
  const name = `option.${option.name}`;
  return typeof option.default === "boolean" ? form.has(name) : option.choices[Number(form.get(name))].value;
}

/** @param {number | null} seconds */
function clockLabel(seconds) {
  if (seconds === null) return translate("new.clock_none");
  if (seconds < 60) return translate("new.clock_seconds", { n: seconds });
  return seconds < 3600 ? translate("new.clock_minutes", { n: seconds / 60 }) : translate("new.clock_hours", { n: seconds / 3600 });
}

/** @param {number | null} seconds */
function restLabel(seconds) {
  if (seconds === null) return translate("new.rest_none");
  return seconds ? translate("new.rest_limit", { n: seconds }) : translate("new.rest_unlimited");
}

customElements.define("new-table-page", NewTablePage);
