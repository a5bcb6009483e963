/**
 * The service worker. Everything comes from the server while it can be reached; without a network it answers with the
 * offline page and the files that page needs, never with an old version of another file.
 */

const CACHE = "offline-3"; // raise the number when one of these files changes
const FILES = ["/offline.html", "/styles/tokens.css", "/styles/base.css", "/styles/pages.css", "/icon.svg"];

addEventListener("install", (event) => {
  /** @type {any} */ (event).waitUntil(fillCache().then(() => /** @type {any} */ (self).skipWaiting()));
});

addEventListener("activate", (event) => {
  /** @type {any} */ (event).waitUntil(deleteOldCaches().then(() => /** @type {any} */ (self).clients.claim()));
});

addEventListener("fetch", (event) => {
  const { request } = /** @type {any} */ (event);
  const isPage = request.mode === "navigate";
  if (isPage) /** @type {any} */ (event).respondWith(fetch(request).catch(() => caches.match("/offline.html")));
  else if (request.method === "GET" && FILES.includes(new URL(request.url).pathname))
    /** @type {any} */ (event).respondWith(fetch(request).catch(() => caches.match(request)));
});

/** A click on a notification shows the table: in a page that is open, or in a new one. */
addEventListener("notificationclick", (event) => {
  const { notification } = /** @type {any} */ (event);
  notification.close();
  /** @type {any} */ (event).waitUntil(openPage(notification.data.address));
});

/** @param {string} address */
async function openPage(address) {
  const { clients } = /** @type {any} */ (self);
  const [page] = await clients.matchAll({ type: "window" });
  if (!page) return clients.openWindow(address);
  await page.focus();
  return page.navigate(address);
}

async function fillCache() {
  const cache = await caches.open(CACHE);
  await cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" })));
}

async function deleteOldCaches() {
  const old = (await caches.keys()).filter((name) => name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
}
