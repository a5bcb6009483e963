/** The games that have puzzles, each with the player's rating: on a page of its own, and on the player's page. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { puzzleAddress } from "../addresses.js";
import { listPuzzles } from "../api.js";
import { translate } from "../words.js";

/** @typedef {import("../types.js").SolverShown} SolverShown */

class PuzzleRatings extends LitElement {
  static properties = { games: { state: true }, failure: { state: true } };

  constructor() {
    super();
    /** @type {import("../types.js").PuzzlesShown[] | null} */
    this.games = null;
    this.failure = "";
  }

  createRenderRoot() {
    return this;
  }

  async firstUpdated() {
    try {
      this.games = await listPuzzles();
    } catch {
      this.failure = translate("app.no_server");
    }
  }

  render() {
    if (this.failure) return html`<p class="failure" role="alert">${this.failure}</p>`;
    if (!this.games?.length) return nothing;
    return html`<section class="puzzle-games" aria-labelledby="puzzle-games-title">
      <h2 id="puzzle-games-title">${translate("puzzles.title")}</h2>
      <ul>
        ${this.games.map(
          ({ game, title, count, you }) =>
            html`<li>
              <a href=${puzzleAddress(game)} aria-label=${translate("puzzles.of", { title })}>${title}</a>
              <span class="quiet">${you?.tried ? standing(you) : translate("puzzles.count", { n: count })}</span>
            </li>`,
        )}
      </ul>
    </section>`;
  }
}

/** A player's rating and streak in words. @param {SolverShown} you */
export function standing({ rating, margin, solved, tried, streak, best_streak: best }) {
  const parts = [
    translate("puzzles.rating", { rating, margin }),
    translate("puzzles.solved", { solved, tried }),
    translate("puzzles.streak", { n: streak }),
    translate("puzzles.best_streak", { n: best }),
  ];
  return html`<span class="figures">${parts.map((part) => html`<span>${part}</span>`)}</span>`;
}

customElements.define("puzzle-ratings", PuzzleRatings);
