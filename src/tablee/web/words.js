/** What people read on our own pages; the words of games come from the server, already in the language. */

import { takeAhead } from "./ahead.js";

/** @typedef {{[key: string]: any}} Catalogue */

/** @type {Catalogue} */
let catalogue = {};
let plurals = new Intl.PluralRules("en");

/**
 * Load a language's catalogue; `say` speaks it from then on.
 * @param {string} language
 */
export async function speak(language) {
  const address = `/languages/${language}/web.json`;
  const answer = (await takeAhead(address)) ?? (await fetch(address));
  catalogue = await answer.json();
  plurals = new Intl.PluralRules(language);
  document.documentElement.lang = language;
}

/**
 * Say something: `say("lobby.free", {n: 3})`. A phrase with `one` and `other` is chosen by `n`.
 * @param {string} key
 * @param {{[name: string]: unknown}} [values]
 * @returns {string}
 */
export function say(key, values = {}) {
  const phrase = key.split(".").reduce((branch, part) => branch?.[part], catalogue);
  const text = typeof phrase === "object" ? (phrase[plurals.select(Number(values.n))] ?? phrase.other) : phrase;
  if (text === undefined) throw new Error(`no words for ${key}`);
  return text.replace(/\{(\w+)\}/g, (/** @type {string} */ _, /** @type {string} */ name) => String(values[name]));
}
