/**
 * How things move: copies travel above a table that is already up to date, so that nobody waits for them. Those who want
 * no motion see things fade instead.
 */

import { isStill } from "../settings.js";

const TRAVEL = 280; // milliseconds
const TURN = 260;
const FADE = 200;
const SWEEP = 850;
const MOMENT = 950;
const STAGGER = 40;
const DEAL = 700; // a whole deal, however many cards
const EASE = "cubic-bezier(0.2, 0.7, 0.2, 1)";

/** What lay in a place: where that was on the screen, and how it looked. @typedef {{box: DOMRect, look: HTMLElement}} Trace */

/**
 * From one place to another, both named by id. What travels looks like what lies at the end now, unless `look` says
 * otherwise. Journeys of one step set off together, a step after the step before.
 * @typedef {object} Journey
 * @property {string} from
 * @property {string} to
 * @property {string[]} [via] places it touches on its way
 * @property {HTMLElement} [look]
 * @property {number} [step]
 */

/**
 * Remember where everything with an id is, and how pieces look.
 * @param {HTMLElement} board
 * @returns {Map<string, Trace>}
 */
export function traces(board) {
  const things = /** @type {HTMLElement[]} */ ([...board.querySelectorAll("[data-zone], [data-id]")]);
  return new Map(
    things.map((thing) => [
      thing.dataset.id ?? thing.dataset.zone ?? "",
      { box: pieceIn(thing).getBoundingClientRect(), look: copy(pieceIn(thing)) },
    ]),
  );
}

/**
 * Let things travel.
 * @param {HTMLElement} board
 * @param {Journey[]} journeys
 * @param {Map<string, Trace>} before
 */
export function send(board, journeys, before) {
  const waits = delays(journeys);
  journeys.forEach((journey, place) => {
    const end = find(board, journey.to);
    const start = before.get(journey.from)?.box ?? find(board, journey.from)?.getBoundingClientRect();
    if (!end || !start) return;
    const piece = pieceIn(end);
    const stops = (journey.via ?? [])
      .map((id) => find(board, id)?.getBoundingClientRect())
      .filter((box) => box !== undefined);
    if (isStill()) fade(piece);
    else fly(journey.look ?? copy(piece), [start, ...stops], piece, before.get(journey.to), waits[place]);
  });
}

/** When each journey sets off. @param {Journey[]} journeys */
function delays(journeys) {
  /** @type {Map<number, number>} */
  const companions = new Map();
  return journeys.map(({ step = 0 }) => {
    const rank = companions.get(step) ?? 0;
    companions.set(step, rank + 1);
    return step * TRAVEL + rank * STAGGER;
  });
}

/**
 * @param {HTMLElement} look
 * @param {DOMRect[]} stops from where, and by which ways
 * @param {HTMLElement} piece at the end; what lay there before is seen until the traveller arrives
 * @param {Trace | undefined} earlier
 * @param {number} delay
 */
function fly(look, stops, piece, earlier, delay) {
  const end = piece.getBoundingClientRect();
  const traveller = lay(look, end, "traveller");
  const covered = earlier && earlier.look.matches(".piece") ? lay(earlier.look, earlier.box, "covered") : null;
  piece.classList.add("is-arriving");
  traveller
    .animate([...stops.map((stop) => ({ transform: between(stop, end) })), { transform: "none" }], {
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
 * @param {string[]} places
 */
export function deal(board, pile, places) {
  const pieces = places.map((id) => find(board, id)).filter((place) => place !== null);
  const start = find(board, pile)?.getBoundingClientRect();
  pieces.forEach((place, rank) => {
    const piece = pieceIn(place);
    const wait = Math.min(STAGGER, DEAL / pieces.length) * rank;
    if (isStill() || !start) fade(piece);
    else
      piece.animate([{ transform: between(start, piece.getBoundingClientRect()), opacity: 0 }, { transform: "none" }], {
        duration: TRAVEL,
        delay: wait,
        easing: EASE,
        fill: "backwards",
      });
  });
}

/**
 * Things that stand elsewhere now slide there.
 * @param {HTMLElement} board
 * @param {string[]} ids
 * @param {Map<string, Trace>} before
 */
export function slide(board, ids, before) {
  for (const id of ids) {
    const thing = find(board, id);
    const start = before.get(id)?.box;
    if (!thing || !start) continue;
    if (isStill()) fade(thing);
    else
      thing.animate([{ transform: between(start, thing.getBoundingClientRect()) }, {}], {
        duration: TRAVEL,
        easing: EASE,
      });
  }
}

/**
 * Things leave together: they lift, gleam once, and slide to a place.
 * @param {HTMLElement} board
 * @param {Trace[]} leaving what lay where
 * @param {string} to
 */
export function sweep(board, leaving, to) {
  const end = find(board, to);
  if (isStill() || !end) return;
  const goal = pieceIn(end).getBoundingClientRect();
  leaving.forEach(({ box, look }, rank) => {
    const ghost = lay(look, box, "gleaming");
    const lifted = "translateY(-8px)";
    ghost
      .animate(
        [
          {},
          { transform: lifted, offset: 0.2 },
          { transform: lifted, offset: 0.55 },
          { transform: between(goal, box) },
        ],
        {
          duration: SWEEP,
          delay: rank * STAGGER,
          easing: EASE,
          fill: "both",
        },
      )
      .finished.finally(() => ghost.remove());
  });
}

/** A card is turned over; it can be touched from the first moment, so it does not begin edge on. @param {HTMLElement} piece */
export function turn(piece) {
  if (isStill()) fade(piece);
  else piece.animate([{ transform: "perspective(400px) rotateY(80deg)" }, {}], { duration: TURN, easing: EASE });
}

/** @param {HTMLElement} piece */
export function fade(piece) {
  piece.animate([{ opacity: 0 }, {}], { duration: FADE });
}

/**
 * Say large, for a moment, what has just been achieved. Those who listen hear it with the rest of the story.
 * @param {HTMLElement} board
 * @param {string} text
 */
export function proclaim(board, text) {
  const sign = document.createElement("p");
  sign.className = "moment";
  sign.textContent = text;
  sign.setAttribute("aria-hidden", "true");
  board.append(sign);
  const hidden = isStill() ? {} : { opacity: 0, transform: "translate(-50%, -50%) scale(0.9)" };
  sign
    .animate([hidden, { opacity: 1, offset: 0.2 }, { opacity: 1, offset: 0.8 }, isStill() ? {} : { opacity: 0 }], {
      duration: MOMENT,
      easing: EASE,
    })
    .finished.finally(() => sign.remove());
}

/**
 * Put a copy above the table, where a box is.
 * @param {HTMLElement} look
 * @param {DOMRect} box
 * @param {string} role the class that says what it is there for
 */
export function lay(look, box, role) {
  look.classList.add("ghost", role);
  Object.assign(look.style, { left: `${box.left}px`, top: `${box.top}px` });
  Object.assign(look.style, { width: `${box.width}px`, height: `${box.height}px` });
  look.style.setProperty("--card", `${box.width}px`);
  document.body.append(look);
  return look;
}

/**
 * Copy a piece as it looks, without what makes it a thing to touch or to hear.
 * @param {HTMLElement} piece
 */
export function copy(piece) {
  const look = /** @type {HTMLElement} */ (piece.cloneNode(true));
  for (const attribute of ["id", "data-id", "data-zone", "tabindex", "aria-label", "aria-pressed", "aria-disabled"])
    look.removeAttribute(attribute);
  look.classList.remove("is-next", "is-picked", "is-last", "is-lifted", "is-arriving");
  look.setAttribute("aria-hidden", "true");
  look.inert = true;
  return look;
}

/**
 * @param {HTMLElement} board
 * @param {string} id
 */
export function find(board, id) {
  const name = CSS.escape(id);
  return /** @type {HTMLElement | null} */ (board.querySelector(`[data-id="${name}"], [data-zone="${name}"]`));
}

/** The piece that a place shows, on top of all others, or the place itself. @param {HTMLElement} thing */
function pieceIn(thing) {
  const pieces = /** @type {NodeListOf<HTMLElement>} */ (thing.querySelectorAll(".piece"));
  return thing.matches(".piece") ? thing : (pieces[pieces.length - 1] ?? thing);
}

/**
 * @param {DOMRect} start
 * @param {DOMRect} end
 */
function between(start, end) {
  const scale = Math.min(1.6, Math.max(0.3, start.width / end.width));
  const across = start.left + start.width / 2 - end.left - end.width / 2;
  const down = start.top + start.height / 2 - end.top - end.height / 2;
  return `translate(${across}px, ${down}px) scale(${scale})`;
}
