/** Log, chat, rules and points: beside the table on a wide screen, a sheet from below on a phone. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { rulesAddress } from "../addresses.js";
import { translate } from "../words.js";
import "./rulebook.js";
import { icon } from "./symbols.js";

export const TABS = /** @type {const} */ (["log", "chat", "rules", "scores"]);
const MAX_MESSAGE_LENGTH = 300;

/** Calls `onCommand(type, fields)`, `onClose()`, `onTab(tab)`. */
class TableDrawer extends LitElement {
  static properties = {
    watched: { attribute: false },
    revision: { attribute: false },
    tab: { attribute: false },
    clause: { attribute: false },
  };

  constructor() {
    super();
    /** @type {import("../watched-table.js").WatchedTable} */
    this.watched = /** @type {any} */ (null); // set before the first render
    this.revision = 0; // changes with every message, to redraw the drawer
    /** @type {typeof TABS[number]} */
    this.tab = "log";
    /** The clause of the rulebook to scroll to. */
    this.clause = "";
    /** @type {(type: string, fields?: Record<string, unknown>) => void} */
    this.onCommand = () => {};
    this.onClose = () => {};
    /** @type {(tab: typeof TABS[number]) => void} */
    this.onTab = () => {};
  }

  createRenderRoot() {
    return this;
  }

  updated() {
    for (const list of this.querySelectorAll(".scroll-to-end")) list.scrollTop = list.scrollHeight;
  }

  render() {
    return html`<div class="drawer-head">
        <div class="drawer-tabs" role="tablist" aria-label=${translate("table.menu")} @keydown=${this.keyPressed}>
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
                ${translate(`table.${tab}`)}${this.unread(tab)}
              </button>`,
          )}
        </div>
        <button class="icon-button drawer-close" aria-label=${translate("app.close")} @click=${this.onClose}>
          ${icon("close")}
        </button>
      </div>
      <div id="drawer-panel" class="drawer-panel" role="tabpanel" aria-labelledby=${`tab-${this.tab}`} tabindex="0">
        ${this.panel()}
      </div>`;
  }

  /** @param {KeyboardEvent} event */
  keyPressed(event) {
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
          ><span class="visually-hidden">${translate("table.unread", { n: count })}</span></span
        >`
      : nothing;
  }

  panel() {
    if (this.tab === "log") return this.log();
    if (this.tab === "chat") return this.chat();
    if (this.tab === "scores") return this.scores();
    return this.rules(this.watched.table?.game ?? "");
  }

  /** @param {string} game */
  rules(game) {
    const examplesOf = (/** @type {string} */ clause) =>
      html`<p><a href=${rulesAddress(game, clause)} target="_blank">${translate("rules.try")}</a></p>`;
    return html`<rule-book .game=${game} .clause=${this.clause} .examplesOf=${examplesOf}></rule-book>`;
  }

  log() {
    const { log, table } = this.watched;
    if (!log.length) return html`<p class="quiet">${translate("table.log_empty")}</p>`;
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
          : html`<p class="quiet">${translate("table.chat_empty")}</p>`
      }
      <form class="field-row" @submit=${this.sendChat}>
        <input
          name="text"
          maxlength=${MAX_MESSAGE_LENGTH}
          required
          autocomplete="off"
          aria-label=${translate("table.chat_label")}
          placeholder=${translate("table.chat_label")}
        />
        <button class="button primary">${translate("table.send")}</button>
      </form>
    </div>`;
  }

  /** @param {SubmitEvent} event */
  sendChat(event) {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    this.onCommand("chat", { text: String(new FormData(form).get("text")) });
    form.reset();
  }

  scores() {
    const { table } = this.watched;
    if (!table?.view) return nothing;
    const { scores } = table.view;
    return html`<table class="scores">
      <thead>
        <tr>
          <th scope="col">${translate("over.player")}</th>
          <th scope="col">${translate("table.scores")}</th>
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
