/** The rulebook of a game, on a page of its own, with examples to click through. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { newAddress } from "../addresses.js";
import { cite, markdown } from "../markdown.js";
import { examplesOf, findGame, rulesOf } from "../server.js";
import { say } from "../words.js";
import "../parts/rule-example.js";

class RulesPage extends LitElement {
  static properties = {
    game: { attribute: false },
    clause: { attribute: false },
    info: { state: true },
    text: { state: true },
    isMissing: { state: true },
  };

  constructor() {
    super();
    this.game = "";
    /** The clause that the page is opened at. */
    this.clause = "";
    /** @type {import("../types.js").GameInfo | null} */
    this.info = null;
    this.text = "";
    /** @type {import("../types.js").ExampleInfo[]} */
    this.examples = [];
    this.isMissing = false;
  }

  createRenderRoot() {
    return this;
  }

  async firstUpdated() {
    try {
      const [info, rules, examples] = await Promise.all([
        findGame(this.game),
        rulesOf(this.game),
        examplesOf(this.game),
      ]);
      this.examples = examples;
      this.info = info;
      this.text = rules.markdown;
      document.title = `${info.title} · Tablée`;
    } catch {
      this.isMissing = true;
    }
    await this.updateComplete;
    if (this.clause) this.showClause(this.clause);
  }

  /** @type {(clause: string) => void} */
  showClause = (clause) => cite(this, clause);

  render() {
    if (this.isMissing)
      return html`<div class="page empty-state">
        <h1>Tablée</h1>
        <p>${say("app.nothing_here")}</p>
        <a class="button" href="#">${say("app.to_lobby")}</a>
      </div>`;
    if (!this.info) return nothing;
    return html`<div class="page narrow">
      <h1>${say("lobby.rules_of", { title: this.info.title })}</h1>
      <p class="page-actions"><a class="button primary" href=${newAddress(this.game)}>${say("lobby.invite")}</a></p>
      <article class="prose">${markdown(this.text, `/games/${this.game}/`, this.examplesOf)}</article>
    </div>`;
  }

  /** @type {(clause: string) => unknown} */
  examplesOf = (clause) =>
    this.examples
      .filter((example) => example.clause === clause)
      .map(
        (example) =>
          html`<rule-example .game=${this.game} .example=${example} .onClause=${this.showClause}></rule-example>`,
      );
}

customElements.define("rules-page", RulesPage);
