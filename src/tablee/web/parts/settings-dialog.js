/** The settings: name, language, theme, pace of bots, sound, vibration, animations and warnings. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { LANGUAGES } from "../languages.js";
import { PACES } from "../pace.js";
import { saveSetting, setting } from "../settings.js";
import { identity } from "../identity.js";
import { translate } from "../words.js";
import { notify } from "../notifications.js";
import { ME } from "../addresses.js";
import { canNotify, requestPermission } from "../turns.js";
import { icon } from "./symbols.js";

const SWITCHES = /** @type {const} */ (["sound", "vibration", "motion", "warnings"]);

/** Fires "language" when another language is chosen; the new value of `language` redraws it. */
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
        <h2 id="settings-title">${translate("app.settings")}</h2>
        <button class="icon-button" aria-label=${translate("app.close")} @click=${() => this.dialog.close()}>
          ${icon("close")}
        </button>
      </div>
      <form class="field" @submit=${this.rename}>
        <label for="settings-name">${translate("settings.name")}</label>
        <div class="field-row">
          <input
            id="settings-name"
            name="name"
            maxlength="24"
            required
            autocomplete="nickname"
            .value=${identity.me?.name ?? ""}
          />
          <button class="button">${translate("settings.save")}</button>
        </div>
      </form>
      ${this.choice("language", translate("settings.language"), Object.entries(LANGUAGES))}
      ${this.choice(
        "theme",
        translate("settings.theme"),
        ["auto", "light", "dark"].map((name) => [name, translate(`settings.theme_${name}`)]),
      )}
      ${this.choice(
        "pace",
        translate("settings.pace"),
        PACES.map((name) => [name, translate(`settings.pace_${name}`)]),
      )}
      ${SWITCHES.map((name) => this.switch(name))} ${canNotify() ? this.notifySwitch() : nothing}
      <p><a href=${ME} @click=${() => this.dialog.close()}>${translate("settings.me")}</a></p>
    </dialog>`;
  }

  /**
   * @param {"language" | "theme" | "pace"} name
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
      <span>${translate(`settings.${name}`)}</span>
      <input
        type="checkbox"
        role="switch"
        .checked=${setting(name) === "on"}
        @change=${(/** @type {any} */ event) => saveSetting(name, event.target.checked ? "on" : "off")}
      />
    </label>`;
  }

  /** Notifications of the system, which need a permission. */
  notifySwitch() {
    const change = async (/** @type {any} */ { target }) => {
      const isAllowed = target.checked && (await requestPermission());
      if (target.checked && !isAllowed) notify(translate("settings.notify_refused"));
      saveSetting("notify", isAllowed ? "on" : "off");
      target.checked = isAllowed;
    };
    return html`<label class="switch">
      <span>${translate("settings.notify")}<small>${translate("settings.notify_help")}</small></span>
      <input type="checkbox" role="switch" .checked=${setting("notify") === "on"} @change=${change} />
    </label>`;
  }

  /**
   * @param {"language" | "theme" | "pace"} name
   * @param {string} value
   */
  choose(name, value) {
    saveSetting(name, value);
    if (name === "language") this.dispatchEvent(new Event("language"));
    this.requestUpdate();
  }

  /** @param {SubmitEvent} event */
  async rename(event) {
    event.preventDefault();
    const name = new FormData(/** @type {HTMLFormElement} */ (event.target)).get("name");
    try {
      await identity.rename(String(name).trim());
      this.dialog.close();
    } catch (refusal) {
      notify(/** @type {Error} */ (refusal).message);
    }
  }
}

customElements.define("settings-dialog", SettingsDialog);
