/** A table: gathering, playing, over; for those who sit there and those who watch. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { go, OWN, replayAddress, tableAddress } from "../addresses.js";
import { announce, inform } from "../notices.js";
import { gameOver } from "../parts/game-over.js";
import { icon } from "../parts/symbols.js";
import { Refusal } from "../server.js";
import { callToTurn } from "../sounds.js";
import { visitor } from "../visitor.js";
import { WatchedTable } from "../watched-table.js";
import { say } from "../words.js";
import "../boards.js";
import "../parts/dock.js";

/** @typedef {import("../types.js").Table} Table */
/** @typedef {import("../parts/board.js").Board} Board */

const wideScreen = matchMedia("(min-width: 1000px)");

/** What many visits to a table do without is fetched when it is to be drawn. @type {Record<string, () => Promise<unknown>>} */
const LATER = {
  "name-form": () => import("../parts/name-form.js"),
  "table-drawer": () => import("../parts/drawer.js"),
  "table-gathering": () => import("../parts/waiting-room.js"),
};

class TablePage extends LitElement {
  static properties = {
    tableId: { attribute: false },
    invite: { attribute: false },
    changes: { state: true },
    picking: { state: true },
    drawer: { state: true },
    clause: { state: true },
    isMenuOpen: { state: true },
    isSending: { state: true },
    secondsLeft: { state: true },
  };

  constructor() {
    super();
    this.tableId = "";
    this.invite = "";
    this.changes = 0;
    /** @type {WatchedTable | null} */
    this.watched = null;
    /** @type {import("../selection.js").Picking | null} */
    this.picking = null;
    /** @type {"log" | "chat" | "rules" | "scores" | null} */
    this.drawer = wideScreen.matches ? "log" : null;
    this.clause = "";
    this.isMenuOpen = false;
    this.isSending = false;
    /** @type {number | null} */
    this.secondsLeft = null;
    this.wasMyTurn = false;
    this.awaited = Infinity; // the number of the event that our last move becomes
    this.hasClaimed = false;
    this.clockNumber = 0; // the event that the clock was set by
    this.clockEnds = 0;
  }

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    this.timer = setInterval(() => this.tick(), 1000);
    wideScreen.addEventListener("change", this.fitDrawer);
    this.watch();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.timer);
    wideScreen.removeEventListener("change", this.fitDrawer);
    this.watched?.close();
    this.watched = null;
    document.title = "Tablée";
  }

  watch() {
    const watched = new WatchedTable(this.tableId, this.invite);
    watched.addEventListener("change", () => this.heard());
    watched.addEventListener("told", (event) => this.tell(/** @type {CustomEvent} */ (event).detail));
    watched.addEventListener("said", (event) => this.said(/** @type {CustomEvent} */ (event).detail));
    this.watched = watched;
  }

  // News

  heard() {
    const table = this.watched?.table;
    this.changes += 1;
    this.picking = null;
    if (!table) return;
    this.settle();
    this.claimIfInvited(table);
    this.noticeTurn(table);
    this.tick();
  }

  /** Who comes by invite link and has a name sits down. @param {Table} table */
  async claimIfInvited(table) {
    const isFree = table.phase === "gathering" && table.viewer < 0;
    if (!this.invite || !isFree || this.hasClaimed || !visitor.me) return;
    this.hasClaimed = true;
    await this.ask("claim", { seat: null, invite: this.invite });
  }

  /** @param {Table} table */
  noticeTurn(table) {
    const isMine = table.phase === "playing" && (table.view?.choices.length ?? 0) > 0 && !table.queued;
    document.title = isMine ? say("table.turn_title", { title: table.title }) : `${table.title} · Tablée`;
    if (isMine && !this.wasMyTurn) {
      callToTurn();
      announce(`${say("table.your_turn")}. ${table.view?.prompt}`);
    }
    this.wasMyTurn = isMine;
  }

  /** @param {import("../types.js").ToldEvent[]} told */
  tell(told) {
    for (const { text } of told) announce(text);
  }

  /** @param {import("../types.js").Chat} line */
  said(line) {
    announce(say("table.says", { name: line.name, text: line.text }));
    if (this.watched && this.drawer === "chat") this.watched.unread = 0;
  }

  tick() {
    const table = this.watched?.table;
    if (!table?.deadline || !table.now || table.phase !== "playing") {
      this.secondsLeft = null;
      return;
    }
    if (this.clockNumber !== table.number) {
      this.clockNumber = table.number;
      this.clockEnds = Date.now() / 1000 + table.deadline - table.now;
    }
    this.secondsLeft = Math.max(0, Math.round(this.clockEnds - Date.now() / 1000));
  }

  // Wishes

  /**
   * Ask something of the table; a refusal is shown with its clause.
   * @param {string} type
   * @param {Record<string, unknown>} [fields]
   */
  async ask(type, fields = {}) {
    try {
      return await this.watched?.ask(type, fields);
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      this.explain(refusal);
      return null;
    }
  }

  /** @param {Refusal} refusal */
  explain({ message, clause }) {
    const text = message.charAt(0).toUpperCase() + message.slice(1);
    inform(text, clause ? { label: say("table.clause", { clause }), run: () => this.openRules(clause) } : null);
  }

  /** @param {string} text */
  async play(text) {
    const table = this.watched?.table;
    if (!table || this.isSending) return;
    this.isSending = true;
    this.awaited = Infinity;
    const answer = await this.ask("play", { number: table.number, move: text });
    this.awaited = answer?.number ?? 0;
    this.settle();
  }

  /** A move is done when its event is here, not when it is acknowledged: what is drawn before is out of date. */
  settle() {
    if (this.watched?.isUpToDate && (this.watched.table?.number ?? 0) >= this.awaited) this.isSending = false;
  }

  /**
   * Say why something cannot be done. Only on our own turn do we let the server explain: nobody else can move then, so
   * that a question never becomes a move.
   * @param {string | null} text
   */
  async explainMove(text) {
    const table = this.watched?.table;
    const view = table?.view;
    if (!table || !view) return;
    const isMyTurn = table.phase === "playing" && view.to_move === view.viewer && !table.is_early;
    if (!isMyTurn) inform(view.prompt);
    else if (text === null || view.choices.some((choice) => choice.text === text))
      inform(`${say("table.not_now")} ${view.prompt}`);
    else await this.play(text);
  }

  async rematch() {
    const answer = await this.ask("rematch");
    if (answer?.new_table) go(tableAddress(answer.new_table));
  }

  /** @param {string} clause */
  openRules(clause) {
    this.drawer = "rules";
    this.clause = "";
    this.updateComplete.then(() => (this.clause = clause));
  }

  /** @param {"log" | "chat" | "rules" | "scores" | null} tab */
  openDrawer(tab) {
    this.drawer = tab;
    if (tab === "chat" && this.watched) this.watched.unread = 0;
    if (!tab) this.updateComplete.then(() => /** @type {HTMLElement} */ (this.querySelector(".tool"))?.focus());
  }

  /** The story lies open beside the table only where there is room for both. */
  fitDrawer = () => {
    if (wideScreen.matches) this.drawer ??= "log";
    else if (this.drawer === "log") this.drawer = null;
  };

  // Drawing

  render() {
    const { watched } = this;
    if (!watched) return nothing;
    if (!visitor.me && this.invite) return this.welcome();
    if (watched.refusal) return this.sorry(watched.refusal.message);
    if (!watched.table) return html`<p class="page loading">${say("app.loading")}</p>`;
    if (watched.table.phase === "gathering") return this.gathering(watched.table);
    return this.playing(watched.table);
  }

  /** Whether an element can be drawn; if not yet, the page is drawn again when it can. @param {string} tag */
  isHere(tag) {
    if (customElements.get(tag)) return true;
    LATER[tag]().then(
      () => this.requestUpdate(),
      () => inform(say("app.no_server")),
    );
    return false;
  }

  nameForm() {
    return this.isHere("name-form") ? html`<name-form @named=${() => this.requestUpdate()}></name-form>` : nothing;
  }

  welcome() {
    const table = this.watched?.table;
    return html`<div class="page narrow join">
      <h1>${table?.title ?? "Tablée"}</h1>
      ${this.nameForm()}
    </div>`;
  }

  /** @param {string} why */
  sorry(why) {
    return html`<div class="page empty-state">
      <h1>Tablée</h1>
      <p>${why}</p>
      ${visitor.me ? nothing : this.nameForm()}
      <a class="button primary" href="#">${say("app.to_lobby")}</a>
    </div>`;
  }

  /** @param {Table} table */
  gathering(table) {
    if (!this.isHere("table-gathering")) return nothing;
    return html`<table-gathering .table=${table} .invite=${this.invite} .onAsk=${this.askFrom}></table-gathering>`;
  }

  /** @type {(type: string, fields?: Record<string, unknown>) => void} */
  askFrom = (type, fields) => {
    if (type === "rematch") this.rematch();
    else this.ask(type, fields);
  };

  /** @type {(text: string) => void} */
  playFrom = (text) => void this.play(text);

  /** @type {(text: string | null) => void} */
  explainFrom = (text) => void this.explainMove(text);

  /** @type {(picking: import("../selection.js").Picking) => void} */
  pickFrom = (picking) => {
    this.picking = picking;
    const meanings = picking.complete.map(({ label }) => label).join(", ");
    if (meanings) announce(meanings);
  };

  /** @param {Table} table */
  playing(table) {
    return html`<div class=${this.drawer ? "table-page with-drawer" : "table-page"}>
      ${this.toolbar(table)}
      <div class="play-area">
        ${this.banners(table)} ${table.phase === "over" ? gameOver(table, this.askFrom) : nothing}
        <board-holder
          .table=${table}
          .told=${this.watched?.told ?? []}
          .onChoose=${this.playFrom}
          .onExplain=${this.explainFrom}
          .onPicked=${this.pickFrom}
        ></board-holder>
        ${
          table.phase === "over"
            ? nothing
            : html`<table-dock
                .table=${table}
                .picking=${this.picking}
                .story=${this.story()}
                .isSending=${this.isSending}
                .onChoose=${this.playFrom}
                .onPutBack=${() => this.board?.clear()}
                .onAsk=${this.askFrom}
              ></table-dock>`
        }
      </div>
      ${this.drawer ? this.drawerPlace(this.drawer) : nothing}
    </div>`;
  }

  /**
   * The place is there at once, so that the board does not move when the drawer comes.
   * @param {"log" | "chat" | "rules" | "scores"} tab
   */
  drawerPlace(tab) {
    return html`<aside class="drawer" aria-label=${say(`table.${tab}`)} @keydown=${this.drawerKeys}>
      ${this.isHere("table-drawer") ? this.drawerIn(tab) : nothing}
    </aside>`;
  }

  /** @param {"log" | "chat" | "rules" | "scores"} tab */
  drawerIn(tab) {
    return html`<table-drawer
      .watched=${this.watched}
      .number=${this.changes}
      .tab=${tab}
      .clause=${this.clause}
      .onAsk=${this.askFrom}
      .onClose=${() => this.openDrawer(null)}
      .onTab=${(/** @type {any} */ next) => this.openDrawer(next)}
    ></table-drawer>`;
  }

  /** What the last move was; after a reload, what the log says last. */
  story() {
    const { told = [], log = [] } = this.watched ?? {};
    return told.length ? told.map(({ text }) => text).join(" ") : (log.at(-1)?.text ?? "");
  }

  /** @returns {Board | null} */
  get board() {
    return /** @type {any} */ (this.querySelector("board-holder"))?.board ?? null;
  }

  /** @param {KeyboardEvent} event */
  drawerKeys(event) {
    if (event.key === "Escape") this.openDrawer(null);
  }

  /** @param {Table} table */
  toolbar(table) {
    const isSeated = table.viewer >= 0;
    return html`<div class="toolbar" role="toolbar" aria-label=${table.title}>
      <a class="icon-button" href="#" aria-label=${say("app.home")}
        ><img src="/icon.svg" alt="" width="30" height="30"
      /></a>
      <h1>${table.title}</h1>
      ${isSeated && table.view ? html`<span class="own-score"><span class="visually-hidden">${say("table.points")}</span>${table.view.scores[table.viewer]}</span>` : nothing}
      ${this.secondsLeft === null ? nothing : html`<span class=${this.secondsLeft < 10 ? "clock urgent" : "clock"} aria-label=${say("table.time_left", { time: clockText(this.secondsLeft) })} role="timer">${icon("clock")} ${clockText(this.secondsLeft)}</span>`}
      <span class="bar-space"></span>
      ${table.commands.some(({ type }) => type === "undo") ? this.tool("undo", say("table.undo"), () => this.ask("undo")) : nothing}
      ${this.tool("log", say("table.log"), () => this.openDrawer(this.drawer === "log" ? null : "log"))}
      ${this.tool("chat", say("table.chat"), () => this.openDrawer(this.drawer === "chat" ? null : "chat"), this.watched?.unread)}
      ${this.tool("book", say("table.rules"), () => this.openDrawer(this.drawer === "rules" ? null : "rules"))}
      ${this.menu(table)}
    </div>`;
  }

  /**
   * @param {string} picture
   * @param {string} label
   * @param {() => void} run
   * @param {number} [unread]
   */
  tool(picture, label, run, unread = 0) {
    const name = unread ? `${label}, ${say("table.unread", { n: unread })}` : label;
    return html`<button class="icon-button tool" aria-label=${name} title=${label} @click=${run}>
      ${icon(picture)} ${unread ? html`<span class="unread" aria-hidden="true">${unread}</span>` : nothing}
    </button>`;
  }

  /** @param {Table} table */
  menu(table) {
    /** @param {() => void} run */
    const item = (/** @type {string} */ label, run) =>
      html`<button
        class="menu-item"
        @click=${() => {
          this.isMenuOpen = false;
          run();
        }}
      >
        ${label}
      </button>`;
    const canAct = table.viewer >= 0 && table.phase !== "over";
    return html`<div class="menu-holder" @keydown=${this.menuKeys}>
      <button
        class="icon-button"
        aria-label=${say("table.menu")}
        aria-expanded=${this.isMenuOpen}
        @click=${() => (this.isMenuOpen = !this.isMenuOpen)}
      >
        ${icon("menu")}
      </button>
      ${
        this.isMenuOpen
          ? html`<div class="menu">
              ${canAct && table.phase === "paused" ? item(say("table.resume"), () => this.ask("resume")) : nothing}
              ${canAct && table.phase === "playing" ? item(say("table.pause"), () => this.ask("pause")) : nothing}
              ${canAct ? item(say("table.stop"), () => this.confirm(say("table.stop_confirm"), "propose_end")) : nothing}
              ${canAct ? item(say("table.leave"), () => this.confirm(say("table.leave_confirm"), "leave")) : nothing}
              ${table.view ? item(say("table.look_back"), () => go(replayAddress(table.id, 0, OWN, this.invite))) : nothing}
              ${item(say("app.settings"), () => dispatchEvent(new Event("tablee-settings")))}
            </div>`
          : nothing
      }
    </div>`;
  }

  /** @param {KeyboardEvent} event */
  menuKeys(event) {
    if (event.key === "Escape") this.isMenuOpen = false;
  }

  /**
   * @param {string} question
   * @param {string} type
   */
  confirm(question, type) {
    inform(question, {
      label: say("table.yes"),
      run: () => {
        inform("");
        this.ask(type);
      },
    });
  }

  /** @param {Table} table */
  banners(table) {
    const mine = table.seats[table.viewer];
    const free =
      table.viewer < 0 &&
      table.seats.some(({ kind }) => kind === "empty") &&
      (table.is_open || this.invite) &&
      table.phase !== "over";
    return html` ${table.phase === "paused" && mine ? banner(say("table.paused"), [[say("table.resume"), () => this.ask("resume")]]) : nothing}
    ${mine?.is_covered ? banner(say("table.covered"), [[say("table.i_am_back"), () => this.ask("return")]]) : nothing}
    ${free ? banner(say("table.free_seat"), [[say("table.take_seat"), () => this.ask("claim", { seat: null, invite: this.invite })]]) : nothing}
    ${table.proposal && mine ? this.proposal(table) : nothing}`;
  }

  /** @param {Table} table */
  proposal(table) {
    const { seat, agreed } = table.proposal ?? { seat: 0, agreed: [] };
    if (agreed.includes(table.viewer)) return banner(say("table.asked"), []);
    return banner(say("table.proposed", { name: table.seats[seat].name }), [
      [say("table.agree"), () => this.ask("answer_end", { agrees: true })],
      [say("table.decline"), () => this.ask("answer_end", { agrees: false })],
    ]);
  }
}

/**
 * @param {string} text
 * @param {[string, () => void][]} actions
 */
function banner(text, actions) {
  return html`<div class="banner">
    <p>${text}</p>
    ${actions.map(([label, run]) => html`<button class="button small" @click=${run}>${label}</button>`)}
  </div>`;
}

/** @param {number} seconds */
function clockText(seconds) {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

customElements.define("table-page", TablePage);
