/**
 * Requests the modules and data of the current page at once, before the shell has loaded and could ask for them itself.
 * What is not listed here is only loaded later.
 */

import { setting } from "./settings.js";

/** Modules of each page that the shell does not import; a test checks the lists. @type {Record<string, string[]>} */
const MODULES = {
  lobby: ["/notifications.js", "/pages/lobby.js"],
  table: [
    "/boards.js",
    "/commands.js",
    "/notifications.js",
    "/pages/table.js",
    "/parts/banners.js",
    "/parts/board.js",
    "/parts/dock.js",
    "/parts/drag.js",
    "/parts/game-over.js",
    "/parts/menu.js",
    "/parts/motion.js",
    "/parts/piece.js",
    "/parts/rest.js",
    "/selection.js",
    "/sounds.js",
    "/watched-table.js",
  ],
};

/** @type {Map<string, Promise<Response | null>>} responses by address, until they are taken */
const responses = new Map();

/** @param {string} address */
function preload(address) {
  responses.set(
    address,
    fetch(address).catch(() => null), // the caller requests it again and reports the error
  );
}

/**
 * Take the response to a preloaded request, once; null if there is none.
 * @param {string} address
 */
export async function takePreloaded(address) {
  const response = responses.get(address);
  responses.delete(address);
  return response ?? null;
}

/** @param {string} module */
function preloadModule(module) {
  const link = document.createElement("link");
  link.rel = "modulepreload";
  link.href = module;
  document.head.append(link);
}

const language = setting("language");
const page = location.hash.slice(1).split("/")[0] || "lobby";
preload(`/languages/${language}/web.json`);
MODULES[page]?.forEach(preloadModule);
if (setting("name")) preload(`/api/me?lang=${language}`);
if (page === "lobby") for (const list of ["games", "tables"]) preload(`/api/${list}?lang=${language}`);
