/** An interactive example in a rulebook: a small position that shows a clause. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { announce, capitalize, notify } from "../notifications.js";
import { explainExample, getExample, Refusal } from "../api.js";
import { translate } from "../words.js";
import { choiceButtons } from "./choices.js";
import { icon } from "./symbols.js";
import "../boards.js";

/** Calls `onClause(clause)` when the player asks for the clause that forbids a move. */
class RuleExample extends LitElement {
  static properties = {
    game: { attribute: false },
    example: { attribute: false },
    shown: { state: true },
    selection: { state: true },
  };

  constructor() {
    super();
    this.game = "";
    /** @type {import("../types.js").ExampleInfo} */
    this.example = /** @type {any} */ (null); // set before the first render
    /** @type {import("../types.js").ExampleShown | null} */
    this.shown = null;
    /** @type {import("../selection.js").Selection | null} */
    this.selection = null;
    /** @type {string[]} moves played so far */
    this.moves = [];
    /** @type {(clause: string) => void} */
    this.onClause = () => {};
  }

  createRenderRoot() {
    return this;
  }

  /** Show the position after some moves; if one is refused, say why and keep the position. @param {string[]} moves */
  async show(moves) {
    try {
      this.shown = await getExample(this.game, this.example.name, moves);
      this.moves = moves;
      this.selection = null;
      for (const { text } of this.shown.events) announce(text);
      if (this.shown.seen) announce(this.shown.seen);
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      this.showReason(refusal.message, refusal.clause);
    }
  }

  /**
   * @param {string} text
   * @param {string | null} clause
   */
  showReason(text, clause) {
    const action = clause ? { label: translate("table.clause", { clause }), run: () => this.onClause(clause) } : null;
    notify(capitalize(text), action);
  }

  /** @type {(move: string) => void} */
  play = (move) => void this.show([...this.moves, move]);

  /** @type {(question: import("../watched-table.js").Question) => Promise<void>} */
  explain = async (question) => {
    if (this.shown?.is_over) return;
    try {
      const { text, clause } = await explainExample(this.game, this.example.name, { moves: this.moves, ...question });
      this.showReason(text, clause);
    } catch (refusal) {
      notify(/** @type {Error} */ (refusal).message);
    }
  };

  render() {
    const { title } = this.example;
    if (!this.shown)
      return html`<div class="example">
        <p><strong>${translate("rules.example")}</strong> ${title}</p>
        <button class="button" @click=${() => this.show([])}>${icon("turn")} ${translate("rules.try")}</button>
      </div>`;
    const { view, seats, events, prompt, seen, is_over: isOver } = this.shown;
    const table = { game: this.game, view: isOver ? { ...view, choices: [] } : view, seats, queued: null };
    return html`<div class="example" role="group" aria-label=${title}>
      <p><strong>${title}</strong> ${prompt}</p>
      <board-holder
        .table=${table}
        .events=${events}
        .onChoose=${this.play}
        .onExplain=${this.explain}
        .onSelect=${(/** @type {any} */ selection) => (this.selection = selection)}
      ></board-holder>
      ${events.length ? html`<p class="quiet">${events.map(({ text }) => text).join(" ")}</p>` : nothing}
      ${isOver ? html`<p class="example-seen">${seen ?? translate("rules.other_way")}</p>` : choiceButtons(view.choices, this.selection, this.play)}
      ${this.moves.length ? html`<button class="button small" @click=${() => this.show([])}>${translate("rules.again")}</button>` : nothing}
    </div>`;
  }
}

customElements.define("rule-example", RuleExample);
