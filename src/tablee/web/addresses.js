/** Page addresses. They live in the fragment, which never reaches a server log: an invite link is `/#table/<id>/<invite>`. */

/** @typedef {{page: "lobby"} | {page: "statistics"} | {page: "new", game: string}
 *   | {page: "rules", game: string, clause: string} | {page: "table", table: string, invite: string}
 *   | {page: "replay", table: string, moves: number, from: string, invite: string}} Address */

/** Points of view of a replay other than a seat number: everything revealed, or the viewer's own seat. */
export const OPEN = "open";
export const OWN = "own";

/**
 * Parse an address; an unknown one is the lobby.
 * @param {string} fragment
 * @returns {Address}
 */
export function parseAddress(fragment) {
  const [page, first = "", second = "", third = "", fourth = ""] = parts(fragment);
  if (page === "statistics") return { page };
  if (page === "new" && first) return { page, game: first };
  if (page === "rules" && first) return { page, game: first, clause: second };
  if (page === "table" && first) return { page, table: first, invite: second };
  if (page === "replay" && first)
    return { page, table: first, moves: Number.parseInt(second) || 0, from: third || OWN, invite: fourth };
  return { page: "lobby" };
}

/** @param {string} fragment */
function parts(fragment) {
  try {
    return fragment.replace(/^#/, "").split("/").map(decodeURIComponent);
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
  return `#replay/${table}/${moves}/${from}${invite ? `/${invite}` : ""}`;
}

/**
 * @param {string} table
 * @param {string | null} [invite]
 */
export function tableAddress(table, invite) {
  return invite ? `#table/${table}/${invite}` : `#table/${table}`;
}

/** @param {string} game */
export const newAddress = (game) => `#new/${game}`;

/** @param {string} game @param {string} [clause] */
export const rulesAddress = (game, clause) => (clause ? `#rules/${game}/${clause}` : `#rules/${game}`);

export const STATISTICS = "#statistics";

/** Go to a page. @param {string} address */
export function navigate(address) {
  location.hash = address;
}
