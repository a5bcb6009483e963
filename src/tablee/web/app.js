/** The shell: which page is shown, the bar above it, messages, settings. */

import { html, keyed, LitElement, nothing } from "./vendor/lit.js";
import { parseAddress, STATISTICS } from "./addresses.js";
import { connection } from "./connection.js";
import { setting, showTheme } from "./settings.js";
import { addStyle } from "./styles.js";
import { visitor } from "./visitor.js";
import { say, speak } from "./words.js";
import { icon } from "./parts/symbols.js";

const NOTICE_MILLISECONDS = 6000;
const PATIENCE_MILLISECONDS = 1500; // a connection that is back sooner was never missed

const BOARD_STYLE = "/styles/board.css";
const LOOKING_BACK_STYLE = "/styles/replay.css";

/** Each page is fetched when somebody goes there. @type {Record<string, () => Promise<unknown>[]>} */
const PAGES = {
  lobby: () => [import("./pages/lobby.js")],
  new: () => [import("./pages/new-table.js")],
  replay: () => [addStyle(BOARD_STYLE), addStyle(LOOKING_BACK_STYLE), import("./pages/replay.js")],
  rules: () => [addStyle(BOARD_STYLE), addStyle(LOOKING_BACK_STYLE), import("./pages/rules.js")],
  statistics: () => [addStyle(LOOKING_BACK_STYLE), import("./pages/statistics.js")],
  table: () => [addStyle(BOARD_STYLE), import("./pages/table.js")],
};

/** @typedef {{text: string, action: {label: string, run: () => void} | null}} Notice */

class App extends LitElement {
  static properties = {
    address: { state: true },
    notice: { state: true },
    isLost: { state: true },
    isReady: { state: true },
    language: { state: true },
  };

  constructor() {
    super();
    this.address = parseAddress(location.hash);
    /** @type {Notice | null} */
    this.notice = null;
    this.isLost = false;
    this.isReady = false;
    this.language = setting("language");
    addEventListener("hashchange", () => this.arrive());
    addEventListener("tablee-notice", (event) => this.show(/** @type {CustomEvent<Notice>} */ (event).detail));
    addEventListener("tablee-settings", () => this.openSettings());
    connection.addEventListener("change", () => this.watchConnection());
    visitor.addEventListener("change", () => this.requestUpdate());
    this.begin();
  }

  createRenderRoot() {
    return this;
  }

  async begin() {
    const recalled = visitor.recall().catch(() => (this.isLost = true));
    await Promise.all([speak(this.language), recalled, ...PAGES[this.address.page]()]);
    this.isReady = true;
  }

  async arrive() {
    const address = parseAddress(location.hash);
    await Promise.all(PAGES[address.page]());
    if (JSON.stringify(address) !== JSON.stringify(parseAddress(location.hash))) return; // gone on meanwhile
    this.address = address;
    this.notice = null;
    scrollTo(0, 0);
    this.updateComplete.then(() => document.getElementById("main")?.focus());
  }

  /** Show a message, or none if it says nothing. @param {Notice} notice */
  show(notice) {
    this.notice = notice.text ? notice : null;
    clearTimeout(this.noticeTimer);
    this.noticeTimer = setTimeout(() => (this.notice = null), NOTICE_MILLISECONDS);
  }

  watchConnection() {
    clearTimeout(this.lostTimer);
    if (connection.isOpen) this.isLost = false;
    else this.lostTimer = setTimeout(() => (this.isLost = !connection.isOpen), PATIENCE_MILLISECONDS);
  }

  /** Speak another language: every page is drawn anew, and tables are asked for again. */
  async changeLanguage() {
    await speak(setting("language"));
    this.language = setting("language");
    connection.renew();
  }

  render() {
    if (!this.isReady) return nothing;
    return html`
      <a class="skip" href="#main" @click=${this.skip}>${say("app.skip")}</a>
      <header class="bar">
        <a class="brand" href="#" aria-label=${say("app.home")}
          ><img src="/icon.svg" alt="" width="32" height="32" />Tablée</a
        >
        <span class="bar-space"></span>
        <a class="icon-button" href=${STATISTICS} aria-label=${say("statistics.title")} title=${say("statistics.title")}
          >${icon("chart")}</a
        >
        <button class="bar-button" aria-label=${say("app.settings")} @click=${this.openSettings}>
          <span class="bar-name">${visitor.me?.name}</span>${icon("gear")}
        </button>
      </header>
      <main id="main" tabindex="-1">${keyed(JSON.stringify([this.address, this.language]), this.page())}</main>
      <div class="notices" role="status">
        ${this.isLost ? html`<p class="notice lost">${say("app.lost")}</p>` : nothing}
        ${this.notice ? this.noticeLine(this.notice) : nothing}
      </div>
      <div
        id="announcements"
        class="visually-hidden"
        aria-live="polite"
        role="log"
        aria-label=${say("table.log")}
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
    if (address.page === "replay")
      return html`<replay-page
        .tableId=${address.table}
        .moves=${address.moves}
        .from=${address.from}
        .invite=${address.invite}
      ></replay-page>`;
    if (address.page === "table")
      return html`<table-page .tableId=${address.table} .invite=${address.invite}></table-page>`;
    return html`<lobby-page></lobby-page>`;
  }

  /** @param {Notice} notice */
  noticeLine({ text, action }) {
    return html`<p class="notice">
      <span>${text}</span>
      ${action ? html`<button class="notice-action" @click=${action.run}>${action.label}</button>` : nothing}
      <button class="notice-close" aria-label=${say("app.close")} @click=${() => (this.notice = null)}>
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

/** Makes the app installable, and says something better than the browser when there is no network. */
function serveOffline() {
  const register = () => navigator.serviceWorker?.register("/worker.js").catch(() => {}); // the app works as well without
  if (document.readyState === "complete") register();
  else addEventListener("load", register); // nobody waits for it
}

showTheme();
serveOffline();
customElements.define("tablee-app", App);
