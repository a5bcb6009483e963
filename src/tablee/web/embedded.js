/** What the server has put into the page: answers to the requests that the page would send first, and its table. */

import { setting } from "./settings.js";

/**
 * @typedef {object} Embedded
 * @property {string} language of all texts below
 * @property {Record<string, unknown>} answers to GET requests, by path without the language
 * @property {import("./types.js").TableMessage | null} table
 */

/** @type {Embedded} */
const embedded = read();

/** @returns {Embedded} */
function read() {
  const nothing = { language: "", answers: {}, table: null };
  const found = JSON.parse(document.getElementById("embedded")?.textContent || "null");
  return found?.language === setting("language") ? found : nothing; // else the person has chosen another language
}

/**
 * Take the answer to a GET request, once; undefined if there is none.
 * @param {string} path
 */
export function takeAnswer(path) {
  const answer = embedded.answers[path];
  delete embedded.answers[path];
  return answer;
}

/**
 * Take the table of the page, once; null if it is another one.
 * @param {string} id
 */
export function takeTable(id) {
  const { table } = embedded;
  if (table?.table.id !== id) return null;
  embedded.table = null;
  return table;
}
