/** Charts as SVG (docs/decisions/0040-charts.md), each with a table of the same numbers. Colours come with symbols. */

import { html, nothing, svg } from "../vendor/lit.js";
import { translate } from "../words.js";
import { numberTable } from "./number-table.js";
import { SYMBOL_OF_COLOUR, symbol } from "./symbols.js";

const COLOURS = Object.keys(SYMBOL_OF_COLOUR);
const WIDTH = 340; // narrow enough for readable text on a phone
const HEIGHT = 210;
const LEFT = 46; // margin for the axis labels
const RIGHT = 34; // margin for the symbols of the series
const TOP = 14;
const BOTTOM = 26;
const ROW = 45; // height of a bar with its name

/** @typedef {{name: string, points: [number, number][]}} Series */

/**
 * A step chart of one or more series.
 * @param {{title: string, xLabel: string, series: Series[]}} options
 */
export function lineChart({ title, xLabel, series }) {
  const points = series.flatMap((each) => each.points);
  const last = Math.max(1, ...points.map(([x]) => x));
  const ticks = niceTicks(Math.min(...points.map(([, y]) => y)), Math.max(...points.map(([, y]) => y)));
  const low = ticks[0];
  const high = ticks[ticks.length - 1];
  const xOf = (/** @type {number} */ x) => LEFT + (x / last) * (WIDTH - LEFT - RIGHT);
  const yOf = (/** @type {number} */ y) => TOP + ((high - y) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const picture = svg`
    ${ticks.map(
      (tick) => svg`<path class="chart-rule" d=${`M${LEFT} ${yOf(tick)}H${WIDTH - RIGHT}`}/>
      <text x=${LEFT - 8} y=${yOf(tick) + 4} text-anchor="end">${tick}</text>`,
    )}
    <text x=${WIDTH - RIGHT} y=${HEIGHT - 6} text-anchor="end">${xLabel} ${last}</text>
    ${series.map((each, index) => drawLine(each.points, index, xOf, yOf, last))}`;
  return figure(title, HEIGHT, picture, legend(series), lineTable(xLabel, series));
}

/**
 * @param {[number, number][]} points
 * @param {number} index
 * @param {(x: number) => number} xOf
 * @param {(y: number) => number} yOf
 * @param {number} last
 */
function drawLine(points, index, xOf, yOf, last) {
  const steps = points.map(([x, y], step) => (step ? `H${xOf(x)}V${yOf(y)}` : `M${xOf(x)} ${yOf(y)}`));
  const end = yOf(points[points.length - 1][1]);
  const colour = COLOURS[index % COLOURS.length];
  return svg`<path class=${`chart-line chart-${colour}`} d=${`${steps.join("")}H${xOf(last)}`}/>
    <svg class=${`chart-mark chart-${colour}`} x=${WIDTH - RIGHT + 4} y=${end - 8} width="16" height="16">${symbol(SYMBOL_OF_COLOUR[colour])}</svg>`;
}

/** @param {Series[]} series */
function legend(series) {
  return html`<ul class="chart-legend">
    ${series.map(({ name }, index) => {
      const colour = COLOURS[index % COLOURS.length];
      return html`<li>
        <span class=${`chart-mark chart-${colour}`}>${symbol(SYMBOL_OF_COLOUR[colour])}</span>${name}
      </li>`;
    })}
  </ul>`;
}

/**
 * @param {string} xLabel
 * @param {Series[]} series
 */
function lineTable(xLabel, series) {
  const xs = [...new Set(series.flatMap((each) => each.points.map(([x]) => x)))].sort((one, two) => one - two);
  return {
    headings: [xLabel, ...series.map(({ name }) => name)],
    rows: xs.map((x) => [x, ...series.map(({ points }) => valueAt(points, x))]),
  };
}

/**
 * @param {[number, number][]} points
 * @param {number} x
 */
function valueAt(points, x) {
  return points.findLast(([at]) => at <= x)?.[1] ?? "";
}

/**
 * Stacked horizontal bars.
 * @param {{title: string, parts: string[], bars: {name: string, values: number[]}[]}} options
 */
export function barChart({ title, parts, bars }) {
  const max = Math.max(1, ...bars.map(({ values }) => sum(values)));
  const picture = bars.map(({ name, values }, index) => drawBar(name, values, index * ROW, max));
  const key = html`<ul class="chart-legend">
    ${parts.map((part, index) => html`<li><span class=${`chart-key chart-part-${index}`}></span>${part}</li>`)}
  </ul>`;
  const table = { headings: [translate("over.player"), ...parts], rows: bars.map(({ name, values }) => [name, ...values]) };
  return figure(title, bars.length * ROW, picture, key, table);
}

/**
 * @param {string} name
 * @param {number[]} values
 * @param {number} top
 * @param {number} max
 */
function drawBar(name, values, top, max) {
  let start = 0;
  const drawn = values.map((value, index) => {
    const x = start;
    const width = (value / max) * WIDTH;
    start += width;
    if (!value) return nothing;
    return svg`<rect class=${`chart-part-${index}`} x=${x} y=${top + 18} width=${Math.max(0, width - 2)} height="20" rx="3"/>
      <text class=${`chart-in-${index}`} x=${x + 6} y=${top + 33}>${value}</text>`;
  });
  return svg`<text x="0" y=${top + 13}>${name}</text>${drawn}`;
}

/**
 * Values with intervals, one per row.
 * @param {{title: string, unit: string, rows: {name: string, value: number, margin: number, isOwn: boolean, note: string}[]}} options
 */
export function intervalChart({ title, unit, rows }) {
  const low = Math.min(...rows.map(({ value, margin }) => value - margin));
  const high = Math.max(...rows.map(({ value, margin }) => value + margin));
  const xOf = (/** @type {number} */ value) => 8 + ((value - low) / (high - low || 1)) * (WIDTH - 16);
  const picture = rows.map(({ name, value, margin, isOwn }, index) => {
    const top = index * ROW;
    return svg`<text class=${isOwn ? "chart-own" : ""} x="0" y=${top + 13}>${name}: ${value} ± ${margin}</text>
      <path class="chart-interval" d=${`M${xOf(value - margin)} ${top + 28}H${xOf(value + margin)}`}/>
      <circle class=${isOwn ? "chart-dot chart-dot-own" : "chart-dot"} cx=${xOf(value)} cy=${top + 28} r="6"/>`;
  });
  const table = {
    headings: [translate("over.player"), unit, "±", translate("statistics.games")],
    rows: rows.map(({ name, value, margin, note }) => [name, value, margin, note]),
  };
  return figure(title, rows.length * ROW, picture, nothing, table);
}

/** @typedef {{headings: (string | number)[], rows: (string | number)[][]}} Table */

/**
 * @param {string} title
 * @param {number} height
 * @param {unknown} picture
 * @param {unknown} key
 * @param {Table} table
 */
function figure(title, height, picture, key, table) {
  return html`<figure class="chart">
    <figcaption>${title}</figcaption>
    <svg class="chart-picture" viewBox=${`0 0 ${WIDTH} ${height}`} role="img" aria-label=${title}>${picture}</svg>
    ${key}
    <details>
      <summary>${translate("statistics.as_table")}</summary>
      ${numberTable(title, table)}
    </details>
  </figure>`;
}

/** @param {number[]} values */
const sum = (values) => values.reduce((total, value) => total + value, 0);

/**
 * A few round numbers that enclose the range.
 * @param {number} low
 * @param {number} high
 */
export function niceTicks(low, high) {
  const rough = Math.max(1, (high - low) / 4);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.floor(low / step) * step;
  const count = Math.max(1, Math.ceil((high - first) / step));
  return Array.from({ length: count + 1 }, (_, index) => first + index * step);
}
