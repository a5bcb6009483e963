/** The name under which this browser is known to the server. */

import { getMe, setName } from "./api.js";
import { connection } from "./connection.js";
import { setting } from "./settings.js";
import { translate } from "./words.js";

/** Fires "change" when the name changes. */
class Identity extends EventTarget {
  /** @type {import("./types.js").Me | null} */
  me = null;

  /** Ask the server who we are. */
  async load() {
    this.me = await getMe();
    this.dispatchEvent(new Event("change"));
  }

  /**
   * Change the name, and reconnect: a socket keeps the name it was opened with.
   * @param {string} name
   */
  async rename(name) {
    this.me = await setName(name);
    connection.reconnect();
    this.dispatchEvent(new Event("change"));
  }

  /** Take a guest name if there is none, so that nobody has to type before playing. */
  async ensureName() {
    if (!this.me) await this.rename(setting("name") || translate("name.guest"));
  }
}

export const identity = new Identity();
