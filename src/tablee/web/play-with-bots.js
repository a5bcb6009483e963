/** "Play with bots now", in the lobby and on the page of the rules. */

import { navigate, tableAddress } from "./addresses.js";
import { quickPlay } from "./api.js";
import { identity } from "./identity.js";
import { notify } from "./notifications.js";

/**
 * Go to a new table with bots of the level that suits the person, which the server chooses; nobody is asked for a name.
 * @param {import("./types.js").GameInfo} game
 */
export async function playWithBots({ name }) {
  try {
    await identity.ensureName();
    const table = await quickPlay(name);
    navigate(tableAddress(table.id));
  } catch (refusal) {
    notify(/** @type {Error} */ (refusal).message);
  }
}
