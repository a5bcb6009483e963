/** The menu of a table: the commands the viewer may send, the replay and the settings. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { navigate, OWN, replayAddress } from "../addresses.js";
import { confirmCommand, withName } from "../commands.js";
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
      if (event.key !== "Escape" || !this.isOpen) return;
      event.stopPropagation(); // the drawer stays open
      this.close();
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

  /** Close the menu, and return the focus from its items, which disappear, to the button that opened it. */
  close() {
    this.isOpen = false;
    this.querySelector("button")?.focus();
  }

  /** The commands that have a label belong here; a new one appears by itself. */
  items() {
    const { table } = this;
    return [
      ...table.commands.filter(({ label }) => label).flatMap((command) => this.commandItems(command)),
      table.view
        ? this.item(translate("table.replay"), () => navigate(replayAddress(table.id, 0, OWN, this.invite)))
        : nothing,
      this.item(translate("keys.title"), () => dispatchEvent(new KeyboardEvent("keydown", { key: "?" }))),
      this.item(translate("app.settings"), () => dispatchEvent(new Event("tablee-settings"))),
    ];
  }

  /** One item, or one for each seat that the command may name. @param {import("../types.js").CommandShown} command */
  commandItems({ type, seats, label, question }) {
    if (!seats.length) return [this.item(label, () => confirmCommand(question, () => this.send({ type })))];
    return seats.map((seat) => {
      const { name } = this.table.seats[seat];
      const run = () => confirmCommand(withName(question, name), () => this.send({ type, seat }));
      return this.item(withName(label, name), run);
    });
  }

  /**
   * @param {string} label
   * @param {() => void} run
   */
  item(label, run) {
    const choose = () => {
      this.close();
      run();
    };
    return html`<button class="menu-item" @click=${choose}>${label}</button>`;
  }

  /** @param {{type: import("../types.js").CommandName, seat?: number}} command */
  send(command) {
    this.onCommand(/** @type {import("../commands.js").Command} */ (command));
  }
}

customElements.define("table-menu", TableMenu);
