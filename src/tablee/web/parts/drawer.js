/** Story, chat, rules and points: beside the table on a wide screen, a sheet from below on a phone. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { cite, markdown } from "../markdown.js";
import { rulesAddress } from "../addresses.js";
import { examplesOf, rulesOf } from "../server.js";
import { say } from "../words.js";
import { icon } from "./symbols.js";

export const TABS = /** @type {const} */ (["log", "chat", "rules", "scores"]);
const MAX_MESSAGE_LENGTH = 300;

/** Calls `onAsk(type, fields)`, `onClose()`, `onTab(tab)`. */
class TableDrawer extends LitElement {
  static properties = {
    watched: { attribute: false },
    number: { attribute: false },
    tab: { attribute: false },
    clause: { attribute: false },
    rules: { state: true },
  };

  constructor() {
    super();
    /** @type {import("../watched-table.js").WatchedTable} */
    this.watched = /** @type {any} */ (null); // given before anything is drawn
    this.number = 0; // changes with every message, so that the drawer is drawn again
    /** @type {typeof TABS[number]} */
    this.tab = "log";
    /** The clause that the rules are to be opened at. */
    this.clause = "";
    this.rules = "";
    /** @type {import("../types.js").ExampleInfo[]} */
    this.examples = [];
    /** @type {(type: string, fields?: Record<string, unknown>) => void} */
    this.onAsk = () => {};
    this.onClose = () => {};
    /** @type {(tab: typeof TABS[number]) => void} */
    this.onTab = () => {};
  }

  createRenderRoot() {
    return this;
  }

  /** @param {Map<string, unknown>} changed */
  async updated(changed) {
    if (this.tab === "rules" && !this.rules && this.watched.table) await this.read(this.watched.table.game);
    if (this.clause && (changed.has("clause") || changed.has("rules"))) cite(this, this.clause);
    for (const list of this.querySelectorAll(".scroll-to-end")) list.scrollTop = list.scrollHeight;
  }

  /** @param {string} game */
  async read(game) {
    const [rules, examples] = await Promise.all([rulesOf(game), examplesOf(game)]);
    this.examples = examples;
    this.rules = rules.markdown;
  }

  render() {
    return html`<div class="drawer-head">
        <div class="drawer-tabs" role="tablist" aria-label=${say("table.menu")} @keydown=${this.pressed}>
          ${TABS.map(
            (tab) =>
              html`<button
                role="tab"
                id=${`tab-${tab}`}
                aria-controls="drawer-panel"
                aria-selected=${tab === this.tab}
                tabindex=${tab === this.tab ? 0 : -1}
                @click=${() => this.onTab(tab)}
              >
                ${say(`table.${tab}`)}${this.unread(tab)}
              </button>`,
          )}
        </div>
        <button class="icon-button drawer-close" aria-label=${say("app.close")} @click=${this.onClose}>
          ${icon("close")}
        </button>
      </div>
      <div id="drawer-panel" class="drawer-panel" role="tabpanel" aria-labelledby=${`tab-${this.tab}`} tabindex="0">
        ${this.panel()}
      </div>`;
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const tab = TABS[(TABS.indexOf(this.tab) + step + TABS.length) % TABS.length];
    this.onTab(tab);
    this.updateComplete.then(() => /** @type {HTMLElement} */ (this.querySelector(`#tab-${tab}`)).focus());
  }

  /** @param {typeof TABS[number]} tab */
  unread(tab) {
    const count = tab === "chat" && this.tab !== "chat" ? this.watched.unread : 0;
    return count
      ? html` <span class="unread"
          ><span aria-hidden="true">${count}</span
          ><span class="visually-hidden">${say("table.unread", { n: count })}</span></span
        >`
      : nothing;
  }

  panel() {
    if (this.tab === "log") return this.log();
    if (this.tab === "chat") return this.chat();
    if (this.tab === "scores") return this.scores();
    return this.rulebook(this.watched.table?.game ?? "");
  }

  /** @param {string} game */
  rulebook(game) {
    const examples = (/** @type {string} */ clause) =>
      this.examples.some((example) => example.clause === clause)
        ? html`<p><a href=${rulesAddress(game, clause)} target="_blank">${say("rules.try")}</a></p>`
        : nothing;
    return html`<article class="prose">${markdown(this.rules, `/games/${game}/`, examples)}</article>`;
  }

  log() {
    const { log, table } = this.watched;
    if (!log.length) return html`<p class="quiet">${say("table.log_empty")}</p>`;
    return html`<ol class="log scroll-to-end" tabindex="0">
      ${log.map((line) => html`<li class=${line.seat === table?.viewer ? "mine" : ""}>${line.text}</li>`)}
    </ol>`;
  }

  chat() {
    const { chat } = this.watched;
    return html`<div class="chat">
      ${
        chat.length
          ? html`<ol class="scroll-to-end" tabindex="0">
              ${chat.map((line) => html`<li><strong>${line.name}</strong> ${line.text}</li>`)}
            </ol>`
          : html`<p class="quiet">${say("table.chat_empty")}</p>`
      }
      <form class="field-row" @submit=${this.speak}>
        <input
          name="text"
          maxlength=${MAX_MESSAGE_LENGTH}
          required
          autocomplete="off"
          aria-label=${say("table.chat_label")}
          placeholder=${say("table.chat_label")}
        />
        <button class="button primary">${say("table.send")}</button>
      </form>
    </div>`;
  }

  /** @param {SubmitEvent} event */
  speak(event) {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    this.onAsk("chat", { text: String(new FormData(form).get("text")) });
    form.reset();
  }

  scores() {
    const { table } = this.watched;
    if (!table?.view) return nothing;
    const { scores } = table.view;
    return html`<table class="scores">
      <thead>
        <tr>
          <th scope="col">${say("over.player")}</th>
          <th scope="col">${say("table.scores")}</th>
        </tr>
      </thead>
      <tbody>
        ${table.seats.map(
          (seat) =>
            html`<tr class=${seat.is_you ? "you" : ""}>
              <th scope="row">${seat.name}</th>
              <td>${scores[seat.seat]}</td>
            </tr>`,
        )}
      </tbody>
    </table>`;
  }
}

customElements.define("table-drawer", TableDrawer);
