/** Who is looking at this page. */

import { connection } from "./connection.js";
import { sayName, whoAmI } from "./server.js";
import { setting } from "./settings.js";
import { say } from "./words.js";

/** Fires "change" when the name changes. */
class Visitor extends EventTarget {
  /** @type {import("./types.js").Me | null} */
  me = null;

  /** Ask the server who we are. */
  async recall() {
    this.me = await whoAmI();
    this.dispatchEvent(new Event("change"));
  }

  /**
   * Say a name; the connection starts over, since it may know us by another.
   * @param {string} name
   */
  async introduce(name) {
    this.me = await sayName(name);
    connection.renew();
    this.dispatchEvent(new Event("change"));
  }

  /** Be somebody, if only a guest: nobody has to type before playing. */
  async beSomebody() {
    if (!this.me) await this.introduce(setting("name") || say("name.guest"));
  }
}

export const visitor = new Visitor();
