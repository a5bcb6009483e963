/** What the viewer of a table may do now. The server decides; front ends only draw what it lists. */

import { notify } from "./notifications.js";
import { translate } from "./words.js";

/** @typedef {import("./types.js").TableShown} TableShown */
/** @typedef {import("./types.js").CommandName} CommandName */

/**
 * @template T
 * @typedef {T extends unknown ? Omit<T, "id" | "table"> : never} WithoutAddress
 */

/** A command to a table, without message id and table id. @typedef {WithoutAddress<import("./types.js").CommandRequest>} Command */

/**
 * Whether the viewer may send a command.
 * @param {TableShown} table
 * @param {CommandName} type
 */
export const isAvailable = (table, type) => table.commands.some((command) => command.type === type);

/**
 * The seats that the viewer may name in a command.
 * @param {TableShown} table
 * @param {CommandName} type
 */
export const seatsFor = (table, type) => table.commands.find((command) => command.type === type)?.seats ?? [];

/**
 * Run something, after a question if there is one.
 * @param {string} question
 * @param {() => void} run
 */
export function confirmCommand(question, run) {
  const confirmed = () => {
    notify("");
    run();
  };
  if (question) notify(question, { label: translate("table.yes"), run: confirmed });
  else confirmed();
}

/** Put a player's name into the label or question of a command. @param {string} text @param {string} name */
export const withName = (text, name) => text.replace("{name}", name);
