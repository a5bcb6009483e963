/** "Play with bots now", in the lobby and on the page of the rules. */

import { navigate, tableAddress } from "./addresses.js";
import { createTable, listBots } from "./api.js";
import { identity } from "./identity.js";
import { notify } from "./notifications.js";

/**
 * Make a table with the usual number of bots of the usual level, and go there; nobody is asked for a name.
 * @param {import("./types.js").GameInfo} game
 */
export async function playWithBots({ name, usual_seats: seats }) {
  try {
    await identity.ensureName();
    const bots = await listBots();
    const bot = bots.find(({ is_usual: isUsual }) => isUsual)?.name ?? bots[0].name;
    const opponents = Array(seats - 1).fill(bot);
    const table = await createTable({ game: name, seats, options: {}, is_open: false, clock: null, bots: opponents, sits: true });
    navigate(tableAddress(table.id));
  } catch (refusal) {
    notify(/** @type {Error} */ (refusal).message);
  }
}
