/**
 * The socket of docs/protocol.md. It comes back by itself, asks for what was missed, and sends again what was not
 * answered with the same id, so that a player notices nothing.
 */

import { Refusal } from "./server.js";
import { setting } from "./settings.js";

/** @typedef {import("./types.js").Acknowledgement} Acknowledgement */
/** @typedef {{type: string, [field: string]: any}} Message */
/** @typedef {{invite: string, hear: (message: Message) => void, number: () => number | null,
 *   refuse: (refusal: Refusal) => void}} Watch */
/** @typedef {{message: Message, resolve: (ack: Acknowledgement) => void, reject: (refusal: Refusal) => void}} Waiting */

const PING_SECONDS = 20;
const SILENCE_SECONDS = 30; // longer than a ping and its answer take
const FIRST_DELAY = 0.5;
const MAX_DELAY = 30;

/** One connection per page, for any number of tables. Fires "change" when it is lost or found. */
class Connection extends EventTarget {
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {Map<string, Watch>} by table */
  #watches = new Map();
  /** @type {Map<string, Waiting>} by id, in the order in which they were sent */
  #unanswered = new Map();
  #attempts = 0;
  #heardAt = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #retry;
  isOpen = false;

  constructor() {
    super();
    setInterval(() => this.#ping(), PING_SECONDS * 1000);
    addEventListener("online", () => this.#comeBack());
    addEventListener("offline", () => this.#drop());
    document.addEventListener("visibilitychange", () => document.hidden || this.#comeBack());
  }

  /**
   * Hear everything about a table, from now on and over any loss of the connection.
   * @param {string} table
   * @param {Watch} watch
   */
  watch(table, watch) {
    this.#watches.set(table, watch);
    if (this.isOpen) this.#askToWatch(table, watch);
    else this.#open();
  }

  /** @param {string} table */
  unwatch(table) {
    if (!this.#watches.delete(table) || !this.isOpen) return;
    this.#transmit({ type: "unwatch", id: newId(), table });
  }

  /**
   * Ask for something; the promise is kept over any loss of the connection.
   * @param {Message} command
   * @returns {Promise<Acknowledgement>}
   */
  send(command) {
    const message = { id: newId(), ...command };
    return new Promise((resolve, reject) => {
      this.#unanswered.set(message.id, { message, resolve, reject });
      if (this.isOpen) this.#transmit(message);
      else this.#open();
    });
  }

  /** Start over: we have a new name or language, and are to be told everything anew. */
  renew() {
    this.#drop();
    this.#attempts = 0;
    this.#open();
  }

  #open() {
    if (this.#socket || (!this.#watches.size && !this.#unanswered.size)) return;
    clearTimeout(this.#retry);
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/api/socket?lang=${setting("language")}`);
    this.#socket = socket;
    socket.addEventListener("open", () => this.#opened(socket));
    socket.addEventListener("message", ({ data }) => this.#socket === socket && this.#heard(JSON.parse(data)));
    socket.addEventListener("close", () => this.#socket === socket && this.#closed());
  }

  /** @param {WebSocket} socket */
  #opened(socket) {
    if (this.#socket !== socket) return;
    this.#attempts = 0;
    this.#heardAt = Date.now();
    this.#setOpen(true);
    for (const [table, watch] of this.#watches) this.#askToWatch(table, watch);
    for (const { message } of this.#unanswered.values()) this.#transmit(message);
  }

  #closed() {
    this.#socket = null;
    this.#setOpen(false);
    const delay = Math.min(FIRST_DELAY * 2 ** this.#attempts, MAX_DELAY) * (0.5 + Math.random());
    this.#attempts += 1;
    this.#retry = setTimeout(() => this.#open(), delay * 1000);
  }

  #drop() {
    const socket = this.#socket;
    this.#socket = null;
    this.#setOpen(false);
    socket?.close();
    clearTimeout(this.#retry);
  }

  #comeBack() {
    if (this.isOpen) this.#ping();
    else if (!this.#socket) this.#open();
  }

  #ping() {
    if (!this.isOpen) return;
    if (Date.now() - this.#heardAt > (PING_SECONDS + SILENCE_SECONDS) * 1000) {
      this.#drop();
      this.#open();
      return;
    }
    this.#transmit({ type: "ping" });
  }

  /**
   * @param {string} table
   * @param {Watch} watch
   */
  #askToWatch(table, watch) {
    const since = watch.number();
    const message = {
      type: "watch",
      id: newId(),
      table,
      ...(since === null ? {} : { since }),
      ...(watch.invite ? { invite: watch.invite } : {}),
    };
    this.#asked.set(message.id, table);
    this.#transmit(message);
  }

  /** @type {Map<string, string>} the tables of watch messages that are not answered yet, by id */
  #asked = new Map();

  /** @param {Message} message */
  #heard(message) {
    this.#heardAt = Date.now();
    if (message.type === "ack" || message.type === "refused") this.#answered(message);
    else if (message.type === "table") this.#watches.get(message.table.id)?.hear(message);
    else if (message.table) this.#watches.get(message.table)?.hear(message);
  }

  /** @param {Message} message */
  #answered(message) {
    const refusal = message.type === "refused" ? new Refusal(message.code, message.text, message.clause) : null;
    const table = this.#asked.get(message.id);
    this.#asked.delete(message.id);
    if (table !== undefined && refusal) this.#watches.get(table)?.refuse(refusal);
    const waiting = this.#unanswered.get(message.id);
    if (!waiting || refusal?.code === "unavailable") return this.#sendLater(waiting);
    this.#unanswered.delete(message.id);
    if (refusal) waiting.reject(refusal);
    else waiting.resolve(/** @type {any} */ (message));
  }

  /** @param {Waiting | undefined} waiting what the server could not store just now */
  #sendLater(waiting) {
    if (waiting) setTimeout(() => this.isOpen && this.#transmit(waiting.message), 1000);
  }

  /** @param {Message} message */
  #transmit(message) {
    this.#socket?.send(JSON.stringify(message));
  }

  /** @param {boolean} isOpen */
  #setOpen(isOpen) {
    if (this.isOpen === isOpen) return;
    this.isOpen = isOpen;
    if (!isOpen) this.#asked.clear();
    this.dispatchEvent(new Event("change"));
  }
}

/** Draw a new id; `crypto.randomUUID` is missing where a phone joins over plain http. */
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export const connection = new Connection();
