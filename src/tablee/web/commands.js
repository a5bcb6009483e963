/** What the viewer of a table may do now. The server decides; front ends only draw what it lists. */

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
 * The seats that the viewer may name in a command: `claim`, `seat_bot` or `remove_bot`.
 * @param {TableShown} table
 * @param {CommandName} type
 */
export const seatsFor = (table, type) => table.commands.find((command) => command.type === type)?.seats ?? [];
