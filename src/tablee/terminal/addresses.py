"""Where a table is (an invite link), and how a server knows us again."""

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
PATIENCE = 20  # seconds
WEB_SCHEMES = {"http": "ws", "https": "wss"}


@dataclass(frozen=True)
class Address:
    """A table at a server: `http://host:8000/#table/<id>/<invite>`."""

    server: str  # scheme and host
    table: str
    invite: str = ""

    @classmethod
    def parse(cls, url: str) -> Address:
        """Read an invite link, or the address of a table."""
        parts = urlsplit(url if "//" in url else f"http://{url}")
        kind, _, rest = parts.fragment.partition("/")
        table, _, invite = rest.partition("/")
        if parts.scheme not in WEB_SCHEMES or not parts.netloc or kind != "table" or not table:
            raise TableeError(f"the address of a table looks like http://HOST:8000/#table/ID/INVITE, not {url!r}")
        return cls(f"{parts.scheme}://{parts.netloc}", table, invite)

    def __str__(self) -> str:
        return f"{self.server}/#table/{self.table}" + (f"/{self.invite}" if self.invite else "")

    def socket(self, language: str) -> str:
        """Return the address of the socket."""
        scheme, _, host = self.server.partition("://")
        return f"{WEB_SCHEMES[scheme]}://{host}/api/socket?lang={language}"


class Visitor:
    """Us, at one server: a cookie that is kept, so that our seat is still ours tomorrow."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.cookie = _kept().get(address.server, "")

    def introduce(self, name: str) -> None:
        """Tell the server our name; it gives us a cookie."""
        headers, _ = self._request("PUT", "/api/me", {"name": name})
        cookies = SimpleCookie(headers.get("Set-Cookie", ""))
        if COOKIE in cookies:
            self.cookie = cookies[COOKIE].value
            _keep(self.address.server, self.cookie)

    @property
    def headers(self) -> dict[str, str]:
        """What every request and the socket carry."""
        return {"Cookie": f"{COOKIE}={self.cookie}"} if self.cookie else {}

    def read(self, path: str) -> bytes:
        """Return what lies at an address of the server."""
        return self._request("GET", path)[1]

    def _request(self, method: str, path: str, body: dict[str, Any] | None = None) -> tuple[Message, bytes]:
        """Return the headers and the content of the answer."""
        headers = {**self.headers, "Content-Type": "application/json", "Tablee-Invite": self.address.invite}
        content = None if body is None else json.dumps(body).encode()
        request = Request(f"{self.address.server}{path}", content, headers, method=method)
        try:
            with urlopen(request, timeout=PATIENCE) as answer:
                return answer.headers, answer.read()
        except HTTPError as why:
            raise TableeError(_detail(why)) from None


def _detail(why: HTTPError) -> str:
    """Return the server's own sentence, if it sent one."""
    with why:
        try:
            return str(json.loads(why.read())["detail"])
        except (ValueError, KeyError, TypeError):
            return str(why)


def _file() -> Path:
    return platformdirs.user_state_path("tablee") / "servers.json"


def _kept() -> dict[str, str]:
    try:
        kept = json.loads(_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _keep(server: str, cookie: str) -> None:
    """Remember a cookie in a file that nobody else can read: whoever has it has our seat."""
    path, kept = _file(), {**_kept(), server: cookie}
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        json.dump(kept, stream)
