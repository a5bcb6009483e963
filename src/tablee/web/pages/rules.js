/** The rulebook of a game, on a page of its own. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { newAddress } from "../addresses.js";
import { markdown } from "../markdown.js";
import { findGame, rulesOf } from "../server.js";
import { say } from "../words.js";

class RulesPage extends LitElement {
  static properties = {
    game: { attribute: false },
    info: { state: true },
    text: { state: true },
    isMissing: { state: true },
  };

  constructor() {
    super();
    this.game = "";
    /** @type {import("../types.js").GameInfo | null} */
    this.info = null;
    this.text = "";
    this.isMissing = false;
  }

  createRenderRoot() {
    return this;
  }

  async firstUpdated() {
    try {
      const [info, rules] = await Promise.all([findGame(this.game), rulesOf(this.game)]);
      this.info = info;
      this.text = rules.markdown;
      document.title = `${info.title} · Tablée`;
    } catch {
      this.isMissing = true;
    }
  }

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
      <article class="prose">${markdown(this.text, `/games/${this.game}/`)}</article>
    </div>`;
  }
}

customElements.define("rules-page", RulesPage);
