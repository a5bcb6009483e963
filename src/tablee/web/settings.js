/** The player's settings, stored in this browser. */

import { LANGUAGES } from "./languages.js";

const PREFIX = "tablee.";
const FALLBACK_LANGUAGE = "en";

/** @typedef {"language" | "theme" | "sound" | "vibration" | "motion" | "notify" | "pace" | "warnings" | "name" | "guest"} SettingName */

/** @type {Record<SettingName, string>} */
const DEFAULTS = {
  language: browserLanguage(),
  theme: "auto",
  sound: "off",
  vibration: "off",
  motion: "on",
  notify: "off",
  pace: "normal",
  warnings: "off", // before a blunder, where the coach is on
  name: "",
  guest: "off", // on: the name was not chosen
};

/** The first language of the browser that the app has. */
function browserLanguage() {
  const codes = navigator.languages.map((tag) => tag.split("-")[0]);
  return codes.find((code) => code in LANGUAGES) ?? FALLBACK_LANGUAGE;
}

/** @type {Map<string, string>} for browsers without storage */
const current = new Map();

/**
 * @param {SettingName} name
 * @returns {string}
 */
export function setting(name) {
  return current.get(name) ?? stored(PREFIX + name) ?? DEFAULTS[name];
}

/**
 * @param {SettingName} name
 * @param {string} value
 */
export function saveSetting(name, value) {
  current.set(name, value);
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // Without storage the setting lasts until the page is closed.
  }
  if (name === "theme") applyTheme();
  if (name === "language") tellServer(value);
}

/** Keep the language in a cookie too: the server renders a part of each page. @param {string} language */
function tellServer(language) {
  document.cookie = `tablee-language=${language}; path=/; max-age=31536000; samesite=lax`;
}

/** @param {string} key */
function stored(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const prefersReducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
prefersDark.addEventListener("change", applyTheme);

/** Apply the chosen theme, or the system's. */
export function applyTheme() {
  const theme = setting("theme");
  const isDark = theme === "dark" || (theme === "auto" && prefersDark.matches);
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
}

/** Whether pieces should fade instead of travelling. */
export function isMotionReduced() {
  return prefersReducedMotion.matches || setting("motion") === "off";
}
