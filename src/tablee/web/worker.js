/**
 * The service worker. It never answers with an old file while there is a network: everything comes from the server, and
 * only without it do people get the page that says so, with what that page needs.
 */

const KEPT = "offline-2"; // raised when one of these files changes
const FILES = ["/offline.html", "/styles/tokens.css", "/styles/base.css", "/styles/pages.css", "/icon.svg"];

addEventListener("install", (event) => {
  /** @type {any} */ (event).waitUntil(keep().then(() => /** @type {any} */ (self).skipWaiting()));
});

addEventListener("activate", (event) => {
  /** @type {any} */ (event).waitUntil(forget().then(() => /** @type {any} */ (self).clients.claim()));
});

addEventListener("fetch", (event) => {
  const { request } = /** @type {any} */ (event);
  const isPage = request.mode === "navigate";
  if (isPage) /** @type {any} */ (event).respondWith(fetch(request).catch(() => caches.match("/offline.html")));
  else if (request.method === "GET" && FILES.includes(new URL(request.url).pathname))
    /** @type {any} */ (event).respondWith(fetch(request).catch(() => caches.match(request)));
});

async function keep() {
  const cache = await caches.open(KEPT);
  await cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" })));
}

async function forget() {
  const old = (await caches.keys()).filter((name) => name !== KEPT);
  await Promise.all(old.map((name) => caches.delete(name)));
}
