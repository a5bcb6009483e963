"""Static files of the front end and of the games, and the headers of every response."""

from __future__ import annotations

import gzip
import hashlib
import json
import mimetypes
import os
import re
from collections.abc import Mapping
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
from tablee.core.languages import languages
from tablee.core.registry import all_games
from tablee.server.javascript import strip_comments

WEB = Path(tablee.__file__).parent / "web"
CONTENT_SECURITY_POLICY = (
    "default-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin"}
PAGE_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
MEDIA_TYPES = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
}
PUBLIC_PATHS = ("/api/games", "/api/bots")
SUBRESOURCE_SUFFIXES = (".js", ".css", ".woff2")  # never shown as a page of their own
TEXT_SUFFIXES = (".js", ".css", ".svg", ".html", ".json", ".webmanifest")
IDENTITY = "identity"  # HTTP's name for "not encoded"
WORKER = "/worker.js"  # a service worker takes its policy from the headers of its own script


class SecurityHeaders:
    """Middleware that adds the security headers, and `Cache-Control` where a response has none.

    Headers that browsers read from pages only are left out of subresources.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                for name, value in () if is_subresource(scope["path"]) else PAGE_HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store" if scope["path"].startswith("/api/") else "no-cache")
            await send(message)

        await self._app(scope, receive, send_with_headers)


class PublicCompression:
    """Middleware that compresses API responses which are the same for everybody.

    Personal responses are not compressed: their length could reveal a secret (the BREACH attack).
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._compressing = GZipMiddleware(app, minimum_size=500)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        is_public = scope["type"] == "http" and scope["path"].startswith(PUBLIC_PATHS)
        await (self._compressing if is_public else self._app)(scope, receive, send)


class CompressedFiles(StaticFiles):
    """Files of a folder; texts are compressed once and kept in memory, scripts without their comments."""

    def file_response(
        self, full_path: str | os.PathLike[str], stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """Return a file, or 304 if the client has it."""
        if not str(full_path).endswith(TEXT_SUFFIXES):
            return super().file_response(full_path, stat_result, scope, status_code)
        request_headers = Headers(scope=scope)
        encodings, digest = encode_file(str(full_path), stat_result.st_mtime_ns)
        response = _chosen(encodings, digest, request_headers, {}, mimetypes.guess_type(str(full_path))[0], status_code)
        if self.is_not_modified(response.headers, request_headers):
            return NotModifiedResponse(response.headers)
        return response


class GameFiles(CompressedFiles):
    """Files of a game's folder, which may be made, changed and removed while the server runs."""

    async def check_config(self) -> None:
        """Accept a folder that does not exist: its files are not found."""


@lru_cache(maxsize=512)
def encode_file(path: str, _modified_ns: int) -> tuple[dict[str, bytes], str]:
    """Return a text file by content encoding, best first, and its digest; the time of change is part of the key."""
    content = Path(path).read_bytes()
    if path.endswith(".js"):
        content = strip_comments(content)
    return encode_content(content)


@lru_cache(maxsize=64)
def encode_content(content: bytes) -> tuple[dict[str, bytes], str]:
    """Return a text by content encoding, best first, and its digest."""
    encodings = {"br": brotli.compress(content), "gzip": gzip.compress(content, mtime=0), IDENTITY: content}
    return encodings, hashlib.blake2b(content, digest_size=8).hexdigest()


def encoded_response(
    content: bytes, request_headers: Headers, headers: Mapping[str, str], media_type: str, status_code: int = 200
) -> Response:
    """Return a text that is the same for everybody, in the best encoding that the client accepts."""
    return _chosen(*encode_content(content), request_headers, headers, media_type, status_code)


def _chosen(
    encodings: Mapping[str, bytes],
    digest: str,
    request_headers: Headers,
    headers: Mapping[str, str],
    media_type: str | None,
    status_code: int,
) -> Response:
    accepted = re.findall(r"\w+", request_headers.get("accept-encoding", ""))
    encoding = next((name for name in encodings if name in accepted), IDENTITY)
    vary = ", ".join(filter(None, (headers.get("Vary"), "Accept-Encoding")))
    sent = {**headers, "ETag": f'"{digest}"', "Vary": vary}
    if encoding != IDENTITY:
        sent["Content-Encoding"] = encoding
    return Response(encodings[encoding], status_code, sent, media_type)


def is_subresource(path: str) -> bool:
    """Whether browsers load a path only as part of a page."""
    return path.endswith(SUBRESOURCE_SUFFIXES) and path != WORKER


def language_module() -> bytes:
    """Return the languages to choose from, as a JavaScript module: by code their names, and which words they elide."""
    exported = {
        "LANGUAGES": {code: language.name for code, language in languages().items()},
        "ELIDED": {code: language.elided for code, language in languages().items()},
    }
    lines = (
        f"export const {name} = Object.freeze({json.dumps(value, ensure_ascii=False)});\n"
        for name, value in exported.items()
    )
    return "".join(lines).encode()


async def language_list() -> Response:
    """Return the module of languages."""
    return Response(language_module(), media_type=MEDIA_TYPES[".js"])


def mount_files(app: FastAPI) -> None:
    """Serve the games' files below /games and the front end's at /; call it last, as / matches every path."""
    for suffix, media_type in MEDIA_TYPES.items():
        mimetypes.add_type(media_type, suffix)
    for code, language in languages().items():
        app.mount(f"/languages/{code}", CompressedFiles(directory=language.folder))
    app.get("/languages.js", include_in_schema=False)(language_list)
    for game in all_games():
        for folder in ("web", "pictures"):
            app.mount(f"/games/{game.name}/{folder}", GameFiles(directory=game.folder / folder, check_dir=False))
    if WEB.is_dir():
        app.mount("/", CompressedFiles(directory=WEB))
