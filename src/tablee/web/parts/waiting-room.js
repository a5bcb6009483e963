/** The table before the game: who sits where, bots for empty seats, the invitation. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { tableAddress } from "../addresses.js";
import { inform } from "../notices.js";
import { allBots } from "../server.js";
import { say } from "../words.js";
import { icon } from "./symbols.js";

/** @typedef {import("../types.js").Seat} Seat */

/** Calls `onAsk(type, fields)` for whatever is wished of the table. */
class TableGathering extends LitElement {
  static properties = {
    table: { attribute: false },
    invite: { attribute: false },
    bots: { state: true },
    isCopied: { state: true },
  };

  constructor() {
    super();
    /** @type {import("../types.js").Table} */
    this.table = /** @type {any} */ (null); // given before anything is drawn
    this.invite = "";
    /** @type {import("../types.js").Bot[]} */
    this.bots = [];
    this.isCopied = false;
    /** @type {(type: string, fields?: Record<string, unknown>) => void} */
    this.onAsk = () => {};
  }

  createRenderRoot() {
    return this;
  }

  async firstUpdated() {
    this.bots = await allBots().catch(() => []);
  }

  get isSeated() {
    return this.table.viewer >= 0;
  }

  get canSit() {
    return !this.isSeated && (this.table.is_open || this.invite !== "");
  }

  get usualBot() {
    return this.bots[Math.floor(this.bots.length / 2)]?.name;
  }

  render() {
    const free = this.table.seats.filter(({ kind }) => kind === "empty");
    return html`<div class="gathering page narrow">
      <h1>${this.table.title}</h1>
      <section aria-labelledby="gathering-seats">
        <h2 id="gathering-seats">${say("gathering.title")}</h2>
        <p class="quiet">${say("gathering.waiting", { n: free.length })}</p>
        <ol class="seat-list">
          ${this.table.seats.map((seat) => this.seat(seat))}
        </ol>
        ${
          this.isSeated && free.length && this.usualBot
            ? html`<button class="button" @click=${() => this.fill(free)}>
                ${icon("bot")} ${say("gathering.fill")}
              </button>`
            : nothing
        }
        ${this.isSeated || this.canSit ? nothing : html`<p class="help">${say("gathering.not_invited")}</p>`}
      </section>
      ${this.table.invite ? this.invitation(this.table.invite) : nothing}
      ${this.isSeated ? html`<button class="button quiet" @click=${() => this.onAsk("leave")}>${say("gathering.leave")}</button>` : nothing}
    </div>`;
  }

  /** @param {Seat} seat */
  seat(seat) {
    const isEmpty = seat.kind === "empty";
    return html`<li class=${`seat-line seat-${seat.kind}`}>
      <span class="seat-number" aria-hidden="true">${seat.seat + 1}</span>
      <span class="seat-name"
        >${isEmpty ? say("gathering.empty") : seat.name}
        ${seat.is_you ? html`<span class="tag">${say("gathering.you")}</span>` : nothing}
        ${seat.kind === "bot" ? html`<span class="tag">${icon("bot")} ${this.levelOf(seat)}</span>` : nothing}
      </span>
      ${
        isEmpty && this.canSit
          ? html`<button
              class="button primary"
              @click=${() => this.onAsk("claim", { seat: seat.seat, invite: this.invite })}
            >
              ${say("gathering.sit")}
            </button>`
          : nothing
      }
      ${
        isEmpty && this.isSeated && this.usualBot
          ? html`<button class="button" @click=${() => this.onAsk("seat_bot", { seat: seat.seat, bot: this.usualBot })}>
              ${say("gathering.add_bot")}
            </button>`
          : nothing
      }
      ${
        seat.kind === "bot" && this.isSeated
          ? html`<button
              class="icon-button"
              aria-label=${say("gathering.remove_bot", { name: seat.name })}
              @click=${() => this.onAsk("remove_bot", { seat: seat.seat })}
            >
              ${icon("close")}
            </button>`
          : nothing
      }
    </li>`;
  }

  /** @param {Seat} seat */
  levelOf(seat) {
    return this.bots.find(({ name }) => name === seat.bot)?.label ?? say("table.bot");
  }

  /** @param {Seat[]} seats */
  fill(seats) {
    for (const { seat } of seats) this.onAsk("seat_bot", { seat, bot: this.usualBot });
  }

  /** @param {string} invite */
  invitation(invite) {
    const link = `${location.origin}/${tableAddress(this.table.id, invite)}`;
    return html`<section class="invitation" aria-labelledby="gathering-invite">
      <h2 id="gathering-invite">${say("gathering.invite")}</h2>
      <p class="quiet">${say("gathering.invite_hint")}</p>
      <img
        class="qr"
        src=${`/api/tables/${this.table.id}/qr.svg`}
        alt=${say("gathering.qr")}
        width="220"
        height="220"
      />
      <label class="visually-hidden" for="invite-link">${say("gathering.link")}</label>
      <input
        id="invite-link"
        class="link"
        readonly
        .value=${link}
        @focus=${(/** @type {any} */ event) => event.target.select()}
      />
      <div class="page-actions">
        <button class="button primary" @click=${() => this.copy(link)}>
          ${say(this.isCopied ? "gathering.copied" : "gathering.copy")}
        </button>
        ${"share" in navigator ? html`<button class="button" @click=${() => this.share(link)}>${say("gathering.share")}</button>` : nothing}
      </div>
    </section>`;
  }

  /** @param {string} link */
  async copy(link) {
    const field = /** @type {HTMLInputElement} */ (this.querySelector("#invite-link"));
    try {
      await navigator.clipboard.writeText(link);
    } catch {
      field.select(); // over plain http there is no clipboard: the link lies selected, ready to be copied by hand
      if (!document.execCommand("copy")) return;
    }
    this.isCopied = true;
  }

  /** @param {string} link */
  async share(link) {
    try {
      await navigator.share({
        title: this.table.title,
        text: say("gathering.share_text", { title: this.table.title }),
        url: link,
      });
    } catch (reason) {
      if (/** @type {Error} */ (reason).name !== "AbortError") inform(/** @type {Error} */ (reason).message);
    }
  }
}

customElements.define("table-gathering", TableGathering);
