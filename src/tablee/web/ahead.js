/**
 * Asks at once for what the page in the address will need: the shell, which finds that out by itself, is not here yet.
 * Whatever is missing here comes later, and nothing else happens.
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
    "/parts/dragging.js",
    "/parts/game-over.js",
    "/parts/motion.js",
    "/parts/piece.js",
    "/picking.js",
    "/sounds.js",
    "/watched-table.js",
  ],
};

/**
 * @param {string} address
 * @param {Partial<HTMLLinkElement>} kind
 */
function ask(address, kind) {
  document.head.append(Object.assign(document.createElement("link"), kind, { href: address }));
}

const language = setting("language");
const page = location.hash.slice(1).split("/")[0] || "lobby";
ask(`/words/${language}.json`, { rel: "preload", as: "fetch", crossOrigin: "anonymous" });
for (const module of MODULES[page] ?? []) ask(module, { rel: "modulepreload" });
if (page === "lobby")
  for (const list of ["games", "tables"])
    ask(`/api/${list}?lang=${language}`, { rel: "preload", as: "fetch", crossOrigin: "anonymous" });
