/** "Learn", in the lobby and on the page of a game: its guided round. */

import { navigate, tableAddress } from "./addresses.js";
import { openLesson } from "./api.js";
import { identity } from "./identity.js";
import { notify } from "./notifications.js";

/**
 * Go to the guided round of a game: the one that is not finished, or a new one; nobody is asked for a name.
 * @param {string} game
 * @param {boolean} [isNew] begin again in any case
 */
export async function learn(game, isNew = false) {
  try {
    await identity.ensureName();
    navigate(tableAddress((await openLesson(game, isNew)).id));
  } catch (refusal) {
    notify(/** @type {Error} */ (refusal).message);
  }
}
