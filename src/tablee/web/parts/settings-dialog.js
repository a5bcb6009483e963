/** Name, language, look, sound, vibration, motion: remembered in this browser. */

import { html, LitElement } from "../vendor/lit.js";
import { remember, setting } from "../settings.js";
import { visitor } from "../visitor.js";
import { LANGUAGES } from "../languages.js";
import { say } from "../words.js";
import { inform } from "../notices.js";
import { icon } from "./symbols.js";

const SWITCHES = /** @type {const} */ (["sound", "vibration", "motion"]);

/** Fires "language" when another one is chosen, and is drawn again when `language` says that it is spoken. */
class SettingsDialog extends LitElement {
  static properties = { language: { attribute: false } };

  createRenderRoot() {
    return this;
  }

  async show() {
    this.requestUpdate();
    await this.updateComplete;
    this.dialog.showModal();
  }

  get dialog() {
    return /** @type {HTMLDialogElement} */ (this.querySelector("dialog"));
  }

  render() {
    return html`<dialog class="sheet" aria-labelledby="settings-title">
      <div class="sheet-head">
        <h2 id="settings-title">${say("app.settings")}</h2>
        <button class="icon-button" aria-label=${say("app.close")} @click=${() => this.dialog.close()}>
          ${icon("close")}
        </button>
      </div>
      <form class="field" @submit=${this.rename}>
        <label for="settings-name">${say("settings.name")}</label>
        <div class="field-row">
          <input
            id="settings-name"
            name="name"
            maxlength="24"
            required
            autocomplete="nickname"
            .value=${visitor.me?.name ?? ""}
          />
          <button class="button">${say("settings.save")}</button>
        </div>
      </form>
      ${this.choice("language", say("settings.language"), Object.entries(LANGUAGES))}
      ${this.choice(
        "theme",
        say("settings.theme"),
        ["auto", "light", "dark"].map((name) => [name, say(`settings.theme_${name}`)]),
      )}
      ${SWITCHES.map((name) => this.switch(name))}
    </dialog>`;
  }

  /**
   * @param {"language" | "theme"} name
   * @param {string} label
   * @param {string[][]} values
   */
  choice(name, label, values) {
    return html`<fieldset class="field">
      <legend>${label}</legend>
      <div class="segments">
        ${values.map(
          ([value, text]) =>
            html`<label class="segment">
              <input
                type="radio"
                name=${name}
                value=${value}
                .checked=${setting(name) === value}
                @change=${() => this.choose(name, value)}
              />
              <span>${text}</span>
            </label>`,
        )}
      </div>
    </fieldset>`;
  }

  /** @param {typeof SWITCHES[number]} name */
  switch(name) {
    return html`<label class="switch">
      <span>${say(`settings.${name}`)}</span>
      <input
        type="checkbox"
        role="switch"
        .checked=${setting(name) === "on"}
        @change=${(/** @type {any} */ event) => remember(name, event.target.checked ? "on" : "off")}
      />
    </label>`;
  }

  /**
   * @param {"language" | "theme"} name
   * @param {string} value
   */
  choose(name, value) {
    remember(name, value);
    if (name === "language") this.dispatchEvent(new Event("language"));
    this.requestUpdate();
  }

  /** @param {SubmitEvent} event */
  async rename(event) {
    event.preventDefault();
    const name = new FormData(/** @type {HTMLFormElement} */ (event.target)).get("name");
    try {
      await visitor.introduce(String(name).trim());
      this.dialog.close();
    } catch (refusal) {
      inform(/** @type {Error} */ (refusal).message);
    }
  }
}

customElements.define("settings-dialog", SettingsDialog);
