/**
 * What every board shares, the general one and those that games bring (docs/web.md): what it is given, making a move by
 * touching things in order, explaining what is not possible, keys, and pieces that travel.
 */

import { LitElement } from "../vendor/lit.js";
import { decided, follow, guessText, touch } from "../picking.js";
import { isStill } from "../settings.js";
import { say } from "../words.js";

/** @typedef {import("../types.js").View} View */
/** @typedef {import("../types.js").Choice} Choice */

const TRAVEL_MILLISECONDS = 280;
const STAGGER_MILLISECONDS = 40;
const MOST_TRAVELLERS = 8;

export class Board extends LitElement {
  /** @type {Record<string, object>} */
  static properties = {
    view: { attribute: false },
    seats: { attribute: false },
    told: { attribute: false },
    isQueued: { attribute: false },
    picked: { state: true },
  };

  constructor() {
    super();
    /** @type {View} */
    this.view = /** @type {any} */ (null); // given before anything is drawn
    /** @type {import("../types.js").Seat[]} */
    this.seats = [];
    /** @type {import("../types.js").ToldEvent[]} what has just happened */
    this.told = [];
    /** Whether an early choice is waiting for its turn. */
    this.isQueued = false;
    /** @type {string[]} what has been touched so far */
    this.picked = [];
    /** @type {(move: string) => void} */
    this.onChoose = () => {};
    /** @type {(move: string | null) => void} asked with a text that is not possible, or null if there is none */
    this.onExplain = () => {};
    /** @type {Map<string, string>} texts of moves that one thing alone once stood for */
    this.known = new Map();
    /** @type {Map<string, DOMRect>} */
    this.placesBefore = new Map();
    this.addEventListener("keydown", (event) => this.pressed(event));
  }

  /** Boards are drawn into the page itself: one stylesheet, one set of names for those who listen. */
  createRenderRoot() {
    return this;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (!changed.has("view") || !this.view) return;
    this.picked = [];
    for (const { targets, text } of this.view.choices) if (targets.length === 1) this.known.set(targets[0], text);
    this.placesBefore = this.hasUpdated ? this.places() : new Map();
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    if (changed.has("told") && this.told.length && this.placesBefore.size) this.travel();
  }

  /** What can come of the things picked so far. */
  get picking() {
    return follow(this.view, this.picked);
  }

  /** @param {number} seat */
  nameOf(seat) {
    return this.seats[seat]?.name || say("table.seat", { number: seat + 1 });
  }

  /**
   * Touch a piece or zone: play, pick, or hear why not.
   * @param {string} id
   */
  touch(id) {
    const picking = touch(this.view, this.picked, id);
    if (!picking) {
      this.onExplain(guessText(this.view, this.picked, id, this.known));
      return;
    }
    const choice = decided(picking);
    this.picked = choice ? [] : picking.picked;
    if (choice) this.onChoose(choice.text);
    else this.dispatchEvent(new CustomEvent("picked", { detail: picking }));
  }

  /** Put everything back that was picked. */
  clear() {
    this.picked = [];
    this.dispatchEvent(new CustomEvent("picked", { detail: this.picking }));
  }

  /**
   * Escape puts back; arrows walk from thing to thing within a zone.
   * @param {KeyboardEvent} event
   */
  pressed(event) {
    if (event.key === "Escape" && this.picked.length) {
      this.clear();
      return;
    }
    const thing = /** @type {HTMLElement} */ (event.target).closest("[data-id]");
    const zone = thing?.closest("[data-zone]");
    if (!thing || !(zone instanceof HTMLElement)) return;
    const things = /** @type {HTMLElement[]} */ ([...zone.querySelectorAll("button[data-id]")]);
    const columns = Number(zone.dataset.columns) || things.length;
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns };
    const step = steps[/** @type {keyof typeof steps} */ (event.key)];
    if (step === undefined) return;
    event.preventDefault();
    things[things.indexOf(/** @type {HTMLElement} */ (thing)) + step]?.focus();
  }

  // Travelling pieces

  /** @returns {Map<string, DOMRect>} where everything with an id is now */
  places() {
    const things = /** @type {HTMLElement[]} */ ([...this.querySelectorAll("[data-id], [data-zone]")]);
    return new Map(
      things.map((thing) => [thing.dataset.id ?? thing.dataset.zone ?? "", thing.getBoundingClientRect()]),
    );
  }

  /** Let what has moved travel along its path. Nobody waits for it: it is drawn above a table that is already up to date. */
  travel() {
    if (isStill()) return;
    const journeys = this.told.filter(({ path }) => path.length > 1).slice(0, MOST_TRAVELLERS);
    journeys.forEach(({ path }, place) => this.send(path, place * STAGGER_MILLISECONDS));
  }

  /**
   * @param {string[]} path
   * @param {number} delay
   */
  send(path, delay) {
    const after = this.places();
    const stops = path.map((id, place) => (place === 0 ? this.placesBefore.get(id) : null) ?? after.get(id));
    const end = this.elementOf(path[path.length - 1]);
    const rectangles = stops.filter((stop) => stop !== undefined);
    if (!end || rectangles.length < 2) return;
    const model = end.querySelector(".piece") ?? end;
    if (!model.matches(".piece")) return;
    const ghost = /** @type {HTMLElement} */ (model.cloneNode(true));
    for (const attribute of ["id", "data-id", "tabindex", "aria-label"]) ghost.removeAttribute(attribute);
    ghost.setAttribute("aria-hidden", "true");
    ghost.inert = true;
    ghost.classList.add("ghost");
    const size = model.getBoundingClientRect();
    ghost.style.width = `${size.width}px`;
    ghost.style.height = `${size.height}px`;
    document.body.append(ghost);
    const frames = rectangles.map((stop) => ({
      transform: `translate(${centre(stop.left, stop.width, size.width)}px, ${centre(stop.top, stop.height, size.height)}px)`,
    }));
    const duration = TRAVEL_MILLISECONDS * (frames.length - 1) ** 0.5;
    ghost
      .animate(frames, { duration, delay, easing: "cubic-bezier(0.2, 0.7, 0.2, 1)", fill: "both" })
      .finished.finally(() => ghost.remove());
  }

  /** @param {string} id */
  elementOf(id) {
    const name = CSS.escape(id);
    return /** @type {HTMLElement | null} */ (this.querySelector(`[data-id="${name}"], [data-zone="${name}"]`));
  }
}

/**
 * @param {number} start
 * @param {number} length
 * @param {number} own
 */
const centre = (start, length, own) => start + (length - own) / 2;
