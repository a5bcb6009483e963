/** A replay, move by move, from the view of any seat. What comes later stays hidden until the player asks for it. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { LOBBY, navigate, OPEN, OWN, replayAddress, tableAddress } from "../addresses.js";
import { copyAddress } from "../clipboard.js";
import { announce, notify } from "../notifications.js";
import { beliefTable, withBeliefs } from "../parts/beliefs.js";
import { lineChart } from "../parts/chart.js";
import { forkForm } from "../parts/fork-form.js";
import { outcome } from "../parts/game-over.js";
import { isReviewWanted, reviewAddress } from "../parts/review.js";
import { roundTable } from "../parts/rest.js";
import { runShortcut, showShortcuts } from "../parts/shortcuts.js";
import { icon } from "../parts/symbols.js";
import { listBots, getBeliefs, getMoment, getPoints, getWholeLog, getTable } from "../api.js";
import { saveRecord } from "../record.js";
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
    log: { state: true },
    bots: { state: true },
    failure: { state: true },
    line: { state: true },
    beliefs: { state: true },
    wonders: { state: true },
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
    /** @type {number | null} moves at the position that was asked for and is not shown yet */
    this.asked = null;
    this.isRevealed = false;
    this.isPlaying = false;
    this.isForking = false;
    /** @type {import("../types.js").Points[]} */
    this.points = [];
    /** @type {{lines: import("../types.js").LogLine[], rounds: import("../types.js").FinishedRound[]}} */
    this.log = { lines: [], rounds: [] };
    /** @type {Promise<unknown>} until the last list of moves asked for is there */
    this.loadingLog = Promise.resolve();
    /** @type {import("../types.js").BotInfo[]} */
    this.bots = [];
    this.failure = "";
    this.wantsReview = isReviewWanted(); // the first position shown replaces the address
    /** @type {import("../types.js").ReviewLine | null} what the review says about the next move */
    this.line = null;
    /** @type {import("../types.js").BeliefsShown | null} of the position shown, if the player wonders */
    this.beliefs = null;
    this.wonders = false;
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
      await Promise.all([this.show(this.moves), this.loadLog()]);
    } catch (refusal) {
      this.failure = /** @type {Error} */ (refusal).message;
    }
  }

  connectedCallback() {
    super.connectedCallback();
    addEventListener("keydown", this.keyPressed);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    removeEventListener("keydown", this.keyPressed);
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
    if (from !== this.from || (this.asked ?? moves) !== moves) return; // something else was asked for meanwhile
    const isNext = moment.moves === (this.moment?.moves ?? 0) + 1;
    this.events = isNext ? moment.events : []; // only single steps forward are animated
    this.moment = moment;
    this.line = null;
    this.beliefs = null;
    if (this.wonders) void this.loadBeliefs();
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
  async step(moves) {
    this.isPlaying = false;
    this.asked = moves;
    await this.tryShow(moves);
    if (this.asked === moves) this.asked = null;
  }

  /** Where the next step starts: a click does not wait for the position that the last one asked for. */
  get now() {
    return this.asked ?? this.moment?.moves ?? 0;
  }

  back() {
    if (this.now > 0) void this.step(this.now - 1);
  }

  next() {
    if (this.now < (this.moment?.of ?? 0)) void this.step(this.now + 1);
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
    await this.loadLog().catch(() => {});
  }

  /** Load the list of moves, as the seat whose view is shown knows them. */
  async loadLog() {
    const loading = getWholeLog(this.tableId, this.from === OPEN ? -1 : Number(this.from), this.invite);
    this.loadingLog = loading;
    this.log = await loading;
  }

  /** Show the position before a mistake with the better move, or the one after a lucky move. @param {import("../types.js").ReviewLine} line */
  async showLine(line) {
    const { number, seat = null } = line;
    if (seat !== null) this.from = String(seat);
    await this.tryShow(seat === null ? number : number - 1);
    this.line = line;
    if (seat !== null) await this.loadLog().catch(() => {});
    this.querySelector(".play-area")?.scrollIntoView({ block: "start" });
  }

  /** Whether what is hidden from the seat shown may be wondered about. */
  get canWonder() {
    return this.isOver && this.from !== OPEN;
  }

  toggleWondering() {
    this.wonders = !this.wonders;
    this.beliefs = null;
    return this.loadBeliefs();
  }

  async loadBeliefs() {
    const { from, moment } = this;
    if (!this.wonders || !this.canWonder || !moment) return;
    try {
      const beliefs = await getBeliefs(this.tableId, moment.moves, Number(from), this.invite);
      if (this.wonders && from === this.from && moment === this.moment) this.beliefs = beliefs;
    } catch (refusal) {
      notify(/** @type {Error} */ (refusal).message);
    }
  }

  // Jumping

  /** The number of moves at the end of the next round, or of the one before; null if there is none. @param {1 | -1} step */
  roundEnd(step) {
    const { now } = this;
    const ends = this.log.rounds.map(({ moves }) => moves);
    return (step > 0 ? ends.find((moves) => moves > now) : ends.findLast((moves) => moves < now)) ?? null;
  }

  /** The number of moves after the next move of the seat whose view is shown; null if there is none. */
  nextOwnMove() {
    const { now } = this;
    const movers = this.log.lines.filter(({ move }, index, lines) => move !== null && lines[index - 1]?.move !== move);
    return movers.find(({ move, seat }) => Number(move) > now && String(seat) === this.from)?.move ?? null;
  }

  /** Show a position, if there is one to jump to. @param {number | null} moves */
  jump(moves) {
    if (moves !== null) void this.step(moves);
  }

  /** Jump to what is found in the list of moves, once it is loaded. @param {() => number | null} find */
  async jumpInLog(find) {
    await this.loadingLog.catch(() => {});
    this.jump(find());
  }

  /** The last position that may be shown without being asked for. */
  get last() {
    return this.isRevealed || !this.isOver ? (this.moment?.of ?? 0) : this.reach;
  }

  /** @returns {import("../parts/shortcuts.js").Shortcut[]} */
  get shortcuts() {
    return [
      { keys: ["ArrowLeft"], label: translate("replay.back"), run: () => this.back() },
      { keys: ["ArrowRight"], label: translate("replay.next"), run: () => this.next() },
      { keys: ["Home"], label: translate("replay.first"), run: () => this.jump(0) },
      { keys: ["End"], label: translate("replay.last"), run: () => this.jump(this.last) },
      { keys: ["PageUp", "["], label: translate("replay.previous_round"), run: () => this.jumpInLog(() => this.roundEnd(-1)) },
      { keys: ["PageDown", "]"], label: translate("replay.next_round"), run: () => this.jumpInLog(() => this.roundEnd(1)) },
      { keys: ["m"], label: translate("replay.own_move"), run: () => this.jumpInLog(() => this.nextOwnMove()) },
      { keys: ["p"], label: translate("replay.play"), run: () => this.togglePlaying() },
      { keys: ["?"], label: translate("keys.title"), run: () => showShortcuts(this.shortcuts) },
    ];
  }

  /** @type {(event: KeyboardEvent) => void} */
  keyPressed = (event) => {
    if (this.moment) runShortcut(event, this.shortcuts);
  };

  /** The invite for links that are passed on; before the end it would let their reader take a seat. */
  get sharedInvite() {
    return this.invite || (this.isOver ? this.table?.invite : "");
  }

  get link() {
    return replayAddress(this.tableId, this.moment?.moves, this.from, this.sharedInvite);
  }

  async save() {
    await saveRecord(this.tableId, this.table?.game ?? "", this.invite);
  }

  // Continuing from a position

  async openFork() {
    this.isPlaying = false;
    this.isForking = !this.isForking;
    if (!this.bots.length) this.bots = await listBots();
  }

  /** @param {Moment} moment */
  proposedFork({ moves, view }) {
    const isSeat = this.from !== OPEN && this.from !== "-1";
    return { moves, seat: isSeat ? Number(this.from) : view.to_move, invite: this.invite };
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
          .table=${{ ...table, view: this.shownView(moment), queued: null }}
          .events=${this.events}
          .onExplain=${() => notify(translate("replay.only_look"))}
        ></board-holder>
        ${this.controls(moment)} ${this.roundResult(table, moment)}
        ${this.isForking ? forkForm(table, this.proposedFork(moment), this.bots) : nothing} ${this.beliefs ? beliefTable(this.beliefs) : nothing}
        ${this.isAtEnd(moment) ? outcome(table) : nothing}
        ${this.isRevealed && this.points.length > 1 ? this.chart(table, moment) : nothing}
        ${table.result?.ranks.length ? this.review() : nothing}
      </div>
      ${this.moveList(moment)}
    </div>`;
  }

  /** Whether the game is over after a position. @param {Moment} moment */
  isAtEnd({ moves, of }) {
    return moves === of && this.isOver;
  }

  /**
   * What the round that ends with a position has brought; at the end of the game the outcome says it.
   * @param {TableShown} table
   * @param {Moment} moment
   */
  roundResult(table, moment) {
    const round = moment.round_view?.round;
    if (!round || this.isAtEnd(moment)) return nothing;
    return html`<section class="outcome">${roundTable(table, round, [])}</section>`;
  }

  /** The position as the board draws it. @param {Moment} moment */
  shownView(moment) {
    const view = { ...(moment.round_view ?? moment.view), choices: this.betterMoves(moment) };
    return withBeliefs(view, this.beliefs);
  }

  review() {
    return html`<game-review
      .tableId=${this.tableId}
      .invite=${this.invite}
      .link=${reviewAddress(this.tableId, this.sharedInvite)}
      .isWanted=${this.wantsReview}
      .onShown=${() => this.reveal()}
      .onLine=${(/** @type {import("../types.js").ReviewLine} */ line) => void this.showLine(line)}
    ></game-review>`;
  }

  /** The better move of the mistake that is shown, so that the board marks it. @param {Moment} moment */
  betterMoves({ view }) {
    return view.choices.filter(({ text }) => text === this.line?.better_move);
  }

  /** The moves up to the latest position seen, each a button that shows its position. @param {Moment} moment */
  moveList({ moves }) {
    const seen = this.log.lines.filter(({ move }) => move !== null && move <= this.last);
    return html`<aside class="move-list" aria-label=${translate("replay.moves")}>
      <h2>${translate("replay.moves")}</h2>
      <ol tabindex="0">
        ${seen.map(
          ({ move, text }) =>
            html`<li class=${move === moves ? "is-shown" : ""}>
              <button aria-current=${move === moves ? "step" : nothing} @click=${() => this.jump(move)}>${text}</button>
            </li>`,
        )}
      </ol>
      ${this.last < (this.moment?.of ?? 0) ? html`<p class="help">${translate("replay.later")}</p>` : nothing}
    </aside>`;
  }

  /** Keep the move shown in sight, without scrolling the page. */
  updated() {
    const shown = /** @type {HTMLElement | null} */ (this.querySelector(".move-list .is-shown"));
    const list = shown?.parentElement;
    if (shown && list) list.scrollTop = shown.offsetTop - list.offsetTop - list.clientHeight / 2;
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
  controls({ moves, of, events, view, round_view: roundView }) {
    const isLast = moves >= of;
    const { last } = this;
    return html`<section class="replay-dock" aria-label=${translate("replay.controls")}>
      ${this.line ? html`<p class=${`review-note ${this.line.grade ?? ""}`}>${this.line.text}</p>` : nothing}
      <p class="prompt">${roundView?.prompt ?? (events.map(({ text }) => text).join(" ") || view.prompt)}</p>
      <div class="replay-line">
        ${this.button("first", translate("replay.first"), moves > 0, () => this.step(0))}
        ${this.button("back", translate("replay.back"), moves > 0, () => this.back())}
        ${this.button(this.isPlaying ? "rest" : "turn", translate(this.isPlaying ? "replay.stop" : "replay.play"), !isLast, () => this.togglePlaying())}
        ${this.button("next", translate("replay.next"), !isLast, () => this.next())}
        ${this.button("last", translate("replay.last"), moves < last, () => this.step(last))}
        ${this.jumpButton("replay.previous_round", () => this.roundEnd(-1))}
        ${this.jumpButton("replay.next_round", () => this.roundEnd(1))}
        ${this.from === OPEN || this.from === "-1" ? nothing : this.jumpButton("replay.own_move", () => this.nextOwnMove())}
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
        ${this.canWonder ? html`<button class="button" aria-pressed=${this.wonders} @click=${this.toggleWondering}>${translate("beliefs.show")}</button>` : nothing}
        ${this.isOver && !this.isRevealed ? html`<button class="button" @click=${this.reveal}>${translate("replay.reveal")}</button>` : nothing}
        <button class="button" @click=${() => copyAddress(this.link)}>${translate("replay.link")}</button>
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

  /**
   * A button that jumps to a position, in words.
   * @param {string} key
   * @param {() => number | null} find
   */
  jumpButton(key, find) {
    return html`<button class="button small jump" ?disabled=${find() === null} @click=${() => this.jump(find())}>
      ${translate(key)}
    </button>`;
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
