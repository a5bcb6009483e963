/** The player's statistics: results, opponents and ratings. Records from elsewhere can be opened here. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { LOBBY, navigate, replayAddress } from "../addresses.js";
import { notify } from "../notifications.js";
import { barChart, intervalChart, lineChart } from "../parts/chart.js";
import { uploadRecord, getStatistics } from "../api.js";
import { setting } from "../settings.js";
import { identity } from "../identity.js";
import { translate } from "../words.js";
import "../parts/progress.js";

/** @typedef {import("../types.js").GameStatistics} GameStatistics */

const MAX_BARS = 12;

class StatisticsPage extends LitElement {
  static properties = { games: { state: true }, failure: { state: true } };

  constructor() {
    super();
    /** @type {GameStatistics[] | null} */
    this.games = null;
    this.failure = "";
  }

  createRenderRoot() {
    return this;
  }

  async firstUpdated() {
    document.title = `${translate("statistics.title")} · Tablée`;
    try {
      this.games = identity.me ? await getStatistics() : [];
    } catch {
      this.failure = translate("app.no_server");
    }
  }

  /** @param {Event} event */
  async openRecord(event) {
    const input = /** @type {HTMLInputElement} */ (event.target);
    const file = input.files?.[0];
    input.value = "";
    if (!file) return;
    this.failure = "";
    try {
      await identity.ensureName();
      const { table, invite } = await uploadRecord(await file.text());
      navigate(replayAddress(table, 0, "-1", invite));
    } catch (refusal) {
      this.failure = /** @type {Error} */ (refusal).message;
      notify(this.failure);
    }
  }

  render() {
    return html`<div class="page statistics">
      <h1>${translate("statistics.title")}</h1>
      ${this.failure ? html`<p class="failure" role="alert">${this.failure}</p>` : nothing}
      ${this.games?.length === 0 ? this.emptyMessage() : nothing} ${(this.games ?? []).map((game) => this.game(game))}
      <section class="open-record">
        <h2>${translate("statistics.open_record")}</h2>
        <p class="help" id="open-record-help">${translate("statistics.open_record_help")}</p>
        <label class="button file-button"
          >${translate("statistics.choose_file")}<input
            type="file"
            accept=".tablee,text/plain"
            aria-describedby="open-record-help"
            @change=${this.openRecord}
        /></label>
      </section>
    </div>`;
  }

  emptyMessage() {
    return html`<p class="quiet">${translate("statistics.none")}</p>
      <p class="page-actions"><a class="button primary" href=${LOBBY}>${translate("app.to_lobby")}</a></p>`;
  }

  /** @param {GameStatistics} game */
  game(game) {
    const { title, count, won, stopped } = game;
    return html`<section class="game-statistics" aria-labelledby=${`statistics-${game.game}`}>
      <h2 id=${`statistics-${game.game}`}>${title}</h2>
      <p class="figures">
        <span>${translate("statistics.count", { n: count })}</span><span>${translate("statistics.won", { n: won })}</span>
        ${stopped ? html`<span>${translate("statistics.stopped", { n: stopped })}</span>` : nothing}
      </p>
      <div class="charts">${this.against(game)} ${this.ratings(game)} ${this.history(game)}</div>
      ${this.played(game)}
      <person-progress .game=${game.game}></person-progress>
    </section>`;
  }

  /** @param {GameStatistics} game */
  against({ against }) {
    if (!against.length) return nothing;
    return barChart({
      title: translate("statistics.against"),
      parts: [translate("statistics.ahead"), translate("statistics.level"), translate("statistics.behind")],
      bars: against.slice(0, MAX_BARS).map(({ name, is_bot: isBot, ahead, level, behind }) => ({
        name: isBot ? translate("statistics.bot", { name }) : name,
        values: [ahead, level, behind],
      })),
    });
  }

  /** @param {GameStatistics} game */
  ratings({ ratings }) {
    if (!ratings.length) return nothing;
    return intervalChart({
      title: translate("statistics.ratings"),
      unit: translate("statistics.rating"),
      rows: ratings.map(({ name, is_bot: isBot, is_you: isOwn, rating, margin, games }) => ({
        name: isBot ? translate("statistics.bot", { name }) : isOwn ? translate("statistics.you", { name }) : name,
        value: rating,
        margin,
        isOwn,
        note: String(games),
      })),
    });
  }

  /** @param {GameStatistics} game */
  history({ history }) {
    if (history.length < 2) return nothing;
    const points = /** @type {[number, number][]} */ (history.map(({ rating }, index) => [index + 1, rating]));
    const series = [{ name: identity.me?.name ?? "", points }];
    return lineChart({ title: translate("statistics.history"), xLabel: translate("statistics.game"), series });
  }

  /** @param {GameStatistics} game */
  played({ played }) {
    const date = new Intl.DateTimeFormat(setting("language"), { dateStyle: "medium", timeStyle: "short" });
    return html`<details>
      <summary>${translate("statistics.played", { n: played.length })}</summary>
      <div class="table-scroll" tabindex="0" role="group" aria-label=${translate("statistics.played", { n: played.length })}>
        <table class="scores">
          <thead>
            <tr>
              <th scope="col">${translate("statistics.when")}</th>
              <th scope="col">${translate("statistics.with")}</th>
              <th scope="col">${translate("over.rank")}</th>
              <th scope="col">${translate("table.scores")}</th>
            </tr>
          </thead>
          <tbody>
            ${played.map(
              ({ table, at, rank, seats, score, others }) =>
                html`<tr>
                  <th scope="row"><a href=${replayAddress(table)}>${date.format(at * 1000)}</a></th>
                  <td>${others.join(", ")}</td>
                  <td>${rank === null ? "–" : translate("statistics.rank_of", { rank, seats })}</td>
                  <td>${score}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </details>`;
  }
}

customElements.define("statistics-page", StatisticsPage);
