"""The front end's files and the games' own, as they are, with what browsers must be told about them."""

from __future__ import annotations

import mimetypes
from pathlib import Path

from fastapi import FastAPI
from starlette.datastructures import MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import tablee
from tablee.core.registry import all_games

WEB = Path(tablee.__file__).parent / "web"
POLICY = (
    "default-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".svg": "image/svg+xml", ".woff2": "font/woff2"}
TYPES |= {".webmanifest": "application/manifest+json", ".webp": "image/webp"}
PUBLIC = ("/api/games", "/api/bots")
COMPRESSED = (".woff2", ".png", ".webp")


class SafeHeaders:
    """Puts the headers on every answer; nothing is kept without asking whether it has changed."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store" if scope["path"].startswith("/api/") else "no-cache")
            await send(message)

        await self._app(scope, receive, send_with_headers)


class Compressed:
    """Compresses what is the same for everybody; never what belongs to one person: its length could tell a secret."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._compressing = GZipMiddleware(app, minimum_size=500)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        is_public = scope["type"] == "http" and is_compressible(scope["path"])
        await (self._compressing if is_public else self._app)(scope, receive, send)


def is_compressible(path: str) -> bool:
    """Whether an answer is public, and not compressed already."""
    if path.startswith("/api/"):
        return path.startswith(PUBLIC)
    return not path.endswith(COMPRESSED)


def serve_files(app: FastAPI) -> None:
    """Serve the games' files and, below everything else, the front end's."""
    for suffix, kind in TYPES.items():
        mimetypes.add_type(kind, suffix)
    for game in all_games():
        for part in ("web", "pictures"):
            if (game.folder / part).is_dir():
                app.mount(f"/games/{game.name}/{part}", StaticFiles(directory=game.folder / part))
    if WEB.is_dir():
        app.mount("/", StaticFiles(directory=WEB, html=True))
