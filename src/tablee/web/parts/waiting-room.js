/** A table before the game begins: its seats, bots for the empty ones, the setup, and the invite link. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { tableAddress } from "../addresses.js";
import { notify } from "../notifications.js";
import { getGame, getInvitation, listBots } from "../api.js";
import { confirmCommand, isAvailable, seatsFor, withName } from "../commands.js";
import { translate } from "../words.js";
import {
  clockField,
  clockLabel,
  coachField,
  optionFields,
  readSetup,
  restField,
  restLabel,
  seatsField,
} from "./setup-fields.js";
import { icon } from "./symbols.js";
import { consent } from "./table-coach.js";

/** @typedef {import("../types.js").SeatShown} SeatShown */

/** Calls `onCommand(command)`. */
class WaitingRoom extends LitElement {
  static properties = {
    table: { attribute: false },
    invite: { attribute: false },
    bots: { state: true },
    game: { state: true },
    isCopied: { state: true },
    link: { state: true },
  };

  constructor() {
    super();
    /** @type {import("../types.js").TableShown} */
    this.table = /** @type {any} */ (null); // set before the first render
    this.invite = "";
    /** @type {import("../types.js").BotInfo[]} */
    this.bots = [];
    /** @type {import("../types.js").GameInfo | null} */
    this.game = null;
    this.isCopied = false;
    this.hasAsked = false; // for the link
    /** @type {import("../types.js").Invitation | null} */
    this.link = null;
    /** @type {(command: import("../commands.js").Command) => void} */
    this.onCommand = () => {};
  }

  createRenderRoot() {
    return this;
  }

  /** The server knows by which address others reach it. */
  async updated() {
    if (!this.table.invite || this.hasAsked) return;
    this.hasAsked = true;
    this.link = await getInvitation(this.table.id).catch(() => null);
  }

  async firstUpdated() {
    [this.bots, this.game] = await Promise.all([
      listBots().catch(() => []),
      getGame(this.table.game).catch(() => null),
    ]);
  }

  get defaultBot() {
    return this.bots.find(({ is_usual: isUsual }) => isUsual)?.name ?? "";
  }

  render() {
    const free = this.table.seats.filter(({ kind }) => kind === "empty");
    const isSpectator = this.table.viewer < 0;
    return html`<div class="waiting-room page narrow">
      <h1>${this.table.title}</h1>
      <section aria-labelledby="waiting-room-seats">
        <h2 id="waiting-room-seats">${translate("waiting_room.title")}</h2>
        <p class="quiet">${translate("waiting_room.waiting", { n: free.length })}</p>
        <ol class="seat-list">
          ${this.table.seats.map((seat) => this.seat(seat))}
        </ol>
        ${
          seatsFor(this.table, "seat_bot").length && this.defaultBot
            ? html`<button class="button" @click=${this.fill}>
                ${icon("bot")} ${translate("waiting_room.fill")}
              </button>`
            : nothing
        }
        ${isSpectator && !isAvailable(this.table, "claim") ? html`<p class="help">${translate("waiting_room.not_invited")}</p>` : nothing}
      </section>
      ${this.table.coach ? html`<section class="coach at-table" aria-label=${translate("coach.title")}>${consent(this.table, this.onCommand)}</section>` : nothing}
      ${this.table.is_locked ? html`<p class="help">${icon("lock")} ${translate("waiting_room.locked")}</p>` : nothing}
      ${this.table.invite && !this.table.is_locked ? this.invitation(this.table.invite) : nothing} ${this.setup()}
      ${["lock", "unlock"].map((type) => this.plainCommand(/** @type {any} */ (type)))}
      ${isAvailable(this.table, "leave") ? html`<button class="button quiet" @click=${() => this.onCommand({ type: "leave" })}>${translate("waiting_room.leave")}</button>` : nothing}
    </div>`;
  }

  /** @param {SeatShown} seat */
  seat(seat) {
    const isEmpty = seat.kind === "empty";
    return html`<li class=${`seat-line seat-${seat.kind}`}>
      <span class="seat-number" aria-hidden="true">${seat.seat + 1}</span>
      <span class="seat-name"
        >${isEmpty ? this.emptyName(seat) : seat.name}
        ${seat.is_you ? html`<span class="tag">${translate("waiting_room.you")}</span>` : nothing}
        ${seat.is_host ? html`<span class="tag">${translate("waiting_room.host")}</span>` : nothing}
        ${seat.kind === "bot" ? this.level(seat) : nothing}
      </span>
      ${
        seatsFor(this.table, "claim").includes(seat.seat)
          ? html`<button
              class="button primary"
              @click=${() => this.onCommand({ type: "claim", seat: seat.seat, invite: this.invite })}
            >
              ${translate("waiting_room.sit")}
            </button>`
          : nothing
      }
      ${
        seatsFor(this.table, "seat_bot").includes(seat.seat) && this.defaultBot
          ? html`<button class="button" @click=${() => this.seatBot(seat.seat)}>
              ${translate("waiting_room.add_bot")}
            </button>`
          : nothing
      }
      ${
        seatsFor(this.table, "remove_bot").includes(seat.seat)
          ? html`<button
              class="icon-button"
              aria-label=${translate("waiting_room.remove_bot", { name: seat.name })}
              @click=${() => this.onCommand({ type: "remove_bot", seat: seat.seat })}
            >
              ${icon("close")}
            </button>`
          : nothing
      }
      ${this.seatCommand(seat, "hand_over", "crown")} ${this.seatCommand(seat, "remove_player", "close")}
    </li>`;
  }

  /** @param {SeatShown} seat */
  emptyName({ name }) {
    return name ? translate("waiting_room.kept_for", { name }) : translate("waiting_room.empty");
  }

  /** A bot's level, to be changed where the viewer may. @param {SeatShown} seat */
  level({ seat, bot, name, level }) {
    if (!seatsFor(this.table, "change_bot").includes(seat)) return html`<span class="tag">${icon("bot")} ${level}</span>`;
    const change = (/** @type {any} */ { target }) => this.onCommand({ type: "change_bot", seat, bot: target.value });
    return html`<select class="level" aria-label=${translate("waiting_room.level_of", { name })} @change=${change}>
      ${this.bots.map((info) => html`<option value=${info.name} .selected=${info.name === bot}>${info.label}</option>`)}
    </select>`;
  }

  /**
   * A button for a command that names a seat, with its question.
   * @param {SeatShown} seat
   * @param {"hand_over" | "remove_player"} type
   * @param {string} picture
   */
  seatCommand({ seat, name }, type, picture) {
    const command = this.table.commands.find((each) => each.type === type);
    if (!command?.seats.includes(seat)) return nothing;
    const send = () => confirmCommand(withName(command.question, name), () => this.onCommand({ type, seat }));
    const label = withName(command.label, name);
    return html`<button class="icon-button" aria-label=${label} title=${label} @click=${send}>${icon(picture)}</button>`;
  }

  /** A button for a command without arguments, if the viewer may send it. @param {"lock" | "unlock"} type */
  plainCommand(type) {
    const command = this.table.commands.find((each) => each.type === type);
    if (!command) return nothing;
    return html`<button class="button quiet" @click=${() => this.onCommand({ type })}>${icon(type)} ${command.label}</button>`;
  }

  /** The setup: for the host a form, for others what the host has chosen. */
  setup() {
    const { game, table } = this;
    if (!game) return nothing;
    return html`<details class="table-setup">
      <summary>${translate("waiting_room.setup")}</summary>
      <p class="help">${translate(table.is_rated ? "waiting_room.rated" : "waiting_room.unrated")}</p>
      ${
        isAvailable(table, "change_setup")
          ? html`<form @change=${this.changeSetup}>
              ${seatsField(game.seats, table.setup.seats, () => {})} ${optionFields(game.options, table.setup.options)}
              <fieldset class="field">
                <legend>${translate("new.more")}</legend>
                ${clockField(table)} ${restField(table.rest)} ${coachField(table.coach !== null)}
              </fieldset>
            </form>`
          : this.setupList(game)
      }
    </details>`;
  }

  /** @param {import("../types.js").GameInfo} game */
  setupList({ options }) {
    const { setup, rest } = this.table;
    const chosen = options.map(({ name, label, choices }) => [
      label,
      choices.find(({ value }) => value === setup.options[name])?.label ?? "",
    ]);
    const times = [[translate("new.clock"), clockLabel(this.table)], [translate("new.rest"), restLabel(rest)]];
    const coach = [translate("coach.option"), translate(this.table.coach ? "coach.yes" : "coach.no")];
    const all = [...chosen, ...times, coach];
    return html`<dl class="setup-list">
      ${all.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}
    </dl>`;
  }

  /** @param {Event} event */
  changeSetup(event) {
    const form = /** @type {HTMLFormElement} */ (event.currentTarget);
    this.onCommand({ type: "change_setup", ...readSetup(form, this.game?.options ?? []) });
  }

  /** @param {number} seat */
  seatBot(seat) {
    this.onCommand({ type: "seat_bot", seat, bot: this.defaultBot });
  }

  fill() {
    for (const seat of seatsFor(this.table, "seat_bot")) this.seatBot(seat);
  }

  /** @param {string} invite */
  invitation(invite) {
    const link = this.link?.link ?? `${location.origin}${tableAddress(this.table.id, invite)}`;
    return html`<section class="invitation" aria-labelledby="waiting-room-invite">
      <h2 id="waiting-room-invite">${translate("waiting_room.invite")}</h2>
      <p class="quiet">${translate(this.link?.is_local ? "waiting_room.only_here" : "waiting_room.invite_hint")}</p>
      <img
        class="qr"
        src=${`/api/tables/${this.table.id}/qr.svg`}
        alt=${translate("waiting_room.qr")}
        width="220"
        height="220"
      />
      <label class="visually-hidden" for="invite-link">${translate("waiting_room.link")}</label>
      <input
        id="invite-link"
        class="link"
        readonly
        .value=${link}
        @focus=${(/** @type {any} */ event) => event.target.select()}
      />
      <div class="page-actions">
        <button class="button primary" @click=${() => this.copy(link)}>
          ${translate(this.isCopied ? "waiting_room.copied" : "waiting_room.copy")}
        </button>
        ${"share" in navigator ? html`<button class="button" @click=${() => this.share(link)}>${translate("waiting_room.share")}</button>` : nothing}
      </div>
    </section>`;
  }

  /** @param {string} link */
  async copy(link) {
    const field = /** @type {HTMLInputElement} */ (this.querySelector("#invite-link"));
    try {
      await navigator.clipboard.writeText(link);
    } catch {
      field.select(); // over plain http there is no clipboard: the link stays selected, to be copied by hand
      if (!document.execCommand("copy")) return;
    }
    this.isCopied = true;
  }

  /** @param {string} link */
  async share(link) {
    try {
      await navigator.share({
        title: this.table.title,
        text: translate("waiting_room.share_text", { title: this.table.title }),
        url: link,
      });
    } catch (reason) {
      if (/** @type {Error} */ (reason).name !== "AbortError") notify(/** @type {Error} */ (reason).message);
    }
  }
}

customElements.define("waiting-room", WaitingRoom);
