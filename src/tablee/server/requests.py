"""Checks that every request passes: identity, origin and rate; strict reading of bodies; answers in JSON."""

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
from tablee.protocol.messages import encode
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
    """Checks who sends a request, from which site, and how often."""

    def __init__(self, settings: Settings, signer: TokenSigner) -> None:
        self.signer = signer
        self.address = settings.address
        self._commands = Buckets(settings.command_rate, 2 * settings.command_rate)
        self._tables = Buckets(settings.table_rate, 20 * settings.table_rate)

    def guest(self, request: Request) -> Person | None:
        """Return the person who sends a request, None without a valid cookie or token."""
        return self.signer.identify(request.cookies.get(COOKIE), request.headers.get("authorization"))

    def person(self, request: Request) -> Person:
        """Return the person who sends a request, or refuse it."""
        guest = self.guest(request)
        if guest is None:
            raise Refused("no_name")
        return guest

    def writer(self, request: Request) -> Person:
        """Return the person who sends a writing request, or refuse it."""
        self.check_origin(request)
        person = self.person(request)
        self._commands.take(person.id)
        return person

    def maker(self, request: Request) -> Person:
        """Return the person who makes a table, or refuse the request."""
        person = self.writer(request)
        self._tables.take(person.id)
        return person

    def public_address(self, request: Request) -> str:
        """Return the address under which people reach this server, without a slash at the end."""
        return self.address.rstrip("/") or f"{request.url.scheme}://{request.url.netloc}"

    def check_origin(self, request: Request) -> None:
        """Refuse a request that another site makes a browser send."""
        if is_foreign(request.headers.get("origin"), request.headers.get("host"), self.address):
            raise Refused("foreign_origin")


def is_foreign(origin: str | None, host: str | None, address: str) -> bool:
    """Whether a request comes from a page of another site; programs send no origin."""
    if origin is None:
        return False
    try:
        site = urlsplit(origin).netloc
    except ValueError:
        return True
    return site not in (host, urlsplit(address).netloc) or not site


async def read_body(request: Request, kind: type[Struct], max_bytes: int = MAX_BODY_BYTES) -> Struct:
    """Decode a JSON body of at most `max_bytes`, strictly; refuse any other."""
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        raise Refused("bad_message")
    received = bytearray()
    async for chunk in request.stream():
        received += chunk
        if len(received) > max_bytes:
            raise Refused("too_large")
    try:
        return msgspec.json.decode(bytes(received), type=kind)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        raise Refused("bad_message") from None


def answer(content: Any, status: int = HTTPStatus.OK) -> Response:
    """Return content as a JSON response."""
    return Response(encode(content), status, media_type="application/json")


def known_game(name: str) -> Game:
    """Return the game of a name, or refuse it."""
    try:
        return find_game(name)
    except (UnknownGame, TableeError):
        raise Refused("unknown_game", game=name[:40]) from None


def viewer_of(table: Table, person: Person | None) -> int:
    """Return the seat from which a person sees a table, -1 for a spectator."""
    return table.viewer_of(person.id if person else None)


def former_player(table: Table, person: Person | None) -> str:
    """Return the id of a person who has given up a seat of the running game, "" of anybody else."""
    return person.id if person and table.seat_given_up(person.id) is not None else ""
