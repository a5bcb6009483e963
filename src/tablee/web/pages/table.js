/** A table, from the waiting room to the result, for players and spectators. */

import { classMap, html, LitElement, nothing } from "../vendor/lit.js";
import { LOBBY, navigate, tableAddress } from "../addresses.js";
import { getPresence, Refusal } from "../api.js";
import { isAvailable } from "../commands.js";
import { connection } from "../connection.js";
import { identity } from "../identity.js";
import { announce, capitalize, notify } from "../notifications.js";
import { banners } from "../parts/banners.js";
import { coachPanel, lessonOver, wayOn } from "../parts/coach.js";
import { gameOver } from "../parts/game-over.js";
import { restPanel } from "../parts/rest.js";
import { runShortcut, showShortcuts } from "../parts/shortcuts.js";
import { icon } from "../parts/symbols.js";
import { playTurnSignal } from "../sounds.js";
import { notifyTurn } from "../turns.js";
import { clockText } from "../time.js";
import { WatchedTable } from "../watched-table.js";
import { translate } from "../words.js";
import "../boards.js";
import "../parts/dock.js";
import "../parts/menu.js";

/** @typedef {import("../types.js").TableShown} TableShown */
/** @typedef {import("../parts/board.js").Board} Board */
/** @typedef {import("../commands.js").Command} Command */
/** @typedef {"log" | "chat" | "rules" | "scores"} Tab */

const wideScreen = matchMedia("(min-width: 1000px)");
const PRESENCE_MILLISECONDS = 15_000;
/** @type {string[]} */
const NO_POINTS = [];

/** Elements that many visits do not need, loaded when they are first drawn. @type {Record<string, () => Promise<unknown>>} */
const LAZY_ELEMENTS = {
  "name-form": () => import("../parts/name-form.js"),
  "table-drawer": () => import("../parts/drawer.js"),
  "waiting-room": () => import("../parts/waiting-room.js"),
};

/** The commands before which a guest is asked for a name, with the words of the button. @type {Record<string, string>} */
const NAMED_COMMANDS = { claim: "name.sit", chat: "table.send" };

class TablePage extends LitElement {
  static properties = {
    tableId: { attribute: false },
    invite: { attribute: false },
    revision: { state: true },
    selection: { state: true },
    drawer: { state: true },
    clause: { state: true },
    isSending: { state: true },
    secondsLeft: { state: true },
    presence: { state: true },
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
    /** @type {Tab | null} */
    this.drawer = wideScreen.matches ? "log" : null;
    this.clause = "";
    this.isSending = false;
    /** @type {number | null} */
    this.secondsLeft = null;
    /** @type {import("../types.js").PresenceShown[]} */
    this.presence = [];
    /** @type {TableShown | null} what `boardTable` was made from */
    this.shownTable = null;
    /** @type {import("../types.js").PresenceShown[]} */
    this.shownPresence = this.presence;
    /** @type {TableShown | null} */
    this.boardTable = null;
    this.wasOwnTurn = false;
    this.coachText = "";
    this.sentNumber = Infinity; // of the event that the last move sent has become
    this.hasClaimed = false;
    /** @type {TableShown | null} the table that was drawn last */
    this.drawn = null;
    /** @type {Element | null} where the focus returns when the drawer is closed */
    this.opener = null;
    this.clockNumber = 0; // of the event that set the clock
    this.clockEnds = 0;
  }

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    this.timer = setInterval(() => this.tick(), 1000);
    this.presenceTimer = setInterval(() => this.askPresence(), PRESENCE_MILLISECONDS);
    wideScreen.addEventListener("change", this.fitDrawer);
    addEventListener("keydown", this.keyPressed);
    this.watch();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.timer);
    clearInterval(this.presenceTimer);
    wideScreen.removeEventListener("change", this.fitDrawer);
    removeEventListener("keydown", this.keyPressed);
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
    if (watched.table) this.tableChanged();
  }

  // Changes of the table

  tableChanged() {
    const table = this.watched?.table;
    this.revision += 1;
    if (table !== this.drawn) this.selection = null;
    this.drawn = table ?? null;
    if (!table) return;
    this.checkSent();
    this.claimIfInvited(table);
    this.checkTurn(table);
    this.checkCoach(table);
    this.tick();
  }

  /** Read out what the coach says, once. @param {TableShown} table */
  checkCoach({ lesson }) {
    const text = lesson?.text ?? "";
    if (text && text !== this.coachText) announce(text);
    this.coachText = text;
  }

  /** Take a seat if the page was opened by an invite link and the player has a name. @param {TableShown} table */
  async claimIfInvited(table) {
    const isWanted = this.invite && identity.isNamed && table.phase === "gathering" && !this.hasClaimed;
    if (!isWanted || !isAvailable(table, "claim")) return;
    this.hasClaimed = true;
    await this.send({ type: "claim", invite: this.invite });
  }

  /** @param {TableShown} table */
  checkTurn(table) {
    const isOwnTurn = isAvailable(table, "play") && (table.view?.choices.length ?? 0) > 0 && !table.queued;
    document.title = isOwnTurn ? translate("table.turn_title", { title: table.title }) : `${table.title} · Tablée`;
    if (isOwnTurn && !this.wasOwnTurn) {
      playTurnSignal();
      notifyTurn(table.id, table.title);
      announce(`${translate("table.your_turn")}. ${table.view?.prompt}`);
    }
    this.wasOwnTurn = isOwnTurn;
  }

  /** @param {import("../types.js").GameEvent[]} events */
  announceEvents(events) {
    for (const { text } of events) announce(text);
  }

  /** @param {import("../types.js").ChatShown} line */
  chatReceived(line) {
    announce(translate("table.says", { name: line.name, text: line.text }));
    if (this.watched && this.drawer === "chat") this.watched.unread = 0;
  }

  /** Ask who is there, if other people play here and the page is seen. */
  async askPresence() {
    const table = this.watched?.table;
    const others = table?.seats.filter(({ kind, is_you: isOwn }) => kind === "person" && !isOwn) ?? [];
    if (!table || !others.length || table.phase === "over" || document.hidden) return;
    this.presence = await getPresence(this.tableId, this.invite).catch(() => this.presence);
  }

  /** The table as its board shows it: after a round with its end, and with who is away. @param {TableShown} table */
  onBoard(table) {
    if (this.shownTable === table && this.shownPresence === this.presence) return this.boardTable;
    const away = new Map(this.presence.filter(({ is_here: isHere }) => !isHere).map((each) => [each.seat, each]));
    const seats = table.seats.map((seat) => ({ ...seat, away: away.get(seat.seat) ?? null }));
    [this.shownTable, this.shownPresence] = [table, this.presence];
    this.boardTable = { ...table, seats, view: table.round_view ?? table.view };
    return this.boardTable;
  }

  tick() {
    const table = this.watched?.table;
    const deadline = table?.resting ? table.resting.deadline : table?.phase === "playing" ? table.deadline : null;
    if (!table || !deadline) {
      this.secondsLeft = null;
      return;
    }
    if (this.clockNumber !== table.number) {
      this.clockNumber = table.number;
      this.clockEnds = Date.now() / 1000 + deadline - table.now;
    }
    this.secondsLeft = Math.max(0, Math.round(this.clockEnds - Date.now() / 1000));
  }

  // Commands

  /**
   * Send a command; a refusal is shown with its clause.
   * @param {Command} command
   */
  async send(command) {
    const action = NAMED_COMMANDS[command.type];
    if (action && !(await identity.requireName(translate(action)))) return null;
    try {
      return await this.watched?.send(command);
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      this.showReason(refusal.message, refusal.clause);
      return null;
    }
  }

  /**
   * Show why something is not possible, with a link to the clause.
   * @param {string} text
   * @param {string | null} clause
   */
  showReason(text, clause) {
    const action = clause ? { label: translate("table.clause", { clause }), run: () => this.openRules(clause) } : null;
    notify(capitalize(text), action);
  }

  /** @param {string} move text of a choice */
  async play(move) {
    const table = this.watched?.table;
    if (!table || this.isSending) return;
    this.isSending = true;
    this.sentNumber = Infinity;
    const ack = await this.send({ type: "play", number: table.number, move });
    this.sentNumber = ack?.number ?? 0;
    this.checkSent();
  }

  /** A move is done when its event has arrived, not when it is acknowledged: until then the table is out of date. */
  checkSent() {
    if (this.watched?.isUpToDate && (this.watched.table?.number ?? 0) >= this.sentNumber) this.isSending = false;
  }

  /** Ask the server why a move is not possible. @param {import("../watched-table.js").Question} question */
  async explain(question) {
    try {
      const reason = await this.watched?.explain(question);
      if (reason) this.showReason(reason.text, reason.clause);
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      this.showReason(refusal.message, refusal.clause);
    }
  }

  /** Open a rematch, or sit down at the one that another player has opened. */
  async rematch() {
    const opened = this.watched?.table?.rematch;
    if (opened) await connection.send({ type: "claim", table: opened }).catch(() => {}); // the new table says why
    const table = opened ?? (await this.send({ type: "rematch" }))?.new_table;
    if (table) navigate(tableAddress(table));
  }

  /** @param {string} clause */
  openRules(clause) {
    this.drawer = "rules";
    this.clause = "";
    this.updateComplete.then(() => (this.clause = clause));
  }

  /** Open the drawer and move the focus there, or (null) close it and give the focus back. @param {Tab | null} tab */
  async openDrawer(tab) {
    if (!this.drawer) this.opener = document.activeElement;
    this.drawer = tab;
    if (tab === "chat" && this.watched) this.watched.unread = 0;
    if (tab) await customElements.whenDefined("table-drawer");
    await this.updateComplete;
    const drawer = /** @type {LitElement | null} */ (this.querySelector("table-drawer"));
    await drawer?.updateComplete;
    const target = drawer?.querySelector(`#tab-${this.drawer}`) ?? this.opener;
    if (target instanceof HTMLElement) target.focus();
  }

  /** @param {Tab} tab */
  toggleDrawer(tab) {
    void this.openDrawer(this.drawer === tab ? null : tab);
  }

  // Keys

  /** @returns {import("../parts/shortcuts.js").Shortcut[]} */
  get shortcuts() {
    return [
      { keys: ["Tab"], label: translate("keys.focus") },
      { keys: ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"], label: translate("keys.arrows") },
      { keys: ["Enter", " "], label: translate("keys.select") },
      { keys: ["m"], label: translate("keys.moves"), run: () => this.dock?.toggle() },
      { keys: ["u"], label: translate("table.undo"), run: () => this.undo() },
      { keys: ["n"], label: translate("keys.advance"), run: () => this.goOn() },
      { keys: ["s"], label: translate("keys.skip"), run: () => this.watched?.catchUp() },
      { keys: ["l"], label: translate("table.log"), run: () => this.toggleDrawer("log") },
      { keys: ["c"], label: translate("table.chat"), run: () => this.toggleDrawer("chat") },
      { keys: ["r"], label: translate("table.rules"), run: () => this.toggleDrawer("rules") },
      { keys: ["p"], label: translate("table.scores"), run: () => this.toggleDrawer("scores") },
      { keys: ["Escape"], label: translate("keys.close"), run: () => this.closeDrawer() },
      { keys: ["?"], label: translate("keys.title"), run: () => showShortcuts(this.shortcuts) },
    ];
  }

  /** @type {(event: KeyboardEvent) => void} */
  keyPressed = (event) => {
    if (!(event.target instanceof Element && event.target.closest("table-menu"))) runShortcut(event, this.shortcuts);
  };

  closeDrawer() {
    if (this.drawer) void this.openDrawer(null);
  }

  /** Show the next event that waits, or go on in a guided round. */
  goOn() {
    const table = this.watched?.table;
    const way = table && wayOn(table);
    if (way) void this.coachCommand({ type: way });
    else this.watched?.advance();
  }

  /** Go on in a guided round; the focus, which may have been on the button, stays with the coach. @param {Command} command */
  async coachCommand(command) {
    await this.send(command);
    await this.updateComplete;
    const next = /** @type {HTMLElement | null} */ (this.querySelector(".coach .button") ?? this.querySelector(".coach-words"));
    if (!document.activeElement || document.activeElement === document.body) next?.focus({ preventScroll: true });
  }

  undo() {
    if (this.watched?.table && isAvailable(this.watched.table, "undo")) void this.send({ type: "undo" });
  }

  /** @returns {any} */
  get dock() {
    return this.querySelector("table-dock");
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
    if (watched.refusal) return this.failurePage(watched.refusal.message);
    if (!watched.table) return html`<p class="page loading">${translate("app.loading")}</p>`;
    if (this.isInvited(watched.table)) return this.joinPage(watched.table);
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

  /** Whether a guest has opened an invite link and can sit down. @param {TableShown} table */
  isInvited(table) {
    return this.invite && !identity.isNamed && table.phase === "gathering" && isAvailable(table, "claim");
  }

  /** @param {TableShown} table */
  joinPage(table) {
    const { title } = table;
    const host = table.seats.find(({ kind }) => kind === "person")?.name;
    return html`<div class="page narrow join">
      <h1>${host ? translate("name.invitation", { name: host, title }) : title}</h1>
      ${
        this.isLoaded("name-form")
          ? html`<name-form .action=${translate("name.sit")} @named=${() => this.tableChanged()}></name-form>`
          : nothing
      }
    </div>`;
  }

  /** @param {string} why */
  failurePage(why) {
    return html`<div class="page empty-state">
      <h1>Tablée</h1>
      <p>${why}</p>
      <a class="button primary" href=${LOBBY}>${translate("app.to_lobby")}</a>
    </div>`;
  }

  /** @param {TableShown} table */
  waitingRoom(table) {
    if (!this.isLoaded("waiting-room")) return nothing;
    return html`<waiting-room .table=${table} .invite=${this.invite} .onCommand=${this.onCommand}></waiting-room>`;
  }

  /** Send a command; resolved with its answer, null if it was refused. @type {(command: Command) => Promise<unknown>} */
  onCommand = (command) => (command.type === "rematch" ? this.rematch() : this.send(command));

  /** @type {(move: string) => void} */
  onChoose = (move) => void this.play(move);

  /** @type {(question: import("../watched-table.js").Question) => void} */
  onExplain = (question) => void this.explain(question);

  /** @type {(selection: import("../selection.js").Selection) => void} */
  onSelect = (selection) => {
    this.selection = selection;
    const labels = selection.complete.map(({ label }) => label).join(", ");
    if (labels) announce(labels);
  };

  /** @param {TableShown} table */
  gameTable(table) {
    const isResting = table.resting !== null || table.phase === "over";
    const classes = {
      "table-page": true,
      "with-drawer": this.drawer !== null,
      "is-resting": isResting,
      "is-lesson": table.lesson !== null,
    };
    return html`<div class=${classMap(classes)}>
      ${this.toolbar(table)}
      <div class="play-area" @pointerdown=${() => this.watched?.catchUp()}>
        <div class="banners">${banners(table, this.invite, this.onCommand)}</div>
        <board-holder
          .table=${this.onBoard(table)}
          .events=${this.watched?.events ?? []}
          .points=${table.lesson?.points ?? NO_POINTS}
          .onChoose=${this.onChoose}
          .onExplain=${this.onExplain}
          .onSelect=${this.onSelect}
        ></board-holder>
        ${this.panel(table)}
      </div>
      ${this.drawer ? this.drawerFrame(this.drawer) : nothing}
    </div>`;
  }

  /** What is below the board. @param {TableShown} table */
  panel(table) {
    if (table.phase === "over" && table.source === "lesson") return lessonOver(table);
    if (table.phase === "over") return gameOver(table, this.onCommand, () => this.openDrawer("scores"));
    if (table.lesson) return coachPanel(table, this.moves(table), (command) => void this.coachCommand(command));
    return table.resting ? restPanel(table, this.onCommand) : this.moves(table);
  }

  /** The prompt and the moves. @param {TableShown} table */
  moves(table) {
    return html`<table-dock
      .table=${table}
      .selection=${this.selection}
      .lastEvents=${this.lastEvents()}
      .isSending=${this.isSending}
      .waiting=${this.watched?.waiting ?? 0}
      .onAdvance=${() => this.watched?.advance()}
      .onChoose=${this.onChoose}
      .onExplain=${this.onExplain}
      .onClear=${() => this.board?.clear()}
      .onCommand=${this.onCommand}
    ></table-dock>`;
  }

  /**
   * The frame is drawn before the drawer is loaded, so that the board does not move when it arrives.
   * @param {Tab} tab
   */
  drawerFrame(tab) {
    return html`<aside class="drawer" aria-label=${translate(`table.${tab}`)}>
      ${this.isLoaded("table-drawer") ? this.drawerContent(tab) : nothing}
    </aside>`;
  }

  /** @param {Tab} tab */
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

  /** The texts of the last events; after a reload, from the log. */
  lastEvents() {
    const { events = [], log = [] } = this.watched ?? {};
    const last = events.length ? events : log.filter(({ number }) => number === log.at(-1)?.number);
    return last.map(({ text }) => text).join(" ");
  }

  /** @returns {Board | null} */
  get board() {
    return /** @type {any} */ (this.querySelector("board-holder"))?.board ?? null;
  }

  /** @param {TableShown} table */
  toolbar(table) {
    return html`<div class="toolbar" role="toolbar" aria-label=${table.title}>
      <a class="icon-button" href=${LOBBY} aria-label=${translate("app.home")}
        ><img src="/icon.svg" alt="" width="30" height="30"
      /></a>
      <h1>${table.title}</h1>
      ${table.viewer >= 0 && table.view ? html`<span class="own-score"><span class="visually-hidden">${translate("table.points")}</span>${table.view.scores[table.viewer]}<small class="unit" aria-hidden="true">${translate("table.points_unit")}</small></span>` : nothing}
      ${this.secondsLeft === null ? nothing : html`<span class=${this.secondsLeft < 10 ? "clock urgent" : "clock"} aria-label=${translate("table.time_left", { time: clockText(this.secondsLeft) })} role="timer">${icon("clock")} ${clockText(this.secondsLeft)}</span>`}
      <span class="bar-space"></span>
      ${this.tool("log", translate("table.log"), () => this.toggleDrawer("log"))}
      ${this.tool("chat", translate("table.chat"), () => this.toggleDrawer("chat"), this.watched?.unread)}
      ${this.tool("book", translate("table.rules"), () => this.toggleDrawer("rules"))}
      <table-menu .table=${table} .invite=${this.invite} .onCommand=${this.onCommand}></table-menu>
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
}

customElements.define("table-page", TablePage);
