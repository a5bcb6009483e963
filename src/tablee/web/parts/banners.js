/** Banners above the board: what the viewer is asked, with the commands that answer it. */

import { html, nothing } from "../vendor/lit.js";
import { isAvailable } from "../commands.js";
import { translate } from "../words.js";

/** @typedef {import("../types.js").TableShown} TableShown */
/** @typedef {import("../commands.js").Command} Command */

/**
 * @param {TableShown} table
 * @param {string} invite
 * @param {(command: Command) => void} onCommand
 */
export function banners(table, invite, onCommand) {
  /** @type {[import("../types.js").CommandName, string, [string, Command][]][]} */
  const all = [
    ["resume", translate("table.paused"), [[translate("table.resume"), { type: "resume" }]]],
    ["return", translate("table.covered"), [[translate("table.i_am_back"), { type: "return" }]]],
    ["claim", translate("table.free_seat", { names: freeSeats(table) }), [[translate("table.take_seat"), { type: "claim", invite }]]],
    [
      "answer_end",
      translate("table.proposed", { name: table.seats[table.proposal?.seat ?? 0].name }),
      [
        [translate("table.agree"), { type: "answer_end", agrees: true }],
        [translate("table.decline"), { type: "answer_end", agrees: false }],
      ],
    ],
  ];
  const shown = all.filter(([type]) => isAvailable(table, type));
  return html`${shown.map(([, text, answers]) => banner(text, answers, onCommand))}
  ${table.proposal?.agreed.includes(table.viewer) ? banner(translate("table.asked"), [], onCommand) : nothing}`;
}

/** The names of players who left; bots play in their seats. @param {TableShown} table */
function freeSeats({ seats }) {
  const names = seats.filter(({ kind }) => kind === "empty").map(({ name }) => name);
  return names.join(translate("over.and"));
}

/**
 * @param {string} text
 * @param {[string, Command][]} answers
 * @param {(command: Command) => void} onCommand
 */
function banner(text, answers, onCommand) {
  return html`<div class="banner">
    <p>${text}</p>
    ${answers.map(([label, command]) => html`<button class="button small" @click=${() => onCommand(command)}>${label}</button>`)}
  </div>`;
}
