/** One's result on the deal of a day, compared with those of all others and with what bots made of it. */

import { html, nothing } from "../vendor/lit.js";
import { setting } from "../settings.js";
import { translate } from "../words.js";
import { barChart } from "./chart.js";

/** @typedef {import("../types.js").DailyGame} DailyGame */

/** @param {DailyGame} game */
export function dailyResult(game) {
  return html`${game.result ? ownResult(game) : nothing}
    <div class="charts">${ranks(game)} ${bots(game)}</div>`;
}

/** @param {DailyGame} game */
function ownResult({ result, bots, players }) {
  if (!result) return nothing;
  if (result.is_late) return html`<p class="daily-own">${translate("daily.late")}</p>`;
  return html`<p class="daily-own">
      ${result.rank === null ? translate("daily.given_up") : translate("daily.rank", { rank: result.rank, seats: bots.length + 1, points: result.points })}
    </p>
    <p>
      ${
        result.beaten === null
          ? translate("daily.first")
          : translate("daily.beaten", { percent: Math.round(result.beaten), n: players - 1 })
      }
      ${result.lead === null ? nothing : leadText(result.lead)}
    </p>`;
}

/** @param {number} lead in points, over the mean of the others */
function leadText(lead) {
  const number = new Intl.NumberFormat(setting("language"), { maximumFractionDigits: 1 });
  const key = lead > 0 ? "daily.better" : lead < 0 ? "daily.worse" : "daily.level";
  return translate(key, { points: number.format(Math.abs(lead)), n: Math.abs(lead) });
}

/** How many people finished with each rank. @param {DailyGame} game */
function ranks({ counts, bots, result }) {
  if (!counts.length) return nothing;
  const own = result && !result.is_late ? (result.rank ?? bots.length + 2) : null;
  return barChart({
    title: translate("daily.ranks"),
    parts: [translate("daily.people")],
    bars: counts.map(({ rank, players }) => {
      const name = rank > bots.length + 1 ? translate("daily.given_up") : translate("daily.rank_only", { rank });
      return { name: rank === own ? translate("statistics.you", { name }) : name, values: [players] };
    }),
  });
}

/** What bots made of the deal, in the same seat. @param {DailyGame} game */
function bots({ bot_results: results }) {
  if (!results.length) return nothing;
  return html`<div class="table-scroll" tabindex="0" role="group" aria-label=${translate("daily.bots")}>
    <table class="scores">
      <caption>${translate("daily.bots")}</caption>
      <thead>
        <tr>
          <th scope="col">${translate("over.player")}</th>
          <th scope="col">${translate("over.rank")}</th>
          <th scope="col">${translate("table.scores")}</th>
        </tr>
      </thead>
      <tbody>
        ${results.map(
          ({ label, rank, points }) =>
            html`<tr>
              <th scope="row">${label}</th>
              <td>${rank}</td>
              <td>${points}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
