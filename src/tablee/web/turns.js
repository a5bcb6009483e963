/** Tells players that it is their turn while they look elsewhere: a notification of the system, sound and vibration. */

import { tableAddress } from "./addresses.js";
import { listTables } from "./api.js";
import { identity } from "./identity.js";
import { setting } from "./settings.js";
import { playTurnSignal } from "./sounds.js";
import { translate } from "./words.js";

const POLL_MILLISECONDS = 30_000;

/** Whether this browser can show notifications here; over plain http it cannot. */
export const canNotify = () => "Notification" in window && "serviceWorker" in navigator;

/** Ask for the permission; return whether it was given. */
export async function requestPermission() {
  return canNotify() && (await Notification.requestPermission()) === "granted";
}

/**
 * Show a notification if the player wants it and does not see the page.
 * @param {string} table id
 * @param {string} title of the game
 */
export async function notifyTurn(table, title) {
  if (setting("notify") !== "on" || !document.hidden || !canNotify() || Notification.permission !== "granted") return;
  const worker = await navigator.serviceWorker.ready;
  await worker.showNotification(translate("table.your_turn"), {
    body: title,
    icon: "/icons/192.png",
    tag: `turn-${table}`, // replaces the last one of this table
    data: { address: tableAddress(table) },
  });
}

/** Ask now and then whether it has become the player's turn at a table that no page shows. */
export function watchTurns() {
  /** @type {Set<string> | null} tables at which it was the player's turn when last asked; null: not asked yet */
  let known = null;
  const ask = async () => {
    if (setting("notify") !== "on" || !identity.me) return;
    const { mine } = await listTables();
    const waiting = mine.filter((table) => table.is_your_turn);
    const isShown = (/** @type {string} */ id) => location.pathname === tableAddress(id);
    for (const { id, title } of waiting.filter((table) => known && !known.has(table.id) && !isShown(table.id))) {
      playTurnSignal();
      await notifyTurn(id, title);
    }
    known = new Set(waiting.map(({ id }) => id));
  };
  return setInterval(() => ask().catch(() => {}), POLL_MILLISECONDS); // without a network there is nothing to tell
}
