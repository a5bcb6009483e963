/** The prompt below the board, and two more ways to move: labelled buttons, and typing. */

import { classMap, html, LitElement, nothing } from "../vendor/lit.js";
import { isAvailable } from "../commands.js";
import { translate } from "../words.js";
import { icon } from "./symbols.js";

/** @typedef {import("../types.js").Choice} Choice */
/** @typedef {import("../types.js").TableShown} TableShown */

const SECRET = "secret"; // the group of choices that are not named again once they are made
const MAX_SHORTCUTS = 3;
const MAX_SHORTCUT_CHARACTERS = 64; // of all labels together: more than two lines would push the board off a phone
const MAX_LISTED = 60;
const MAX_PROMPT_CHARACTERS = 80; // of a prompt in the usual size: the dock keeps its height

/** Calls `onChoose(text)`, `onExplain(question)`, `onClear()`, `onCommand(command)`. */
class TableDock extends LitElement {
  static properties = {
    table: { attribute: false },
    selection: { attribute: false },
    lastEvents: { attribute: false },
    isSending: { attribute: false },
    waiting: { attribute: false },
    isOpen: { state: true },
    typed: { state: true },
  };

  constructor() {
    super();
    /** @type {TableShown} */
    this.table = /** @type {any} */ (null); // set before the first render
    /** @type {import("../selection.js").Selection | null} */
    this.selection = null;
    /** The last events, in words. */
    this.lastEvents = "";
    this.isSending = false;
    this.waiting = 0; // events that are not shown yet
    this.isOpen = false;
    this.typed = "";
    /** @type {(text: string) => void} */
    this.onChoose = () => {};
    /** @type {(question: import("../watched-table.js").Question) => void} */
    this.onExplain = () => {};
    this.onClear = () => {};
    this.onAdvance = () => {};
    /** @type {(command: import("../commands.js").Command) => void} */
    this.onCommand = () => {};
  }

  createRenderRoot() {
    return this;
  }

  get choices() {
    return this.table.view?.choices ?? [];
  }

  render() {
    const { view } = this.table;
    if (!view) return nothing;
    const isOwnTurn = isAvailable(this.table, "play") && this.choices.length > 0;
    const isWordy = this.prompt().length > MAX_PROMPT_CHARACTERS;
    return html`<section class=${classMap({ dock: true, "on-turn": isOwnTurn, "is-wordy": isWordy })} aria-label=${translate("table.choices_title")}>
      <p class="last-events">${this.lastEvents}</p>
      <div class="dock-line">
        <p class="prompt">
          ${isOwnTurn ? html`<span class="turn-dot" aria-hidden="true"></span>` : nothing}
          ${this.table.is_early && !this.table.queued ? html`<span class="tag">${translate("table.early")}</span>` : nothing}
          ${this.prompt()}
        </p>
        ${this.waiting ? this.pacing() : isAvailable(this.table, "undo") ? this.undoButton() : nothing}
        ${isOwnTurn ? this.opener() : nothing}
      </div>
      ${this.queuedLine()} ${isOwnTurn ? this.shortcuts() : nothing} ${isOwnTurn && this.isOpen ? this.list() : nothing}
    </section>`;
  }

  prompt() {
    const prompt = this.table.view?.prompt ?? "";
    if (this.table.phase === "paused") return translate("table.paused");
    return this.table.viewer < 0 ? `${translate("table.watching")} ${prompt}` : prompt;
  }

  opener() {
    const label = translate("table.choices", { n: this.choices.length });
    return html`<button
      class="button small opener"
      aria-label=${label}
      aria-expanded=${this.isOpen}
      @click=${this.toggle}
    >
      ${icon("keyboard")} <span class="opener-words">${label}</span>
    </button>`;
  }

  undoButton() {
    return html`<button class="button small" @click=${() => this.onCommand({ type: "undo" })}>
      ${icon("undo")} <span class="undo-words">${translate("table.undo")}</span>
    </button>`;
  }

  /** What bots have done and is not shown yet; touching the table shows it all. */
  pacing() {
    return html`<button class="button small pacing" @pointerdown=${stop} @click=${this.onAdvance}>
      ${icon("next")} ${translate("table.next_event", { n: this.waiting })}
    </button>`;
  }

  async toggle() {
    if (!this.choices.length) return;
    this.isOpen = !this.isOpen;
    await this.updateComplete;
    this.querySelector("input")?.focus();
  }

  queuedLine() {
    const { queued } = this.table;
    if (!queued) return nothing;
    const choice = this.choices.find(({ text }) => text === queued);
    const label = choice?.group === SECRET ? translate("table.secret") : (choice?.label ?? queued);
    return html`<div class="dock-line">
      <p class="queued">${translate("table.queued", { move: label })}</p>
      ${
        isAvailable(this.table, "withdraw")
          ? html`<button class="button small" @click=${() => this.onCommand({ type: "withdraw" })}>
              ${translate("table.withdraw")}
            </button>`
          : nothing
      }
    </div>`;
  }

  /** The moves that the selection already makes, or all moves if they are few and their labels short. */
  shortcuts() {
    const selection = this.selection;
    if (selection?.selected.length) {
      return html`<div class=${selection.complete.length > MAX_SHORTCUTS ? "shortcuts many" : "shortcuts"}>
        ${selection.complete.length && selection.next.size ? html`<span class="quiet">${translate("table.select_more")}</span>` : nothing}
        ${selection.complete.map((choice) => this.choice(choice, true))}
        <button class="button small quiet" @click=${this.onClear}>${translate("table.clear")}</button>
      </div>`;
    }
    if (this.isOpen || this.table.lesson || this.choices.length > MAX_SHORTCUTS) return nothing; // the coach needs the room
    const characters = this.choices.reduce((sum, { label }) => sum + label.length, 0);
    if (characters > MAX_SHORTCUT_CHARACTERS) return nothing;
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

  /** The choices whose label or text contains what was typed; accents and case do not matter. */
  matchingChoices() {
    const query = plain(this.typed.trim());
    return this.choices.filter(({ label, text, typed }) => plain(`${label}\n${text}\n${typed}`).includes(query));
  }

  list() {
    const found = this.matchingChoices();
    const shown = found.slice(0, MAX_LISTED);
    return html`<div class="choice-list">
      <form class="field-row" @submit=${this.submit}>
        <input
          aria-label=${translate("table.find")}
          placeholder=${translate("table.find")}
          autocomplete="off"
          autocapitalize="off"
          spellcheck="false"
          .value=${this.typed}
          @input=${(/** @type {any} */ event) => (this.typed = event.target.value)}
        />
        <button class="button primary">${translate("table.play_typed")}</button>
      </form>
      <ul>
        ${shown.map((choice) => html`<li>${this.choice(choice)}</li>`)}
      </ul>
      ${found.length ? nothing : html`<p class="help">${translate("table.none_found")}</p>`}
      ${found.length > shown.length ? html`<p class="help">${translate("table.more", { n: found.length - shown.length })}</p>` : nothing}
    </div>`;
  }

  /** Play the typed move, or the only one that matches; ask why if it is not possible. @param {SubmitEvent} event */
  submit(event) {
    event.preventDefault();
    const move = this.typed.trim();
    if (!move) return;
    const found = this.matchingChoices();
    const isTyped = (/** @type {Choice} */ { text, typed }) => [plain(text), plain(typed)].includes(plain(move));
    const choice = found.find(isTyped) ?? (found.length === 1 ? found[0] : null);
    if (choice) this.onChoose(choice.text);
    else this.onExplain({ move });
    this.typed = "";
  }
}

/** A text without accents and case. @param {string} text */
const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** Keep a press from the table, which would show everything at once. @param {Event} event */
const stop = (event) => event.stopPropagation();

customElements.define("table-dock", TableDock);
