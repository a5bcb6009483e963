/** The rest between two rounds, below the board: the result of the round, who is ready, and the score sheet. */

import { html, nothing } from "../vendor/lit.js";
import { isAvailable } from "../commands.js";
import { translate } from "../words.js";
import { icon } from "./symbols.js";

/** @typedef {import("../types.js").TableShown} TableShown */
/** @typedef {import("../types.js").RoundScore} RoundScore */
/** @typedef {import("../types.js").RestShown} RestShown */

/**
 * @param {TableShown} table
 * @param {(command: import("../commands.js").Command) => void} onCommand
 */
export function restPanel(table, onCommand) {
  const { resting, round_view: view } = table;
  if (!resting || !view) return nothing;
  return html`<section class="dock rest" aria-label=${translate("rest.title", { round: resting.round })}>
    <div class="rest-status">
      <div>
        <p class="prompt">${view.prompt}</p>
        <p class="quiet" role="status">${waitingText(table, resting)}</p>
      </div>
      ${
        isAvailable(table, "ready")
          ? html`<button class="button primary" @click=${() => onCommand({ type: "ready" })}>
              ${translate("rest.ready")}
            </button>`
          : nothing
      }
    </div>
    ${view.round ? roundTable(table, view.round, resting.ready) : nothing}
  </section>`;
}

/**
 * @param {TableShown} table
 * @param {RestShown} resting
 */
function waitingText(table, resting) {
  const names = resting.waiting.filter((seat) => seat !== table.viewer).map((seat) => table.seats[seat].name);
  return names.length ? translate("rest.waiting", { names: names.join(", ") }) : "";
}

/**
 * What each seat has scored in a round, and why.
 * @param {TableShown} table
 * @param {import("../types.js").RoundSummary} round
 * @param {number[]} ready seats
 */
export function roundTable(table, { number, scores }, ready) {
  const title = translate("rest.title", { round: number });
  return html`<div class="table-scroll" tabindex="0" role="group" aria-label=${title}>
    <table class="scores round-scores">
      <caption class="visually-hidden">
        ${title}
      </caption>
      <thead>
        <tr>
          <th scope="col">${translate("over.player")}</th>
          <th scope="col">${translate("rest.round")}</th>
          <th scope="col">${translate("rest.total")}</th>
        </tr>
      </thead>
      <tbody>
        ${scores.map((score) => scoreRow(table, score, ready.includes(score.seat)))}
      </tbody>
    </table>
  </div>`;
}

/**
 * @param {TableShown} table
 * @param {RoundScore} score
 * @param {boolean} isReady
 */
function scoreRow(table, { seat, points, total, note }, isReady) {
  const { name, is_you: isOwn } = table.seats[seat];
  const mark = html`<span class="ready-mark" role="img" aria-label=${translate("rest.is_ready")}>${icon("done")}</span>`;
  return html`<tr class=${isOwn ? "you" : ""}>
    <th scope="row">${name} ${isReady ? mark : nothing}${note ? html`<small>${note}</small>` : nothing}</th>
    <td>${signed(points)}</td>
    <td>${total}</td>
  </tr>`;
}

/** Points of a round. @param {number} points */
export const signed = (points) => (points ? `${points < 0 ? "−" : "+"}${Math.abs(points)}` : "0");
