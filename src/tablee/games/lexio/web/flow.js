/** The payments after a round: players in a ring, an arrow per payment, its width by the amount. */

import { svg } from "/vendor/lit.js";

const WIDTH = 320;
const HEIGHT = 210;
const RADII = [112, 70]; // of the ring, horizontal and vertical
const NODE_RADIUS = 26; // arrows keep this distance from the names
const MAX_WIDTH = 7; // of an arrow

/**
 * @param {string[]} names by seat
 * @param {number[][]} paid by payer and receiver
 * @param {number[]} changes of each player's chips
 */
export function flowDiagram(names, paid, changes) {
  const positions = names.map((_, seat) => position(seat, names.length));
  const max = Math.max(1, ...paid.flat());
  const payments = paid.flatMap((amounts, payer) =>
    amounts.map((amount, receiver) => ({ amount, start: positions[payer], end: positions[receiver] })),
  );
  return svg`<svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
    <defs>
      <marker id="flow-head" viewBox="0 0 8 8" refX="6" refY="4" markerUnits="userSpaceOnUse" markerWidth="13" markerHeight="13" orient="auto">
        <path d="M0 0 8 4 0 8z"/>
      </marker>
    </defs>
    ${payments.filter(({ amount }) => amount > 0).map((payment) => arrow(payment, max))}
    ${names.map((name, seat) => node(name, changes[seat], positions[seat]))}
  </svg>`;
}

/**
 * @param {number} seat
 * @param {number} seats
 * @returns {[number, number]}
 */
function position(seat, seats) {
  const angle = Math.PI / 2 + (2 * Math.PI * seat) / seats;
  return [WIDTH / 2 + RADII[0] * Math.cos(angle), HEIGHT / 2 + RADII[1] * Math.sin(angle)];
}

/**
 * @param {{amount: number, start: [number, number], end: [number, number]}} payment
 * @param {number} max
 */
function arrow({ amount, start, end }, max) {
  const length = Math.hypot(end[0] - start[0], end[1] - start[1]);
  const along = [(end[0] - start[0]) / length, (end[1] - start[1]) / length];
  const from = [start[0] + along[0] * NODE_RADIUS, start[1] + along[1] * NODE_RADIUS];
  const to = [end[0] - along[0] * (NODE_RADIUS + 6), end[1] - along[1] * (NODE_RADIUS + 6)];
  const label = [from[0] + (to[0] - from[0]) * 0.4, from[1] + (to[1] - from[1]) * 0.4];
  const width = Math.max(1.5, (amount / max) * MAX_WIDTH);
  return svg`<g class="payment">
    <path d=${`M${from.join(" ")}L${to.join(" ")}`} stroke-width=${width} marker-end="url(#flow-head)"/>
    <text x=${label[0]} y=${label[1] + 4.5} text-anchor="middle">${amount}</text>
  </g>`;
}

/**
 * @param {string} name
 * @param {number} change
 * @param {[number, number]} position
 */
function node(name, change, [x, y]) {
  return svg`<g class="purse">
    <text class="purse-name" x=${x} y=${y - 2} text-anchor="middle">${name}</text>
    <text class="purse-change" x=${x} y=${y + 17} text-anchor="middle">${change < 0 ? "−" : "+"}${Math.abs(change)}</text>
  </g>`;
}
