/** A small position in a rulebook that one can click through: it shows a clause at work. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { announce, inform } from "../notices.js";
import { exampleAfter, Refusal } from "../server.js";
import { say } from "../words.js";
import { icon } from "./symbols.js";
import "../boards.js";

/** Calls `onClause(clause)` when somebody wants to read why something is not possible. */
class RuleExample extends LitElement {
  static properties = {
    game: { attribute: false },
    example: { attribute: false },
    shown: { state: true },
    picking: { state: true },
  };

  constructor() {
    super();
    this.game = "";
    /** @type {import("../types.js").ExampleInfo} */
    this.example = /** @type {any} */ (null); // given before anything is drawn
    /** @type {import("../types.js").ExampleShown | null} */
    this.shown = null;
    /** @type {import("../selection.js").Picking | null} */
    this.picking = null;
    /** @type {string[]} */
    this.tried = [];
    /** @type {(clause: string) => void} */
    this.onClause = () => {};
  }

  createRenderRoot() {
    return this;
  }

  /** Show the position after some moves; what is refused is explained, and the position stays. @param {string[]} moves */
  async show(moves) {
    try {
      this.shown = await exampleAfter(this.game, this.example.name, moves);
      this.tried = moves;
      this.picking = null;
      for (const { text } of this.shown.told) announce(text);
      if (this.shown.seen) announce(this.shown.seen);
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      const { clause, message } = refusal;
      const text = message.charAt(0).toUpperCase() + message.slice(1);
      inform(text, clause ? { label: say("table.clause", { clause }), run: () => this.onClause(clause) } : null);
    }
  }

  /** @type {(move: string) => void} */
  play = (move) => void this.show([...this.tried, move]);

  /** @type {(move: string | null) => void} */
  explain = (move) => {
    if (move !== null && !this.shown?.is_over) this.play(move);
    else inform(say("table.not_now"));
  };

  render() {
    const { title } = this.example;
    if (!this.shown)
      return html`<div class="example">
        <p><strong>${say("rules.example")}</strong> ${title}</p>
        <button class="button" @click=${() => this.show([])}>${icon("turn")} ${say("rules.try")}</button>
      </div>`;
    const { view, seats, told, prompt, seen, is_over: isOver } = this.shown;
    const table = { game: this.game, view: isOver ? { ...view, choices: [] } : view, seats, queued: null };
    return html`<div class="example" role="group" aria-label=${title}>
      <p><strong>${title}</strong> ${prompt}</p>
      <board-holder
        .table=${table}
        .told=${told}
        .onChoose=${this.play}
        .onExplain=${this.explain}
        .onPicked=${(/** @type {any} */ picking) => (this.picking = picking)}
      ></board-holder>
      ${told.length ? html`<p class="quiet">${told.map(({ text }) => text).join(" ")}</p>` : nothing}
      ${isOver ? html`<p class="example-seen">${seen ?? say("rules.other_way")}</p>` : this.choices(view.choices)}
      ${this.tried.length ? html`<button class="button small" @click=${() => this.show([])}>${say("rules.again")}</button>` : nothing}
    </div>`;
  }

  /** @param {import("../types.js").Choice[]} choices */
  choices(choices) {
    const ready = this.picking?.picked.length
      ? this.picking.complete
      : choices.filter(({ targets }) => !targets.length);
    const listed = choices.filter((choice) => !ready.includes(choice));
    return html`<div class="page-actions">
        ${ready.map(({ text, label }) => html`<button class="button primary small" data-move=${text} @click=${() => this.play(text)}>${label}</button>`)}
      </div>
      ${
        listed.length
          ? html`<details>
              <summary>${say("table.choices", { n: choices.length })}</summary>
              <div class="page-actions">
                ${listed.map(({ text, label }) => html`<button class="button small" data-move=${text} @click=${() => this.play(text)}>${label}</button>`)}
              </div>
            </details>`
          : nothing
      }`;
  }
}

customElements.define("rule-example", RuleExample);
