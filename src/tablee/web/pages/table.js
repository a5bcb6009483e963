/** A table, from the waiting room to the result, for players and spectators. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { navigate, OWN, replayAddress, tableAddress } from "../addresses.js";
import { announce, notify } from "../notifications.js";
import { gameOver } from "../parts/game-over.js";
import { icon } from "../parts/symbols.js";
import { Refusal } from "../api.js";
import { signalTurn } from "../sounds.js";
import { identity } from "../identity.js";
import { WatchedTable } from "../watched-table.js";
import { translate } from "../words.js";
import "../boards.js";
import "../parts/dock.js";

/** @typedef {import("../types.js").Table} Table */
/** @typedef {import("../parts/board.js").Board} Board */

const wideScreen = matchMedia("(min-width: 1000px)");

/** Elements that many visits do not need, loaded when they are first drawn. @type {Record<string, () => Promise<unknown>>} */
const LAZY_ELEMENTS = {
  "name-form": () => import("../parts/name-form.js"),
  "table-drawer": () => import("../parts/drawer.js"),
  "waiting-room": () => import("../parts/waiting-room.js"),
};

class TablePage extends LitElement {
  static properties = {
    tableId: { attribute: false },
    invite: { attribute: false },
    revision: { state: true },
    selection: { state: true },
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
    this.revision = 0;
    /** @type {WatchedTable | null} */
    this.watched = null;
    /** @type {import("../selection.js").Selection | null} */
    this.selection = null;
    /** @type {"log" | "chat" | "rules" | "scores" | null} */
    this.drawer = wideScreen.matches ? "log" : null;
    this.clause = "";
    this.isMenuOpen = false;
    this.isSending = false;
    /** @type {number | null} */
    this.secondsLeft = null;
    this.wasOwnTurn = false;
    this.sentNumber = Infinity; // of the event that the last move sent has become
    this.hasClaimed = false;
    this.clockNumber = 0; // of the event that set the clock
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
    watched.addEventListener("change", () => this.tableChanged());
    watched.addEventListener("events", (event) => this.announceEvents(/** @type {CustomEvent} */ (event).detail));
    watched.addEventListener("chat", (event) => this.chatReceived(/** @type {CustomEvent} */ (event).detail));
    this.watched = watched;
  }

  // Changes of the table

  tableChanged() {
    const table = this.watched?.table;
    this.revision += 1;
    this.selection = null;
    if (!table) return;
    this.checkSent();
    this.claimIfInvited(table);
    this.signalTurn(table);
    this.tick();
  }

  /** Take a seat if the page was opened by an invite link and the player has a name. @param {Table} table */
  async claimIfInvited(table) {
    const isFree = table.phase === "gathering" && table.viewer < 0;
    if (!this.invite || !isFree || this.hasClaimed || !identity.me) return;
    this.hasClaimed = true;
    await this.send("claim", { seat: null, invite: this.invite });
  }

  /** @param {Table} table */
  signalTurn(table) {
    const isOwnTurn = table.phase === "playing" && (table.view?.choices.length ?? 0) > 0 && !table.queued;
    document.title = isOwnTurn ? translate("table.turn_title", { title: table.title }) : `${table.title} · Tablée`;
    if (isOwnTurn && !this.wasOwnTurn) {
      signalTurn();
      announce(`${translate("table.your_turn")}. ${table.view?.prompt}`);
    }
    this.wasOwnTurn = isOwnTurn;
  }

  /** @param {import("../types.js").ToldEvent[]} events */
  announceEvents(events) {
    for (const { text } of events) announce(text);
  }

  /** @param {import("../types.js").Chat} line */
  chatReceived(line) {
    announce(translate("table.says", { name: line.name, text: line.text }));
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

  // Commands

  /**
   * Send a command; a refusal is shown with its clause.
   * @param {string} type
   * @param {Record<string, unknown>} [fields]
   */
  async send(type, fields = {}) {
    try {
      return await this.watched?.send(type, fields);
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      this.showRefusal(refusal);
      return null;
    }
  }

  /** @param {Refusal} refusal */
  showRefusal({ message, clause }) {
    const text = message.charAt(0).toUpperCase() + message.slice(1);
    notify(text, clause ? { label: translate("table.clause", { clause }), run: () => this.openRules(clause) } : null);
  }

  /** @param {string} text */
  async play(text) {
    const table = this.watched?.table;
    if (!table || this.isSending) return;
    this.isSending = true;
    this.sentNumber = Infinity;
    const ack = await this.send("play", { number: table.number, move: text });
    this.sentNumber = ack?.number ?? 0;
    this.checkSent();
  }

  /** A move is done when its event has arrived, not when it is acknowledged: until then the table is out of date. */
  checkSent() {
    if (this.watched?.isUpToDate && (this.watched.table?.number ?? 0) >= this.sentNumber) this.isSending = false;
  }

  /**
   * Say why a move is not possible. The server is asked only on the player's own turn, when nobody else can move, so
   * that the question never becomes a move.
   * @param {string | null} text
   */
  async explainMove(text) {
    const table = this.watched?.table;
    const view = table?.view;
    if (!table || !view) return;
    const isOwnTurn = table.phase === "playing" && view.to_move === view.viewer && !table.is_early;
    if (!isOwnTurn) notify(view.prompt);
    else if (text === null || view.choices.some((choice) => choice.text === text))
      notify(`${translate("table.not_now")} ${view.prompt}`);
    else await this.play(text);
  }

  async rematch() {
    const ack = await this.send("rematch");
    if (ack?.new_table) navigate(tableAddress(ack.new_table));
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

  /** Keep the log open beside the table only where there is room for both. */
  fitDrawer = () => {
    if (wideScreen.matches) this.drawer ??= "log";
    else if (this.drawer === "log") this.drawer = null;
  };

  // Drawing

  render() {
    const { watched } = this;
    if (!watched) return nothing;
    if (!identity.me && this.invite) return this.joinPage();
    if (watched.refusal) return this.failurePage(watched.refusal.message);
    if (!watched.table) return html`<p class="page loading">${translate("app.loading")}</p>`;
    if (watched.table.phase === "gathering") return this.waitingRoom(watched.table);
    return this.gameTable(watched.table);
  }

  /** Whether an element is loaded; if not, load it and draw the page again. @param {string} tag */
  isLoaded(tag) {
    if (customElements.get(tag)) return true;
    LAZY_ELEMENTS[tag]().then(
      () => this.requestUpdate(),
      () => notify(translate("app.no_server")),
    );
    return false;
  }

  nameForm() {
    return this.isLoaded("name-form") ? html`<name-form @named=${() => this.requestUpdate()}></name-form>` : nothing;
  }

  joinPage() {
    const table = this.watched?.table;
    return html`<div class="page narrow join">
      <h1>${table?.title ?? "Tablée"}</h1>
      ${this.nameForm()}
    </div>`;
  }

  /** @param {string} why */
  failurePage(why) {
    return html`<div class="page empty-state">
      <h1>Tablée</h1>
      <p>${why}</p>
      ${identity.me ? nothing : this.nameForm()}
      <a class="button primary" href="#">${translate("app.to_lobby")}</a>
    </div>`;
  }

  /** @param {Table} table */
  waitingRoom(table) {
    if (!this.isLoaded("waiting-room")) return nothing;
    return html`<waiting-room .table=${table} .invite=${this.invite} .onCommand=${this.onCommand}></waiting-room>`;
  }

  /** @type {(type: string, fields?: Record<string, unknown>) => void} */
  onCommand = (type, fields) => {
    if (type === "rematch") this.rematch();
    else this.send(type, fields);
  };

  /** @type {(text: string) => void} */
  onChoose = (text) => void this.play(text);

  /** @type {(text: string | null) => void} */
  onExplain = (text) => void this.explainMove(text);

  /** @type {(selection: import("../selection.js").Selection) => void} */
  onSelect = (selection) => {
    this.selection = selection;
    const labels = selection.complete.map(({ label }) => label).join(", ");
    if (labels) announce(labels);
  };

  /** @param {Table} table */
  gameTable(table) {
    return html`<div class=${this.drawer ? "table-page with-drawer" : "table-page"}>
      ${this.toolbar(table)}
      <div class="play-area">
        ${this.banners(table)} ${table.phase === "over" ? gameOver(table, this.onCommand) : nothing}
        <board-holder
          .table=${table}
          .events=${this.watched?.events ?? []}
          .onChoose=${this.onChoose}
          .onExplain=${this.onExplain}
          .onSelect=${this.onSelect}
        ></board-holder>
        ${
          table.phase === "over"
            ? nothing
            : html`<table-dock
                .table=${table}
                .selection=${this.selection}
                .lastEvents=${this.lastEvents()}
                .isSending=${this.isSending}
                .onChoose=${this.onChoose}
                .onClear=${() => this.board?.clear()}
                .onCommand=${this.onCommand}
              ></table-dock>`
        }
      </div>
      ${this.drawer ? this.drawerFrame(this.drawer) : nothing}
    </div>`;
  }

  /**
   * The frame is drawn before the drawer is loaded, so that the board does not move when it arrives.
   * @param {"log" | "chat" | "rules" | "scores"} tab
   */
  drawerFrame(tab) {
    return html`<aside class="drawer" aria-label=${translate(`table.${tab}`)} @keydown=${this.drawerKeyPressed}>
      ${this.isLoaded("table-drawer") ? this.drawerContent(tab) : nothing}
    </aside>`;
  }

  /** @param {"log" | "chat" | "rules" | "scores"} tab */
  drawerContent(tab) {
    return html`<table-drawer
      .watched=${this.watched}
      .revision=${this.revision}
      .tab=${tab}
      .clause=${this.clause}
      .onCommand=${this.onCommand}
      .onClose=${() => this.openDrawer(null)}
      .onTab=${(/** @type {any} */ next) => this.openDrawer(next)}
    ></table-drawer>`;
  }

  /** The last events, or the last line of the log after a reload. */
  lastEvents() {
    const { events = [], log = [] } = this.watched ?? {};
    return events.length ? events.map(({ text }) => text).join(" ") : (log.at(-1)?.text ?? "");
  }

  /** @returns {Board | null} */
  get board() {
    return /** @type {any} */ (this.querySelector("board-holder"))?.board ?? null;
  }

  /** @param {KeyboardEvent} event */
  drawerKeyPressed(event) {
    if (event.key === "Escape") this.openDrawer(null);
  }

  /** @param {Table} table */
  toolbar(table) {
    const isSeated = table.viewer >= 0;
    return html`<div class="toolbar" role="toolbar" aria-label=${table.title}>
      <a class="icon-button" href="#" aria-label=${translate("app.home")}
        ><img src="/icon.svg" alt="" width="30" height="30"
      /></a>
      <h1>${table.title}</h1>
      ${isSeated && table.view ? html`<span class="own-score"><span class="visually-hidden">${translate("table.points")}</span>${table.view.scores[table.viewer]}</span>` : nothing}
      ${this.secondsLeft === null ? nothing : html`<span class=${this.secondsLeft < 10 ? "clock urgent" : "clock"} aria-label=${translate("table.time_left", { time: clockText(this.secondsLeft) })} role="timer">${icon("clock")} ${clockText(this.secondsLeft)}</span>`}
      <span class="bar-space"></span>
      ${table.commands.some(({ type }) => type === "undo") ? this.tool("undo", translate("table.undo"), () => this.send("undo")) : nothing}
      ${this.tool("log", translate("table.log"), () => this.openDrawer(this.drawer === "log" ? null : "log"))}
      ${this.tool("chat", translate("table.chat"), () => this.openDrawer(this.drawer === "chat" ? null : "chat"), this.watched?.unread)}
      ${this.tool("book", translate("table.rules"), () => this.openDrawer(this.drawer === "rules" ? null : "rules"))}
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
    const name = unread ? `${label}, ${translate("table.unread", { n: unread })}` : label;
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
    return html`<div class="menu-holder" @keydown=${this.menuKeyPressed}>
      <button
        class="icon-button"
        aria-label=${translate("table.menu")}
        aria-expanded=${this.isMenuOpen}
        @click=${() => (this.isMenuOpen = !this.isMenuOpen)}
      >
        ${icon("menu")}
      </button>
      ${
        this.isMenuOpen
          ? html`<div class="menu">
              ${canAct && table.phase === "paused" ? item(translate("table.resume"), () => this.send("resume")) : nothing}
              ${canAct && table.phase === "playing" ? item(translate("table.pause"), () => this.send("pause")) : nothing}
              ${canAct ? item(translate("table.stop"), () => this.confirm(translate("table.stop_confirm"), "propose_end")) : nothing}
              ${canAct ? item(translate("table.leave"), () => this.confirm(translate("table.leave_confirm"), "leave")) : nothing}
              ${table.view ? item(translate("table.replay"), () => navigate(replayAddress(table.id, 0, OWN, this.invite))) : nothing}
              ${item(translate("app.settings"), () => dispatchEvent(new Event("tablee-settings")))}
            </div>`
          : nothing
      }
    </div>`;
  }

  /** @param {KeyboardEvent} event */
  menuKeyPressed(event) {
    if (event.key === "Escape") this.isMenuOpen = false;
  }

  /**
   * @param {string} question
   * @param {string} type
   */
  confirm(question, type) {
    notify(question, {
      label: translate("table.yes"),
      run: () => {
        notify("");
        this.send(type);
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
    return html` ${table.phase === "paused" && mine ? banner(translate("table.paused"), [[translate("table.resume"), () => this.send("resume")]]) : nothing}
    ${mine?.is_covered ? banner(translate("table.covered"), [[translate("table.i_am_back"), () => this.send("return")]]) : nothing}
    ${free ? banner(translate("table.free_seat"), [[translate("table.take_seat"), () => this.send("claim", { seat: null, invite: this.invite })]]) : nothing}
    ${table.proposal && mine ? this.proposal(table) : nothing}`;
  }

  /** @param {Table} table */
  proposal(table) {
    const { seat, agreed } = table.proposal ?? { seat: 0, agreed: [] };
    if (agreed.includes(table.viewer)) return banner(translate("table.asked"), []);
    return banner(translate("table.proposed", { name: table.seats[seat].name }), [
      [translate("table.agree"), () => this.send("answer_end", { agrees: true })],
      [translate("table.decline"), () => this.send("answer_end", { agrees: false })],
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
