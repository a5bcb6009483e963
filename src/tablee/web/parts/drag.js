/** Carrying a piece with mouse, finger or pen. What may be carried, and what it means where it is dropped, the board knows. */

import { copy, lay } from "./motion.js";

const THRESHOLD = 8; // pixels: less is a touch

/** @typedef {{start: PointerEvent, thing: HTMLElement, look: HTMLElement | null}} Grip */

/** Listens to a board and calls its `lift(id)` and `drop(id, places)`. */
export class Dragging {
  /** @param {import("./board.js").Board} board */
  constructor(board) {
    this.board = board;
    /** @type {Grip | null} */
    this.grip = null;
    board.addEventListener("pointerdown", (event) => this.#press(event));
    board.addEventListener("pointermove", (event) => this.#move(event));
    board.addEventListener("pointerup", (event) => this.#release(event));
    board.addEventListener("pointercancel", () => this.#letGo());
    board.addEventListener("dragstart", (event) => event.preventDefault());
  }

  /** @param {PointerEvent} event */
  #press(event) {
    const thing = /** @type {HTMLElement} */ (event.target).closest("[data-id]");
    if (event.button === 0 && thing instanceof HTMLElement) this.grip = { start: event, thing, look: null };
  }

  /** @param {PointerEvent} event */
  #move(event) {
    if (!this.grip || event.pointerId !== this.grip.start.pointerId) return;
    const { start, thing } = this.grip;
    const across = event.clientX - start.clientX;
    const down = event.clientY - start.clientY;
    if (!this.grip.look && Math.hypot(across, down) >= THRESHOLD) this.#lift(event, thing);
    if (this.grip?.look) this.grip.look.style.transform = `translate(${across}px, ${down}px) rotate(2deg)`;
  }

  /**
   * @param {PointerEvent} event
   * @param {HTMLElement} thing
   */
  #lift(event, thing) {
    if (!this.grip || !this.board.lift(thing.dataset.id ?? "")) {
      this.grip = null;
      return;
    }
    this.board.setPointerCapture(event.pointerId);
    this.grip.look = lay(copy(thing), thing.getBoundingClientRect(), "carried");
    thing.classList.add("is-lifted");
  }

  /** @param {PointerEvent} event */
  #release(event) {
    const grip = this.grip;
    this.#letGo();
    if (!grip?.look) return;
    addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => removeEventListener("click", swallow, { capture: true }));
    this.board.drop(grip.thing.dataset.id ?? "", this.#placesAt(event, grip.thing));
  }

  #letGo() {
    this.grip?.look?.remove();
    this.grip?.thing.classList.remove("is-lifted");
    this.grip = null;
  }

  /**
   * The ids of what lies under the pointer, innermost first; none where it was picked up.
   * @param {PointerEvent} event
   * @param {HTMLElement} thing
   */
  #placesAt(event, thing) {
    const under = document.elementsFromPoint(event.clientX, event.clientY);
    if (under.includes(thing)) return [];
    const ids = under.map((element) => (element instanceof HTMLElement ? element.dataset : {}));
    return ids.map(({ id, zone }) => id ?? zone ?? "").filter((id) => id !== "");
  }
}

/** The end of a drag is no click. @param {Event} event */
function swallow(event) {
  event.stopPropagation();
  event.preventDefault();
}
