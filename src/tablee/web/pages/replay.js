/** A replay, move by move, from the view of any seat. What comes later stays hidden until the player asks for it. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { LOBBY, navigate, OPEN, OWN, replayAddress, tableAddress } from "../addresses.js";
import { announce, notify } from "../notifications.js";
import { lineChart } from "../parts/chart.js";
import { outcome } from "../parts/game-over.js";
import { icon } from "../parts/symbols.js";
import { listBots, forkTable, getMoment, getPoints, downloadRecord, getTable } from "../api.js";
import { identity } from "../identity.js";
import { translate } from "../words.js";
import "../boards.js";

/** @typedef {import("../types.js").TableShown} TableShown */
/** @typedef {import("../types.js").Moment} Moment */

const AUTOPLAY_MILLISECONDS = 1400; // per move

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
    /** The number of moves at which the page opens. */
    this.moves = 0;
    /** @type {TableShown | null} */
    this.table = null;
    /** @type {Moment | null} */
    this.moment = null;
    /** @type {import("../types.js").GameEvent[]} of the move shown, when stepping forward */
    this.events = [];
    this.reach = 0; // moves at the latest position seen
    this.isRevealed = false;
    this.isPlaying = false;
    this.isForking = false;
    /** @type {import("../types.js").Points[]} */
    this.points = [];
    /** @type {import("../types.js").BotInfo[]} */
    this.bots = [];
    this.failure = "";
    /** @type {Map<string, Promise<Moment>>} by moves and viewer */
    this.moments = new Map();
  }

  createRenderRoot() {
    return this;
  }

  async firstUpdated() {
    try {
      this.table = await getTable(this.tableId, this.invite);
      document.title = translate("replay.title", { title: this.table.title });
      if (this.from === OWN) this.from = String(this.table.viewer);
      await this.show(this.moves);
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

  // Positions

  /** @param {number} moves */
  load(moves) {
    const key = `${moves} ${this.from}`;
    const seat = this.from === OPEN ? null : Number(this.from);
    const moment = this.moments.get(key) ?? getMoment(this.tableId, moves, seat, this.invite);
    this.moments.set(key, moment);
    moment.catch(() => this.moments.delete(key));
    return moment;
  }

  /** Show the position after some moves. @param {number} moves */
  async show(moves) {
    const from = this.from;
    const moment = await this.load(Math.max(0, moves));
    if (from !== this.from) return; // another viewer was chosen meanwhile
    const isNext = moment.moves === (this.moment?.moves ?? 0) + 1;
    this.events = isNext ? moment.events : []; // only single steps forward are animated
    this.moment = moment;
    this.reach = Math.max(this.reach, moment.moves);
    history.replaceState(null, "", this.link);
    for (const { text } of moment.events) announce(text);
    if (moment.moves < moment.of) this.load(moment.moves + 1).catch(() => {});
    else if (this.isOver) await this.reveal();
  }

  /** Show a position, or the reason why it cannot be shown. @param {number} moves */
  async tryShow(moves) {
    await this.show(moves).catch((refusal) => {
      this.isPlaying = false;
      notify(refusal.message);
    });
  }

  /** @param {number} moves */
  step(moves) {
    this.isPlaying = false;
    return this.tryShow(moves);
  }

  togglePlaying() {
    this.isPlaying = !this.isPlaying;
    clearTimeout(this.timer);
    if (this.isPlaying) this.autoplay();
  }

  async autoplay() {
    if (!this.isPlaying || !this.isConnected || !this.moment) return;
    await this.tryShow(this.moment.moves + 1);
    if (this.moment.moves >= this.moment.of) this.isPlaying = false;
    else this.timer = setTimeout(() => this.autoplay(), AUTOPLAY_MILLISECONDS);
  }

  async reveal() {
    if (this.isRevealed) return;
    this.isRevealed = true;
    this.points = await getPoints(this.tableId, this.invite).catch(() => []);
  }

  /** @param {string} from */
  async changeViewer(from) {
    this.from = from;
    await this.tryShow(this.moment?.moves ?? 0);
  }

  get link() {
    const invite = this.invite || (this.isOver ? this.table?.invite : ""); // before the end it would let its reader take a seat
    return replayAddress(this.tableId, this.moment?.moves, this.from, invite);
  }

  async copyLink() {
    const address = `${location.origin}${this.link}`;
    try {
      await navigator.clipboard.writeText(address);
      notify(translate("waiting_room.copied"));
    } catch {
      notify(address); // without clipboard access the player can copy it by hand
    }
  }

  async save() {
    try {
      const anchor = document.createElement("a");
      anchor.href = URL.createObjectURL(await downloadRecord(this.tableId, this.invite));
      anchor.download = `${this.table?.game}-${this.tableId}.tablee`;
      anchor.click();
      URL.revokeObjectURL(anchor.href);
    } catch (refusal) {
      notify(/** @type {Error} */ (refusal).message);
    }
  }

  // Continuing from a position

  async openFork() {
    this.isPlaying = false;
    this.isForking = !this.isForking;
    if (!this.bots.length) this.bots = await listBots();
  }

  /** @param {SubmitEvent} event */
  async fork(event) {
    event.preventDefault();
    const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
    try {
      await identity.ensureName();
      const settings = {
        moves: this.moment?.moves ?? 0,
        seat: Number(form.get("seat")),
        bot: String(form.get("bot")),
        is_imagined: form.get("cards") === "imagined",
      };
      navigate(tableAddress((await forkTable(this.tableId, settings, this.invite)).id));
    } catch (refusal) {
      notify(/** @type {Error} */ (refusal).message);
    }
  }

  // Drawing

  render() {
    const { table, moment } = this;
    if (this.failure) return this.failurePage();
    if (!table || !moment) return html`<p class="page loading">${translate("app.loading")}</p>`;
    return html`<div class="table-page replay">
      <div class="toolbar" role="toolbar" aria-label=${table.title}>
        <a class="icon-button" href=${LOBBY} aria-label=${translate("app.home")}
          ><img src="/icon.svg" alt="" width="30" height="30"
        /></a>
        <h1>${translate("replay.title", { title: table.title })}</h1>
        <span class="bar-space"></span>
        <label class="viewer-choice"
          >${icon("eye")}<span class="visually-hidden">${translate("replay.viewer")}</span>${this.viewerChoice(table)}</label
        >
      </div>
      <div class="play-area">
        <board-holder
          .table=${{ ...table, view: { ...moment.view, choices: [] }, queued: null }}
          .events=${this.events}
          .onExplain=${() => notify(translate("replay.only_look"))}
        ></board-holder>
        ${this.controls(moment)} ${this.isForking ? this.forkForm(table) : nothing}
        ${moment.moves === moment.of && this.isOver ? outcome(table) : nothing}
        ${this.isRevealed && this.points.length > 1 ? this.chart(table, moment) : nothing}
      </div>
    </div>`;
  }

  failurePage() {
    return html`<div class="page empty-state">
      <h1>Tablée</h1>
      <p>${this.failure}</p>
      <a class="button primary" href=${LOBBY}>${translate("app.to_lobby")}</a>
    </div>`;
  }

  /** The seats whose view can be chosen: before the end, only one's own. @param {TableShown} table */
  viewerChoice(table) {
    const viewers = [
      ...table.seats.map(({ name, seat }) => [String(seat), name || translate("table.seat", { number: seat + 1 })]),
      ["-1", translate("replay.spectator")],
      [OPEN, translate("replay.open")],
    ];
    const allowed = this.isOver ? viewers : viewers.filter(([from]) => from === String(table.viewer));
    return html`<select @change=${(/** @type {any} */ event) => this.changeViewer(event.target.value)}>
      ${allowed.map(([from, label]) => html`<option value=${from} .selected=${from === this.from}>${label}</option>`)}
    </select>`;
  }

  /** @param {Moment} moment */
  controls({ moves, of, events, view }) {
    const isLast = moves >= of;
    const last = this.isRevealed || !this.isOver ? of : this.reach;
    return html`<section class="replay-dock" aria-label=${translate("replay.controls")}>
      <p class="prompt">${events.length ? events.map(({ text }) => text).join(" ") : view.prompt}</p>
      <div class="replay-line">
        ${this.button("first", translate("replay.first"), moves > 0, () => this.step(0))}
        ${this.button("back", translate("replay.back"), moves > 0, () => this.step(moves - 1))}
        ${this.button(this.isPlaying ? "rest" : "turn", translate(this.isPlaying ? "replay.stop" : "replay.play"), !isLast, () => this.togglePlaying())}
        ${this.button("next", translate("replay.next"), !isLast, () => this.step(moves + 1))}
        ${this.button("last", translate("replay.last"), moves < last, () => this.step(last))}
        <input
          type="range"
          min="0"
          max=${Math.max(1, last)}
          .value=${String(moves)}
          aria-label=${translate("replay.move")}
          aria-valuetext=${this.position(moves, of)}
          @input=${(/** @type {any} */ event) => this.step(Number(event.target.value))}
        />
        <span class="replay-position">${this.position(moves, of)}</span>
      </div>
      <div class="page-actions">
        ${this.isOver && !isLast ? html`<button class="button primary" aria-expanded=${this.isForking} @click=${this.openFork}>${translate("replay.fork")}</button>` : nothing}
        ${this.isOver && !this.isRevealed ? html`<button class="button" @click=${this.reveal}>${translate("replay.reveal")}</button>` : nothing}
        <button class="button" @click=${this.copyLink}>${translate("replay.link")}</button>
        ${this.isOver ? html`<button class="button" @click=${this.save}>${translate("over.record")}</button>` : nothing}
        ${this.isOver ? nothing : html`<a class="button" href=${tableAddress(this.tableId)}>${translate("replay.to_table")}</a>`}
      </div>
    </section>`;
  }

  /**
   * @param {number} moves
   * @param {number} of
   */
  position(moves, of) {
    return this.isRevealed || !this.isOver ? translate("replay.position_of", { moves, of }) : translate("replay.position", { moves });
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

  /** @param {TableShown} table */
  forkForm(table) {
    const seat = this.from === OPEN || this.from === "-1" ? String(this.moment?.view.to_move) : this.from;
    return html`<form class="fork" @submit=${this.fork} aria-label=${translate("replay.fork")}>
      <label class="select-line"
        ><span>${translate("replay.fork_seat")}</span>
        <select name="seat">
          ${table.seats.map((each) => html`<option value=${each.seat} .selected=${String(each.seat) === seat}>${each.name || translate("table.seat", { number: each.seat + 1 })}</option>`)}
        </select></label
      >
      <label class="select-line"
        ><span>${translate("new.level")}</span>
        <select name="bot">
          ${this.bots.map(({ name, label }, index) => html`<option value=${name} .selected=${index === Math.floor(this.bots.length / 2)}>${label}</option>`)}
        </select></label
      >
      <fieldset class="field">
        <legend>${translate("replay.cards")}</legend>
        ${["true", "imagined"].map(
          (cards) =>
            html`<label class="radio-line"
              ><input type="radio" name="cards" value=${cards} .checked=${cards === "true"} /><span
                >${translate(`replay.cards_${cards}`)}<small>${translate(`replay.cards_${cards}_help`)}</small></span
              ></label
            >`,
        )}
      </fieldset>
      <button class="button primary large">${translate("replay.fork_go")}</button>
    </form>`;
  }

  /**
   * @param {TableShown} table
   * @param {Moment} moment
   */
  chart(table, moment) {
    const series = table.seats.map(({ name, seat }) => ({
      name: name || translate("table.seat", { number: seat + 1 }),
      points: /** @type {[number, number][]} */ ([
        ...this.points.map(({ moves, scores }) => [moves, scores[seat]]),
        [moment.of, this.points[this.points.length - 1].scores[seat]],
      ]),
    }));
    return lineChart({ title: translate("replay.points"), xLabel: translate("replay.move"), series });
  }
}

customElements.define("replay-page", ReplayPage);
