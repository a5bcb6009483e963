/** A table as this page knows it: the last state, the log and the chat, kept up to date by the connection. */

import { connection } from "./connection.js";
import { chatOf } from "./server.js";

/** @typedef {import("./types.js").Table} Table */
/** @typedef {import("./types.js").ToldEvent} ToldEvent */
/** @typedef {import("./connection.js").Message} Message */
/** @typedef {{number: number, text: string, seat: number | null, code: string}} LogLine */

const MAX_LOG_LINES = 400;

/** Fires "change" after every message, and "told" with what happened, to be announced and animated. */
export class WatchedTable extends EventTarget {
  /** @type {Table | null} */
  table = null;
  /** @type {import("./types.js").Chat[]} */
  chat = [];
  /** @type {LogLine[]} */
  log = [];
  /** @type {ToldEvent[]} what the last moves were */
  told = [];
  /** @type {import("./server.js").Refusal | null} why there is nothing to see */
  refusal = null;
  unread = 0;
  /** Whether the table is as it is after the last event: of several that come together, only the last tells. */
  isUpToDate = false;

  /**
   * @param {string} id
   * @param {string} invite
   */
  constructor(id, invite) {
    super();
    this.id = id;
    this.invite = invite;
    this.log = keptLog(id);
    connection.watch(id, {
      invite,
      hear: (message) => this.#hear(message),
      number: () => this.table?.number ?? null,
      refuse: (refusal) => this.#refused(refusal),
    });
    connection.addEventListener("change", this.#catchUp);
  }

  close() {
    connection.unwatch(this.id);
    connection.removeEventListener("change", this.#catchUp);
  }

  /** What was said while we were away does not come by itself. */
  #catchUp = async () => {
    if (!connection.isOpen || !this.table) return;
    for (const line of await chatOf(this.id, this.invite).catch(() => [])) this.#listen(line);
    this.#changed();
  };

  /**
   * Ask something of the table.
   * @param {string} type
   * @param {Record<string, unknown>} [fields]
   */
  ask(type, fields = {}) {
    return connection.send({ type, table: this.id, ...fields });
  }

  /** @param {import("./server.js").Refusal} refusal */
  #refused(refusal) {
    this.refusal = refusal;
    this.#changed();
  }

  /** @param {Message} message */
  #hear(message) {
    this.refusal = null;
    if (message.type === "table") this.#replace(message);
    else if (message.type === "event") this.#follow(message);
    else if (message.type === "chat") this.#listen(message.chat);
    this.#changed();
  }

  /** @param {Message} message */
  #replace({ table, chat }) {
    this.table = table;
    this.chat = chat;
    this.told = [];
    this.isUpToDate = true;
    if (this.log.some((line) => line.number > table.number)) this.log = [];
  }

  /** @param {Message} message */
  #follow({ number, told, state }) {
    if (this.table && number <= this.table.number) return; // heard twice: once as the tail, once as news
    const lines = told.map((/** @type {ToldEvent} */ event) => ({ number, ...event }));
    this.log = [...this.log, ...lines].slice(-MAX_LOG_LINES);
    keepLog(this.id, this.log);
    if (state) this.table = state;
    else if (this.table) this.table = { ...this.table, number };
    this.isUpToDate = Boolean(state);
    if (told.length) this.told = told;
    this.dispatchEvent(new CustomEvent("told", { detail: told }));
  }

  /** @param {import("./types.js").Chat} line */
  #listen(line) {
    if (this.chat.some((known) => known.number === line.number)) return;
    this.chat = [...this.chat, line];
    this.unread += 1;
    this.dispatchEvent(new CustomEvent("said", { detail: line }));
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}

/**
 * The log of this tab survives a reload.
 * @param {string} id
 * @returns {LogLine[]}
 */
function keptLog(id) {
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
function keepLog(id, log) {
  try {
    sessionStorage.setItem(`tablee.log.${id}`, JSON.stringify(log));
  } catch {
    // Without storage the log begins at the last reload.
  }
}
