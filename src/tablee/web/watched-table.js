/** A table with its log and chat, kept up to date by the connection. */

import { connection } from "./connection.js";
import { getChat } from "./api.js";

/** @typedef {import("./types.js").Table} Table */
/** @typedef {import("./types.js").ToldEvent} ToldEvent */
/** @typedef {import("./connection.js").Message} Message */
/** @typedef {{number: number, text: string, seat: number | null, code: string}} LogLine */

const MAX_LOG_LINES = 400;

/** Fires "change" after every message, "events" with new events, and "chat" with a new line of chat. */
export class WatchedTable extends EventTarget {
  /** @type {Table | null} */
  table = null;
  /** @type {import("./types.js").Chat[]} */
  chat = [];
  /** @type {LogLine[]} */
  log = [];
  /** @type {ToldEvent[]} of the last move */
  events = [];
  /** @type {import("./api.js").Refusal | null} why the table cannot be shown */
  refusal = null;
  unread = 0;
  /** Whether `table` is the state after the last event: of several events at once, only the last carries it. */
  isUpToDate = false;

  /**
   * @param {string} id
   * @param {string} invite
   */
  constructor(id, invite) {
    super();
    this.id = id;
    this.invite = invite;
    this.log = readLog(id);
    connection.watch(id, {
      invite,
      lastNumber: () => this.table?.number ?? null,
      onMessage: (message) => this.#receive(message),
      onRefused: (refusal) => this.#refused(refusal),
    });
    connection.addEventListener("change", this.#fetchChat);
  }

  close() {
    connection.unwatch(this.id);
    connection.removeEventListener("change", this.#fetchChat);
  }

  /** Fetch the chat after a loss of the connection: missed lines are not sent again. */
  #fetchChat = async () => {
    if (!connection.isOpen || !this.table) return;
    for (const line of await getChat(this.id, this.invite).catch(() => [])) this.#addChat(line);
    this.#changed();
  };

  /**
   * Send a command.
   * @param {string} type
   * @param {Record<string, unknown>} [fields]
   */
  send(type, fields = {}) {
    return connection.send({ type, table: this.id, ...fields });
  }

  /** @param {import("./api.js").Refusal} refusal */
  #refused(refusal) {
    this.refusal = refusal;
    this.#changed();
  }

  /** @param {Message} message */
  #receive(message) {
    this.refusal = null;
    if (message.type === "table") this.#replace(message);
    else if (message.type === "event") this.#append(message);
    else if (message.type === "chat") this.#addChat(message.chat);
    this.#changed();
  }

  /** @param {Message} message */
  #replace({ table, chat }) {
    this.table = table;
    this.chat = chat;
    this.events = [];
    this.isUpToDate = true;
    if (this.log.some((line) => line.number > table.number)) this.log = [];
  }

  /** @param {Message} message */
  #append({ number, told: events, state }) {
    if (this.table && number <= this.table.number) return; // received twice: as a missed event and as a new one
    const lines = events.map((/** @type {ToldEvent} */ event) => ({ number, ...event }));
    this.log = [...this.log, ...lines].slice(-MAX_LOG_LINES);
    storeLog(this.id, this.log);
    if (state) this.table = state;
    else if (this.table) this.table = { ...this.table, number };
    this.isUpToDate = Boolean(state);
    if (events.length) this.events = events;
    this.dispatchEvent(new CustomEvent("events", { detail: events }));
  }

  /** @param {import("./types.js").Chat} line */
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

/**
 * Read the log of this tab, which survives a reload.
 * @param {string} id
 * @returns {LogLine[]}
 */
function readLog(id) {
  try {
    return JSON.parse(sessionStorage.getItem(`tablee.log.${id}`) ?? "[]");
  } catch {
    return [];
  }
}

/**
 * @param {string} id
 * @param {LogLine[]} log
 */
function storeLog(id, log) {
  try {
    sessionStorage.setItem(`tablee.log.${id}`, JSON.stringify(log));
  } catch {
    // Without storage the log starts at the last reload.
  }
}
