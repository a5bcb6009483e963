/** A table, from the waiting room to the result, for players and spectators. */

import { classMap, html, LitElement, nothing } from "../vendor/lit.js";
import { navigate, tableAddress } from "../addresses.js";
import { Refusal } from "../api.js";
import { CoachController } from "../coaching.js";
import { isAvailable } from "../commands.js";
import { connection } from "../connection.js";
import { Countdown } from "../countdown.js";
import { identity } from "../identity.js";
import { announce, capitalize, notify } from "../notifications.js";
import { banners } from "../parts/banners.js";
import { coachPanel, lessonOver, wayOn } from "../parts/coach.js";
import { failurePage, joinPage } from "../parts/entrance.js";
import { gameOver } from "../parts/game-over.js";
import { restPanel } from "../parts/rest.js";
import { runShortcut, showShortcuts } from "../parts/shortcuts.js";
import { tableCoach } from "../parts/table-coach.js";
import { toolbar } from "../parts/toolbar.js";
import { PresenceController } from "../presence.js";
import { playTurnSignal } from "../sounds.js";
import { notifyTurn } from "../turns.js";
import { WatchedTable } from "../watched-table.js";
import { translate } from "../words.js";
import "../boards.js";
import "../parts/dock.js";

/** @typedef {import("../types.js").TableShown} TableShown */
/** @typedef {import("../parts/board.js").Board} Board */
/** @typedef {import("../commands.js").Command} Command */
/** @typedef {"log" | "chat" | "rules" | "scores"} Tab */

const wideScreen = matchMedia("(min-width: 1000px)");

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
    this.countdown = new Countdown();
    this.presence = new PresenceController(this, () => this.watched);
    this.coach = new CoachController(this);
    this.wasOwnTurn = false;
    this.coachText = "";
    this.sentNumber = Infinity; // of the event that the last move sent has become
    this.hasClaimed = false;
    /** @type {TableShown | null} the table that was drawn last */
    this.drawn = null;
    /** @type {Element | null} where the focus was before the drawer took it */
    this.opener = null;
  }

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    this.timer = setInterval(() => this.tick(), 1000);
    wideScreen.addEventListener("change", this.fitDrawer);
    addEventListener("keydown", this.keyPressed);
    this.watch();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.timer);
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
    this.coach.tableChanged(table);
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

  tick() {
    const table = this.watched?.table;
    this.secondsLeft = table ? this.countdown.secondsLeft(table) : null;
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
    if (!(await this.coach.isSure(move)) || this.isSending) return;
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
  async openRules(clause) {
    this.clause = "";
    await this.openDrawer("rules");
    this.clause = clause;
  }

  /** Open the drawer and move the focus there, or (null) close it and give the focus back. @param {Tab | null} tab */
  async openDrawer(tab) {
    const focused = document.activeElement;
    if (!focused?.closest(".drawer")) this.opener = focused;
    this.drawer = tab;
    if (tab === "chat" && this.watched) this.watched.unread = 0;
    await this.updateComplete;
    if (tab) await this.focusDrawer();
    else this.focusOpener();
  }

  /** Move the focus to the drawer; its frame has it until the drawer is loaded, unless the player moves it meanwhile. */
  async focusDrawer() {
    const frame = /** @type {HTMLElement | null} */ (this.querySelector(".drawer"));
    if (!customElements.get("table-drawer")) {
      frame?.focus();
      await customElements.whenDefined("table-drawer");
      this.requestUpdate(); // the element is defined before the import is done that draws the page again
      await this.updateComplete;
      if (document.activeElement !== frame) return;
    }
    const drawer = /** @type {LitElement | null} */ (this.querySelector("table-drawer"));
    await drawer?.updateComplete;
    /** @type {HTMLElement | null | undefined} */ (drawer?.querySelector(`#tab-${this.drawer}`))?.focus();
  }

  /** Give the focus back to where it was before the drawer took it, or to the page if that is gone. */
  focusOpener() {
    const target = this.opener?.isConnected ? this.opener : document.getElementById("main");
    if (target instanceof HTMLElement) target.focus({ preventScroll: true });
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
      { keys: ["h"], label: translate("coach.hint"), run: () => void this.coach.next() },
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
    if (watched.refusal) return failurePage(watched.refusal.message);
    if (!watched.table) return html`<p class="page loading">${translate("app.loading")}</p>`;
    if (this.isInvited(watched.table)) {
      return joinPage(watched.table, this.isLoaded("name-form"), () => this.tableChanged());
    }
    if (watched.table.phase === "gathering") return this.waitingRoom(watched.table);
    if (watched.table.result?.reason === "expired") return failurePage(watched.table.result.text);
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
      "is-wondering": this.coach.wonders,
      "has-coach": table.coach !== null && !isResting && table.viewer >= 0,
    };
    return html`<div class=${classMap(classes)}>
      ${this.toolbar(table)}
      <div class="play-area" @pointerdown=${() => this.watched?.catchUp()}>
        <div class="banners">${banners(table, this.invite, this.onCommand)}</div>
        <board-holder
          .table=${this.coach.onBoard(this.presence.onBoard(table))}
          .events=${this.watched?.events ?? []}
          .points=${table.lesson?.points ?? this.coach.points}
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
    if (table.phase === "over") return gameOver(table, this.invite, this.onCommand, () => this.openDrawer("scores"));
    if (table.lesson) return coachPanel(table, this.moves(table), (command) => void this.coachCommand(command));
    if (table.resting) return restPanel(table, this.onCommand);
    const hasCoach = table.coach !== null && table.viewer >= 0;
    return hasCoach ? tableCoach(table, this.coach, this.moves(table), this.onCommand) : this.moves(table);
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
    return html`<aside class="drawer" tabindex="-1" aria-label=${translate(`table.${tab}`)}>
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
    return toolbar(table, {
      invite: this.invite,
      secondsLeft: this.secondsLeft,
      unread: this.watched?.unread ?? 0,
      onTab: (tab) => this.toggleDrawer(tab),
      onCommand: this.onCommand,
    });
  }
}

customElements.define("table-page", TablePage);
