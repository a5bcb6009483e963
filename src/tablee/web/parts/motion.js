/**
 * Animations of pieces. Copies move above a table that is already up to date, so that the player never waits for them.
 * Where reduced motion is preferred, pieces fade instead.
 */

import { isMotionReduced } from "../settings.js";

// In milliseconds
const TRAVEL = 280;
const TURN = 260;
const FADE = 200;
const SWEEP = 850;
const BANNER = 950;
const STAGGER = 40;
const DEAL = 700; // for all cards together

const EASE = "cubic-bezier(0.2, 0.7, 0.2, 1)";
const LIFTED = "translateY(-8px)";

/** Where a piece was on the screen, and a copy of it. @typedef {{box: DOMRect, clone: HTMLElement}} Snapshot */

/**
 * The way of a piece from one place on the table to another, both given by id. Movements of the same step start
 * together; each step starts when the one before has ended.
 * @typedef {object} Movement
 * @property {string} from
 * @property {string} to
 * @property {string[]} [via] ids on the way
 * @property {HTMLElement} [clone] what travels, if not a copy of the piece at the end
 * @property {number} [step]
 */

/**
 * Take a snapshot of everything with an id.
 * @param {HTMLElement} board
 * @returns {Map<string, Snapshot>} by id
 */
export function takeSnapshots(board) {
  const elements = /** @type {HTMLElement[]} */ ([...board.querySelectorAll("[data-zone], [data-id]")]);
  return new Map(
    elements.map((element) => [
      element.dataset.id ?? element.dataset.zone ?? "",
      { box: topPiece(element).getBoundingClientRect(), clone: clonePiece(topPiece(element)) },
    ]),
  );
}

/**
 * Animate the ways of pieces.
 * @param {HTMLElement} board
 * @param {Movement[]} movements
 * @param {Map<string, Snapshot>} before
 */
export function animateMovements(board, movements, before) {
  const delays = startDelays(movements);
  movements.forEach((movement, index) => {
    const end = findElement(board, movement.to);
    const start = before.get(movement.from)?.box ?? findElement(board, movement.from)?.getBoundingClientRect();
    if (!end || !start) return;
    const piece = topPiece(end);
    const stops = (movement.via ?? [])
      .map((id) => findElement(board, id)?.getBoundingClientRect())
      .filter((box) => box !== undefined);
    if (isMotionReduced()) fade(piece);
    else fly(movement.clone ?? clonePiece(piece), [start, ...stops], piece, before.get(movement.to), delays[index]);
  });
}

/** When each movement starts, in milliseconds. @param {Movement[]} movements */
function startDelays(movements) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  return movements.map(({ step = 0 }) => {
    const earlier = counts.get(step) ?? 0;
    counts.set(step, earlier + 1);
    return step * TRAVEL + earlier * STAGGER;
  });
}

/**
 * @param {HTMLElement} clone
 * @param {DOMRect[]} stops the start, and the stops on the way
 * @param {HTMLElement} piece at the end; what lay there before is shown until the clone arrives
 * @param {Snapshot | undefined} earlier
 * @param {number} delay
 */
function fly(clone, stops, piece, earlier, delay) {
  const end = piece.getBoundingClientRect();
  const traveller = overlay(clone, end, "traveller");
  const covered = earlier?.clone.matches(".piece") ? overlay(earlier.clone, earlier.box, "covered") : null;
  piece.classList.add("is-arriving");
  traveller
    .animate([...stops.map((stop) => ({ transform: offset(stop, end) })), { transform: "none" }], {
      duration: TRAVEL * Math.sqrt(stops.length),
      delay,
      easing: EASE,
      fill: "both",
    })
    .finished.finally(() => {
      traveller.remove();
      covered?.remove();
      piece.classList.remove("is-arriving");
    });
}

/**
 * Deal: pieces come to their places from a pile.
 * @param {HTMLElement} board
 * @param {string} pile
 * @param {string[]} ids
 */
export function deal(board, pile, ids) {
  const elements = ids.map((id) => findElement(board, id)).filter((element) => element !== null);
  const start = findElement(board, pile)?.getBoundingClientRect();
  elements.forEach((element, index) => {
    const piece = topPiece(element);
    const delay = Math.min(STAGGER, DEAL / elements.length) * index;
    if (isMotionReduced() || !start) fade(piece);
    else
      piece.animate([{ transform: offset(start, piece.getBoundingClientRect()), opacity: 0 }, { transform: "none" }], {
        duration: TRAVEL,
        delay,
        easing: EASE,
        fill: "backwards",
      });
  });
}

/**
 * Slide elements from where they were to where they are now.
 * @param {HTMLElement} board
 * @param {string[]} ids
 * @param {Map<string, Snapshot>} before
 */
export function slide(board, ids, before) {
  for (const id of ids) {
    const element = findElement(board, id);
    const start = before.get(id)?.box;
    if (!element || !start) continue;
    if (isMotionReduced()) fade(element);
    else
      element.animate([{ transform: offset(start, element.getBoundingClientRect()) }, {}], {
        duration: TRAVEL,
        easing: EASE,
      });
  }
}

/**
 * Remove pieces together: they lift, gleam, and slide to a pile.
 * @param {HTMLElement} board
 * @param {Snapshot[]} leaving
 * @param {string} to
 */
export function sweep(board, leaving, to) {
  const end = findElement(board, to);
  if (isMotionReduced() || !end) return;
  const goal = topPiece(end).getBoundingClientRect();
  const options = { duration: SWEEP, easing: EASE, fill: /** @type {const} */ ("both") };
  leaving.forEach(({ box, clone }, index) => {
    const ghost = overlay(clone, box, "gleaming");
    const frames = [
      {},
      { transform: LIFTED, offset: 0.2 },
      { transform: LIFTED, offset: 0.55 },
      { transform: offset(goal, box) },
    ];
    ghost.animate(frames, { ...options, delay: index * STAGGER }).finished.finally(() => ghost.remove());
  });
}

/** Turn a card over. It can be touched at once, so it does not start edge on. @param {HTMLElement} piece */
export function turnOver(piece) {
  if (isMotionReduced()) fade(piece);
  else piece.animate([{ transform: "perspective(400px) rotateY(80deg)" }, {}], { duration: TURN, easing: EASE });
}

/** @param {HTMLElement} piece */
export function fade(piece) {
  piece.animate([{ opacity: 0 }, {}], { duration: FADE });
}

/**
 * Show a large text for a second. Screen readers get it from the announcements.
 * @param {HTMLElement} board
 * @param {string} text
 */
export function showBanner(board, text) {
  const banner = document.createElement("p");
  banner.className = "move-banner";
  banner.textContent = text;
  banner.setAttribute("aria-hidden", "true");
  board.append(banner);
  const hidden = isMotionReduced() ? {} : { opacity: 0, transform: "translateX(-50%) scale(0.9)" };
  banner
    .animate(
      [hidden, { opacity: 1, offset: 0.2 }, { opacity: 1, offset: 0.8 }, isMotionReduced() ? {} : { opacity: 0 }],
      { duration: BANNER, easing: EASE },
    )
    .finished.finally(() => banner.remove());
}

/**
 * Put a copy of a piece above the page.
 * @param {HTMLElement} clone
 * @param {DOMRect} box where
 * @param {string} className
 */
export function overlay(clone, box, className) {
  clone.classList.add("ghost", className);
  Object.assign(clone.style, { left: `${box.left}px`, top: `${box.top}px` });
  Object.assign(clone.style, { width: `${box.width}px`, height: `${box.height}px` });
  clone.style.setProperty("--card", `${box.width}px`);
  document.body.append(clone);
  return clone;
}

/**
 * Copy how a piece looks, without what makes it interactive or audible to screen readers.
 * @param {HTMLElement} piece
 */
export function clonePiece(piece) {
  const clone = /** @type {HTMLElement} */ (piece.cloneNode(true));
  for (const attribute of ["id", "data-id", "data-zone", "tabindex", "aria-label", "aria-pressed", "aria-disabled"])
    clone.removeAttribute(attribute);
  clone.classList.remove("is-next", "is-selected", "is-last", "is-lifted", "is-arriving");
  clone.setAttribute("aria-hidden", "true");
  clone.inert = true;
  return clone;
}

/**
 * Find the element of a piece or zone.
 * @param {HTMLElement} board
 * @param {string} id
 */
export function findElement(board, id) {
  const name = CSS.escape(id);
  return /** @type {HTMLElement | null} */ (board.querySelector(`[data-id="${name}"], [data-zone="${name}"]`));
}

/** The topmost piece in an element, or the element itself. @param {HTMLElement} element */
function topPiece(element) {
  const pieces = /** @type {NodeListOf<HTMLElement>} */ (element.querySelectorAll(".piece"));
  return element.matches(".piece") ? element : (pieces[pieces.length - 1] ?? element);
}

/**
 * The CSS transform that moves a box from its end back to its start.
 * @param {DOMRect} start
 * @param {DOMRect} end
 */
function offset(start, end) {
  const scale = Math.min(1.6, Math.max(0.3, start.width / end.width));
  const x = start.left + start.width / 2 - end.left - end.width / 2;
  const y = start.top + start.height / 2 - end.top - end.height / 2;
  return `translate(${x}px, ${y}px) scale(${scale})`;
}
