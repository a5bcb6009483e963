/** A table with its log and chat, kept up to date by the connection. */

import { getChat, getLog } from "./api.js";
import { applyChanges } from "./changes.js";
import { connection } from "./connection.js";
import { takeTable } from "./embedded.js";
import { EventQueue } from "./pace.js";

/** @typedef {import("./types.js").TableShown} TableShown */
/** @typedef {import("./types.js").LogLine} LogLine */
/** @typedef {import("./types.js").ChatShown} ChatShown */
/** @typedef {import("./commands.js").Command} Command */

/** Fires "change" after every message, "events" with new log lines, and "chat" with a new line of chat. */
export class WatchedTable extends EventTarget {
  /** @type {TableShown | null} */
  table = null;
  /** @type {ChatShown[]} */
  chat = [];
  /** @type {LogLine[]} the last lines of the log; `loadOlderLines` adds earlier ones */
  log = [];
  /** @type {import("./types.js").FinishedRound[]} the score sheet */
  rounds = [];
  /** How many lines precede `log`. */
  olderLines = 0;
  /** @type {LogLine[]} lines of the event that led to `table`: those of a move include the end of the round */
  events = [];
  /** @type {LogLine[]} lines of the last event, whose table may not have arrived yet */
  #lastLines = [];
  /** @type {import("./api.js").Refusal | null} why the table cannot be shown */
  refusal = null;
  unread = 0;
  /** Whether `table` is the state after the last event: of several events at once, only the last carries it. */
  isUpToDate = false;
  #lastNumber = 0; // of the last event received, shown or not
  /** @type {TableShown | null} the last table received, shown or not: what later messages change */
  #lastTable = null;
  #queue = new EventQueue(
    (message) => this.#append(message),
    ({ event }) => event?.kind === "moved" && event.seat !== null && Boolean(this.table?.seats[event.seat].bot),
  );

  /**
   * @param {string} id
   * @param {string} invite
   */
  constructor(id, invite) {
    super();
    this.id = id;
    this.invite = invite;
    const embedded = takeTable(id);
    if (embedded) this.#replace(embedded);
    connection.watch(id, {
      invite,
      lastNumber: () => (this.#lastTable?.number === this.#lastNumber ? this.#lastNumber : null),
      onMessage: (message) => this.#receive(message),
      onRefused: (refusal) => this.#refused(refusal),
    });
    connection.addEventListener("change", this.#fetchChat);
  }

  close() {
    this.#queue.clear();
    connection.unwatch(this.id);
    connection.removeEventListener("change", this.#fetchChat);
  }

  /** How many events are not shown yet. */
  get waiting() {
    return this.#queue.length;
  }

  /** Show the next event that waits. */
  advance() {
    this.#queue.advance();
    this.#changed();
  }

  /** Show the present. */
  catchUp() {
    if (!this.#queue.length) return;
    this.#queue.catchUp();
    this.#changed();
  }

  /** Fetch the chat after a loss of the connection: missed lines are not sent again. */
  #fetchChat = async () => {
    if (!connection.isOpen || !this.table) return;
    for (const line of await getChat(this.id, this.invite).catch(() => [])) this.#addChat(line);
    this.#changed();
  };

  /**
   * Send a command; rejected with a Refusal.
   * @param {Command} command
   */
  send(command) {
    return connection.send({ ...command, table: this.id });
  }

  /**
   * Ask why a move is not possible.
   * @param {Question} question
   */
  explain(question) {
    return connection.explain({ type: "explain", table: this.id, ...question });
  }

  /** Load earlier lines of the log. */
  async loadOlderLines() {
    const before = this.olderLines;
    const page = await getLog(this.id, before, this.invite);
    if (this.olderLines !== before) return; // the log was replaced or extended meanwhile
    this.log = [...page.lines, ...this.log];
    this.olderLines = page.first;
    this.#changed();
  }

  /** @param {import("./api.js").Refusal} refusal */
  #refused(refusal) {
    this.refusal = refusal;
    this.#changed();
  }

  /** @param {import("./connection.js").WatchMessage} message */
  #receive(message) {
    this.refusal = null;
    if (message.type === "table") this.#replace(message);
    else if (message.type === "event") this.#enqueue(message);
    else this.#addChat(message.chat);
    this.#changed();
  }

  /** @param {import("./types.js").TableMessage} message */
  #replace({ table, chat, log }) {
    this.#queue.clear();
    this.#lastNumber = table.number;
    this.table = this.#lastTable = table;
    this.rounds = log.rounds;
    this.chat = chat;
    this.log = log.lines;
    this.olderLines = log.first;
    this.events = this.#lastLines = [];
    this.isUpToDate = true;
  }

  /** @param {import("./types.js").EventMessage} received */
  #enqueue(received) {
    if (received.number <= this.#lastNumber) return; // received twice: as a missed event and as a new one
    const message = { ...received, state: this.#tableAfter(received) };
    this.#lastNumber = message.number;
    this.#lastTable = message.state ?? this.#lastTable;
    if (message.base !== null && !message.state) connection.requestTable(this.id);
    this.#queue.push(message);
    const isOwn = message.event?.seat === this.table?.viewer; // whatever a player does shows its effect at once
    const isClockRunning = message.state?.deadline && message.state.view?.to_move === message.state.viewer;
    if (isOwn || isClockRunning) this.#queue.catchUp(); // the player's own time is never spent on looking back
  }

  /**
   * Return the table after an event; null if it comes with a later event, or if what the event changed is not known here.
   * @param {import("./types.js").EventMessage} message
   */
  #tableAfter({ state, base, changes }) {
    if (base === null || !this.#lastTable) return state;
    return this.#lastTable.number === base ? applyChanges(this.#lastTable, changes) : null;
  }

  /** @param {import("./types.js").EventMessage} message */
  #append({ number, event, lines, moves, round, state }) {
    const isUndone = (/** @type {LogLine} */ { move }) => move !== null && move > moves;
    this.log = [...this.log.filter((line) => !isUndone(line)), ...lines];
    this.rounds = [...this.rounds.filter((ended) => ended.moves <= moves), ...(round ? [round] : [])];
    if (event?.kind === "round_ended") this.#lastLines = [...this.#lastLines, ...lines];
    else if (lines.length) this.#lastLines = lines;
    if (state) {
      this.table = state;
      this.events = this.#lastLines;
    } else if (this.table) this.table = { ...this.table, number };
    this.isUpToDate = Boolean(state);
    this.dispatchEvent(new CustomEvent("events", { detail: lines }));
    this.#changed();
  }

  /** @param {ChatShown} line */
  #addChat(line) {
    if (this.chat.some((known) => known.number === line.number)) return;
    this.chat = [...this.chat, line];
    this.unread += 1;
    this.dispatchEvent(new CustomEvent("chat", { detail: line }));
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}

/** What the player tried: the ids selected, in order, or the text of a move. @typedef {{targets?: string[], move?: string}} Question */
