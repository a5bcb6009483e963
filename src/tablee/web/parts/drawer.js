/** Log, chat, rules and points: beside the table on a wide screen, a sheet from below on a phone. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { OWN, replayAddress, rulesAddress } from "../addresses.js";
import { isAvailable } from "../commands.js";
import { notify } from "../notifications.js";
import { translate } from "../words.js";
import "./rulebook.js";
import { scoreSheet } from "./score-sheet.js";
import { icon } from "./symbols.js";

export const TABS = /** @type {const} */ (["log", "chat", "rules", "scores"]);
const MAX_MESSAGE_LENGTH = 300;
const END_MARGIN = 40; // pixels; nearer to its end, a list follows new lines

/** Calls `onCommand(command)`, `onClose()` and `onTab(tab)`, which moves the focus to the tab. */
class TableDrawer extends LitElement {
  static properties = {
    watched: { attribute: false },
    revision: { attribute: false },
    tab: { attribute: false },
    clause: { attribute: false },
    isLoading: { state: true },
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
    this.isLoading = false;
    this.shownTab = "";
    this.shownOlderLines = 0;
    this.fromEnd = 0;
    this.isAtEnd = true;
    this.hasOlder = false;
    /** @type {(command: import("../commands.js").Command) => Promise<unknown>} */
    this.onCommand = async () => null;
    this.onClose = () => {};
    /** @type {(tab: typeof TABS[number]) => void} */
    this.onTab = () => {};
  }

  createRenderRoot() {
    return this;
  }

  /** Remember the position in a list: at its end it follows new lines, elsewhere it stays with the lines shown. */
  willUpdate() {
    const list = this.querySelector(".scrolled-list");
    this.fromEnd = list ? list.scrollHeight - list.scrollTop : 0;
    this.isAtEnd = !list || this.shownTab !== this.tab || this.fromEnd <= list.clientHeight + END_MARGIN;
    this.shownTab = this.tab;
    const { olderLines } = this.watched;
    this.hasOlder = olderLines !== this.shownOlderLines;
    this.shownOlderLines = olderLines;
  }

  updated() {
    const list = this.querySelector(".scrolled-list");
    if (list && this.isAtEnd) list.scrollTop = list.scrollHeight;
    else if (list && this.hasOlder) list.scrollTop = list.scrollHeight - this.fromEnd;
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
    this.onTab(TABS[(TABS.indexOf(this.tab) + step + TABS.length) % TABS.length]);
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
    const { log, olderLines, table } = this.watched;
    if (!log.length) return html`<p class="quiet">${translate("table.log_empty")}</p>`;
    return html`<div class="log scrolled-list" tabindex="0" @scroll=${this.logScrolled}>
      ${olderLines ? html`<button class="button small" ?disabled=${this.isLoading} @click=${this.loadOlder}>${translate("table.log_older", { n: olderLines })}</button>` : nothing}
      <ol>
        ${log.map((line) => html`<li class=${line.seat === table?.viewer ? "mine" : ""}>${this.logLine(line)}</li>`)}
      </ol>
    </div>`;
  }

  /** A line, as a link to its position where it has one. @param {import("../types.js").LogLine} line */
  logLine({ text, move }) {
    return move === null ? text : html`<a href=${this.linkTo(move)} title=${translate("table.see_moment")}>${text}</a>`;
  }

  /** The address of a past position. @param {number} moves */
  linkTo(moves) {
    return replayAddress(this.watched.id, moves, OWN, this.watched.invite);
  }

  /** Load older lines when the list is scrolled to its beginning. @param {Event} event */
  logScrolled(event) {
    if (/** @type {HTMLElement} */ (event.target).scrollTop === 0 && this.watched.olderLines) this.loadOlder();
  }

  async loadOlder() {
    if (this.isLoading) return;
    this.isLoading = true;
    try {
      await this.watched.loadOlderLines();
    } catch (refusal) {
      notify(/** @type {Error} */ (refusal).message);
    } finally {
      this.isLoading = false;
    }
  }

  chat() {
    const { chat } = this.watched;
    return html`<div class="chat">
      ${
        chat.length
          ? html`<ol class="scrolled-list" tabindex="0">
              ${chat.map((line) => html`<li><strong>${line.name}</strong> ${line.text}</li>`)}
            </ol>`
          : html`<p class="quiet">${translate("table.chat_empty")}</p>`
      }
      ${this.watched.table && isAvailable(this.watched.table, "chat") ? this.chatForm() : nothing}
    </div>`;
  }

  chatForm() {
    return html`<form class="field-row" @submit=${this.sendChat}>
      <input
        name="text"
        maxlength=${MAX_MESSAGE_LENGTH}
        required
        autocomplete="off"
        aria-label=${translate("table.chat_label")}
        placeholder=${translate("table.chat_label")}
      />
      <button class="button primary">${translate("table.send")}</button>
    </form>`;
  }

  /** @param {SubmitEvent} event */
  async sendChat(event) {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const answer = await this.onCommand({ type: "chat", text: String(new FormData(form).get("text")) });
    if (answer) form.reset(); // else the line can be sent again
  }

  scores() {
    const { table, rounds } = this.watched;
    if (!table?.view) return nothing;
    return scoreSheet(table.seats, rounds, table.view.scores, (moves) => this.linkTo(moves));
  }
}

customElements.define("table-drawer", TableDrawer);
