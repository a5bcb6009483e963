"""The address of a table on a server (an invite link), and the client's identity there."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from email.message import Message
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import platformdirs

from tablee.core.errors import TableeError

COOKIE = "tablee"
TIMEOUT = 20  # seconds
OLD_LINK = "table/"  # a link of version 0.1: http://HOST:8000/#table/ID/INVITE
WEBSOCKET_SCHEMES = {"http": "ws", "https": "wss"}


@dataclass(frozen=True)
class Address:
    """A table on a server: `http://host:8000/t/<id>#<invite>`."""

    server: str  # scheme and host
    table: str
    invite: str = ""

    @classmethod
    def parse(cls, url: str) -> Address:
        """Read an invite link or the address of a table; raise TableeError for any other URL."""
        parts = urlsplit(url if "//" in url else f"http://{url}")
        kind, _, table = parts.path.strip("/").partition("/")
        invite = parts.fragment
        if parts.fragment.startswith(OLD_LINK):
            kind = "t"
            table, _, invite = parts.fragment.removeprefix(OLD_LINK).partition("/")
        if parts.scheme not in WEBSOCKET_SCHEMES or not parts.netloc or kind != "t" or not table:
            raise TableeError(f"the address of a table looks like http://HOST:8000/t/ID#INVITE, not {url!r}")
        return cls(f"{parts.scheme}://{parts.netloc}", table, invite)

    @classmethod
    def of_server(cls, url: str) -> Address:
        """Read the address of a server, without a table; raise TableeError for any other text."""
        parts = urlsplit(url if "//" in url else f"http://{url}")
        if parts.scheme not in WEBSOCKET_SCHEMES or not parts.netloc:
            raise TableeError(f"the address of a server looks like http://HOST:8000, not {url!r}")
        return cls(f"{parts.scheme}://{parts.netloc}", "")

    def __str__(self) -> str:
        return f"{self.server}/t/{self.table}" + (f"#{self.invite}" if self.invite else "")

    def socket_url(self, language: str) -> str:
        """Return the URL of the server's WebSocket."""
        scheme, _, host = self.server.partition("://")
        return f"{WEBSOCKET_SCHEMES[scheme]}://{host}/api/socket?lang={language}"


class ServerClient:
    """HTTP requests to one server, identified by a cookie that is stored, so that a seat can be taken up again."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.cookie = _stored_cookies().get(address.server, "")

    def set_name(self, name: str) -> None:
        """Send the player's name to the server and store the cookie it returns."""
        headers, _ = self._request("PUT", "/api/me", {"name": name})
        cookies = SimpleCookie(headers.get("Set-Cookie", ""))
        if COOKIE in cookies:
            self.cookie = cookies[COOKIE].value
            _store_cookie(self.address.server, self.cookie)

    @property
    def headers(self) -> dict[str, str]:
        """Headers of every request and of the WebSocket."""
        return {"Cookie": f"{COOKIE}={self.cookie}"} if self.cookie else {}

    def post(self, path: str) -> bytes:
        """Send a request without a body; return the content of the answer. Raises TableeError if it is refused."""
        return self._request("POST", path)[1]

    def get(self, path: str) -> bytes:
        """Return the content of a path; raise TableeError with the server's message if it is refused."""
        return self._request("GET", path)[1]

    def _request(self, method: str, path: str, body: dict[str, Any] | None = None) -> tuple[Message, bytes]:
        """Return the headers and the content of the response."""
        headers = {**self.headers, "Content-Type": "application/json", "Tablee-Invite": self.address.invite}
        content = None if body is None else json.dumps(body).encode()
        request = Request(f"{self.address.server}{path}", content, headers, method=method)
        try:
            with urlopen(request, timeout=TIMEOUT) as response:
                return response.headers, response.read()
        except HTTPError as error:
            raise TableeError(_detail(error)) from None


def _detail(error: HTTPError) -> str:
    """Return the server's own message if it sent one."""
    with error:
        try:
            return str(json.loads(error.read())["detail"])
        except (ValueError, KeyError, TypeError):
            return str(error)


def _cookie_file() -> Path:
    return platformdirs.user_state_path("tablee") / "servers.json"


def _stored_cookies() -> dict[str, str]:
    """Return the cookie of each known server."""
    try:
        cookies = json.loads(_cookie_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return cookies if isinstance(cookies, dict) else {}


def _store_cookie(server: str, cookie: str) -> None:
    """Write a cookie to a file that only its owner can read: the cookie alone gives access to the seat."""
    path, cookies = _cookie_file(), {**_stored_cookies(), server: cookie}
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        json.dump(cookies, stream)
