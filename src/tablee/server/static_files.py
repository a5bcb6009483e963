"""The front end's files and the games' own, as they are, with what browsers must be told about them."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import os
import re
from functools import lru_cache
from pathlib import Path

import brotli
from fastapi import FastAPI
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import tablee
from tablee.core.registry import all_games

WEB = Path(tablee.__file__).parent / "web"
POLICY = (
    "default-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin"}
PAGE_HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".svg": "image/svg+xml", ".woff2": "font/woff2"}
TYPES |= {".webmanifest": "application/manifest+json", ".webp": "image/webp"}
PUBLIC = ("/api/games", "/api/bots")
PARTS = (".js", ".css", ".woff2")  # what is never shown as a page of its own
PLAIN = "identity"
WORKER = "/worker.js"  # the one script that brings its own policy
TEXTS = (".js", ".css", ".svg", ".html", ".json", ".webmanifest")
COMMENT = re.compile(r"^[ \t]*(?:/\*.*?\*/|//[^\n]*)", re.DOTALL | re.MULTILINE)


class SafeHeaders:
    """Puts the headers on every answer; nothing is kept without asking whether it has changed.

    What browsers take from pages alone is not said again with each of their many parts.
    """

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
                headers.update(HEADERS if is_part(scope["path"]) else HEADERS | PAGE_HEADERS)
                headers.setdefault("Cache-Control", "no-store" if scope["path"].startswith("/api/") else "no-cache")
            await send(message)

        await self._app(scope, receive, send_with_headers)


class Compressed:
    """Compresses answers that are the same for everybody; never one person's: its length could tell a secret."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._compressing = GZipMiddleware(app, minimum_size=500)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        is_public = scope["type"] == "http" and scope["path"].startswith(PUBLIC)
        await (self._compressing if is_public else self._app)(scope, receive, send)


class Files(StaticFiles):
    """Files of a folder; texts are sent without comments, and compressed once."""

    def file_response(
        self, full_path: str | os.PathLike[str], stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """Return a file, or that it has not changed."""
        if not str(full_path).endswith(TEXTS):
            return super().file_response(full_path, stat_result, scope, status_code)
        asked = Headers(scope=scope)
        forms, tag = prepared(str(full_path), stat_result.st_mtime_ns)
        accepted = re.findall(r"\w+", asked.get("accept-encoding", ""))
        form = next((form for form in forms if form in accepted), PLAIN)
        headers = {"ETag": f'"{tag}"', "Vary": "Accept-Encoding"}
        if form != PLAIN:
            headers["Content-Encoding"] = form
        response = Response(forms[form], status_code, headers, mimetypes.guess_type(str(full_path))[0])
        return NotModifiedResponse(response.headers) if self.is_not_modified(response.headers, asked) else response


@lru_cache(maxsize=512)
def prepared(path: str, _changed: int) -> tuple[dict[str, bytes], str]:
    """Return a text in each form it is sent in, the shortest first, and the digest that tells a change."""
    text = Path(path).read_text(encoding="utf-8")
    plain = (without_comments(text) if path.endswith((".js", ".css")) else text).encode()
    forms = {"br": brotli.compress(plain), "gzip": gzip.compress(plain, mtime=0), PLAIN: plain}
    return forms, hashlib.blake2b(plain, digest_size=8).hexdigest()


def without_comments(text: str) -> str:
    """Leave out comments that begin a line, but licences; what follows stays in its line, as errors name lines."""
    return COMMENT.sub(lambda found: found[0] if "@license" in found[0] else "\n" * found[0].count("\n"), text)


def is_part(path: str) -> bool:
    """Whether an answer is only ever a part of a page."""
    return path.endswith(PARTS) and path != WORKER


def serve_files(app: FastAPI) -> None:
    """Serve the games' files and, below everything else, the front end's."""
    for suffix, kind in TYPES.items():
        mimetypes.add_type(kind, suffix)
    for game in all_games():
        for part in ("web", "pictures"):
            if (game.folder / part).is_dir():
                app.mount(f"/games/{game.name}/{part}", Files(directory=game.folder / part))
    if WEB.is_dir():
        app.mount("/", Files(directory=WEB, html=True))
