"""The host that a request names: only the server's own, so that no other name can be made to point at it."""

from __future__ import annotations

import ipaddress
import socket
from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from tablee.server.problems import problem
from tablee.server.settings import Settings
from tablee.tables.refusals import Refused

LOCAL_SUFFIXES = (".localhost", ".local", ".lan", ".home.arpa", ".internal")  # names that nobody can register


class HostCheck:
    """Middleware that refuses requests for another host.

    A page whose name its owner lets point at this machine (DNS rebinding) would be the same site for a browser, and
    could act for the person who opened it. Addresses as numbers cannot be used for that.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        listed = [name.strip().lower() for name in settings.hosts.split(",") if name.strip()]
        own = [urlsplit(settings.address).hostname or "", "localhost", socket.gethostname().lower()]
        self._names = frozenset([*listed, *own])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] not in ("http", "websocket") or self.is_own(Headers(scope=scope).get("host", "")):
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            refused = problem("foreign_host", Refused("foreign_host").text("en"), status=HTTPStatus.MISDIRECTED_REQUEST)
            await refused(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def is_own(self, host: str) -> bool:
        """Whether a Host header names this server; programs may leave it out."""
        try:
            name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
        except ValueError:
            return False
        return not host or name in self._names or name.endswith(LOCAL_SUFFIXES) or "." not in name or _is_number(name)


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True
