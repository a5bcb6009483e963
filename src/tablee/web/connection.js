/**
 * The socket of docs/protocol.md. After a loss it reconnects by itself, fetches the missed events, and sends unanswered
 * commands again under the same ids, so that the player notices nothing.
 */

import { Refusal } from "./api.js";
import { setting } from "./settings.js";

/** @typedef {import("./types.js").ClientMessage} ClientMessage */
/** @typedef {import("./types.js").ServerMessage} ServerMessage */
/** @typedef {import("./types.js").TableMessage | import("./types.js").EventMessage | import("./types.js").ChatMessage} WatchMessage */
/** @typedef {import("./types.js").Ack | import("./types.js").Explanation} Answer */
/** @typedef {import("./types.js").CommandRequest | import("./types.js").ExplainRequest} Request */

/**
 * @template T
 * @typedef {T extends unknown ? Omit<T, "id"> : never} WithoutId
 */

/**
 * A table that the page watches.
 * @typedef {object} Watch
 * @property {string} invite
 * @property {() => number | null} lastNumber of the last event received; null if the whole table is needed
 * @property {(message: WatchMessage) => void} onMessage
 * @property {(refusal: Refusal) => void} onRefused
 */

/** @typedef {{message: Request, resolve: (answer: any) => void, reject: (refusal: Refusal) => void}} PendingRequest */

const PING_SECONDS = 20;
const MAX_SILENCE_SECONDS = 50; // longer than the time between pings and a slow answer
const FIRST_DELAY_SECONDS = 0.5;
const MAX_DELAY_SECONDS = 30;
const RESEND_MILLISECONDS = 1000;

/** One connection per page, for any number of tables. Fires "change" when it is lost or restored. */
class Connection extends EventTarget {
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {Map<string, Watch>} by table */
  #watches = new Map();
  /** @type {Map<string, string>} tables of unanswered watch messages, by message id */
  #pendingWatches = new Map();
  /** @type {Map<string, PendingRequest>} unanswered requests by id, in the order in which they were sent */
  #pendingRequests = new Map();
  #attempts = 0;
  #receivedAt = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #retryTimer;
  #isWanted = false;
  isOpen = false;

  constructor() {
    super();
    setInterval(() => this.#ping(), PING_SECONDS * 1000);
    addEventListener("online", () => this.#check());
    addEventListener("offline", () => this.#disconnect());
    document.addEventListener("visibilitychange", () => document.hidden || this.#check());
  }

  /** Open the socket before a table is watched, while the modules of its page are still loading. */
  prepare() {
    this.#isWanted = true;
    this.#open();
  }

  /**
   * Receive all messages about a table from now on, across losses of the connection.
   * @param {string} table
   * @param {Watch} watch
   */
  watch(table, watch) {
    this.#watches.set(table, watch);
    this.#isWanted = false;
    if (this.isOpen) this.#sendWatch(table, watch);
    else this.#open();
  }

  /**
   * Receive the whole of a watched table, or what is missing since its last number.
   * @param {string} table
   */
  requestTable(table) {
    const watch = this.#watches.get(table);
    if (watch && this.isOpen) this.#sendWatch(table, watch);
  }

  /** @param {string} table */
  unwatch(table) {
    if (!this.#watches.delete(table) || !this.isOpen) return;
    this.#transmit({ type: "unwatch", id: newId(), table });
  }

  /**
   * Send a command; the promise survives losses of the connection, and is rejected with a Refusal.
   * @param {WithoutId<import("./types.js").CommandRequest>} command
   * @returns {Promise<import("./types.js").Ack>}
   */
  send(command) {
    return this.#request(command);
  }

  /**
   * Ask why a move is not possible.
   * @param {WithoutId<import("./types.js").ExplainRequest>} question
   * @returns {Promise<import("./types.js").Explanation>}
   */
  explain(question) {
    return this.#request(question);
  }

  /**
   * @param {WithoutId<Request>} request
   * @returns {Promise<any>}
   */
  #request(request) {
    const message = /** @type {Request} */ ({ id: newId(), ...request });
    return new Promise((resolve, reject) => {
      this.#pendingRequests.set(message.id, { message, resolve, reject });
      if (this.isOpen) this.#transmit(message);
      else this.#open();
    });
  }

  /** Open a new socket, after the name or the language has changed. */
  reconnect() {
    this.#disconnect();
    this.#attempts = 0;
    this.#open();
  }

  #open() {
    if (this.#socket || !(this.#isWanted || this.#watches.size || this.#pendingRequests.size)) return;
    clearTimeout(this.#retryTimer);
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/api/socket?lang=${setting("language")}`);
    this.#socket = socket;
    socket.addEventListener("open", () => this.#opened(socket));
    socket.addEventListener("message", ({ data }) => this.#socket === socket && this.#receive(JSON.parse(data)));
    socket.addEventListener("close", () => this.#socket === socket && this.#closed());
  }

  /** @param {WebSocket} socket */
  #opened(socket) {
    if (this.#socket !== socket) return;
    this.#attempts = 0;
    this.#receivedAt = Date.now();
    this.#setOpen(true);
    for (const [table, watch] of this.#watches) this.#sendWatch(table, watch);
    for (const { message } of this.#pendingRequests.values()) this.#transmit(message);
  }

  #closed() {
    this.#socket = null;
    this.#setOpen(false);
    const delay = Math.min(FIRST_DELAY_SECONDS * 2 ** this.#attempts, MAX_DELAY_SECONDS) * (0.5 + Math.random());
    this.#attempts += 1;
    this.#retryTimer = setTimeout(() => this.#open(), delay * 1000);
  }

  #disconnect() {
    const socket = this.#socket;
    this.#socket = null;
    this.#setOpen(false);
    socket?.close();
    clearTimeout(this.#retryTimer);
  }

  #check() {
    if (this.isOpen) this.#ping();
    else if (!this.#socket) this.#open();
  }

  #ping() {
    if (!this.isOpen) return;
    if (Date.now() - this.#receivedAt > MAX_SILENCE_SECONDS * 1000) {
      this.#disconnect();
      this.#open();
      return;
    }
    this.#transmit({ type: "ping" });
  }

  /**
   * @param {string} table
   * @param {Watch} watch
   */
  #sendWatch(table, watch) {
    const since = watch.lastNumber();
    const id = newId();
    this.#pendingWatches.set(id, table);
    this.#transmit({ type: "watch", id, table, since, invite: watch.invite, changes: true });
  }

  /** @param {ServerMessage} message */
  #receive(message) {
    this.#receivedAt = Date.now();
    switch (message.type) {
      case "ack":
      case "explanation":
        return this.#answered(message);
      case "refused":
        return this.#refused(message);
      case "table":
        return this.#watches.get(message.table.id)?.onMessage(message);
      case "event":
      case "chat":
        return this.#watches.get(message.table)?.onMessage(message);
      case "removed":
        return this.#watches.get(message.table)?.onRefused(new Refusal("removed", message.text));
    }
  }

  /** @param {Answer} answer */
  #answered(answer) {
    this.#pendingWatches.delete(answer.id);
    this.#pendingRequests.get(answer.id)?.resolve(answer);
    this.#pendingRequests.delete(answer.id);
  }

  /** @param {import("./types.js").RefusedMessage} message */
  #refused({ id, code, text, clause }) {
    if (id === null) return;
    const refusal = new Refusal(code, text, clause);
    const table = this.#pendingWatches.get(id);
    this.#pendingWatches.delete(id);
    if (table !== undefined) this.#watches.get(table)?.onRefused(refusal);
    const request = this.#pendingRequests.get(id);
    if (request && code === "unavailable") {
      setTimeout(() => this.isOpen && this.#transmit(request.message), RESEND_MILLISECONDS);
      return;
    }
    this.#pendingRequests.delete(id);
    request?.reject(refusal);
  }

  /** @param {ClientMessage} message */
  #transmit(message) {
    this.#socket?.send(JSON.stringify(message));
  }

  /** @param {boolean} isOpen */
  #setOpen(isOpen) {
    if (this.isOpen === isOpen) return;
    this.isOpen = isOpen;
    if (!isOpen) this.#pendingWatches.clear();
    this.dispatchEvent(new Event("change"));
  }
}

/** Make a new message id; `crypto.randomUUID` does not exist on pages served over plain http. */
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export const connection = new Connection();
