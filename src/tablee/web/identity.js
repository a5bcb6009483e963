/** The name under which this browser is known to the server. */

import { getMe, setName } from "./api.js";
import { connection } from "./connection.js";
import { saveSetting, setting } from "./settings.js";
import { translate } from "./words.js";

/** Fires "change" when the name changes. */
class Identity extends EventTarget {
  /** @type {import("./types.js").Me | null} */
  me = null;

  /** Whether the person has chosen the name, and was not just called a guest. */
  get isNamed() {
    return this.me !== null && setting("guest") === "off";
  }

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
    saveSetting("guest", "off");
    connection.reconnect();
    this.dispatchEvent(new Event("change"));
  }

  /** Be another person, or the same one with a new cookie. @param {import("./types.js").Me} me */
  replace(me) {
    this.me = me;
    saveSetting("name", me.name);
    saveSetting("guest", "off");
    connection.reconnect();
    this.dispatchEvent(new Event("change"));
  }

  /** Be nobody: the server has deleted everything. */
  forget() {
    this.me = null;
    saveSetting("name", "");
    connection.reconnect();
    this.dispatchEvent(new Event("change"));
  }

  /** Take a guest's name if there is none, so that nobody has to type before playing with bots. */
  async ensureName() {
    if (this.me) return;
    const chosen = setting("name");
    await this.rename(chosen || translate("name.guest"));
    if (!chosen) saveSetting("guest", "on");
  }

  /**
   * Ask for a name unless the person has chosen one; return whether they have one now.
   * @param {string} action what follows, for the button of the form
   */
  async requireName(action) {
    if (this.isNamed) return true;
    const { askName } = await import("./parts/name-form.js");
    return askName(action);
  }
}

export const identity = new Identity();
