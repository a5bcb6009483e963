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
    if (this.clause && (changed.has("clause") || changed.has("content"))) this.cite(this.clause, this.isFocusNear);
  }

  drawExamples() {
    for (const slot of /** @type {NodeListOf<HTMLElement>} */ (this.querySelectorAll(".clause-examples")))
      render(this.examplesOf(slot.dataset.clause ?? ""), slot);
  }

  /** Whether the focus has stayed with the rules while they were loaded: on the page around them, or in their drawer. */
  get isFocusNear() {
    const focused = document.activeElement;
    return !focused || focused.contains(this) || Boolean(this.closest(".drawer")?.contains(focused));
  }

  /**
   * Highlight a clause and scroll to it.
   * @param {string} clause
   * @param {boolean} takesFocus
   */
  cite(clause, takesFocus = true) {
    const paragraph = this.querySelector(`#clause-${CSS.escape(clause)}`);
    if (!(paragraph instanceof HTMLElement)) return;
    for (const other of this.querySelectorAll(".is-cited")) other.classList.remove("is-cited");
    paragraph.classList.add("is-cited");
    this.scrollToCentre(paragraph);
    if (takesFocus) paragraph.focus({ preventScroll: true });
  }

  /** Scroll the drawer alone if the rules are in one: the table around it stays where it is. @param {HTMLElement} paragraph */
  scrollToCentre(paragraph) {
    const drawer = paragraph.closest(".drawer-panel");
    if (!drawer) {
      paragraph.scrollIntoView({ block: "center" });
      return;
    }
    const [inner, outer] = [paragraph.getBoundingClientRect(), drawer.getBoundingClientRect()];
    drawer.scrollTop += inner.top + inner.height / 2 - (outer.top + outer.height / 2);
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
