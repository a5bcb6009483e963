/** Copies addresses to the clipboard. */

import { notify } from "./notifications.js";
import { translate } from "./words.js";

/** Copy the address of a page of this server; without clipboard access it is shown, to be copied by hand. @param {string} path */
export async function copyAddress(path) {
  const address = `${location.origin}${path}`;
  try {
    await navigator.clipboard.writeText(address);
    notify(translate("waiting_room.copied"));
  } catch {
    notify(address);
  }
}
