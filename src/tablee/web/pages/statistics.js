/** My games: how they ended, against whom, and how good everybody seems to be. Records from elsewhere can be looked at too. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { go, replayAddress } from "../addresses.js";
import { inform } from "../notices.js";
import { barChart, ladderChart, lineChart } from "../parts/chart.js";
import { bringRecord, myStatistics } from "../server.js";
import { setting } from "../settings.js";
import { visitor } from "../visitor.js";
import { say } from "../words.js";

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
    document.title = `${say("statistics.title")} · Tablée`;
    try {
      this.games = visitor.me ? await myStatistics() : [];
    } catch {
      this.failure = say("app.no_server");
    }
  }

  /** @param {Event} event */
  async bring(event) {
    const input = /** @type {HTMLInputElement} */ (event.target);
    const file = input.files?.[0];
    input.value = "";
    if (!file) return;
    this.failure = "";
    try {
      await visitor.beSomebody();
      const { table, invite } = await bringRecord(await file.text());
      go(replayAddress(table, 0, "-1", invite));
    } catch (refusal) {
      this.failure = /** @type {Error} */ (refusal).message;
      inform(this.failure);
    }
  }

  render() {
    return html`<div class="page statistics">
      <h1>${say("statistics.title")}</h1>
      ${this.failure ? html`<p class="failure" role="alert">${this.failure}</p>` : nothing}
      ${this.games?.length === 0 ? this.none() : nothing} ${(this.games ?? []).map((game) => this.game(game))}
      <section class="bring">
        <h2>${say("statistics.bring")}</h2>
        <p class="help" id="bring-help">${say("statistics.bring_help")}</p>
        <label class="button file-button"
          >${say("statistics.choose_file")}<input
            type="file"
            accept=".tablee,text/plain"
            aria-describedby="bring-help"
            @change=${this.bring}
        /></label>
      </section>
    </div>`;
  }

  none() {
    return html`<p class="quiet">${say("statistics.none")}</p>
      <p class="page-actions"><a class="button primary" href="#">${say("app.to_lobby")}</a></p>`;
  }

  /** @param {GameStatistics} game */
  game(game) {
    const { title, count, won, stopped } = game;
    return html`<section class="game-statistics" aria-labelledby=${`statistics-${game.game}`}>
      <h2 id=${`statistics-${game.game}`}>${title}</h2>
      <p class="figures">
        <span>${say("statistics.count", { n: count })}</span><span>${say("statistics.won", { n: won })}</span>
        ${stopped ? html`<span>${say("statistics.stopped", { n: stopped })}</span>` : nothing}
      </p>
      <div class="charts">${this.against(game)} ${this.ratings(game)} ${this.history(game)}</div>
      ${this.played(game)}
    </section>`;
  }

  /** @param {GameStatistics} game */
  against({ against }) {
    if (!against.length) return nothing;
    return barChart({
      title: say("statistics.against"),
      parts: [say("statistics.ahead"), say("statistics.level"), say("statistics.behind")],
      bars: against.slice(0, MAX_BARS).map(({ name, is_bot: isBot, ahead, level, behind }) => ({
        name: isBot ? say("statistics.bot", { name }) : name,
        values: [ahead, level, behind],
      })),
    });
  }

  /** @param {GameStatistics} game */
  ratings({ ratings }) {
    if (!ratings.length) return nothing;
    return ladderChart({
      title: say("statistics.ratings"),
      unit: say("statistics.rating"),
      rows: ratings.map(({ name, is_bot: isBot, is_you: isOwn, rating, margin, games }) => ({
        name: isBot ? say("statistics.bot", { name }) : isOwn ? say("statistics.you", { name }) : name,
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
    const points = /** @type {[number, number][]} */ (history.map(({ rating }, place) => [place + 1, rating]));
    const series = [{ name: visitor.me?.name ?? "", points }];
    return lineChart({ title: say("statistics.history"), across: say("statistics.game"), series });
  }

  /** @param {GameStatistics} game */
  played({ played }) {
    const date = new Intl.DateTimeFormat(setting("language"), { dateStyle: "medium", timeStyle: "short" });
    return html`<details>
      <summary>${say("statistics.played", { n: played.length })}</summary>
      <div class="table-scroll" tabindex="0" role="group" aria-label=${say("statistics.played", { n: played.length })}>
        <table class="scores">
          <thead>
            <tr>
              <th scope="col">${say("statistics.when")}</th>
              <th scope="col">${say("statistics.with")}</th>
              <th scope="col">${say("over.rank")}</th>
              <th scope="col">${say("table.scores")}</th>
            </tr>
          </thead>
          <tbody>
            ${played.map(
              ({ table, at, rank, seats, score, others }) =>
                html`<tr>
                  <th scope="row"><a href=${replayAddress(table)}>${date.format(at * 1000)}</a></th>
                  <td>${others.join(", ")}</td>
                  <td>${rank === null ? "–" : say("statistics.rank_of", { rank, seats })}</td>
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
