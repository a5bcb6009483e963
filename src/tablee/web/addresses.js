/** Page addresses live in the fragment, which never reaches a server's log: an invite link is `/#table/<id>/<invite>`. */

/** @typedef {{page: "lobby"} | {page: "new", game: string} | {page: "rules", game: string}
 *   | {page: "table", table: string, invite: string}} Address */

/**
 * Read an address; whatever means nothing is the lobby.
 * @param {string} fragment
 * @returns {Address}
 */
export function parseAddress(fragment) {
  const [page, first = "", second = ""] = fragment.replace(/^#/, "").split("/").map(decodeURIComponent);
  if ((page === "new" || page === "rules") && first) return { page, game: first };
  if (page === "table" && first) return { page, table: first, invite: second };
  return { page: "lobby" };
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

/** @param {string} game */
export const rulesAddress = (game) => `#rules/${game}`;

/** @param {string} address */
export function go(address) {
  location.hash = address;
}
