/** The form that asks a guest for a name. */

import { html, LitElement } from "../vendor/lit.js";
import { notify } from "../notifications.js";
import { setting } from "../settings.js";
import { identity } from "../identity.js";
import { translate } from "../words.js";

/** Fires "named" when the server has accepted the name. */
class NameForm extends LitElement {
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
        .value=${setting("name")}
        aria-describedby="guest-hint"
      />
      <p id="guest-hint" class="help">${translate("name.hint")}</p>
      <button class="button primary large">${translate("name.sit")}</button>
    </form>`;
  }

  firstUpdated() {
    this.querySelector("input")?.focus();
  }

  /** @param {SubmitEvent} event */
  async submit(event) {
    event.preventDefault();
    const name = String(new FormData(/** @type {HTMLFormElement} */ (event.target)).get("name")).trim();
    try {
      await identity.rename(name);
      this.dispatchEvent(new Event("named"));
    } catch (refusal) {
      notify(/** @type {Error} */ (refusal).message);
    }
  }
}

customElements.define("name-form", NameForm);
