/** What a person has chosen once and should not have to choose again: kept in this browser. */

import { LANGUAGES } from "./languages.js";

const PREFIX = "tablee.";
const isPhone = matchMedia("(pointer: coarse)").matches;

/** @typedef {"language" | "theme" | "sound" | "vibration" | "motion" | "name"} SettingName */

/** @type {Record<SettingName, string>} */
const DEFAULTS = {
  language: navigator.languages.map((tag) => tag.slice(0, 2)).find((code) => code in LANGUAGES) ?? "en",
  theme: "auto",
  sound: isPhone ? "off" : "on",
  vibration: "on",
  motion: "on",
  name: "",
};

/** @type {Map<string, string>} for browsers that keep nothing */
const remembered = new Map();

/**
 * @param {SettingName} name
 * @returns {string}
 */
export function setting(name) {
  return remembered.get(name) ?? stored(PREFIX + name) ?? DEFAULTS[name];
}

/**
 * @param {SettingName} name
 * @param {string} value
 */
export function remember(name, value) {
  remembered.set(name, value);
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // A browser that keeps nothing still has it until the page is closed.
  }
  if (name === "theme") showTheme();
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
const prefersStillness = matchMedia("(prefers-reduced-motion: reduce)");
prefersDark.addEventListener("change", showTheme);

/** Put the page in the chosen theme, or the system's. */
export function showTheme() {
  const theme = setting("theme");
  const isDark = theme === "dark" || (theme === "auto" && prefersDark.matches);
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
}

/** Whether pieces should travel, or only change. */
export function isStill() {
  return prefersStillness.matches || setting("motion") === "off";
}
