/**
 * Asks at once for what the page in the address will need: the shell, which finds that out by itself, is not here yet.
 * Whatever is missing here is only asked for later.
 */

import { setting } from "./settings.js";

/** What the pages import that the shell does not; a test compares. @type {Record<string, string[]>} */
const MODULES = {
  lobby: ["/notices.js", "/pages/lobby.js"],
  table: [
    "/boards.js",
    "/notices.js",
    "/pages/table.js",
    "/parts/board.js",
    "/parts/dock.js",
    "/parts/drag.js",
    "/parts/game-over.js",
    "/parts/motion.js",
    "/parts/piece.js",
    "/selection.js",
    "/sounds.js",
    "/watched-table.js",
  ],
};

/** @type {Map<string, Promise<Response | null>>} what was asked for and not taken yet, by address */
const asked = new Map();

/** @param {string} address */
function ask(address) {
  const answer = fetch(address).catch(() => null); // whoever needs it will ask again, and say what is wrong
  asked.set(address, answer);
}

/**
 * The answer to what was asked for ahead, once; null if it was not.
 * @param {string} address
 */
export async function takeAhead(address) {
  const answer = asked.get(address);
  asked.delete(address);
  return answer ?? null;
}

/** @param {string} module */
function announce(module) {
  const link = document.createElement("link");
  link.rel = "modulepreload";
  link.href = module;
  document.head.append(link);
}

const language = setting("language");
const page = location.hash.slice(1).split("/")[0] || "lobby";
ask(`/languages/${language}/web.json`);
MODULES[page]?.forEach(announce);
if (setting("name")) ask(`/api/me?lang=${language}`);
if (page === "lobby") for (const list of ["games", "tables"]) ask(`/api/${list}?lang=${language}`);
