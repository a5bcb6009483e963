/** The shell: routing, the header bar, messages and settings. */

import { html, keyed, LitElement, nothing } from "./vendor/lit.js";
import { followLink, LOBBY, parseAddress, replaceOldLink, STATISTICS } from "./addresses.js";
import { connection } from "./connection.js";
import { applyTheme, setting } from "./settings.js";
import { addStyle } from "./styles.js";
import { identity } from "./identity.js";
import { loadLanguage, translate } from "./words.js";
import { icon } from "./parts/symbols.js";

const TOAST_MILLISECONDS = 6000; // or as long as it is hovered or focused
const ACTION_MILLISECONDS = 15000; // of a message with a button, which is read and then pressed
const RECONNECT_MILLISECONDS = 1500; // a shorter loss of the connection is not shown

const BOARD_STYLE = "/styles/board.css";
const REPLAY_STYLE = "/styles/replay.css";

/** The modules and styles of each page, loaded when it is opened. @type {Record<string, () => Promise<unknown>[]>} */
const PAGES = {
  daily: () => [addStyle(REPLAY_STYLE), import("./pages/daily.js")],
  lobby: () => [import("./pages/lobby.js")],
  me: () => [addStyle(REPLAY_STYLE), import("./pages/me.js")],
  missing: () => [],
  new: () => [import("./pages/new-table.js")],
  puzzle: () => [addStyle(BOARD_STYLE), addStyle(REPLAY_STYLE), import("./pages/puzzle.js")],
  puzzles: () => [addStyle(REPLAY_STYLE), import("./pages/puzzles.js")],
  replay: () => [addStyle(BOARD_STYLE), addStyle(REPLAY_STYLE), import("./pages/replay.js")],
  rules: () => [addStyle(BOARD_STYLE), addStyle(REPLAY_STYLE), import("./pages/rules.js")],
  statistics: () => [addStyle(REPLAY_STYLE), import("./pages/statistics.js")],
  table: () => [addStyle(BOARD_STYLE), import("./pages/table.js")],
};

/** @typedef {{text: string, action: {label: string, run: () => void} | null}} Toast */

class App extends LitElement {
  static properties = {
    address: { state: true },
    toast: { state: true },
    isConnectionLost: { state: true },
    isReady: { state: true },
    language: { state: true },
  };

  constructor() {
    super();
    this.address = currentAddress();
    /** @type {Toast | null} */
    this.toast = null;
    this.isConnectionLost = false;
    this.isReady = false;
    this.language = setting("language");
    addEventListener("popstate", () => this.openPage());
    addEventListener("tablee-address", () => this.openPage());
    this.addEventListener("click", followLink);
    addEventListener("tablee-notification", (event) => this.showToast(/** @type {CustomEvent<Toast>} */ (event).detail));
    addEventListener("tablee-settings", () => this.openSettings());
    connection.addEventListener("change", () => this.connectionChanged());
    identity.addEventListener("change", () => this.requestUpdate());
    this.start();
  }

  createRenderRoot() {
    return this;
  }

  async start() {
    if (this.address.page === "table") connection.prepare();
    const identified = identity.load().catch(() => (this.isConnectionLost = true));
    await Promise.all([loadLanguage(this.language), identified, ...PAGES[this.address.page]()]);
    this.isReady = true;
    import("./turns.js").then(({ watchTurns }) => watchTurns());
  }

  async openPage() {
    const address = currentAddress();
    await Promise.all(PAGES[address.page]());
    if (JSON.stringify(address) !== JSON.stringify(currentAddress())) return; // the address has changed meanwhile
    this.address = address;
    this.toast = null;
    scrollTo(0, 0);
    this.updateComplete.then(() => document.getElementById("main")?.focus());
  }

  /** Show a message; an empty text hides the current one. @param {Toast} toast */
  showToast(toast) {
    this.toast = toast.text ? toast : null;
    clearTimeout(this.toastTimer);
    this.toastTimer = setTimeout(() => this.hideToast(toast), toast.action ? ACTION_MILLISECONDS : TOAST_MILLISECONDS);
  }

  /** Hide a message whose time is over, unless it is hovered or focused. @param {Toast} toast */
  hideToast(toast) {
    if (this.toast !== toast) return;
    if (this.querySelector(".toast:is(:hover, :focus-within)")) this.showToast(toast);
    else this.toast = null;
  }

  connectionChanged() {
    clearTimeout(this.lostTimer);
    if (connection.isOpen) this.isConnectionLost = false;
    else this.lostTimer = setTimeout(() => (this.isConnectionLost = !connection.isOpen), RECONNECT_MILLISECONDS);
  }

  /** Change the language: the page is drawn again, and tables are fetched in the new language. */
  async changeLanguage() {
    await loadLanguage(setting("language"));
    this.language = setting("language");
    connection.reconnect();
  }

  render() {
    if (!this.isReady) return nothing;
    return html`
      <a class="skip" href="#main" @click=${this.skip}>${translate("app.skip")}</a>
      <header class="bar">
        <a class="brand" href=${LOBBY} aria-label=${translate("app.home")}
          ><img src="/icon.svg" alt="" width="32" height="32" />Tablée</a
        >
        <span class="bar-space"></span>
        <a class="icon-button" href=${STATISTICS} aria-label=${translate("statistics.title")} title=${translate("statistics.title")}
          >${icon("chart")}</a
        >
        <button class="bar-button" aria-label=${translate("app.settings")} @click=${this.openSettings}>
          <span class="bar-name">${identity.me?.name}</span>${icon("settings")}
        </button>
      </header>
      <main id="main" tabindex="-1">${keyed(JSON.stringify([this.address, this.language]), this.page())}</main>
      <div class="toasts" role="status">
        ${this.isConnectionLost ? html`<p class="toast lost">${translate("app.lost")}</p>` : nothing}
        ${this.toast ? this.toastLine(this.toast) : nothing}
      </div>
      <div
        id="announcements"
        class="visually-hidden"
        aria-live="polite"
        role="log"
        aria-label=${translate("table.log")}
      ></div>
      <settings-dialog .language=${this.language} @language=${this.changeLanguage}></settings-dialog>
    `;
  }

  page() {
    const address = this.address;
    if (address.page === "new") return html`<new-table-page .game=${address.game}></new-table-page>`;
    if (address.page === "rules")
      return html`<rules-page .game=${address.game} .clause=${address.clause}></rules-page>`;
    if (address.page === "statistics") return html`<statistics-page></statistics-page>`;
    if (address.page === "daily") return html`<daily-page .day=${address.day}></daily-page>`;
    if (address.page === "me") return html`<me-page .code=${address.code}></me-page>`;
    if (address.page === "puzzles") return html`<puzzles-page></puzzles-page>`;
    if (address.page === "puzzle")
      return html`<puzzle-page .game=${address.game} .puzzleId=${address.puzzle}></puzzle-page>`;
    if (address.page === "replay")
      return html`<replay-page
        .tableId=${address.table}
        .moves=${address.moves}
        .from=${address.from}
        .invite=${address.invite}
      ></replay-page>`;
    if (address.page === "table")
      return html`<table-page .tableId=${address.table} .invite=${address.invite}></table-page>`;
    if (address.page === "missing") return this.missingPage();
    return html`<lobby-page></lobby-page>`;
  }

  missingPage() {
    return html`<div class="page empty-state">
      <h1>Tablée</h1>
      <p>${translate("app.nothing_here")}</p>
      <a class="button primary" href=${LOBBY}>${translate("app.to_lobby")}</a>
    </div>`;
  }

  /** @param {Toast} toast */
  toastLine({ text, action }) {
    return html`<p class="toast">
      <span>${text}</span>
      ${action ? html`<button class="toast-action" @click=${action.run}>${action.label}</button>` : nothing}
      <button class="toast-close" aria-label=${translate("app.close")} @click=${() => (this.toast = null)}>
        ${icon("close")}
      </button>
    </p>`;
  }

  /** @param {Event} event */
  skip(event) {
    event.preventDefault();
    document.getElementById("main")?.focus();
  }

  async openSettings() {
    await import("./parts/settings-dialog.js");
    /** @type {any} */ (this.querySelector("settings-dialog")).show();
  }
}

function currentAddress() {
  replaceOldLink();
  return parseAddress(location.pathname, location.hash);
}

/** Register the service worker, which makes the app installable and has a page for when there is no network. */
function registerWorker() {
  const register = () => navigator.serviceWorker?.register("/worker.js").catch(() => {}); // the app works without it
  if (document.readyState === "complete") register();
  else addEventListener("load", register); // nothing waits for it
}

applyTheme();
registerWorker();
customElements.define("tablee-app", App);
