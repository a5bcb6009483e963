/** The texts of our own pages; the texts of games come from the server, already translated. */

import { ELIDED } from "./languages.js";

/** @typedef {{[key: string]: any}} Catalogue */

/** @type {Catalogue} */
let catalogue = {};
let plurals = new Intl.PluralRules("en");
/** A word that is elided before a vowel, and the parameter after it. */
let elided = elisions("en");
// As in `tablee.core.elision`: letters without accents.
const SPOKEN_VOWEL = /^(h?[aeiouœæ]|hy|y(?![aeiou]))\p{L}/iu;

/**
 * Load a language's catalogue; `translate` uses it from then on.
 * @param {string} language
 */
export async function loadLanguage(language) {
  const response = await fetch(`/languages/${language}/web.json`);
  catalogue = await response.json();
  plurals = new Intl.PluralRules(language);
  elided = elisions(language);
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
  const joined = text.replace(elided, (/** @type {string} */ found, /** @type {string} */ word, /** @type {string} */ name) =>
    SPOKEN_VOWEL.test(String(values[name]).normalize("NFD").replace(/\p{M}/gu, "")) ? `${word.slice(0, -1)}’{${name}}` : found);
  return withoutBreaks(joined).replace(/\{(\w+)\}/g, (/** @type {string} */ _, /** @type {string} */ name) => String(values[name]));
}

/** Keep French punctuation on the line of its word: the spaces before it do not break. @param {string} text */
const withoutBreaks = (text) => text.replace(/ (?=[:;?!»])/g, "\u00a0").replace(/« /g, "«\u00a0");

/** @param {string} language */
function elisions(language) {
  const words = ELIDED[language] ?? [];
  return words.length ? new RegExp(`\\b(${words.join("|")}) \\{(\\w+)\\}`, "gi") : /(?!)/g;
}
