/** The page about the player: games and results, devices, messages, records, and how to delete everything. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { LOBBY, navigate } from "../addresses.js";
import { deleteEverything, getContact, newTransfer, saveContact, signOutOthers, useTransfer } from "../api.js";
import { identity } from "../identity.js";
import { notify } from "../notifications.js";
import { setting } from "../settings.js";
import { translate } from "../words.js";
import "../parts/puzzle-ratings.js";
import "./statistics.js";

class MePage extends LitElement {
  static properties = {
    code: { attribute: false },
    transfer: { state: true },
    contact: { state: true },
    isDeleting: { state: true },
  };

  constructor() {
    super();
    this.code = ""; // from the link of a QR code
    /** @type {import("../types.js").Transfer | null} */
    this.transfer = null;
    /** @type {import("../types.js").Contact | null} */
    this.contact = null;
    this.isDeleting = false;
  }

  createRenderRoot() {
    return this;
  }

  async firstUpdated() {
    document.title = `${translate("me.title")} · Tablée`;
    if (identity.me) this.contact = await getContact().catch(() => null);
  }

  render() {
    return html`<div class="page narrow me">
        <h1>${identity.me?.name ?? translate("me.title")}</h1>
        ${identity.me ? nothing : html`<p>${translate("me.unknown")}</p>`} ${this.code || !identity.me ? this.codeForm() : nothing}
        ${identity.me ? this.devices() : nothing}
      </div>
      ${identity.me ? html`<statistics-page></statistics-page><puzzle-ratings class="page narrow"></puzzle-ratings>${this.kept()}` : nothing}`;
  }

  devices() {
    return html`<section aria-labelledby="me-devices">
      <h2 id="me-devices">${translate("me.devices")}</h2>
      <p class="help">${translate("me.devices_help")}</p>
      ${this.transfer ? this.transferShown(this.transfer) : nothing}
      <div class="page-actions">
        <button class="button primary" @click=${this.openTransfer}>${translate("me.other_device")}</button>
        <button class="button" @click=${this.signOut}>${translate("me.sign_out")}</button>
      </div>
      ${this.code ? nothing : html`<details class="table-setup"><summary>${translate("me.have_code")}</summary>${this.codeForm()}</details>`}
    </section>`;
  }

  /** What the server keeps about the person; deleting it comes last. */
  kept() {
    return html`<div class="page narrow me">
      ${this.contact?.is_offered ? this.contactForm(this.contact) : nothing}
      <section aria-labelledby="me-records">
        <h2 id="me-records">${translate("me.records")}</h2>
        <p class="help">${translate("me.records_help")}</p>
        <p class="page-actions">
          <a class="button" href="/api/me/records.zip" download>${translate("me.download")}</a>
        </p>
      </section>
      <section aria-labelledby="me-delete">
        <h2 id="me-delete">${translate("me.delete")}</h2>
        <p class="help">${translate("me.delete_help")}</p>
        ${this.isDeleting ? this.deleteForm() : html`<button class="button" @click=${() => (this.isDeleting = true)}>${translate("me.delete")}</button>`}
      </section>
    </div>`;
  }

  /** @param {import("../types.js").Transfer} transfer */
  transferShown({ code, picture, link, expires_at: expiresAt }) {
    const time = new Intl.DateTimeFormat(setting("language"), { timeStyle: "short" }).format(expiresAt * 1000);
    return html`<div class="transfer" role="status">
      <img class="qr" src=${picture} alt=${translate("me.qr")} width="220" height="220" />
      <p>${translate("me.code_help", { address: new URL(link).host + new URL(link).pathname })}</p>
      <p class="transfer-code">${code}</p>
      <p class="help">${translate("me.code_until", { time })}</p>
    </div>`;
  }

  codeForm() {
    return html`<form class="name-form" @submit=${this.submitCode}>
      <label for="me-code">${translate("me.code")}</label>
      <input id="me-code" name="code" required maxlength="40" autocomplete="off" autocapitalize="off" .value=${this.code} />
      ${identity.me ? html`<p class="help">${translate("me.replaces", { name: identity.me.name })}</p>` : nothing}
      <button class="button primary">${translate("me.use_code")}</button>
    </form>`;
  }

  /** @param {import("../types.js").Contact} contact */
  contactForm({ contact }) {
    return html`<section aria-labelledby="me-contact">
      <h2 id="me-contact">${translate("me.contact")}</h2>
      <form class="field" @submit=${this.submitContact}>
        <label for="me-contact-field">${translate("me.contact_label")}</label>
        <div class="field-row">
          <input id="me-contact-field" name="contact" maxlength="200" autocomplete="email" .value=${contact} />
          <button class="button">${translate("settings.save")}</button>
        </div>
        <p class="help">${translate("me.contact_help")}</p>
      </form>
    </section>`;
  }

  deleteForm() {
    return html`<form class="name-form" @submit=${this.submitDelete}>
      <label for="me-delete-name">${translate("me.delete_confirm", { name: identity.me?.name ?? "" })}</label>
      <input id="me-delete-name" name="name" required autocomplete="off" />
      <div class="page-actions">
        <button class="button primary">${translate("me.delete_now")}</button>
        <button type="button" class="button" @click=${() => (this.isDeleting = false)}>${translate("me.cancel")}</button>
      </div>
    </form>`;
  }

  /** Run a request, and show why it was refused. @param {() => Promise<unknown>} request */
  async attempt(request) {
    try {
      await request();
    } catch (refusal) {
      notify(/** @type {Error} */ (refusal).message);
    }
  }

  openTransfer() {
    return this.attempt(async () => (this.transfer = await newTransfer()));
  }

  signOut() {
    return this.attempt(async () => {
      identity.replace(await signOutOthers());
      notify(translate("me.signed_out"));
    });
  }

  /** @param {SubmitEvent} event */
  submitCode(event) {
    event.preventDefault();
    const code = fieldOf(event, "code");
    return this.attempt(async () => {
      identity.replace(await useTransfer(code));
      history.replaceState(null, "", location.pathname);
      this.code = "";
      this.contact = await getContact().catch(() => null);
      notify(translate("me.welcome", { name: identity.me?.name ?? "" }));
    });
  }

  /** @param {SubmitEvent} event */
  submitContact(event) {
    event.preventDefault();
    const contact = fieldOf(event, "contact");
    return this.attempt(async () => {
      this.contact = await saveContact(contact);
      notify(translate("me.saved"));
    });
  }

  /** @param {SubmitEvent} event */
  submitDelete(event) {
    event.preventDefault();
    if (fieldOf(event, "name") !== identity.me?.name) return notify(translate("me.delete_wrong"));
    return this.attempt(async () => {
      await deleteEverything();
      identity.forget();
      navigate(LOBBY);
      notify(translate("me.deleted"));
    });
  }
}

/**
 * @param {SubmitEvent} event
 * @param {string} name
 */
const fieldOf = (event, name) =>
  String(new FormData(/** @type {HTMLFormElement} */ (event.target)).get(name)).trim();

customElements.define("me-page", MePage);
