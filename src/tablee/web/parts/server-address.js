/** Where friends and one's other devices open Tablée: the address and its QR code, or that only this computer can. */

import { html, nothing } from "../vendor/lit.js";
import { translate } from "../words.js";

/** @param {import("../types.js").ServerAddress} address */
export function serverAddress({ link, is_local: isLocal, picture }) {
  return html`<section class="tables server-address" aria-labelledby="lobby-address">
    <h2 id="lobby-address">${translate("lobby.address")}</h2>
    ${isLocal ? html`<p class="quiet">${translate("lobby.only_here")}</p>` : publicAddress(link, picture)}
  </section>`;
}

/**
 * On a phone the code, which only others can scan, is behind a summary.
 * @param {string} link
 * @param {string} picture
 */
function publicAddress(link, picture) {
  const isPhone = matchMedia("(max-width: 700px)").matches;
  return html`<p class="quiet">${translate("lobby.address_hint")} <a href=${link}>${link}</a></p>
    ${picture ? code(picture, isPhone) : nothing}`;
}

/**
 * @param {string} picture
 * @param {boolean} isFolded
 */
function code(picture, isFolded) {
  return html`<details ?open=${!isFolded}>
    <summary>${translate("lobby.code")}</summary>
    <img class="qr" src=${picture} alt=${translate("lobby.qr")} width="180" height="180" />
  </details>`;
}
