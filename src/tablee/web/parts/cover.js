/** A game's cover in the lobby: a poster of its own pieces' colours, the same each time, drawn from its name alone. */

import { html } from "../vendor/lit.js";
import { SYMBOL_OF_COLOUR, symbol } from "./symbols.js";

const COLOURS = Object.keys(SYMBOL_OF_COLOUR);

/** @param {string} name */
export function cover(name) {
  const start = Array.from(name).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7);
  const colours = [0, 3, 5].map((step) => COLOURS[(start + step) % COLOURS.length]);
  return html`<div class=${`cover ground-${colours[0]}`} aria-hidden="true">
    ${colours.map((colour, place) => html`<span class=${`cover-card cover-card-${place} piece is-open colour-${colours[(place + 1) % 3]}`}>
      ${symbol(SYMBOL_OF_COLOUR[colours[(place + 1) % 3]])}
    </span>`)}
  </div>`;
}
