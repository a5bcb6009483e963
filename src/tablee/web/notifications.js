/** Announcements to screen readers, and short messages on screen. */

const MAX_ANNOUNCEMENTS = 12; // lines kept in the live region

/**
 * Announce something to screen readers.
 * @param {string} text
 */
export function announce(text) {
  const region = document.getElementById("announcements");
  if (!region || !text) return;
  const line = document.createElement("p");
  line.textContent = text;
  region.append(line);
  while (region.childElementCount > MAX_ANNOUNCEMENTS) region.firstElementChild?.remove();
}

/** Start a sentence with a capital letter. @param {string} text */
export const capitalize = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * Show a short message for a few seconds, such as why a command was refused; an empty text hides the current one.
 * @param {string} text
 * @param {{label: string, run: () => void} | null} [action]
 */
export function notify(text, action = null) {
  dispatchEvent(new CustomEvent("tablee-notification", { detail: { text, action } }));
}
