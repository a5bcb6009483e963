/** The REST requests of docs/protocol.md. */

import { takeAnswer } from "./embedded.js";
import { saveSetting, setting } from "./settings.js";

/** A request that the server refused; the message is in the player's language. */
export class Refusal extends Error {
  /**
   * @param {string} code
   * @param {string} text
   * @param {string | null} [clause] of the rulebook
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
async function request(method, path, body, headers = {}) {
  const known = method === "GET" ? takeAnswer(path) : undefined;
  if (known !== undefined) return known;
  const address = `${path}${path.includes("?") ? "&" : "?"}lang=${setting("language")}`;
  const options = {
    method,
    headers: { ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  };
  const response = await fetch(address, options);
  if (response.status === 204) return null;
  const content = await response.json().catch(() => ({}));
  if (!response.ok)
    throw new Refusal(content.code ?? "unavailable", content.detail ?? response.statusText, content.clause);
  return content;
}

/** Lets a viewer without a seat see a private table. @param {string} invite @returns {Record<string, string>} */
const inviteHeader = (invite) => (invite ? { "Tablee-Invite": invite } : {});

/** Where people open this server. @returns {Promise<import("./types.js").ServerAddress>} */
export const getAddress = () => request("GET", "/api/address");

// Games and bots

/** @typedef {import("./types.js").GameInfo} GameInfo */

/** @returns {Promise<GameInfo[]>} */
export const listGames = () => request("GET", "/api/games");

/** @param {string} game @returns {Promise<GameInfo>} */
export const getGame = (game) => request("GET", `/api/games/${game}`);

/** @param {string} game @returns {Promise<import("./types.js").Rules>} */
export const getRules = (game) => request("GET", `/api/games/${game}/rules`);

/** @param {string} game @returns {Promise<import("./types.js").ExampleInfo[]>} */
export const listExamples = (game) => request("GET", `/api/games/${game}/examples`);

/**
 * Get the position of an example after some moves.
 * @param {string} game
 * @param {string} name
 * @param {string[]} moves
 * @returns {Promise<import("./types.js").ExampleShown>}
 */
export function getExample(game, name, moves) {
  const query = new URLSearchParams(moves.map((move) => ["move", move]));
  return request("GET", `/api/games/${game}/examples/${name}?${query}`);
}

/**
 * Ask why a move is not possible in an example.
 * @param {string} game
 * @param {string} name
 * @param {import("./types.js").ExampleQuestion} question
 * @returns {Promise<import("./types.js").ExampleExplanation>}
 */
export const explainExample = (game, name, question) =>
  request("POST", `/api/games/${game}/examples/${name}/explanation`, question);

// Puzzles

/** @returns {Promise<import("./types.js").PuzzlesShown[]>} the games that have some */
export const listPuzzles = () => request("GET", "/api/puzzles");

/**
 * Get a puzzle: the one with an id, or the next for this player, after the one shown before.
 * @param {string} game
 * @param {string} id
 * @param {string} [after]
 * @returns {Promise<import("./types.js").PuzzleShown>}
 */
export const getPuzzle = (game, id, after = "") =>
  request("GET", id ? `/api/games/${game}/puzzles/${id}` : `/api/games/${game}/puzzle?${new URLSearchParams({ after })}`);

/** @param {string} game @param {string} id @param {string} move @returns {Promise<import("./types.js").AttemptShown>} */
export const tryPuzzle = (game, id, move) => request("POST", `/api/games/${game}/puzzles/${id}/attempts`, { move });

/**
 * Ask why a move is not possible in a puzzle.
 * @param {string} game
 * @param {string} id
 * @param {import("./types.js").PuzzleQuestion} question
 * @returns {Promise<import("./types.js").ExampleExplanation>}
 */
export const explainPuzzle = (game, id, question) =>
  request("POST", `/api/games/${game}/puzzles/${id}/explanation`, question);

// Bots

/** @returns {Promise<import("./types.js").BotInfo[]>} */
export const listBots = () => request("GET", "/api/bots");

// Tables

/** @returns {Promise<import("./types.js").Lobby>} */
export const listTables = () => request("GET", "/api/tables");

/** @param {import("./types.js").NewTable} settings @returns {Promise<import("./types.js").TableShown>} */
export const createTable = (settings) => request("POST", "/api/tables", settings);

/** @param {string} game @returns {Promise<import("./types.js").TableShown>} */
export const quickPlay = (game) => request("POST", `/api/games/${game}/quick-play`);

/** @param {string} game @param {boolean} isNew @returns {Promise<import("./types.js").TableShown>} */
export const openLesson = (game, isNew) => request("POST", `/api/games/${game}/lesson`, { is_new: isNew });

// Daily tables

/** @param {string} day empty: today @returns {Promise<import("./types.js").DailyDay>} */
export const getDaily = (day) => request("GET", day ? `/api/daily/${encodeURIComponent(day)}` : "/api/daily");

/** One's only try of today, begun or continued. @param {string} game @returns {Promise<import("./types.js").TableShown>} */
export const beginDaily = (game) => request("POST", `/api/games/${game}/daily`);

/** @param {string} day @param {string} game @returns {Promise<import("./types.js").TableShown>} */
export const practiseDaily = (day, game) => request("POST", `/api/daily/${day}/${game}/practice`);

/** @returns {Promise<import("./types.js").DailyPast[]>} */
export const listDailyPast = () => request("GET", "/api/me/daily");

/** @param {string} table @param {string} invite @returns {Promise<import("./types.js").TableShown>} */
export const getTable = (table, invite) => request("GET", `/api/tables/${table}`, undefined, inviteHeader(invite));

/**
 * @param {string} table
 * @param {string} invite
 * @returns {Promise<import("./types.js").ChatShown[]>}
 */
export const getChat = (table, invite) => request("GET", `/api/tables/${table}/chat`, undefined, inviteHeader(invite));

/** Get the invite link; for those who sit at the table. @param {string} table @returns {Promise<import("./types.js").Invitation>} */
export const getInvitation = (table) => request("GET", `/api/tables/${table}/invitation`);

/**
 * Get the lines of the log before a line, given by its index.
 * @param {string} table
 * @param {number} before
 * @param {string} invite
 * @returns {Promise<import("./types.js").LogPage>}
 */
export const getLog = (table, before, invite) =>
  request("GET", `/api/tables/${table}/log?before=${before}`, undefined, inviteHeader(invite));

const MAX_LINES = 1000; // of one page of the log

/**
 * Get the whole log as a seat knows it, and the score sheet.
 * @param {string} table
 * @param {number} seat
 * @param {string} invite
 */
export async function getWholeLog(table, seat, invite) {
  /** @type {import("./types.js").LogLine[]} */
  const lines = [];
  for (let query = ""; ; ) {
    const address = `/api/tables/${table}/log?seat=${seat}&limit=${MAX_LINES}${query}`;
    /** @type {import("./types.js").LogPage} */
    const page = await request("GET", address, undefined, inviteHeader(invite));
    lines.unshift(...page.lines);
    if (page.first === 0) return { lines, rounds: page.rounds };
    query = `&before=${page.first}`;
  }
}

/** @param {string} table @param {string} invite @returns {Promise<import("./types.js").PresenceShown[]>} */
export const getPresence = (table, invite) =>
  request("GET", `/api/tables/${table}/presence`, undefined, inviteHeader(invite));

// Replays and records

/**
 * Get the view after some moves.
 * @param {string} table
 * @param {number} moves
 * @param {number | null} seat null: with everything revealed
 * @param {string} invite
 * @returns {Promise<import("./types.js").Moment>}
 */
export function getMoment(table, moves, seat, invite) {
  const viewer = seat === null ? "open=true" : `seat=${seat}`;
  return request("GET", `/api/tables/${table}/moments/${moves}?${viewer}`, undefined, inviteHeader(invite));
}

/**
 * Get what the hidden pieces of a position could have been, by what a seat knew.
 * @param {string} table
 * @param {number} moves
 * @param {number} seat
 * @param {string} invite
 * @returns {Promise<import("./types.js").BeliefsShown>}
 */
export const getBeliefs = (table, moves, seat, invite) =>
  request("GET", `/api/tables/${table}/moments/${moves}/beliefs?seat=${seat}`, undefined, inviteHeader(invite));

/** Ask the coach about one's own decision. @param {string} table @returns {Promise<import("./types.js").HintShown>} */
export const getHint = (table) => request("GET", `/api/tables/${table}/hint`);

/** @param {string} table @param {string} invite @returns {Promise<import("./types.js").Points[]>} */
export const getPoints = (table, invite) =>
  request("GET", `/api/tables/${table}/points`, undefined, inviteHeader(invite));

/** @param {string} table @param {string} invite @returns {Promise<import("./types.js").ReviewShown>} */
export const getReview = (table, invite) =>
  request("GET", `/api/tables/${table}/review`, undefined, inviteHeader(invite));

/** Have a finished game reviewed. @param {string} table @param {string} invite @returns {Promise<import("./types.js").ReviewShown>} */
export const requestReview = (table, invite) =>
  request("POST", `/api/tables/${table}/review`, undefined, inviteHeader(invite));

/**
 * @param {string} table
 * @param {import("./types.js").NewFork} settings
 * @param {string} invite
 * @returns {Promise<import("./types.js").TableShown>}
 */
export const forkTable = (table, settings, invite) =>
  request("POST", `/api/tables/${table}/forks`, settings, inviteHeader(invite));

/** @param {string} table @param {string} invite @returns {Promise<Blob>} */
export async function downloadRecord(table, invite) {
  const response = await fetch(`/api/tables/${table}/record`, { headers: inviteHeader(invite) });
  if (!response.ok) throw new Refusal("unavailable", response.statusText);
  return response.blob();
}

/** @param {string} record @returns {Promise<import("./types.js").ImportedRecord>} */
export const uploadRecord = (record) => request("POST", "/api/records", { record });

// The player

/** @returns {Promise<import("./types.js").GameStatistics[]>} */
export const getStatistics = () => request("GET", "/api/statistics");

/** @param {string} game @returns {Promise<import("./types.js").GameProgress>} */
export const getProgress = (game) => request("GET", `/api/statistics/${game}/progress`);

/** @returns {Promise<import("./types.js").Transfer>} a code that copies the identity to another device */
export const newTransfer = () => request("POST", "/api/me/transfers", {});

/** Become the person whose code it is. @param {string} code @returns {Promise<import("./types.js").Me>} */
export const useTransfer = (code) => request("PUT", "/api/me/device", { code });

/** @returns {Promise<import("./types.js").Me>} */
export const signOutOthers = () => request("DELETE", "/api/me/devices");

/** @returns {Promise<import("./types.js").Contact>} */
export const getContact = () => request("GET", "/api/me/contact");

/** @param {string} contact @returns {Promise<import("./types.js").Contact>} */
export const saveContact = (contact) => request("PUT", "/api/me/contact", { contact });

/** @returns {Promise<null>} */
export const deleteEverything = () => request("DELETE", "/api/me/everything");

/** @param {string} name @returns {Promise<import("./types.js").Me>} */
export async function setName(name) {
  const me = await request("PUT", "/api/me", { name, is_program: false });
  saveSetting("name", me.name);
  return me;
}

/**
 * Get the player's identity, or null without a name. Only asks the server if the page does not say and a name is stored.
 * @returns {Promise<import("./types.js").Me | null>}
 */
export async function getMe() {
  const known = takeAnswer("/api/me");
  if (known) return /** @type {import("./types.js").Me} */ (known);
  if (!setting("name")) return null;
  try {
    return await request("GET", "/api/me");
  } catch (refusal) {
    if (refusal instanceof Refusal && refusal.code === "no_name") return setName(setting("name"));
    throw refusal;
  }
}
