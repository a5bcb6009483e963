/** A game's cover in the lobby: a poster of three pieces, another trio of colours for each place in the list. */

import { html } from "../vendor/lit.js";
import { SYMBOL_OF_COLOUR, symbol } from "./symbols.js";

const COLOURS = Object.keys(SYMBOL_OF_COLOUR);

/** @param {number} place in the list of games */
export function cover(place) {
  const colours = [0, 3, 5].map((step) => COLOURS[(place * 5 + 5 + step) % COLOURS.length]);
  return html`<div class=${`cover ground-${colours[0]}`} aria-hidden="true">
    ${colours.map(
      (_, card) =>
        html`<span class=${`cover-card cover-card-${card} piece is-open colour-${colours[(card + 1) % 3]}`}>
          ${symbol(SYMBOL_OF_COLOUR[colours[(card + 1) % 3]])}
        </span>`,
    )}
  </div>`;
}
