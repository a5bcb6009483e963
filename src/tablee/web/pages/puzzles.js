/** All games that have puzzles. */

import { html, LitElement } from "../vendor/lit.js";
import { translate } from "../words.js";
import "../parts/puzzle-ratings.js";

class PuzzlesPage extends LitElement {
  createRenderRoot() {
    return this;
  }

  firstUpdated() {
    document.title = `${translate("puzzles.title")} · Tablée`;
  }

  render() {
    return html`<div class="page narrow">
      <h1>${translate("puzzles.find")}</h1>
      <p class="help">${translate("puzzles.help")}</p>
      <puzzle-ratings></puzzle-ratings>
    </div>`;
  }
}

customElements.define("puzzles-page", PuzzlesPage);
