/** Times as people read them. */

/** Minutes and seconds, with hours if there are any: 4:05, 1:04:05. @param {number} seconds */
export function clockText(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] ? parts : parts.slice(1);
  return shown.map((part, index) => (index ? String(part).padStart(2, "0") : part)).join(":");
}
