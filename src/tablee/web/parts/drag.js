/** Dragging a piece with mouse, finger or pen. The board decides what can be dragged, and what dropping it means. */

import { clonePiece, overlay } from "./motion.js";

const THRESHOLD = 8; // pixels; a shorter movement is a click

/** @typedef {{start: PointerEvent, element: HTMLElement, clone: HTMLElement | null}} Drag */

/** Listens to a board and calls its `pickUp(id)` and `drop(id, targets)`. */
export class DragController {
  /** @type {Drag | null} */
  #drag = null;

  /** @param {import("./board.js").Board} board */
  constructor(board) {
    this.board = board;
    board.addEventListener("pointerdown", (event) => this.#press(event));
    board.addEventListener("pointermove", (event) => this.#move(event));
    board.addEventListener("pointerup", (event) => this.#release(event));
    board.addEventListener("pointercancel", () => this.#end());
    board.addEventListener("dragstart", (event) => event.preventDefault());
  }

  /** @param {PointerEvent} event */
  #press(event) {
    const element = /** @type {HTMLElement} */ (event.target).closest("[data-id]");
    if (event.button === 0 && element instanceof HTMLElement) this.#drag = { start: event, element, clone: null };
  }

  /** @param {PointerEvent} event */
  #move(event) {
    if (!this.#drag || event.pointerId !== this.#drag.start.pointerId) return;
    const { start, element } = this.#drag;
    const x = event.clientX - start.clientX;
    const y = event.clientY - start.clientY;
    if (!this.#drag.clone && Math.hypot(x, y) >= THRESHOLD) this.#pickUp(event, element);
    if (this.#drag?.clone) this.#drag.clone.style.transform = `translate(${x}px, ${y}px) rotate(2deg)`;
  }

  /**
   * @param {PointerEvent} event
   * @param {HTMLElement} element
   */
  #pickUp(event, element) {
    if (!this.#drag || !this.board.pickUp(element.dataset.id ?? "")) {
      this.#drag = null;
      return;
    }
    this.board.setPointerCapture(event.pointerId);
    this.#drag.clone = overlay(clonePiece(element), element.getBoundingClientRect(), "dragged");
    element.classList.add("is-lifted");
  }

  /** @param {PointerEvent} event */
  #release(event) {
    const drag = this.#drag;
    this.#end();
    if (!drag?.clone) return;
    addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => removeEventListener("click", swallow, { capture: true }));
    this.board.drop(drag.element.dataset.id ?? "", this.#targetsAt(event, drag.element));
  }

  #end() {
    this.#drag?.clone?.remove();
    this.#drag?.element.classList.remove("is-lifted");
    this.#drag = null;
  }

  /**
   * The ids of what lies under the pointer, innermost first; none if that is where the drag started.
   * @param {PointerEvent} event
   * @param {HTMLElement} element
   */
  #targetsAt(event, element) {
    const under = document.elementsFromPoint(event.clientX, event.clientY);
    if (under.includes(element)) return [];
    const ids = under.map((each) => (each instanceof HTMLElement ? each.dataset : {}));
    return ids.map(({ id, zone }) => id ?? zone ?? "").filter((id) => id !== "");
  }
}

/** Suppress the click that ends a drag. @param {Event} event */
function swallow(event) {
  event.stopPropagation();
  event.preventDefault();
}
