/** The bar above a table: title, own points, clock, and the buttons of log, chat, rules and menu. */

import { html, nothing } from "../vendor/lit.js";
import { LOBBY } from "../addresses.js";
import { clockText } from "../time.js";
import { translate } from "../words.js";
import { icon } from "./symbols.js";
import "./menu.js";

/** @typedef {import("../types.js").TableShown} TableShown */

/**
 * @typedef {object} ToolbarOptions
 * @property {string} invite
 * @property {number | null} secondsLeft on the clock; null without one
 * @property {number} unread lines of chat
 * @property {(tab: "log" | "chat" | "rules") => void} onTab
 * @property {(command: import("../commands.js").Command) => Promise<unknown>} onCommand
 */

/**
 * @param {TableShown} table
 * @param {ToolbarOptions} options
 */
export function toolbar(table, { invite, secondsLeft, unread, onTab, onCommand }) {
  return html`<div class="toolbar" role="toolbar" aria-label=${table.title}>
    <a class="icon-button" href=${LOBBY} aria-label=${translate("app.home")}
      ><img src="/icon.svg" alt="" width="30" height="30"
    /></a>
    <h1>${table.title}</h1>
    ${ownPoints(table)} ${secondsLeft === null ? nothing : clock(secondsLeft)}
    <span class="bar-space"></span>
    ${tool("log", translate("table.log"), () => onTab("log"))}
    ${tool("chat", translate("table.chat"), () => onTab("chat"), unread)}
    ${tool("book", translate("table.rules"), () => onTab("rules"))}
    <table-menu .table=${table} .invite=${invite} .onCommand=${onCommand}></table-menu>
  </div>`;
}

/** @param {TableShown} table */
function ownPoints({ viewer, view }) {
  if (viewer < 0 || !view) return nothing;
  return html`<span class="own-score"
    ><span class="visually-hidden">${translate("table.points")}</span>${view.scores[viewer]}<small class="unit" aria-hidden="true"
      >${translate("table.points_unit")}</small
    ></span
  >`;
}

/** @param {number} seconds */
function clock(seconds) {
  const time = clockText(seconds);
  return html`<span
    class=${seconds < 10 ? "clock urgent" : "clock"}
    aria-label=${translate("table.time_left", { time })}
    role="timer"
    >${icon("clock")} ${time}</span
  >`;
}

/**
 * @param {string} picture
 * @param {string} label
 * @param {() => void} run
 * @param {number} [unread]
 */
function tool(picture, label, run, unread = 0) {
  const name = unread ? `${label}, ${translate("table.unread", { n: unread })}` : label;
  return html`<button class="icon-button tool" aria-label=${name} title=${label} @click=${run}>
    ${icon(picture)} ${unread ? html`<span class="unread" aria-hidden="true">${unread}</span>` : nothing}
  </button>`;
}
