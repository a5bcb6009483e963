/** Who pays whom after a round: players in a ring, an arrow for each payment, as thick as it is large. */

import { svg } from "/vendor/lit.js";

const WIDTH = 320;
const HEIGHT = 210;
const REACH = [112, 70]; // from the middle of the ring, across and down
const NODE = 26; // from the middle of a name to where an arrow may begin
const THICKEST = 7;

/**
 * @param {string[]} names by seat
 * @param {number[][]} paid by payer and receiver
 * @param {number[]} changes what each has more or less now
 */
export function flowDiagram(names, paid, changes) {
  const places = names.map((_, seat) => place(seat, names.length));
  const most = Math.max(1, ...paid.flat());
  const payments = paid.flatMap((amounts, payer) =>
    amounts.map((amount, receiver) => ({ amount, start: places[payer], end: places[receiver] })),
  );
  return svg`<svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
    <defs>
      <marker id="flow-head" viewBox="0 0 8 8" refX="6" refY="4" markerUnits="userSpaceOnUse" markerWidth="13" markerHeight="13" orient="auto">
        <path d="M0 0 8 4 0 8z"/>
      </marker>
    </defs>
    ${payments.filter(({ amount }) => amount > 0).map((payment) => arrow(payment, most))}
    ${names.map((name, seat) => node(name, changes[seat], places[seat]))}
  </svg>`;
}

/**
 * @param {number} seat
 * @param {number} seats
 * @returns {[number, number]}
 */
function place(seat, seats) {
  const angle = Math.PI / 2 + (2 * Math.PI * seat) / seats;
  return [WIDTH / 2 + REACH[0] * Math.cos(angle), HEIGHT / 2 + REACH[1] * Math.sin(angle)];
}

/**
 * @param {{amount: number, start: [number, number], end: [number, number]}} payment
 * @param {number} most
 */
function arrow({ amount, start, end }, most) {
  const length = Math.hypot(end[0] - start[0], end[1] - start[1]);
  const along = [(end[0] - start[0]) / length, (end[1] - start[1]) / length];
  const from = [start[0] + along[0] * NODE, start[1] + along[1] * NODE];
  const to = [end[0] - along[0] * (NODE + 6), end[1] - along[1] * (NODE + 6)];
  const label = [from[0] + (to[0] - from[0]) * 0.4, from[1] + (to[1] - from[1]) * 0.4];
  const thickness = Math.max(1.5, (amount / most) * THICKEST);
  return svg`<g class="payment">
    <path d=${`M${from.join(" ")}L${to.join(" ")}`} stroke-width=${thickness} marker-end="url(#flow-head)"/>
    <text x=${label[0]} y=${label[1] + 4.5} text-anchor="middle">${amount}</text>
  </g>`;
}

/**
 * @param {string} name
 * @param {number} change
 * @param {[number, number]} place
 */
function node(name, change, [x, y]) {
  return svg`<g class="purse">
    <text class="purse-name" x=${x} y=${y - 2} text-anchor="middle">${name}</text>
    <text class="purse-change" x=${x} y=${y + 17} text-anchor="middle">${change < 0 ? "−" : "+"}${Math.abs(change)}</text>
  </g>`;
}
