/** The content of a piece: its face, and the symbol and letter of its colour in the corners; or its back. */

import { html, nothing } from "../vendor/lit.js";
import { translate } from "../words.js";
import { SYMBOL_OF_COLOUR, symbol } from "./symbols.js";

/** @typedef {import("../types.js").Piece} Piece */

/** @param {Piece} piece */
export const isEmpty = (piece) => piece.marks.includes("empty");

/** @param {Piece} piece */
export const isBack = (piece) => piece.face === null && !isEmpty(piece);

/**
 * The content of a piece, for an element that has its label.
 * @param {Piece} piece
 */
export function pieceFace(piece) {
  if (isEmpty(piece)) return nothing;
  const picture = symbol(piece.symbol ?? (piece.colour ? SYMBOL_OF_COLOUR[piece.colour] : null));
  if (isBack(piece) && !piece.colour) return html`<span class="linen" aria-hidden="true"></span>`;
  return html`
    <span class="corner" aria-hidden="true">${picture}</span>
    ${
      piece.face === null
        ? html`<span class="numeral hidden-value" aria-hidden="true">?</span>`
        : html`<span class="numeral" data-length=${piece.face.length} aria-hidden="true">${piece.face}</span>`
    }
    ${piece.colour ? html`<span class="letter" aria-hidden="true">${letter(piece)}</span>` : nothing}
  `;
}

/**
 * What is most likely on a hidden piece, where the page has found out (parts/beliefs.js); nothing if several faces are.
 * @param {Piece & {belief?: import("../types.js").BeliefShown}} piece
 */
export function likeliest({ belief }) {
  if (!belief?.possible.length) return nothing;
  const [{ face, percent }, second] = belief.possible;
  if (percent === second?.percent) return nothing;
  return html`<span class="belief" aria-hidden="true"><b>${face}</b><small>${Math.round(percent)} %</small></span>`;
}

/**
 * The letter of its colour, unless its face is the same.
 * @param {Piece} piece
 */
function letter(piece) {
  const text = translate(`letters.${piece.colour}`);
  return piece.face === text ? nothing : text;
}

/**
 * The CSS classes of a piece.
 * @param {Piece} piece
 */
export function pieceClass(piece) {
  const kind = isEmpty(piece) ? "is-empty" : isBack(piece) ? "is-back" : "is-open";
  return [
    "piece",
    kind,
    piece.colour ? `colour-${piece.colour}` : "",
    ...piece.marks.map((mark) => `mark-${mark}`),
  ].join(" ");
}
