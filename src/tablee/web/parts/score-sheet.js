/** The score sheet: the points of all seats, round by round, and why where the points alone do not say it. */

import { html, nothing } from "../vendor/lit.js";
import { translate } from "../words.js";
import { signed } from "./rest.js";

/** @typedef {import("../types.js").FinishedRound} FinishedRound */

/**
 * @param {import("../types.js").SeatShown[]} seats
 * @param {FinishedRound[]} rounds
 * @param {readonly number[]} totals by seat
 * @param {(moves: number) => string} [linkTo] the address of the position after some moves
 */
export function scoreSheet(seats, rounds, totals, linkTo) {
  return html`<div class="table-scroll" tabindex="0" role="group" aria-label=${translate("table.scores")}>
    <table class="scores score-sheet">
      <caption class="visually-hidden">
        ${translate("table.scores")}
      </caption>
      <thead>
        <tr>
          <th scope="col">${translate("rest.round")}</th>
          ${seats.map((seat) => html`<th scope="col" class=${seat.is_you ? "you" : ""}>${seat.name}</th>`)}
        </tr>
      </thead>
      ${rounds.map((round) => roundRows(round, seats, linkTo))}
      <tfoot>
        <tr>
          <th scope="row">${translate("rest.total")}</th>
          ${seats.map(({ seat }) => html`<td>${totals[seat]}</td>`)}
        </tr>
      </tfoot>
    </table>
  </div>`;
}

/**
 * @param {FinishedRound} round
 * @param {import("../types.js").SeatShown[]} seats
 * @param {((moves: number) => string) | undefined} linkTo
 */
function roundRows({ number, moves, text, scores }, seats, linkTo) {
  const title = translate("rest.title", { round: number });
  const explained = scores.filter(({ note }) => note);
  const notes = explained.map(({ seat, note }) => translate("table.says", { name: seats[seat].name, text: note }));
  return html`<tbody>
    <tr>
      <th scope="row">${linkTo ? html`<a href=${linkTo(moves)} aria-label=${title}>${number}</a>` : number}</th>
      ${scores.map(({ points }) => html`<td>${signed(points)}</td>`)}
    </tr>
    <tr class="round-notes">
      <td colspan=${seats.length + 1}>${text}${notes.length ? html` <span>${notes.join(" · ")}</span>` : nothing}</td>
    </tr>
  </tbody>`;
}
