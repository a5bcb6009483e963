/** A person's progress in a game: accuracy and luck over time, typical mistakes, and which bot to play next. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { newAddress } from "../addresses.js";
import { getProgress } from "../api.js";
import { setting } from "../settings.js";
import { translate } from "../words.js";
import { lineChart } from "./chart.js";
import { numberTable } from "./number-table.js";
import { reviewAddress } from "./review.js";

/** @typedef {import("../types.js").GameProgress} Progress */

class PersonProgress extends LitElement {
  static properties = { game: { attribute: false }, progress: { state: true } };

  constructor() {
    super();
    this.game = "";
    /** @type {Progress | null} */
    this.progress = null;
  }

  createRenderRoot() {
    return this;
  }

  async firstUpdated() {
    this.progress = await getProgress(this.game).catch(() => null); // the rest of the page says that there is no server
  }

  render() {
    const progress = this.progress;
    if (!progress) return nothing;
    return html`<h3>${translate("progress.title")}</h3>
      <p class="progress-advice">
        ${progress.advice} <a href=${newAddress(progress.game)}>${translate("progress.play")}</a>
      </p>
      <div class="charts">${this.curve(progress)}</div>
      ${progress.mistakes.length ? this.mistakes(progress) : nothing} ${this.levels(progress)} ${this.unreviewed(progress)}`;
  }

  /** @param {Progress} progress */
  curve({ points }) {
    if (!points.length) return html`<p class="help">${translate("progress.none")}</p>`;
    const values = (/** @type {(point: import("../types.js").ProgressPoint) => number | null} */ valueOf) =>
      /** @type {[number, number][]} */ (
        points.map((point, index) => [index + 1, valueOf(point)]).filter(([, value]) => value !== null)
      );
    const series = [
      { name: translate("progress.accuracy"), points: values(({ accuracy }) => accuracy) },
      { name: translate("progress.luck"), points: values(({ luck }) => luck) },
    ].filter(({ points: drawn }) => drawn.length);
    return html`<div>
      ${lineChart({ title: translate("progress.curve"), xLabel: translate("statistics.game"), series })}
      <p class="help">${translate("progress.curve_help")}</p>
    </div>`;
  }

  /** @param {Progress} progress */
  levels({ levels }) {
    if (!levels.length) return nothing;
    const percent = (/** @type {number} */ share) => translate("progress.percent", { percent: Math.round(share) });
    const headings = ["bot", "ahead", "interval", "comparisons"].map((name) => translate(`progress.${name}`));
    const rows = levels.map(({ label, share, low, high, games }) => [
      label,
      percent(share),
      translate("progress.range", { low: Math.round(low), high: Math.round(high) }),
      games,
    ]);
    return numberTable(translate("progress.levels"), { headings, rows }, true);
  }

  /** @param {Progress} progress */
  mistakes({ mistakes, points }) {
    const number = new Intl.NumberFormat(setting("language"), { maximumFractionDigits: 1 });
    const headings = ["played", "better", "count", "loss"].map((name) => translate(`progress.${name}`));
    const rows = mistakes.map(({ played, better, count, loss }) => [
      played || translate("progress.any_move"),
      better === played ? translate("progress.other_move") : better,
      count,
      number.format(loss),
    ]);
    return numberTable(translate("progress.mistakes", { n: points.length }), { headings, rows }, true);
  }

  /** Games that can be reviewed. @param {Progress} progress */
  unreviewed({ unreviewed }) {
    if (!unreviewed.length) return nothing;
    const date = new Intl.DateTimeFormat(setting("language"), { dateStyle: "medium", timeStyle: "short" });
    return html`<details>
      <summary>${translate("progress.unreviewed", { n: unreviewed.length })}</summary>
      <ul class="progress-unreviewed">
        ${unreviewed.map(({ table, at }) => html`<li><a href=${reviewAddress(table)}>${date.format(at * 1000)}</a></li>`)}
      </ul>
    </details>`;
  }
}

customElements.define("person-progress", PersonProgress);
