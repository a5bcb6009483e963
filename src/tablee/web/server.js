/** The REST part of docs/protocol.md. */

import { takeAhead } from "./ahead.js";
import { remember, setting } from "./settings.js";

/** A wish the server did not grant, in words for the person who made it. */
export class Refusal extends Error {
  /**
   * @param {string} code
   * @param {string} text
   * @param {string | null} [clause]
   */
  constructor(code, text, clause = null) {
    super(text);
    this.code = code;
    this.clause = clause;
  }
}

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {Record<string, string>} [headers]
 * @returns {Promise<any>}
 */
async function ask(method, path, body, headers = {}) {
  const address = `${path}${path.includes("?") ? "&" : "?"}lang=${setting("language")}`;
  const wish = {
    method,
    headers: { ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  };
  const answer = (method === "GET" && (await takeAhead(address))) || (await fetch(address, wish));
  if (answer.status === 204) return null;
  const content = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refusal(content.code ?? "unavailable", content.detail ?? answer.statusText, content.clause);
  return content;
}

/** @typedef {import("./types.js").GameInfo} GameInfo */

/** @returns {Promise<GameInfo[]>} */
export const allGames = () => ask("GET", "/api/games");

/** @param {string} game @returns {Promise<GameInfo>} */
export const findGame = (game) => ask("GET", `/api/games/${game}`);

/** @param {string} game @returns {Promise<{markdown: string}>} */
export const rulesOf = (game) => ask("GET", `/api/games/${game}/rules`);

/** @returns {Promise<{name: string, label: string}[]>} */
export const allBots = () => ask("GET", "/api/bots");

/** @returns {Promise<{open: import("./types.js").Summary[], mine: import("./types.js").Summary[]}>} */
export const allTables = () => ask("GET", "/api/tables");

/** @param {import("./types.js").NewTable} wish @returns {Promise<import("./types.js").Table>} */
export const makeTable = (wish) => ask("POST", "/api/tables", wish);

/**
 * @param {string} table
 * @param {string} invite
 * @returns {Promise<import("./types.js").Chat[]>}
 */
export const chatOf = (table, invite) => ask("GET", `/api/tables/${table}/chat`, undefined, invited(invite));

/** What lets somebody in who does not sit at a private table. @param {string} invite @returns {Record<string, string>} */
const invited = (invite) => (invite ? { "Tablee-Invite": invite } : {});

// Looking back

/** @param {string} table @param {string} invite @returns {Promise<import("./types.js").Table>} */
export const tableNow = (table, invite) => ask("GET", `/api/tables/${table}`, undefined, invited(invite));

/**
 * @param {string} table
 * @param {number} moves
 * @param {number | null} seat null: with all that anybody knew
 * @param {string} invite
 * @returns {Promise<import("./types.js").Moment>}
 */
export function momentOf(table, moves, seat, invite) {
  const eyes = seat === null ? "open=true" : `seat=${seat}`;
  return ask("GET", `/api/tables/${table}/moments/${moves}?${eyes}`, undefined, invited(invite));
}

/** @param {string} table @param {string} invite @returns {Promise<{moves: number, scores: number[]}[]>} */
export const pointsOf = (table, invite) => ask("GET", `/api/tables/${table}/points`, undefined, invited(invite));

/**
 * @param {string} table
 * @param {import("./types.js").NewFork} wish
 * @param {string} invite
 * @returns {Promise<import("./types.js").Table>}
 */
export const forkTable = (table, wish, invite) => ask("POST", `/api/tables/${table}/forks`, wish, invited(invite));

/** @param {string} table @param {string} invite @returns {Promise<Blob>} */
export async function recordOf(table, invite) {
  const answer = await fetch(`/api/tables/${table}/record`, { headers: invited(invite) });
  if (!answer.ok) throw new Refusal("unavailable", answer.statusText);
  return answer.blob();
}

/** @param {string} record @returns {Promise<{table: string, invite: string}>} */
export const bringRecord = (record) => ask("POST", "/api/records", { record });

/** @returns {Promise<import("./types.js").GameStatistics[]>} */
export const myStatistics = () => ask("GET", "/api/statistics");

/** @param {string} game @returns {Promise<import("./types.js").ExampleInfo[]>} */
export const examplesOf = (game) => ask("GET", `/api/games/${game}/examples`);

/**
 * @param {string} game
 * @param {string} name
 * @param {string[]} moves what has been tried so far
 * @returns {Promise<import("./types.js").ExampleShown>}
 */
export function exampleAfter(game, name, moves) {
  const tried = new URLSearchParams(moves.map((move) => ["move", move]));
  return ask("GET", `/api/games/${game}/examples/${name}?${tried}`);
}

/** @param {string} name @returns {Promise<import("./types.js").Me>} */
export async function sayName(name) {
  const me = await ask("PUT", "/api/me", { name, is_program: false });
  remember("name", me.name);
  return me;
}

/**
 * Return who we are, or null while we have no name. Asks only if this browser has said a name before.
 * @returns {Promise<import("./types.js").Me | null>}
 */
export async function whoAmI() {
  if (!setting("name")) return null;
  try {
    return await ask("GET", "/api/me");
  } catch (refusal) {
    if (refusal instanceof Refusal && refusal.code === "no_name") return sayName(setting("name"));
    throw refusal;
  }
}
