/** The form that asks for a name, and the dialog that asks for it where a name is first needed. */

import { html, LitElement } from "../vendor/lit.js";
import { notify } from "../notifications.js";
import { setting } from "../settings.js";
import { identity } from "../identity.js";
import { translate } from "../words.js";
import { icon } from "./symbols.js";

/** Fires "named" when the server has accepted the name. */
class NameForm extends LitElement {
  static properties = { action: { attribute: false }, isBusy: { state: true } };

  constructor() {
    super();
    /** What follows, for the button. */
    this.action = "";
    this.isBusy = false;
  }

  createRenderRoot() {
    return this;
  }

  render() {
    return html`<form class="name-form" @submit=${this.submit}>
      <label for="guest-name">${translate("name.question")}</label>
      <input
        id="guest-name"
        name="name"
        required
        maxlength="24"
        autocomplete="nickname"
        autocapitalize="words"
        .value=${setting("guest") === "on" ? "" : setting("name")}
        aria-describedby="guest-hint"
      />
      <p id="guest-hint" class="help">${translate("name.hint")}</p>
      <button class="button primary large" ?disabled=${this.isBusy}>${this.action}</button>
    </form>`;
  }

  firstUpdated() {
    this.querySelector("input")?.focus();
  }

  /** @param {SubmitEvent} event */
  async submit(event) {
    event.preventDefault();
    const name = String(new FormData(/** @type {HTMLFormElement} */ (event.target)).get("name")).trim();
    this.isBusy = true;
    try {
      await identity.rename(name);
      this.dispatchEvent(new Event("named"));
    } catch (refusal) {
      notify(/** @type {Error} */ (refusal).message);
    } finally {
      this.isBusy = false;
    }
  }
}

/** Asks for a name above the page, which keeps what was typed there. */
class NameDialog extends LitElement {
  static properties = { action: { attribute: false } };

  constructor() {
    super();
    this.action = "";
    this.isNamed = false;
    /** @type {(isNamed: boolean) => void} */
    this.onClose = () => {};
  }

  createRenderRoot() {
    return this;
  }

  render() {
    return html`<dialog class="sheet" aria-label=${translate("name.question")} @close=${() => this.onClose(this.isNamed)}>
      <div class="sheet-head">
        <span class="bar-space"></span>
        <button class="icon-button" aria-label=${translate("app.close")} @click=${() => this.dialog.close()}>
          ${icon("close")}
        </button>
      </div>
      <name-form .action=${this.action} @named=${this.named}></name-form>
    </dialog>`;
  }

  get dialog() {
    return /** @type {HTMLDialogElement} */ (this.querySelector("dialog"));
  }

  async firstUpdated() {
    this.dialog.showModal();
    await /** @type {NameForm} */ (this.querySelector("name-form")).updateComplete;
    this.querySelector("input")?.focus();
  }

  named() {
    this.isNamed = true;
    this.dialog.close();
  }
}

/**
 * Ask for a name; return whether one was given.
 * @param {string} action what follows, for the button
 * @returns {Promise<boolean>}
 */
export function askName(action) {
  const dialog = /** @type {NameDialog} */ (document.createElement("name-dialog"));
  dialog.action = action;
  document.querySelector("tablee-app")?.append(dialog);
  return new Promise((resolve) => {
    dialog.onClose = (isNamed) => {
      dialog.remove();
      resolve(isNamed);
    };
  });
}

customElements.define("name-form", NameForm);
customElements.define("name-dialog", NameDialog);
