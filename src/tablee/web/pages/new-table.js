/** The form for a new table: number of players, opponents, options and clock. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { LOBBY, navigate, tableAddress } from "../addresses.js";
import { notify } from "../notifications.js";
import { listBots, getGame, createTable } from "../api.js";
import { identity } from "../identity.js";
import { minute } from "../parts/minute.js";
import { clockField, coachField, optionFields, readSetup, restField, seatsField } from "../parts/setup-fields.js";
import { translate } from "../words.js";

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
      <p class="summary">${this.info.minute ? this.info.tagline : this.info.summary}</p>
      <div class="new-columns">
        <div>${this.fields(this.info)}</div>
        ${minute(this.info)}
      </div>
      <div class="sticky-action">
        <button class="button primary large" ?disabled=${this.isBusy}>${translate("new.create")}</button>
      </div>
    </form>`;
  }

  /** What can be chosen; how the game is played is after it, or beside it. @param {import("../types.js").GameInfo} info */
  fields({ seats, options }) {
    return html`${seatsField(seats, this.seats, (chosen) => (this.seats = chosen))} ${this.opponents()}
      ${optionFields(options)}
      <fieldset class="field">
        <legend>${translate("new.more")}</legend>
        ${clockField()} ${restField()} ${coachField()}
        <label class="switch"
          ><span>${translate("new.is_open")}<small>${translate("new.is_open_help")}</small></span>
          <input type="checkbox" role="switch" name="is_open"
        /></label>
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
    return html`<label class="select-line"
      ><span>${translate("new.level")}</span>
      <select name="bot">
        ${this.bots.map(({ name, label, is_usual: isUsual }) => html`<option value=${name} ?selected=${isUsual}>${label}</option>`)}
      </select>
    </label>`;
  }

  /** @param {SubmitEvent} event */
  async create(event) {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const fields = new FormData(form);
    this.isBusy = true;
    try {
      if (this.withBots) await identity.ensureName();
      else if (!(await identity.requireName(translate("new.create")))) return;
      const table = await createTable({
        game: this.game,
        ...readSetup(form, this.info?.options ?? []),
        is_open: fields.has("is_open"),
        bots: this.withBots ? Array(this.seats - 1).fill(fields.get("bot")) : [],
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

customElements.define("new-table-page", NewTablePage);
