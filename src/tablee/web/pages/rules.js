/** The rulebook of a game as a page, with interactive examples. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { LOBBY, newAddress, puzzleAddress } from "../addresses.js";
import { getGame, listExamples } from "../api.js";
import { learn } from "../learn.js";
import { playWithBots } from "../play-with-bots.js";
import { translate } from "../words.js";
import "../parts/rule-example.js";
import "../parts/rulebook.js";

class RulesPage extends LitElement {
  static properties = {
    game: { attribute: false },
    clause: { attribute: false },
    info: { state: true },
    isMissing: { state: true },
    isBusy: { state: true },
  };

  constructor() {
    super();
    this.game = "";
    /** The clause to scroll to. */
    this.clause = "";
    /** @type {import("../types.js").GameInfo | null} */
    this.info = null;
    /** @type {import("../types.js").ExampleInfo[]} */
    this.examples = [];
    this.isMissing = false;
    this.isBusy = false;
  }

  createRenderRoot() {
    return this;
  }

  async firstUpdated() {
    try {
      [this.info, this.examples] = await Promise.all([getGame(this.game), listExamples(this.game)]);
      document.title = `${this.info.title} · Tablée`;
    } catch {
      this.isMissing = true;
    }
  }

  render() {
    if (this.isMissing)
      return html`<div class="page empty-state">
        <h1>Tablée</h1>
        <p>${translate("app.nothing_here")}</p>
        <a class="button" href=${LOBBY}>${translate("app.to_lobby")}</a>
      </div>`;
    if (!this.info) return nothing;
    return html`<div class="page narrow">
      <h1>${translate("lobby.rules_of", { title: this.info.title })}</h1>
      <p class="page-actions">
        <button class="button primary" ?disabled=${this.isBusy} @click=${this.playNow}>${translate("lobby.play_now")}</button>
        ${this.info.has_lesson ? html`<button class="button" @click=${() => learn(this.game)}>${translate("lesson.learn")}</button>` : nothing}
        ${this.info.puzzles ? html`<a class="button" href=${puzzleAddress(this.game)}>${translate("puzzles.title")}</a>` : nothing}
        <a class="button" href=${newAddress(this.game)}>${translate("lobby.invite")}</a>
      </p>
      <rule-book .game=${this.game} .clause=${this.clause} .examplesOf=${this.examplesOf}></rule-book>
    </div>`;
  }

  async playNow() {
    if (!this.info) return;
    this.isBusy = true;
    await playWithBots(this.info);
    this.isBusy = false;
  }

  /** @type {(clause: string) => void} */
  cite = (clause) => /** @type {any} */ (this.querySelector("rule-book"))?.cite(clause);

  /** @type {(clause: string) => unknown} */
  examplesOf = (clause) =>
    this.examples
      .filter((example) => example.clause === clause)
      .map(
        (example) => html`<rule-example .game=${this.game} .example=${example} .onClause=${this.cite}></rule-example>`,
      );
}

customElements.define("rules-page", RulesPage);
