/** Times as people read them. */

import { setting } from "./settings.js";

/** Minutes and seconds, with hours if there are any: 4:05, 1:04:05. @param {number} seconds */
export function clockText(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] ? parts : parts.slice(1);
  return shown.map((part, index) => (index ? String(part).padStart(2, "0") : part)).join(":");
}

/** A day in words. @param {string} day YYYY-MM-DD */
export const dayText = (day) =>
  new Intl.DateTimeFormat(setting("language"), { dateStyle: "long", timeZone: "UTC" }).format(new Date(`${day}T00:00:00Z`));

/** The hour and minute of a time of the server. @param {number} seconds */
export const timeOfDay = (seconds) =>
  new Intl.DateTimeFormat(setting("language"), { timeStyle: "short" }).format(seconds * 1000);
