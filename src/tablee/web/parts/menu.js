/** The menu of a table: the commands the viewer may send, the replay and the settings. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { navigate, OWN, replayAddress } from "../addresses.js";
import { notify } from "../notifications.js";
import { translate } from "../words.js";
import { icon } from "./symbols.js";

/** Calls `onCommand(command)`. */
class TableMenu extends LitElement {
  static properties = {
    table: { attribute: false },
    invite: { attribute: false },
    isOpen: { state: true },
  };

  constructor() {
    super();
    /** @type {import("../types.js").TableShown} */
    this.table = /** @type {any} */ (null); // set before the first render
    this.invite = "";
    this.isOpen = false;
    /** @type {(command: import("../commands.js").Command) => void} */
    this.onCommand = () => {};
    this.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.isOpen = false;
    });
  }

  createRenderRoot() {
    return this;
  }

  render() {
    return html`<button
        class="icon-button"
        aria-label=${translate("table.menu")}
        aria-expanded=${this.isOpen}
        @click=${() => (this.isOpen = !this.isOpen)}
      >
        ${icon("menu")}
      </button>
      ${this.isOpen ? html`<div class="menu">${this.items()}</div>` : nothing}`;
  }

  /** The commands that have a label belong here; a new one appears by itself. */
  items() {
    const { table } = this;
    return [
      ...table.commands.filter(({ label }) => label).map((command) => this.item(command.label, () => this.send(command))),
      table.view
        ? this.item(translate("table.replay"), () => navigate(replayAddress(table.id, 0, OWN, this.invite)))
        : nothing,
      this.item(translate("app.settings"), () => dispatchEvent(new Event("tablee-settings"))),
    ];
  }

  /**
   * @param {string} label
   * @param {() => void} run
   */
  item(label, run) {
    const close = () => {
      this.isOpen = false;
      run();
    };
    return html`<button class="menu-item" @click=${close}>${label}</button>`;
  }

  /**
   * Send a command, after its question if it has one.
   * @param {import("../types.js").CommandShown} command
   */
  send({ type, question }) {
    const run = () => {
      notify("");
      this.onCommand(/** @type {import("../commands.js").Command} */ ({ type }));
    };
    if (question) notify(question, { label: translate("table.yes"), run });
    else run();
  }
}

customElements.define("table-menu", TableMenu);
