/**
 * Page addresses. The server renders the head of each page, so they are paths; only an invite stays in the fragment, which
 * reaches neither server logs nor link previews: `/t/<table>#<invite>`.
 */

/** @typedef {{page: "lobby"} | {page: "statistics"} | {page: "me", code: string} | {page: "missing"} | {page: "new", game: string}
 *   | {page: "daily", day: string} | {page: "puzzles"} | {page: "puzzle", game: string, puzzle: string}
 *   | {page: "rules", game: string, clause: string} | {page: "table", table: string, invite: string}
 *   | {page: "replay", table: string, moves: number, from: string, invite: string}} Address */

/** Points of view of a replay other than a seat number: everything revealed, or the viewer's own seat. */
export const OPEN = "open";
export const OWN = "own";

export const LOBBY = "/";
export const STATISTICS = "/statistics";
export const ME = "/me";
export const PUZZLES = "/puzzles";
export const DAILY = "/daily";

/**
 * Parse the address of a page.
 * @param {string} path
 * @param {string} fragment
 * @returns {Address}
 */
export function parseAddress(path, fragment) {
  const [page, first = "", second = "", third = ""] = parts(path.slice(1));
  const [invite = ""] = parts(fragment.replace(/^#/, ""));
  if (!page) return { page: "lobby" };
  if (page === "statistics") return { page };
  if (page === "me") return { page, code: invite };
  if (page === "puzzles") return first ? { page: "puzzle", game: first, puzzle: second } : { page };
  if (page === "daily" && !second) return { page, day: first };
  if (page === "games" && first && !second) return { page: "new", game: first };
  if (page === "rules" && first) return { page, game: first, clause: second };
  if (page === "t" && first) return { page: "table", table: first, invite };
  if (page === "replay" && first)
    return { page, table: first, moves: Number.parseInt(second) || 0, from: third || OWN, invite };
  return { page: "missing" };
}

/**
 * Return today's address for a fragment of version 0.1, in which all addresses were fragments of `/`; null for any other.
 * @param {string} fragment
 */
export function addressOfOldLink(fragment) {
  const [page, first = "", second = "", third = "", fourth = ""] = parts(fragment.replace(/^#/, ""));
  if (page === "statistics") return STATISTICS;
  if (page === "new" && first) return newAddress(first);
  if (page === "rules" && first) return rulesAddress(first, second);
  if (page === "table" && first) return tableAddress(first, second);
  if (page === "replay" && first) return replayAddress(first, Number.parseInt(second) || 0, third || OWN, fourth);
  return null;
}

/** @param {string} text separated by slashes */
function parts(text) {
  try {
    return text.split("/").map(decodeURIComponent);
  } catch {
    return [];
  }
}

/**
 * The address of a position in a game. At a private table, a viewer without a seat needs the invite.
 * @param {string} table
 * @param {number} [moves] played so far
 * @param {string} [from] a seat, OPEN or OWN
 * @param {string | null} [invite]
 */
export function replayAddress(table, moves = 0, from = OWN, invite = "") {
  return `/replay/${encodeURIComponent(table)}/${moves}/${encodeURIComponent(from)}${fragmentOf(invite)}`;
}

/**
 * @param {string} table
 * @param {string | null} [invite]
 */
export const tableAddress = (table, invite) => `/t/${encodeURIComponent(table)}${fragmentOf(invite)}`;

/** @param {string | null | undefined} invite */
const fragmentOf = (invite) => (invite ? `#${encodeURIComponent(invite)}` : "");

/** The daily tables of a day. @param {string} day */
export const dailyAddress = (day) => `${DAILY}/${encodeURIComponent(day)}`;

/** @param {string} game */
export const newAddress = (game) => `/games/${encodeURIComponent(game)}`;

/** @param {string} game @param {string} [clause] */
export const rulesAddress = (game, clause) =>
  `/rules/${encodeURIComponent(game)}${clause ? `/${encodeURIComponent(clause)}` : ""}`;

/** @param {string} game @param {string} [puzzle] */
export const puzzleAddress = (game, puzzle) =>
  `${PUZZLES}/${encodeURIComponent(game)}${puzzle ? `/${encodeURIComponent(puzzle)}` : ""}`;

/** Go to a page without loading the app again. @param {string} address */
export function navigate(address) {
  history.pushState(null, "", address);
  dispatchEvent(new Event("tablee-address"));
}

/** Replace an old link in the address bar by today's address. */
export function replaceOldLink() {
  const address = location.pathname === LOBBY ? addressOfOldLink(location.hash) : null;
  if (address) history.replaceState(null, "", address);
}

/**
 * Follow links of our own pages within the app; the browser follows those to files, to other sites and to new tabs.
 * @param {MouseEvent} event
 */
export function followLink(event) {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
  if (!link || !isPlain || event.defaultPrevented || link.target || link.download || link.origin !== location.origin) return;
  if (parseAddress(link.pathname, link.hash).page === "missing" || link.getAttribute("href")?.startsWith("#")) return;
  event.preventDefault();
  navigate(link.pathname + link.search + link.hash);
}
