/** Telling a player that it is his turn: in the title, by a sound, by vibration; and telling those who listen what happened. */

import { setting } from "./settings.js";
import { knock } from "./sounds.js";

/** Say by sound and touch that it is the player's turn, as far as he wants to be told and the browser lets us. */
export function noticeTurn() {
  const isActive = navigator.userActivation?.hasBeenActive ?? false;
  if (!isActive) return; // browsers refuse both before the first touch
  knock();
  if (setting("vibration") === "on") navigator.vibrate?.(60);
}

/**
 * Announce something to those who listen.
 * @param {string} text
 */
export function announce(text) {
  const region = document.getElementById("announcements");
  if (!region || !text) return;
  const line = document.createElement("p");
  line.textContent = text;
  region.append(line);
  while (region.childElementCount > 12) region.firstElementChild?.remove();
}

/**
 * Show a short message for a while: what was refused and why.
 * @param {string} text
 * @param {{label: string, run: () => void} | null} [action]
 */
export function inform(text, action = null) {
  dispatchEvent(new CustomEvent("tablee-notice", { detail: { text, action } }));
}
