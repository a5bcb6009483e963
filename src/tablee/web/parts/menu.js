/** The menu of a table: the commands the viewer may send, the replay and the settings. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { navigate, OWN, replayAddress } from "../addresses.js";
import { isAvailable } from "../commands.js";
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

  items() {
    const { table } = this;
    return [
      isAvailable(table, "resume") ? this.item("table.resume", () => this.onCommand({ type: "resume" })) : nothing,
      isAvailable(table, "pause") ? this.item("table.pause", () => this.onCommand({ type: "pause" })) : nothing,
      isAvailable(table, "propose_end")
        ? this.item("table.stop", () => this.confirm("table.stop_confirm", { type: "propose_end" }))
        : nothing,
      isAvailable(table, "leave")
        ? this.item("table.leave", () => this.confirm("table.leave_confirm", { type: "leave" }))
        : nothing,
      table.view
        ? this.item("table.replay", () => navigate(replayAddress(table.id, 0, OWN, this.invite)))
        : nothing,
      this.item("app.settings", () => dispatchEvent(new Event("tablee-settings"))),
    ];
  }

  /**
   * @param {string} key of its text
   * @param {() => void} run
   */
  item(key, run) {
    const close = () => {
      this.isOpen = false;
      run();
    };
    return html`<button class="menu-item" @click=${close}>${translate(key)}</button>`;
  }

  /**
   * @param {string} key of the question
   * @param {import("../commands.js").Command} command
   */
  confirm(key, command) {
    const run = () => {
      notify("");
      this.onCommand(command);
    };
    notify(translate(key), { label: translate("table.yes"), run });
  }
}

customElements.define("table-menu", TableMenu);
