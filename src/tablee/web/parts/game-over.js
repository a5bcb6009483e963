/** The result of a finished game, and what to do next. */

import { html, nothing } from "../vendor/lit.js";
import { isAvailable } from "../commands.js";
import { dailyAddress, LOBBY, OWN, replayAddress } from "../addresses.js";
import { saveRecord } from "../record.js";
import { translate } from "../words.js";
import { signed } from "./rest.js";
import { reviewAddress } from "./review.js";
import { icon } from "./symbols.js";

/** @typedef {import("../types.js").TableShown} TableShown */

/**
 * The panel below the board of a finished game: its last round first, then the result and what to do next.
 * @param {TableShown} table
 * @param {string} invite by which the page was opened; the table has it only for those who have a seat
 * @param {(command: import("../commands.js").Command) => void} onCommand
 * @param {() => void} onScores opens the score sheet
 */
export function gameOver(table, invite, onCommand, onScores) {
  const { result, round_view: last } = table;
  const known = table.invite ?? invite;
  if (!result) return nothing;
  return html`<section class="dock rest game-over" aria-labelledby="over-title">
    <div class="rest-status">
      <div>
        <p class="last-round">${last ? `${last.prompt} ${result.text}` : result.text}</p>
        <h2 id="over-title">${icon("trophy")} ${heading(table)}</h2>
      </div>
      ${next(table, onCommand)}
    </div>
    <div class="table-scroll" tabindex="0" role="group" aria-labelledby="over-title">
      ${resultTable(table)}
      <div class="page-actions">
        <a class="button" href=${replayAddress(table.id, 0, OWN, known)}>${translate("over.replay")}</a>
        ${result.ranks.length ? html`<a class="button" href=${reviewAddress(table.id, known)}>${translate("review.start")}</a>` : nothing}
        ${last ? html`<button class="button" @click=${onScores}>${translate("over.sheet")}</button>` : nothing}
        <button class="button" @click=${() => saveRecord(table.id, table.game, known)}>${translate("over.record")}</button>
        <a class="button quiet" href=${LOBBY}>${translate("over.lobby")}</a>
      </div>
      <p class="help">
        ${translate("over.fair")} ${table.is_rated ? nothing : translate("over.unrated")}
      </p>
    </div>
  </section>`;
}

/**
 * Winners and points, below a replay.
 * @param {TableShown} table
 */
export function outcome(table) {
  if (!table.result) return nothing;
  return html`<section class="outcome" aria-labelledby="over-title">
    <h2 id="over-title">${icon("trophy")} ${heading(table)}</h2>
    <p>${table.result.text}</p>
    ${resultTable(table)}
  </section>`;
}

/** Ranks, points of the last round with what explains them, and totals. @param {TableShown} table */
function resultTable(table) {
  const { result, round_view: last } = table;
  if (!result) return nothing;
  const lastScores = last?.round?.scores;
  return html`<table class="scores round-scores">
    <thead>
      <tr>
        ${result.ranks.length ? html`<th scope="col" class="rank"><span>${translate("over.rank")}</span></th>` : nothing}
        <th scope="col" class="player">${translate("over.player")}</th>
        ${lastScores ? html`<th scope="col">${translate("rest.round")}</th>` : nothing}
        <th scope="col">${translate("rest.total")}</th>
      </tr>
    </thead>
    <tbody>
      ${ranking(table).map(
        ({ seat, name, is_you: isOwn }) =>
          html`<tr class=${isOwn ? "you" : ""}>
            ${result.ranks.length ? html`<td class="rank">${result.ranks[seat]}</td>` : nothing}
            <th scope="row">${name}${lastScores?.[seat].note ? html`<small>${lastScores[seat].note}</small>` : nothing}</th>
            ${lastScores ? html`<td>${signed(lastScores[seat].points)}</td>` : nothing}
            <td>${result.scores[seat]}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
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
  if (table.day) return html`<a class="button primary" href=${dailyAddress(table.day)}>${translate("daily.compare")}</a>`;
  if (table.rematch)
    return html`<button class="button primary" @click=${() => onCommand({ type: "rematch" })}>${translate("over.to_rematch")}</button>`;
  if (!isAvailable(table, "rematch")) return nothing;
  return html`<button class="button primary" @click=${() => onCommand({ type: "rematch" })}>${translate("over.rematch")}</button>`;
}
