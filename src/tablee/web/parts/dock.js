/** The line that says what can be done now, and the other two ways to do it: labelled buttons, and typing. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { say } from "../words.js";
import { icon } from "./symbols.js";

/** @typedef {import("../types.js").Choice} Choice */
/** @typedef {import("../types.js").Table} Table */

const MAX_SHOWN_AT_ONCE = 3;
const MAX_LISTED = 60;

/** Calls `onChoose(text)`, `onPutBack()`, `onAsk(type, fields)`. */
class TableDock extends LitElement {
  static properties = {
    table: { attribute: false },
    picking: { attribute: false },
    story: { attribute: false },
    isSending: { attribute: false },
    isOpen: { state: true },
    typed: { state: true },
  };

  constructor() {
    super();
    /** @type {Table} */
    this.table = /** @type {any} */ (null); // given before anything is drawn
    /** @type {import("../selection.js").Picking | null} */
    this.picking = null;
    /** What has just happened, in words. */
    this.story = "";
    this.isSending = false;
    this.isOpen = false;
    this.typed = "";
    /** @type {(text: string) => void} */
    this.onChoose = () => {};
    this.onPutBack = () => {};
    /** @type {(type: string, fields?: Record<string, unknown>) => void} */
    this.onAsk = () => {};
  }

  createRenderRoot() {
    return this;
  }

  get choices() {
    return this.table.view?.choices ?? [];
  }

  render() {
    const { view, viewer, phase } = this.table;
    if (!view) return nothing;
    const isMine = phase === "playing" && this.choices.length > 0;
    return html`<section class=${isMine ? "dock on-turn" : "dock"} aria-label=${say("table.choices_title")}>
      <p class="story">${this.story}</p>
      <div class="dock-line">
        <p class="prompt">
          ${isMine && viewer >= 0 ? html`<span class="turn-dot" aria-hidden="true"></span>` : nothing}${this.prompt()}
        </p>
        ${isMine ? this.opener() : nothing}
      </div>
      ${this.queuedLine()} ${isMine ? this.shortcuts() : nothing} ${isMine && this.isOpen ? this.list() : nothing}
    </section>`;
  }

  prompt() {
    if (this.table.phase === "paused") return say("table.paused");
    if (this.table.viewer < 0) return `${say("table.watching")} ${this.table.view?.prompt}`;
    return this.table.view?.prompt;
  }

  opener() {
    const label = say("table.choices", { n: this.choices.length });
    return html`<button
      class="button small opener"
      aria-label=${label}
      aria-expanded=${this.isOpen}
      @click=${this.toggle}
    >
      ${icon("keyboard")} <span class="opener-words">${label}</span>
    </button>`;
  }

  async toggle() {
    this.isOpen = !this.isOpen;
    await this.updateComplete;
    this.querySelector("input")?.focus();
  }

  queuedLine() {
    const { queued } = this.table;
    if (!queued) return nothing;
    const label = this.choices.find(({ text }) => text === queued)?.label ?? queued;
    return html`<div class="dock-line">
      <p class="queued">${say("table.queued", { move: label })}</p>
      <button class="button small" @click=${() => this.onAsk("withdraw")}>${say("table.withdraw")}</button>
    </div>`;
  }

  /** What the picked pieces mean already, or all choices if they are few. */
  shortcuts() {
    const picking = this.picking;
    if (picking?.picked.length) {
      return html`<div class=${picking.complete.length > MAX_SHOWN_AT_ONCE ? "shortcuts many" : "shortcuts"}>
        ${picking.complete.length && picking.next.size ? html`<span class="quiet">${say("table.picked_more")}</span>` : nothing}
        ${picking.complete.map((choice) => this.choice(choice, true))}
        <button class="button small quiet" @click=${this.onPutBack}>${say("table.put_back")}</button>
      </div>`;
    }
    if (this.isOpen || this.choices.length > MAX_SHOWN_AT_ONCE) return nothing;
    return html`<div class="shortcuts">${this.choices.map((choice) => this.choice(choice, true))}</div>`;
  }

  /**
   * @param {Choice} choice
   * @param {boolean} [isPrimary]
   */
  choice(choice, isPrimary = false) {
    return html`<button
      class=${isPrimary ? "button primary choice" : "button choice"}
      data-move=${choice.text}
      ?disabled=${this.isSending}
      @click=${() => this.onChoose(choice.text)}
    >
      ${choice.label}
    </button>`;
  }

  list() {
    const wanted = this.typed.trim().toLowerCase();
    const found = this.choices.filter(
      ({ label, text }) => label.toLowerCase().includes(wanted) || text.includes(wanted),
    );
    const shown = found.slice(0, MAX_LISTED);
    return html`<div class="choice-list">
      <form class="field-row" @submit=${this.submit}>
        <input
          aria-label=${say("table.find")}
          placeholder=${say("table.find")}
          autocomplete="off"
          autocapitalize="off"
          spellcheck="false"
          .value=${this.typed}
          @input=${(/** @type {any} */ event) => (this.typed = event.target.value)}
        />
        <button class="button primary">${say("table.play_typed")}</button>
      </form>
      <ul>
        ${shown.map((choice) => html`<li>${this.choice(choice)}</li>`)}
      </ul>
      ${found.length ? nothing : html`<p class="help">${say("table.none_found")}</p>`}
      ${found.length > shown.length ? html`<p class="help">${say("table.more", { n: found.length - shown.length })}</p>` : nothing}
    </div>`;
  }

  /** @param {SubmitEvent} event */
  submit(event) {
    event.preventDefault();
    const text = this.typed.trim();
    if (!text) return;
    this.typed = "";
    this.onChoose(text);
  }
}

customElements.define("table-dock", TableDock);
