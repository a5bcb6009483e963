/** What hidden pieces could be, from one seat's knowledge: on the pieces themselves, and as a table. */

import { html, nothing } from "../vendor/lit.js";
import { translate } from "../words.js";

/** @typedef {import("../types.js").View} View */
/** @typedef {import("../types.js").BeliefShown} BeliefShown */
/** @typedef {import("../types.js").BeliefsShown} BeliefsShown */

/**
 * A view whose hidden pieces know what they could be; screen readers are told in the label.
 * @param {View} view
 * @param {BeliefsShown | null} beliefs
 * @returns {View}
 */
export function withBeliefs(view, beliefs) {
  if (!beliefs) return view;
  const found = new Map(beliefs.pieces.map((belief) => [belief.id, belief]));
  const zones = view.zones.map((zone) => ({
    ...zone,
    pieces: zone.pieces.map((piece) => {
      const belief = found.get(piece.id);
      return belief ? { ...piece, belief, label: `${piece.label}: ${inWords(belief)}` } : piece;
    }),
  }));
  return { ...view, zones };
}

/** @param {BeliefShown} belief */
const inWords = ({ possible }) => possible.map(({ label, percent }) => `${label} ${Math.round(percent)} %`).join(", ");

/** @param {import("../types.js").PossibleFace} possible */
const short = ({ face, colour }) => (colour ? `${face} ${translate(`letters.${colour}`)}` : face);

/** In percent, with the standard error if worlds were imagined. @param {import("../types.js").PossibleFace} possible */
const share = ({ percent, error }) => (error ? `${Math.round(percent)} ± ${Math.ceil(error)} %` : `${Math.round(percent)} %`);

/** A row per hidden piece, and per zone with several. @param {BeliefsShown} beliefs */
export function beliefTable({ worlds, exact, pieces, zones }) {
  if (!pieces.length) return html`<section class="review"><p>${translate("beliefs.none")}</p></section>`;
  return html`<section class="review" aria-labelledby="beliefs-title">
    <h2 id="beliefs-title">${translate("beliefs.title")}</h2>
    <p class="help">${exact ? translate("beliefs.exact") : translate("beliefs.imagined", { worlds })} ${translate("beliefs.help")}</p>
    ${zones.length ? rows(translate("beliefs.zones"), zones) : nothing}
    <details>
      <summary>${translate("beliefs.pieces")}</summary>
      ${rows(translate("beliefs.pieces"), pieces)}
    </details>
  </section>`;
}

/**
 * @param {string} title
 * @param {BeliefShown[]} beliefs
 */
function rows(title, beliefs) {
  return html`<div class="table-scroll" tabindex="0" role="group" aria-label=${title}>
    <table class="scores beliefs">
      <tbody>
        ${beliefs.map(
          ({ label, possible }) =>
            html`<tr>
              <th scope="row">${label}</th>
              ${possible.map((each) => html`<td>${short(each)}<small>${share(each)}</small></td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
