"""The HTML document of a page: its head, its scripts and styles, and what the scripts would otherwise ask for first."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from http import HTTPStatus
from typing import Any

import msgspec
from fastapi import Request
from starlette.responses import Response

from tablee.core.game import Game
from tablee.core.languages import languages, supported
from tablee.protocol.messages import TableMessage, encode
from tablee.server.bundles import BadModule, Bundle, digest_of, join_scripts, join_styles
from tablee.server.catalogue import own_file
from tablee.server.logs import log
from tablee.server.static_files import CONTENT_SECURITY_POLICY, MEDIA_TYPES, WEB, encoded_response, language_module

LANGUAGE_COOKIE = "tablee-language"  # what the person chose in the settings; a script sets it
SHELL = "shell"  # the bundle of pages that have no other
# The modules and styles that a page needs at once; those of other pages are loaded one by one when they are opened.
SCRIPTS = {
    SHELL: ("/app.js",),
    "lobby": ("/app.js", "/pages/lobby.js"),
    "table": ("/app.js", "/pages/table.js", "/parts/board.js"),
}
STYLES = ("/styles/tokens.css", "/styles/base.css", "/styles/pages.css")
MORE_STYLES = {"table": ("/styles/board.css",)}
HEAD_MARK, EMBEDDED_MARK = "<!-- head -->", "<!-- embedded -->"
FOREVER = "public, max-age=31536000, immutable"  # of what has its digest in its address
PERSONAL = "no-store"
PICTURE = "/icons/512.png"


@dataclass(frozen=True)
class Page:
    """What distinguishes one page from the others."""

    title: str
    description: str
    bundle: str = SHELL
    game: Game | None = None  # whose picture is shown in link previews, and whose board a table needs
    answers: Mapping[str, Any] = field(default_factory=dict)  # to GET requests, by path without the language
    table: TableMessage | None = None
    is_personal: bool = False  # it must not be stored, nor compressed: its length could reveal a secret (BREACH)
    status: int = HTTPStatus.OK


class Embedded(msgspec.Struct, frozen=True):
    """What the scripts of a page find in it (`web/embedded.js`)."""

    language: str
    answers: Mapping[str, Any]
    table: TableMessage | None = None


def language_of_page(request: Request) -> str:
    """Return the language of a page: the one chosen in the settings, else the first that the browser asks for."""
    asked = [request.cookies.get(LANGUAGE_COOKIE, "")]
    asked += [part.split(";")[0].strip() for part in request.headers.get("accept-language", "").split(",")]
    codes = [language.split("-")[0].lower() for language in asked]
    return supported(next((code for code in codes if code in languages()), None))


def page_response(request: Request, page: Page, language: str, address: str) -> Response:
    """Return the document of a page; `address` is the public address of the server, without a slash at the end."""
    scripts, import_map = _scripts(page.bundle)
    head = [*_about(page, address + request.url.path, address), *_styles(page), *scripts, *_board(page)]
    head.append(_preload(f"/languages/{language}/web.json", "fetch"))
    embedded = encode(Embedded(language, page.answers, page.table)).replace(b"<", rb"\u003c").decode()
    template = (WEB / "index.html").read_text(encoding="utf-8").replace('lang="en"', f'lang="{language}"', 1)
    template = template.replace(HEAD_MARK, "\n    ".join(head), 1)
    document = template.replace(
        EMBEDDED_MARK, f'<script type="application/json" id="embedded">{embedded}</script>', 1
    ).encode()
    headers = {"Vary": "Cookie, Accept-Language", "Content-Security-Policy": _policy(import_map)}
    if page.is_personal:
        headers["Cache-Control"] = PERSONAL
        return Response(document, page.status, headers, "text/html")
    return encoded_response(document, request.headers, headers, "text/html", page.status)


def _about(page: Page, url: str, address: str) -> Iterator[str]:
    """Yield title, description and Open Graph tags, from which link previews are made."""
    title, description = html.escape(page.title), html.escape(page.description)
    preview = own_file(page.game, "preview.png") if page.game else None
    yield f"<title>{title}</title>"
    yield f'<meta name="description" content="{description}">'
    facts = {"type": "website", "site_name": "Tablée", "title": title, "description": description}
    facts |= {"url": html.escape(url), "image": html.escape(address + (preview or PICTURE))}
    for name, content in facts.items():
        yield f'<meta property="og:{name}" content="{content}">'
    yield f'<meta name="twitter:card" content="{"summary_large_image" if preview else "summary"}">'


def _board(page: Page) -> Iterator[str]:
    """Yield the links to the board of a table's game."""
    if page.game is None or page.table is None:
        return
    if script := own_file(page.game, "board.js"):
        yield f'<link rel="modulepreload" href="{script}">'
    if style := own_file(page.game, "board.css"):
        yield f'<link rel="stylesheet" href="{style}">'


def _preload(address: str, kind: str) -> str:
    return f'<link rel="preload" as="{kind}" href="{address}" crossorigin>'


# Bundles


def _scripts(name: str) -> tuple[list[str], str]:
    """Return the script tags of a bundle, and its import map; both name the modules themselves if one is faulty."""
    try:
        bundle = script_bundle(name)
    except BadModule as why:
        log("no bundle", logging.ERROR, why=str(why))
        return [f'<script type="module" src="{path}"></script>' for path in SCRIPTS[name]], ""
    address = f"/bundles/{name}-{bundle.digest}.js"
    import_map = json.dumps({"imports": dict.fromkeys(bundle.modules, address)}, separators=(",", ":"))
    tags = [
        f'<script type="importmap">{import_map}</script>',
        '<link rel="modulepreload" href="/vendor/lit.js">',
        f'<script type="module" src="{address}"></script>',
    ]
    return tags, import_map


def _styles(page: Page) -> Iterator[str]:
    bundle = style_bundle(page.bundle)
    address = f"/bundles/{page.bundle}-{bundle.digest}.css"
    yield f'<link rel="stylesheet" href="{address}" data-contains="{" ".join(bundle.modules)}">'


def _policy(import_map: str) -> str:
    """Return the content security policy: of inline scripts only the import map is allowed, by its hash."""
    digest = base64.b64encode(hashlib.sha256(import_map.encode()).digest()).decode()
    return CONTENT_SECURITY_POLICY.replace("script-src 'self'", f"script-src 'self' 'sha256-{digest}'")


def bundle_response(request: Request, file: str) -> Response | None:
    """Return a bundle, given by the last part of its address; None if there is none."""
    name, _, ending = file.partition("-")
    digest, _, suffix = ending.partition(".")
    if name not in SCRIPTS or suffix not in ("js", "css"):
        return None
    bundle = script_bundle(name) if suffix == "js" else style_bundle(name)
    cache = FOREVER if bundle.digest == digest else PERSONAL  # a page from before a change asks for what is no more
    media_type = MEDIA_TYPES[".js"] if suffix == "js" else "text/css"
    return encoded_response(bundle.content, request.headers, {"Cache-Control": cache}, media_type)


def script_bundle(name: str) -> Bundle:
    """Return a bundle of modules, as the files are now; raise BadModule if one is faulty."""
    return _script_bundle(name, _stamp())


def style_bundle(name: str) -> Bundle:
    """Return a bundle of stylesheets, as the files are now."""
    return _style_bundle(name, _stamp())


@lru_cache(maxsize=16)
def _script_bundle(name: str, _stamp: str) -> Bundle:
    return join_scripts(WEB, SCRIPTS[name], {"/languages.js": language_module()})


@lru_cache(maxsize=16)
def _style_bundle(name: str, _stamp: str) -> Bundle:
    return join_styles(WEB, [*STYLES, *MORE_STYLES.get(name, ())])


def _stamp() -> str:
    """Return a text that changes when a file of the front end does: authors edit while a server runs."""
    files = [file for folder in (WEB, WEB / "pages", WEB / "parts", WEB / "styles") for file in folder.iterdir()]
    return digest_of(",".join(f"{file.name} {file.stat().st_mtime_ns}" for file in files).encode())
