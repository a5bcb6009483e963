/** A table before the game begins: its seats, bots for the empty ones, and the invite link. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { tableAddress } from "../addresses.js";
import { notify } from "../notifications.js";
import { listBots } from "../api.js";
import { isAvailable, seatsFor } from "../commands.js";
import { translate } from "../words.js";
import { icon } from "./symbols.js";

/** @typedef {import("../types.js").SeatShown} SeatShown */

/** Calls `onCommand(command)`. */
class WaitingRoom extends LitElement {
  static properties = {
    table: { attribute: false },
    invite: { attribute: false },
    bots: { state: true },
    isCopied: { state: true },
  };

  constructor() {
    super();
    /** @type {import("../types.js").TableShown} */
    this.table = /** @type {any} */ (null); // set before the first render
    this.invite = "";
    /** @type {import("../types.js").BotInfo[]} */
    this.bots = [];
    this.isCopied = false;
    /** @type {(command: import("../commands.js").Command) => void} */
    this.onCommand = () => {};
  }

  createRenderRoot() {
    return this;
  }

  async firstUpdated() {
    this.bots = await listBots().catch(() => []);
  }

  get defaultBot() {
    return this.bots[Math.floor(this.bots.length / 2)]?.name ?? "";
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
      ${this.table.invite ? this.invitation(this.table.invite) : nothing}
      ${isAvailable(this.table, "leave") ? html`<button class="button quiet" @click=${() => this.onCommand({ type: "leave" })}>${translate("waiting_room.leave")}</button>` : nothing}
    </div>`;
  }

  /** @param {SeatShown} seat */
  seat(seat) {
    const isEmpty = seat.kind === "empty";
    return html`<li class=${`seat-line seat-${seat.kind}`}>
      <span class="seat-number" aria-hidden="true">${seat.seat + 1}</span>
      <span class="seat-name"
        >${isEmpty ? translate("waiting_room.empty") : seat.name}
        ${seat.is_you ? html`<span class="tag">${translate("waiting_room.you")}</span>` : nothing}
        ${seat.kind === "bot" ? html`<span class="tag">${icon("bot")} ${this.levelOf(seat)}</span>` : nothing}
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
    </li>`;
  }

  /** @param {SeatShown} seat */
  levelOf(seat) {
    return this.bots.find(({ name }) => name === seat.bot)?.label ?? translate("table.bot");
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
    const link = `${location.origin}${tableAddress(this.table.id, invite)}`;
    return html`<section class="invitation" aria-labelledby="waiting-room-invite">
      <h2 id="waiting-room-invite">${translate("waiting_room.invite")}</h2>
      <p class="quiet">${translate("waiting_room.invite_hint")}</p>
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
