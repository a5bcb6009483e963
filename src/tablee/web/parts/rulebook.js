/** The rulebook of a game. The server renders it as HTML from Markdown and escapes it; only this module inserts HTML. */

import { html, LitElement, nothing, render } from "../vendor/lit.js";
import { getRules } from "../api.js";
import { notify } from "../notifications.js";
import { translate } from "../words.js";

/** Set `clause` to scroll to a clause; set `examplesOf` to draw something below each clause that has examples. */
class RuleBook extends LitElement {
  static properties = {
    game: { attribute: false },
    clause: { attribute: false },
    content: { state: true },
  };

  constructor() {
    super();
    this.game = "";
    this.clause = "";
    /** @type {Node[]} */
    this.content = [];
    /** @type {(clause: string) => unknown} */
    this.examplesOf = () => nothing;
  }

  createRenderRoot() {
    return this;
  }

  async firstUpdated() {
    try {
      this.content = parse((await getRules(this.game)).html);
    } catch {
      notify(translate("app.no_server"));
    }
  }

  /** @param {Map<string, unknown>} changed */
  async updated(changed) {
    if (changed.has("content")) this.drawExamples();
    await Promise.resolve(); // until the examples have their size
    if (this.clause && (changed.has("clause") || changed.has("content"))) this.cite(this.clause);
  }

  drawExamples() {
    for (const slot of /** @type {NodeListOf<HTMLElement>} */ (this.querySelectorAll(".clause-examples")))
      render(this.examplesOf(slot.dataset.clause ?? ""), slot);
  }

  /** Highlight a clause and scroll to it. @param {string} clause */
  cite(clause) {
    const paragraph = this.querySelector(`#clause-${CSS.escape(clause)}`);
    if (!(paragraph instanceof HTMLElement)) return;
    for (const other of this.querySelectorAll(".is-cited")) other.classList.remove("is-cited");
    paragraph.classList.add("is-cited");
    paragraph.scrollIntoView({ block: "center" });
    paragraph.focus({ preventScroll: true });
  }

  render() {
    return html`<article class="prose">${this.content}</article>`;
  }
}

/**
 * Parse HTML that the server has escaped.
 * @param {string} text
 * @returns {Node[]}
 */
const parse = (text) => [...new DOMParser().parseFromString(text, "text/html").body.childNodes];

customElements.define("rule-book", RuleBook);
