/** Symbols of colours and suits, and icons, drawn on a field of 24 by 24. */

import { html, nothing, svg } from "../vendor/lit.js";

/** @type {Record<string, unknown>} */
const PICTURES = {
  triangle: svg`<path d="M12 3 22 20.500H2z"/>`,
  diamond: svg`<path d="M12 1.5 21 12l-9 10.500L3 12z"/>`,
  star: svg`<path d="m12 1.5 3.2 6.9 7.5.9-5.5 5.2 1.4 7.500L12 18.3 5.4 22l1.4-7.500L1.3 9.300l7.5-.900z"/>`,
  square: svg`<path d="M3.5 3.500h17v17h-17z"/>`,
  drop: svg`<path d="M12 1.500c4 5.5 7 9 7 13a7 7 0 0 1-14 0c0-4 3-7.5 7-13z"/>`,
  circle: svg`<circle cx="12" cy="12" r="9.5"/>`,
  cross: svg`<path d="M8.5 2.500h7v6h6v7h-6v6h-7v-6h-6v-7h6z"/>`,
  heart: svg`<path d="M12 21.500C4 15.5 2 11.5 2 8.200A5.2 5.2 0 0 1 12 6a5.2 5.2 0 0 1 10 2.200c0 3.3-2 7.3-10 13.300z"/>`,
  sun: svg`<circle cx="12" cy="12" r="5.2"/><path d="M10.8 1h2.400v4h-2.400zM10.8 19h2.400v4h-2.400zM1 10.800h4v2.400H1zM19 10.800h4v2.400h-4zM3.4
    5.100l1.7-1.7 2.8 2.8-1.7 1.700zM16.1 17.800l1.7-1.7 2.8 2.8-1.7 1.700zM3.4 18.900l2.8-2.8 1.7 1.7-2.8
    2.800zM16.1 6.200l2.8-2.8 1.7 1.7-2.8 2.800z"/>`,
  moon: svg`<path d="M15.5 2A10 10 0 1 0 22 15.8 8.5 8.5 0 0 1 15.5 2z"/>`,
  cloud: svg`<path d="M6.5 19.500a5 5 0 0 1-.6-9.96A6.5 6.5 0 0 1 18.3 9.1 5.2 5.2 0 0 1 18 19.500z"/>`,
  ring: svg`<path fill-rule="evenodd" d="M12 1.500a10.5 10.5 0 1 1 0 21 10.5 10.5 0 0 1 0-21zm0 4.500a6 6 0 1 0 0 12 6 6 0 0 0 0-12z"/>`,
  wild: svg`<path d="m12 1 2.7 6.300L21 5l-2.3 6.300L25 14l-6.3 2.700L21 23l-6.3-2.300L12 27l-2.7-6.300L3 23l2.3-6.300L-1 14l6.3-2.700L3
    5l6.3 2.300z" transform="translate(0.9 -0.9) scale(0.92)"/>`,
};

/** The symbol of each colour, for pieces without one of their own. @type {Record<string, string>} */
export const SYMBOL_OF_COLOUR = {
  red: "triangle",
  orange: "diamond",
  yellow: "star",
  green: "square",
  sky: "drop",
  blue: "circle",
  purple: "cross",
  pink: "heart",
};

/**
 * Draw a symbol; nothing for an unknown name.
 * @param {string | null | undefined} name
 */
export function symbol(name) {
  const picture = name ? PICTURES[name] : undefined;
  if (!picture) return nothing;
  return html`<svg class="symbol" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${picture}</svg>`;
}

/** @type {Record<string, unknown>} */
const ICONS = {
  menu: svg`<path d="M4 6h16M4 12h16M4 18h16"/>`,
  back: svg`<path d="m14.5 5-7 7 7 7"/>`,
  close: svg`<path d="m6 6 12 12M18 6 6 18"/>`,
  book: svg`<path d="M12 6.500C10 5 7 4.5 4 5v13c3-.5 6 0 8 1.5 2-1.5 5-2 8-1.500V5c-3-.5-6 0-8 1.500zm0 0v13"/>`,
  chat: svg`<path d="M4 5h16v11H9.500L5 20v-4H4z"/>`,
  log: svg`<path d="M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01"/>`,
  undo: svg`<path d="M8.5 5 4 9.5 8.5 14M4 9.500h10a5.5 5.5 0 0 1 0 11h-4"/>`,
  settings: svg`<path d="M3 7h9M18 7h3M3 17h3M12 17h9"/><circle cx="15" cy="7" r="2.8"/><circle cx="9" cy="17" r="2.8"/>`,
  moon: svg`<path d="M14.500 4A8 8 0 1 0 20 15.300 6.500 6.500 0 0 1 14.500 4z"/>`,
  lock: svg`<path d="M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3"/>`,
  unlock: svg`<path d="M6 11h12v9H6zM8.5 11V7a3.5 3.5 0 0 1 6.800-1.200"/>`,
  crown: svg`<path d="M4 18h16M5 15 3.500 7l5 4L12 5l3.500 6 5-4L19 15z"/>`,
  flag: svg`<path d="M6 21V4h12l-3 4.5 3 4.500H6"/>`,
  trophy: svg`<path d="M7 4h10v6a5 5 0 0 1-10 0zM7 6H4c0 3 1 5 3.3 5M17 6h3c0 3-1 5-3.3 5M12 15v4M8 20h8"/>`,
  clock: svg`<circle cx="12" cy="12" r="8.5"/><path d="M12 7v5l3.5 2"/>`,
  people: svg`<circle cx="9" cy="8" r="3.5"/><path d="M2.5 20c0-4 3-6.5 6.5-6.500s6.5 2.5 6.5 6.500M16 4.800a3.5 3.5 0 0 1 0 6.400M18 14c2.2.8
    3.5 3 3.5 6"/>`,
  bot: svg`<path d="M5 9h14v10H5zM12 9V5M9 13.500v1M15 13.500v1M2.5 13v3M21.5 13v3"/><circle cx="12" cy="4" r="1.2"/>`,
  eye: svg`<path d="M2 12c2.5-4.5 6-6.5 10-6.500s7.5 2 10 6.500c-2.5 4.5-6 6.5-10 6.500S4.5 16.5 2 12z"/><circle cx="12" cy="12" r="3"/>`,
  done: svg`<path d="m4.5 12.5 5 5 10-11"/>`,
  turn: svg`<path d="M7 4.500v15l12-7.500z" fill="currentColor"/>`,
  first: svg`<path d="M6 5v14M18 5.500 9 12l9 6.500z"/>`,
  last: svg`<path d="M18 5v14M6 5.500 15 12l-9 6.500z"/>`,
  next: svg`<path d="m9.5 5 7 7-7 7"/>`,
  rest: svg`<path d="M8 5v14M16 5v14" stroke-width="4"/>`,
  chart: svg`<path d="M4 4v16h16M8 16v-4M12.5 16V8M17 16v-6"/>`,
  coach: svg`<path d="M9 17.500h6M10 20.500h4M9 17.500c0-3-3.500-4-3.500-8a6.500 6.500 0 0 1 13 0c0 4-3.500 5-3.500 8"/>`,
  keyboard: svg`<path d="M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M8 14h8"/>`,
};

/**
 * Draw an icon.
 * @param {string} name
 */
export function icon(name) {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${ICONS[name]}</svg>`;
}
