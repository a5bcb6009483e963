"""What every request passes: who asks, from where, how often; bodies read strictly; answers in JSON."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any, TypeVar
from urllib.parse import urlsplit

import msgspec
from fastapi import Header, Path, Query, Request
from starlette.responses import Response

from tablee.core.errors import TableeError, UnknownGame
from tablee.core.game import Game
from tablee.core.languages import languages
from tablee.core.registry import find_game
from tablee.core.state import SPECTATOR
from tablee.server import messages
from tablee.server.identity import COOKIE, Person, TokenSigner
from tablee.server.limits import Buckets
from tablee.server.settings import Settings
from tablee.tables.refusals import Refused
from tablee.tables.table import Table

MAX_BODY_BYTES = 16_384
Language = Annotated[str, Query(pattern=f"^({'|'.join(languages())})$")]
TableId = Annotated[str, Path(min_length=1, max_length=32)]
GameName = Annotated[str, Path(min_length=1, max_length=64)]
Invite = Annotated[str, Header(alias="Tablee-Invite", max_length=64)]
Struct = TypeVar("Struct")


class RequestGuard:
    """Checks who asks, from where, and how often."""

    def __init__(self, settings: Settings, signer: TokenSigner) -> None:
        self.signer = signer
        self.address = settings.address
        self._commands = Buckets(settings.command_rate, 2 * settings.command_rate)
        self._tables = Buckets(settings.table_rate, 20 * settings.table_rate)

    def guest(self, request: Request) -> Person | None:
        """Return who asks, if the server knows him."""
        return self.signer.identify(request.cookies.get(COOKIE), request.headers.get("authorization"))

    def person(self, request: Request) -> Person:
        """Return who asks, or refuse."""
        guest = self.guest(request)
        if guest is None:
            raise Refused("no_name")
        return guest

    def writer(self, request: Request) -> Person:
        """Return who wants to change something, or refuse."""
        self.check_origin(request)
        person = self.person(request)
        self._commands.take(person.id)
        return person

    def maker(self, request: Request) -> Person:
        """Return who wants to make a table, or refuse."""
        person = self.writer(request)
        self._tables.take(person.id)
        return person

    def check_origin(self, request: Request) -> None:
        """Refuse what another site makes a browser send."""
        if is_foreign(request.headers.get("origin"), request.headers.get("host"), self.address):
            raise Refused("foreign_origin")


def is_foreign(origin: str | None, host: str | None, address: str) -> bool:
    """Whether a page of another site asks; programs have no origin."""
    if origin is None:
        return False
    try:
        asking = urlsplit(origin).netloc
    except ValueError:
        return True
    return asking not in (host, urlsplit(address).netloc) or not asking


async def read_body(request: Request, kind: type[Struct], most: int = MAX_BODY_BYTES) -> Struct:
    """Read a JSON body of a kind and of so many bytes at most, strictly."""
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        raise Refused("bad_message")
    received = bytearray()
    async for chunk in request.stream():
        received += chunk
        if len(received) > most:
            raise Refused("too_large")
    try:
        return msgspec.json.decode(bytes(received), type=kind)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        raise Refused("bad_message") from None


def answer(content: Any, status: int = HTTPStatus.OK) -> Response:
    """Return JSON."""
    return Response(messages.write(content), status, media_type="application/json")


def known_game(name: str) -> Game:
    """Return the game of that name, or refuse."""
    try:
        return find_game(name)
    except (UnknownGame, TableeError):
        raise Refused("unknown_game", game=name[:40]) from None


def viewer_of(table: Table, person: Person | None) -> int:
    """Return the seat from which somebody sees a table."""
    seat = table.seat_of(person.id) if person else None
    return SPECTATOR if seat is None else seat
