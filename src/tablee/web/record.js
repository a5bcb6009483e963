/** Saving the record of a finished game as a file. */

import { downloadRecord } from "./api.js";
import { notify } from "./notifications.js";

/**
 * A link alone would not do: a spectator of a private table needs the invite, which is sent in a header.
 * @param {string} table
 * @param {string} game
 * @param {string} invite
 */
export async function saveRecord(table, game, invite) {
  try {
    const anchor = document.createElement("a");
    anchor.href = URL.createObjectURL(await downloadRecord(table, invite));
    anchor.download = `${game}-${table}.tablee`;
    anchor.click();
    URL.revokeObjectURL(anchor.href);
  } catch (refusal) {
    notify(/** @type {Error} */ (refusal).message);
  }
}
