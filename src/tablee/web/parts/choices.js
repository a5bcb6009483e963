/** The possible moves as buttons: those that the selection makes, and a list of all others. */

import { html, nothing } from "../vendor/lit.js";
import { translate } from "../words.js";

/** @typedef {import("../types.js").Choice} Choice */

/**
 * @param {Choice[]} choices
 * @param {import("../selection.js").Selection | null} selection
 * @param {(move: string) => void} onChoose
 */
export function choiceButtons(choices, selection, onChoose) {
  const ready = selection?.selected.length ? selection.complete : choices.filter(({ targets }) => !targets.length);
  const listed = choices.filter((choice) => !ready.includes(choice));
  /** @param {Choice} choice @param {string} style */
  const button = ({ text, label }, style) =>
    html`<button class=${style} data-move=${text} @click=${() => onChoose(text)}>${label}</button>`;
  return html`<div class="page-actions">${ready.map((choice) => button(choice, "button primary small"))}</div>
    ${
      listed.length
        ? html`<details>
            <summary>${translate("table.choices", { n: choices.length })}</summary>
            <div class="page-actions">${listed.map((choice) => button(choice, "button small"))}</div>
          </details>`
        : nothing
    }`;
}
