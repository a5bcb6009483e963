/**
 * How fast a person is shown what bots do: events wait in a queue, and are shown a beat apart. Only what is shown waits;
 * the table goes on, and the player can skip to the present at any time.
 */

import { setting } from "./settings.js";

/** @typedef {import("./types.js").EventMessage} EventMessage */

/** From one beat to the next, in milliseconds. @type {Record<string, number>} */
const BEATS = { fast: 0, normal: 900, slow: 2200, step: Infinity };
export const PACES = Object.keys(BEATS);

/** The queue of a table's events. `show(message)` is called with each, in order, when its time has come. */
export class EventQueue {
  /** @type {EventMessage[]} received, and not shown yet */
  #waiting = [];
  #nextBeat = 0; // when the next event may be shown
  /** The kind of event of the beat shown last: its code if nothing moved on the table. */
  #quietCode = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined;

  /**
   * @param {(message: EventMessage) => void} show
   * @param {(message: EventMessage) => boolean} isPaced whether an event takes a beat: a bot has moved
   */
  constructor(show, isPaced) {
    this.show = show;
    this.isPaced = isPaced;
  }

  /** How many events wait. */
  get length() {
    return this.#waiting.length;
  }

  /** @param {EventMessage} message */
  push(message) {
    this.#waiting.push(message);
    this.#showDue();
  }

  /** Show the next beat now. */
  advance() {
    this.#nextBeat = 0;
    this.#showDue();
  }

  /** Show everything now. */
  catchUp() {
    while (this.#isTableKnown) this.#showFirst();
    this.#showDue();
  }

  /** Forget what waits: the whole table has arrived. */
  clear() {
    this.#waiting = [];
    clearTimeout(this.#timer);
  }

  /** Of several events at once only the last has the table; until it arrives, the others are not shown either. */
  get #isTableKnown() {
    return this.#waiting.some(({ state }) => state);
  }

  #showDue() {
    clearTimeout(this.#timer);
    const beat = BEATS[setting("pace")] ?? BEATS.normal;
    while (this.#isTableKnown) {
      const [first] = this.#waiting;
      const takesBeat = this.isPaced(first) && !this.#sharesBeat(first);
      const wait = beat === 0 || !takesBeat ? 0 : this.#nextBeat - performance.now();
      if (wait > 0) {
        if (wait !== Infinity) this.#timer = setTimeout(() => this.#showDue(), wait);
        return;
      }
      this.#quietCode = quietCode(first);
      if (takesBeat) this.#nextBeat = performance.now() + beat;
      this.#showFirst();
    }
  }

  /** Show an event and those that happened at once with it: they belong to the same beat. */
  #showFirst() {
    const message = /** @type {EventMessage} */ (this.#waiting.shift());
    this.show(message);
    if (!message.state && this.#waiting.length) this.#showFirst();
  }

  /** Several events of one kind that move nothing, such as passes, share a beat. @param {EventMessage} message */
  #sharesBeat(message) {
    const code = quietCode(message);
    return code !== "" && code === this.#quietCode;
  }
}

/** The code of an event that moves nothing on the table, else empty. @param {EventMessage} message */
function quietCode({ event, lines }) {
  const isQuiet = event?.kind === "moved" && lines.length === 1 && !lines[0].path.length;
  return isQuiet ? lines[0].code : "";
}
