/** The texts of our own pages; the texts of games come from the server, already translated. */

import { takePreloaded } from "./preload.js";

/** @typedef {{[key: string]: any}} Catalogue */

/** @type {Catalogue} */
let catalogue = {};
let plurals = new Intl.PluralRules("en");

/**
 * Load a language's catalogue; `translate` uses it from then on.
 * @param {string} language
 */
export async function loadLanguage(language) {
  const address = `/languages/${language}/web.json`;
  const response = (await takePreloaded(address)) ?? (await fetch(address));
  catalogue = await response.json();
  plurals = new Intl.PluralRules(language);
  document.documentElement.lang = language;
}

/**
 * Return a text in the current language: `translate("lobby.free", {n: 3})`. Of `one` and `other`, `n` chooses.
 * @param {string} key
 * @param {{[name: string]: unknown}} [values]
 * @returns {string}
 */
export function translate(key, values = {}) {
  const phrase = key.split(".").reduce((branch, part) => branch?.[part], catalogue);
  const text = typeof phrase === "object" ? (phrase[plurals.select(Number(values.n))] ?? phrase.other) : phrase;
  if (text === undefined) throw new Error(`no text for ${key}`);
  return text.replace(/\{(\w+)\}/g, (/** @type {string} */ _, /** @type {string} */ name) => String(values[name]));
}
