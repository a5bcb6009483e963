/** The one question a guest is asked. */

import { html, LitElement } from "../vendor/lit.js";
import { inform } from "../notices.js";
import { setting } from "../settings.js";
import { visitor } from "../visitor.js";
import { say } from "../words.js";

/** Fires "named" when the server knows the name. */
class NameForm extends LitElement {
  createRenderRoot() {
    return this;
  }

  render() {
    return html`<form class="name-form" @submit=${this.submit}>
      <label for="guest-name">${say("name.question")}</label>
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
      <p id="guest-hint" class="help">${say("name.hint")}</p>
      <button class="button primary large">${say("name.sit")}</button>
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
      await visitor.introduce(name);
      this.dispatchEvent(new Event("named"));
    } catch (refusal) {
      inform(/** @type {Error} */ (refusal).message);
    }
  }
}

customElements.define("name-form", NameForm);
