/** A game again, move by move: with the eyes of any seat, or of all; what comes later is hidden until it is asked for. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { go, OPEN, OWN, replayAddress, tableAddress } from "../addresses.js";
import { announce, inform } from "../notices.js";
import { lineChart } from "../parts/chart.js";
import { outcome } from "../parts/game-over.js";
import { icon } from "../parts/symbols.js";
import { allBots, forkTable, momentOf, pointsOf, recordOf, tableNow } from "../server.js";
import { visitor } from "../visitor.js";
import { say } from "../words.js";
import "../boards.js";

/** @typedef {import("../types.js").Table} Table */
/** @typedef {import("../types.js").Moment} Moment */

const PACE_MILLISECONDS = 1400; // between two moves that play by themselves

class ReplayPage extends LitElement {
  static properties = {
    tableId: { attribute: false },
    invite: { attribute: false },
    table: { state: true },
    moment: { state: true },
    from: { attribute: false },
    reach: { state: true },
    isRevealed: { state: true },
    isPlaying: { state: true },
    isForking: { state: true },
    points: { state: true },
    bots: { state: true },
    failure: { state: true },
  };

  constructor() {
    super();
    this.tableId = "";
    this.invite = "";
    this.from = OWN;
    /** How many moves the page begins after. */
    this.moves = 0;
    /** @type {Table | null} */
    this.table = null;
    /** @type {Moment | null} */
    this.moment = null;
    /** @type {import("../types.js").ToldEvent[]} */
    this.told = [];
    this.reach = 0; // the latest moment that has been looked at
    this.isRevealed = false;
    this.isPlaying = false;
    this.isForking = false;
    /** @type {{moves: number, scores: number[]}[]} */
    this.points = [];
    /** @type {{name: string, label: string}[]} */
    this.bots = [];
    this.failure = "";
    /** @type {Map<string, Promise<Moment>>} by moves and eyes */
    this.moments = new Map();
  }

  createRenderRoot() {
    return this;
  }

  async firstUpdated() {
    try {
      this.table = await tableNow(this.tableId, this.invite);
      document.title = say("replay.title", { title: this.table.title });
      if (this.from === OWN) this.from = String(this.table.viewer);
      await this.see(this.moves);
    } catch (refusal) {
      this.failure = /** @type {Error} */ (refusal).message;
    }
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.timer);
    document.title = "Tablée";
  }

  get isOver() {
    return this.table?.phase === "over";
  }

  // Moments

  /** @param {number} moves */
  load(moves) {
    const key = `${moves} ${this.from}`;
    const seat = this.from === OPEN ? null : Number(this.from);
    const known = this.moments.get(key) ?? momentOf(this.tableId, moves, seat, this.invite);
    this.moments.set(key, known);
    known.catch(() => this.moments.delete(key));
    return known;
  }

  /** Show the game after so many moves. @param {number} moves */
  async see(moves) {
    const from = this.from;
    const moment = await this.load(Math.max(0, moves));
    if (from !== this.from) return; // somebody chose other eyes meanwhile
    const isNext = moment.moves === (this.moment?.moves ?? 0) + 1;
    this.told = isNext ? moment.told : []; // pieces travel forward in time, one move at a time
    this.moment = moment;
    this.reach = Math.max(this.reach, moment.moves);
    history.replaceState(null, "", this.link);
    for (const { text } of moment.told) announce(text);
    if (moment.moves < moment.of) this.load(moment.moves + 1).catch(() => {});
    else if (this.isOver) await this.reveal();
  }

  /** Go somewhere; what cannot be had is said. @param {number} moves */
  async visit(moves) {
    await this.see(moves).catch((refusal) => {
      this.isPlaying = false;
      inform(refusal.message);
    });
  }

  /** @param {number} moves */
  step(moves) {
    this.isPlaying = false;
    return this.visit(moves);
  }

  togglePlaying() {
    this.isPlaying = !this.isPlaying;
    clearTimeout(this.timer);
    if (this.isPlaying) this.playOn();
  }

  async playOn() {
    if (!this.isPlaying || !this.isConnected || !this.moment) return;
    await this.visit(this.moment.moves + 1);
    if (this.moment.moves >= this.moment.of) this.isPlaying = false;
    else this.timer = setTimeout(() => this.playOn(), PACE_MILLISECONDS);
  }

  async reveal() {
    if (this.isRevealed) return;
    this.isRevealed = true;
    this.points = await pointsOf(this.tableId, this.invite).catch(() => []);
  }

  /** @param {string} from */
  async lookFrom(from) {
    this.from = from;
    await this.visit(this.moment?.moves ?? 0);
  }

  get link() {
    const invite = this.invite || (this.isOver ? this.table?.invite : ""); // while seats are free it would invite to sit
    return replayAddress(this.tableId, this.moment?.moves, this.from, invite);
  }

  async copyLink() {
    const address = `${location.origin}/${this.link}`;
    try {
      await navigator.clipboard.writeText(address);
      inform(say("gathering.copied"));
    } catch {
      inform(address); // a browser that does not let us copy still lets a person
    }
  }

  async save() {
    try {
      const anchor = document.createElement("a");
      anchor.href = URL.createObjectURL(await recordOf(this.tableId, this.invite));
      anchor.download = `${this.table?.game}-${this.tableId}.tablee`;
      anchor.click();
      URL.revokeObjectURL(anchor.href);
    } catch (refusal) {
      inform(/** @type {Error} */ (refusal).message);
    }
  }

  // Playing on

  async openFork() {
    this.isPlaying = false;
    this.isForking = !this.isForking;
    if (!this.bots.length) this.bots = await allBots();
  }

  /** @param {SubmitEvent} event */
  async fork(event) {
    event.preventDefault();
    const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
    try {
      await visitor.beSomebody();
      const wish = {
        moves: this.moment?.moves ?? 0,
        seat: Number(form.get("seat")),
        bot: String(form.get("bot")),
        is_imagined: form.get("cards") === "imagined",
      };
      go(tableAddress((await forkTable(this.tableId, wish, this.invite)).id));
    } catch (refusal) {
      inform(/** @type {Error} */ (refusal).message);
    }
  }

  // Drawing

  render() {
    const { table, moment } = this;
    if (this.failure) return this.sorry();
    if (!table || !moment) return html`<p class="page loading">${say("app.loading")}</p>`;
    return html`<div class="table-page replay">
      <div class="toolbar" role="toolbar" aria-label=${table.title}>
        <a class="icon-button" href="#" aria-label=${say("app.home")}
          ><img src="/icon.svg" alt="" width="30" height="30"
        /></a>
        <h1>${say("replay.title", { title: table.title })}</h1>
        <span class="bar-space"></span>
        <label class="eyes"
          >${icon("eye")}<span class="visually-hidden">${say("replay.eyes")}</span>${this.eyes(table)}</label
        >
      </div>
      <div class="play-area">
        <board-holder
          .table=${{ ...table, view: { ...moment.view, choices: [] }, queued: null }}
          .told=${this.told}
          .onExplain=${() => inform(say("replay.only_look"))}
        ></board-holder>
        ${this.controls(moment)} ${this.isForking ? this.forkForm(table) : nothing}
        ${moment.moves === moment.of && this.isOver ? outcome(table) : nothing}
        ${this.isRevealed && this.points.length > 1 ? this.chart(table, moment) : nothing}
      </div>
    </div>`;
  }

  sorry() {
    return html`<div class="page empty-state">
      <h1>Tablée</h1>
      <p>${this.failure}</p>
      <a class="button primary" href="#">${say("app.to_lobby")}</a>
    </div>`;
  }

  /** Whose eyes there are to choose from. @param {Table} table */
  eyes(table) {
    const all = [
      ...table.seats.map(({ name, seat }) => [String(seat), name || say("table.seat", { number: seat + 1 })]),
      ["-1", say("replay.spectator")],
      [OPEN, say("replay.open")],
    ];
    const allowed = this.isOver ? all : all.filter(([from]) => from === String(table.viewer));
    return html`<select @change=${(/** @type {any} */ event) => this.lookFrom(event.target.value)}>
      ${allowed.map(([from, label]) => html`<option value=${from} .selected=${from === this.from}>${label}</option>`)}
    </select>`;
  }

  /** @param {Moment} moment */
  controls({ moves, of, told, view }) {
    const isLast = moves >= of;
    const known = this.isRevealed || !this.isOver ? of : this.reach;
    return html`<section class="replay-dock" aria-label=${say("replay.controls")}>
      <p class="prompt">${told.length ? told.map(({ text }) => text).join(" ") : view.prompt}</p>
      <div class="replay-line">
        ${this.button("first", say("replay.first"), moves > 0, () => this.step(0))}
        ${this.button("back", say("replay.back"), moves > 0, () => this.step(moves - 1))}
        ${this.button(this.isPlaying ? "rest" : "turn", say(this.isPlaying ? "replay.stop" : "replay.play"), !isLast, () => this.togglePlaying())}
        ${this.button("next", say("replay.next"), !isLast, () => this.step(moves + 1))}
        ${this.button("last", say("replay.last"), moves < known, () => this.step(known))}
        <input
          type="range"
          min="0"
          max=${Math.max(1, known)}
          .value=${String(moves)}
          aria-label=${say("replay.move")}
          aria-valuetext=${this.place(moves, of)}
          @input=${(/** @type {any} */ event) => this.step(Number(event.target.value))}
        />
        <span class="replay-place">${this.place(moves, of)}</span>
      </div>
      <div class="page-actions">
        ${this.isOver && !isLast ? html`<button class="button primary" aria-expanded=${this.isForking} @click=${this.openFork}>${say("replay.fork")}</button>` : nothing}
        ${this.isOver && !this.isRevealed ? html`<button class="button" @click=${this.reveal}>${say("replay.reveal")}</button>` : nothing}
        <button class="button" @click=${this.copyLink}>${say("replay.link")}</button>
        ${this.isOver ? html`<button class="button" @click=${this.save}>${say("over.record")}</button>` : nothing}
        ${this.isOver ? nothing : html`<a class="button" href=${tableAddress(this.tableId)}>${say("replay.to_table")}</a>`}
      </div>
    </section>`;
  }

  /**
   * @param {number} moves
   * @param {number} of
   */
  place(moves, of) {
    return this.isRevealed || !this.isOver ? say("replay.place_of", { moves, of }) : say("replay.place", { moves });
  }

  /**
   * @param {string} picture
   * @param {string} label
   * @param {boolean} isPossible
   * @param {() => void} run
   */
  button(picture, label, isPossible, run) {
    return html`<button class="icon-button" aria-label=${label} title=${label} ?disabled=${!isPossible} @click=${run}>
      ${icon(picture)}
    </button>`;
  }

  /** @param {Table} table */
  forkForm(table) {
    const seat = this.from === OPEN || this.from === "-1" ? String(this.moment?.view.to_move) : this.from;
    return html`<form class="fork" @submit=${this.fork} aria-label=${say("replay.fork")}>
      <label class="select-line"
        ><span>${say("replay.fork_seat")}</span>
        <select name="seat">
          ${table.seats.map((each) => html`<option value=${each.seat} .selected=${String(each.seat) === seat}>${each.name || say("table.seat", { number: each.seat + 1 })}</option>`)}
        </select></label
      >
      <label class="select-line"
        ><span>${say("new.level")}</span>
        <select name="bot">
          ${this.bots.map(({ name, label }, place) => html`<option value=${name} .selected=${place === Math.floor(this.bots.length / 2)}>${label}</option>`)}
        </select></label
      >
      <fieldset class="field">
        <legend>${say("replay.cards")}</legend>
        ${["true", "imagined"].map(
          (cards) =>
            html`<label class="radio-line"
              ><input type="radio" name="cards" value=${cards} .checked=${cards === "true"} /><span
                >${say(`replay.cards_${cards}`)}<small>${say(`replay.cards_${cards}_help`)}</small></span
              ></label
            >`,
        )}
      </fieldset>
      <button class="button primary large">${say("replay.fork_go")}</button>
    </form>`;
  }

  /**
   * @param {Table} table
   * @param {Moment} moment
   */
  chart(table, moment) {
    const series = table.seats.map(({ name, seat }) => ({
      name: name || say("table.seat", { number: seat + 1 }),
      points: /** @type {[number, number][]} */ ([
        ...this.points.map(({ moves, scores }) => [moves, scores[seat]]),
        [moment.of, this.points[this.points.length - 1].scores[seat]],
      ]),
    }));
    return lineChart({ title: say("replay.points"), across: say("replay.move"), series });
  }
}

customElements.define("replay-page", ReplayPage);
