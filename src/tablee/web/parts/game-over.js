/** How it ended: who won, the points, and what comes next. */

import { html, nothing } from "../vendor/lit.js";
import { OWN, replayAddress, tableAddress } from "../addresses.js";
import { say } from "../words.js";
import { icon } from "./symbols.js";

/** @typedef {import("../types.js").Table} Table */

/**
 * @param {Table} table
 * @param {(type: string) => void} onAsk
 */
export function gameOver(table, onAsk) {
  return outcome(
    table,
    html`<div class="page-actions">
        ${next(table, onAsk)}
        <a class="button" href=${replayAddress(table.id, 0, OWN, table.invite)}>${say("over.replay")}</a>
        <a class="button" href=${`/api/tables/${table.id}/record`} download>${say("over.record")}</a>
        <a class="button quiet" href="#">${say("over.lobby")}</a>
      </div>
      <p class="help">${say("over.fair")}</p>`,
  );
}

/**
 * Who won, and with how many points.
 * @param {Table} table
 * @param {unknown} [below] what comes after it
 */
export function outcome(table, below = nothing) {
  const result = table.result;
  if (!result) return nothing;
  return html`<section class="game-over" aria-labelledby="over-title">
    <h2 id="over-title">${icon("trophy")} ${heading(table)}</h2>
    <p>${result.text}</p>
    <table class="scores">
      <thead>
        <tr>
          ${result.ranks.length ? html`<th scope="col">${say("over.rank")}</th>` : nothing}
          <th scope="col">${say("over.player")}</th>
          <th scope="col">${say("table.scores")}</th>
        </tr>
      </thead>
      <tbody>
        ${ranking(table).map(
          (seat) =>
            html`<tr class=${seat.is_you ? "you" : ""}>
              ${result.ranks.length ? html`<td>${result.ranks[seat.seat]}</td>` : nothing}
              <th scope="row">${seat.name}</th>
              <td>${result.scores[seat.seat]}</td>
            </tr>`,
        )}
      </tbody>
    </table>
    ${below}
  </section>`;
}

/** @param {Table} table */
function heading(table) {
  const winners = table.result?.winners ?? [];
  if (!winners.length) return say("over.title");
  if (winners.length === 1 && winners[0] === table.viewer) return say("over.you_won");
  const names = winners.map((seat) => table.seats[seat].name);
  return say("over.won_by", { n: names.length, names: names.join(say("over.and")) });
}

/** @param {Table} table */
function ranking(table) {
  const ranks = table.result?.ranks ?? [];
  return [...table.seats].sort((one, other) => (ranks[one.seat] ?? 0) - (ranks[other.seat] ?? 0));
}

/**
 * @param {Table} table
 * @param {(type: string) => void} onAsk
 */
function next(table, onAsk) {
  if (table.rematch)
    return html`<a class="button primary" href=${tableAddress(table.rematch)}>${say("over.to_rematch")}</a>`;
  if (table.viewer < 0) return nothing;
  return html`<button class="button primary" @click=${() => onAsk("rematch")}>${say("over.rematch")}</button>`;
}
