/** Pictures of figures, each with a table that says the same to those who listen. Colour never stands alone. */

import { html, nothing, svg } from "../vendor/lit.js";
import { say } from "../words.js";
import { SYMBOL_OF_COLOUR, symbol } from "./symbols.js";

const COLOURS = Object.keys(SYMBOL_OF_COLOUR);
const WIDTH = 340; // so narrow that its letters can be read on a phone
const HEIGHT = 210;
const LEFT = 46; // for the numbers beside the lines
const RIGHT = 34; // for the symbols at their ends
const TOP = 14;
const BOTTOM = 26;
const LINE = 30; // the height of a bar with its name

/** @typedef {{name: string, points: [number, number][]}} Series */

/**
 * Lines that stay level until they change.
 * @param {{title: string, across: string, series: Series[]}} figures
 */
export function lineChart({ title, across, series }) {
  const points = series.flatMap((each) => each.points);
  const last = Math.max(1, ...points.map(([x]) => x));
  const ticks = niceTicks(Math.min(...points.map(([, y]) => y)), Math.max(...points.map(([, y]) => y)));
  const low = ticks[0];
  const high = ticks[ticks.length - 1];
  const right = (/** @type {number} */ x) => LEFT + (x / last) * (WIDTH - LEFT - RIGHT);
  const down = (/** @type {number} */ y) => TOP + ((high - y) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const picture = svg`
    ${ticks.map(
      (tick) => svg`<path class="chart-rule" d=${`M${LEFT} ${down(tick)}H${WIDTH - RIGHT}`}/>
      <text x=${LEFT - 8} y=${down(tick) + 4} text-anchor="end">${tick}</text>`,
    )}
    <text x=${WIDTH - RIGHT} y=${HEIGHT - 6} text-anchor="end">${across} ${last}</text>
    ${series.map((each, place) => drawLine(each.points, place, right, down, last))}`;
  return figure(title, HEIGHT, picture, legend(series), lineTable(across, series));
}

/**
 * @param {[number, number][]} points
 * @param {number} place
 * @param {(x: number) => number} right
 * @param {(y: number) => number} down
 * @param {number} last
 */
function drawLine(points, place, right, down, last) {
  const steps = points.map(([x, y], at) => (at ? `H${right(x)}V${down(y)}` : `M${right(x)} ${down(y)}`));
  const end = down(points[points.length - 1][1]);
  const colour = COLOURS[place % COLOURS.length];
  return svg`<path class=${`chart-line chart-${colour}`} d=${`${steps.join("")}H${right(last)}`}/>
    <svg class=${`chart-mark chart-${colour}`} x=${WIDTH - RIGHT + 4} y=${end - 8} width="16" height="16">${symbol(SYMBOL_OF_COLOUR[colour])}</svg>`;
}

/** @param {Series[]} series */
function legend(series) {
  return html`<ul class="chart-legend">
    ${series.map(({ name }, place) => {
      const colour = COLOURS[place % COLOURS.length];
      return html`<li>
        <span class=${`chart-mark chart-${colour}`}>${symbol(SYMBOL_OF_COLOUR[colour])}</span>${name}
      </li>`;
    })}
  </ul>`;
}

/**
 * @param {string} across
 * @param {Series[]} series
 */
function lineTable(across, series) {
  const moments = [...new Set(series.flatMap((each) => each.points.map(([x]) => x)))].sort((one, two) => one - two);
  return {
    head: [across, ...series.map(({ name }) => name)],
    rows: moments.map((x) => [x, ...series.map(({ points }) => valueAt(points, x))]),
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
 * Bars made of parts, one below the other.
 * @param {{title: string, parts: string[], bars: {name: string, values: number[]}[]}} figures
 */
export function barChart({ title, parts, bars }) {
  const most = Math.max(1, ...bars.map(({ values }) => sum(values)));
  const picture = bars.map(({ name, values }, place) => drawBar(name, values, place * LINE * 1.5, most));
  const key = html`<ul class="chart-legend">
    ${parts.map((part, place) => html`<li><span class=${`chart-key chart-part-${place}`}></span>${part}</li>`)}
  </ul>`;
  const table = { head: [say("over.player"), ...parts], rows: bars.map(({ name, values }) => [name, ...values]) };
  return figure(title, bars.length * LINE * 1.5, picture, key, table);
}

/**
 * @param {string} name
 * @param {number[]} values
 * @param {number} top
 * @param {number} most
 */
function drawBar(name, values, top, most) {
  let start = 0;
  const drawn = values.map((value, place) => {
    const x = start;
    const width = (value / most) * WIDTH;
    start += width;
    if (!value) return nothing;
    return svg`<rect class=${`chart-part-${place}`} x=${x} y=${top + 18} width=${Math.max(0, width - 2)} height="20" rx="3"/>
      <text class=${`chart-in-${place}`} x=${x + 6} y=${top + 33}>${value}</text>`;
  });
  return svg`<text x="0" y=${top + 13}>${name}</text>${drawn}`;
}

/**
 * Values with the interval around each.
 * @param {{title: string, unit: string, rows: {name: string, value: number, margin: number, isOwn: boolean, note: string}[]}} figures
 */
export function ladderChart({ title, unit, rows }) {
  const low = Math.min(...rows.map(({ value, margin }) => value - margin));
  const high = Math.max(...rows.map(({ value, margin }) => value + margin));
  const right = (/** @type {number} */ value) => 8 + ((value - low) / (high - low || 1)) * (WIDTH - 16);
  const picture = rows.map(({ name, value, margin, isOwn }, place) => {
    const top = place * LINE * 1.5;
    return svg`<text class=${isOwn ? "chart-own" : ""} x="0" y=${top + 13}>${name}: ${value} ± ${margin}</text>
      <path class="chart-interval" d=${`M${right(value - margin)} ${top + 28}H${right(value + margin)}`}/>
      <circle class=${isOwn ? "chart-dot chart-dot-own" : "chart-dot"} cx=${right(value)} cy=${top + 28} r="6"/>`;
  });
  const table = {
    head: [say("over.player"), unit, "±", say("statistics.games")],
    rows: rows.map(({ name, value, margin, note }) => [name, value, margin, note]),
  };
  return figure(title, rows.length * LINE * 1.5, picture, nothing, table);
}

/** @typedef {{head: (string | number)[], rows: (string | number)[][]}} Table */

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
      <summary>${say("statistics.as_table")}</summary>
      <div class="table-scroll" tabindex="0" role="group" aria-label=${title}>
        <table class="scores">
          <thead>
            <tr>
              ${table.head.map((cell) => html`<th scope="col">${cell}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${table.rows.map(
              ([first, ...others]) =>
                html`<tr>
                  <th scope="row">${first}</th>
                  ${others.map((cell) => html`<td>${cell}</td>`)}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </details>
  </figure>`;
}

/** @param {number[]} values */
const sum = (values) => values.reduce((total, value) => total + value, 0);

/**
 * A few round numbers from below the lowest value to above the highest.
 * @param {number} low
 * @param {number} high
 */
export function niceTicks(low, high) {
  const rough = Math.max(1, (high - low) / 4);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.floor(low / step) * step;
  const count = Math.max(1, Math.ceil((high - first) / step));
  return Array.from({ length: count + 1 }, (_, place) => first + place * step);
}
