/** The result of a finished game, and what to do next. */

import { html, nothing } from "../vendor/lit.js";
import { isAvailable } from "../commands.js";
import { LOBBY, OWN, replayAddress } from "../addresses.js";
import { translate } from "../words.js";
import { icon } from "./symbols.js";

/** @typedef {import("../types.js").TableShown} TableShown */

/**
 * @param {TableShown} table
 * @param {(command: import("../commands.js").Command) => void} onCommand
 */
export function gameOver(table, onCommand) {
  return outcome(
    table,
    html`<div class="page-actions">
        ${next(table, onCommand)}
        <a class="button" href=${replayAddress(table.id, 0, OWN, table.invite)}>${translate("over.replay")}</a>
        <a class="button" href=${`/api/tables/${table.id}/record`} download>${translate("over.record")}</a>
        <a class="button quiet" href=${LOBBY}>${translate("over.lobby")}</a>
      </div>
      <p class="help">${translate("over.fair")}</p>`,
  );
}

/**
 * Winners and points.
 * @param {TableShown} table
 * @param {unknown} [below] content below the table
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
          ${result.ranks.length ? html`<th scope="col">${translate("over.rank")}</th>` : nothing}
          <th scope="col">${translate("over.player")}</th>
          <th scope="col">${translate("table.scores")}</th>
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

/** @param {TableShown} table */
function heading(table) {
  const winners = table.result?.winners ?? [];
  if (!winners.length) return translate("over.title");
  if (winners.length === 1 && winners[0] === table.viewer) return translate("over.you_won");
  const names = winners.map((seat) => table.seats[seat].name);
  return translate("over.won_by", { n: names.length, names: names.join(translate("over.and")) });
}

/** @param {TableShown} table */
function ranking(table) {
  const ranks = table.result?.ranks ?? [];
  return [...table.seats].sort((one, other) => (ranks[one.seat] ?? 0) - (ranks[other.seat] ?? 0));
}

/**
 * @param {TableShown} table
 * @param {(command: import("../commands.js").Command) => void} onCommand
 */
function next(table, onCommand) {
  if (table.rematch)
    return html`<button class="button primary" @click=${() => onCommand({ type: "rematch" })}>${translate("over.to_rematch")}</button>`;
  if (!isAvailable(table, "rematch")) return nothing;
  return html`<button class="button primary" @click=${() => onCommand({ type: "rematch" })}>${translate("over.rematch")}</button>`;
}
