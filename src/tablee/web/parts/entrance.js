/** What is shown instead of a table: the question for a name after an invitation, and why there is no table. */

import { html, nothing } from "../vendor/lit.js";
import { LOBBY } from "../addresses.js";
import { translate } from "../words.js";

/**
 * @param {import("../types.js").TableShown} table
 * @param {boolean} hasForm whether the element `name-form` is loaded
 * @param {() => void} onNamed
 */
export function joinPage({ title, seats }, hasForm, onNamed) {
  const host = seats.find(({ kind }) => kind === "person")?.name;
  return html`<div class="page narrow join">
    <h1>${host ? translate("name.invitation", { name: host, title }) : title}</h1>
    ${hasForm ? html`<name-form .action=${translate("name.sit")} @named=${onNamed}></name-form>` : nothing}
  </div>`;
}

/** @param {string} why */
export function failurePage(why) {
  return html`<div class="page empty-state">
    <h1>Tablée</h1>
    <p>${why}</p>
    <a class="button primary" href=${LOBBY}>${translate("app.to_lobby")}</a>
  </div>`;
}
