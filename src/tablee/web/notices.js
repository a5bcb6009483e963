/** Telling those who listen what happened, and everybody what was refused. */

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
