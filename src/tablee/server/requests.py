"""Checks that every request passes: identity, origin, host and rate; strict reading of bodies; answers in JSON."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any, TypeVar
from urllib.parse import urlsplit

import msgspec
from fastapi import Header, Path, Query, Request
from starlette.requests import HTTPConnection
from starlette.responses import Response

from tablee.core.errors import TableeError, UnknownGame
from tablee.core.game import Game
from tablee.core.languages import languages
from tablee.core.registry import find_game
from tablee.protocol.messages import encode
from tablee.server.addresses import address_group
from tablee.server.identity import COOKIE, Person, TokenSigner
from tablee.server.limits import Allowance, Buckets, Client
from tablee.server.reach import is_local_url
from tablee.server.settings import Settings
from tablee.tables.refusals import Refused
from tablee.tables.table import Table

MAX_BODY_BYTES = 16_384
READ_BURST_SECONDS = 10.0  # a page asks for several things at once, and a class opens it together
COSTLY = 5.0  # times what a plain request takes of an allowance: replaying a game, searching a log
NAME_RATE, NAME_BURST = 0.2, 60.0  # new names per second and address
IMPORT_RATE, IMPORT_BURST = 0.1, 5.0  # records per second and person
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
        self._network = settings.network
        rate, table_rate = settings.command_rate, settings.table_rate
        self.commands = Allowance(rate, 2 * rate)
        self._reads = Allowance(2 * rate, 2 * rate * READ_BURST_SECONDS)
        self._tables = Allowance(table_rate, 20 * table_rate, shared=4)
        self._names = Buckets(NAME_RATE, NAME_BURST)
        self._imports = Allowance(IMPORT_RATE, IMPORT_BURST)

    def client(self, request: HTTPConnection) -> Client:
        """Return who sends a request, for limits."""
        person = self.identify(request)
        return Client(person.id if person else "", address_group(request.client.host if request.client else ""))

    def identify(self, request: HTTPConnection) -> Person | None:
        """Return the person who sends a request, None without a valid cookie or token."""
        return self.signer.identify(request.cookies.get(COOKIE), request.headers.get("authorization"))

    def guest(self, request: Request, tokens: float = 1.0) -> Person | None:
        """Return the person who sends a request, None without a valid cookie or token; refuse it if too fast."""
        self._reads.take(self.client(request), tokens)
        return self.identify(request)

    def person(self, request: Request, tokens: float = 1.0) -> Person:
        """Return the person who sends a request, or refuse it."""
        guest = self.guest(request, tokens)
        if guest is None:
            raise Refused("no_name")
        return guest

    def writer(self, request: Request) -> Person:
        """Return the person who sends a writing request, or refuse it."""
        self.check_origin(request)
        person = self.person(request)
        self.commands.take(self.client(request))
        return person

    def maker(self, request: Request) -> Person:
        """Return the person who makes a table, or refuse the request."""
        person = self.writer(request)
        self._tables.take(self.client(request))
        return person

    def importer(self, request: Request) -> Person:
        """Return the person who imports a record, or refuse the request."""
        person = self.maker(request)
        self._imports.take(self.client(request))
        return person

    def namer(self, request: Request) -> Person | None:
        """Return the person who changes their name, None if they have none yet; refuse too many new ones."""
        self.check_origin(request)
        guest, client = self.guest(request), self.client(request)
        if guest is not None:
            self.commands.take(client, COSTLY)  # they are renamed at all their tables
        elif client.address:
            self._names.take(client.address)
        return guest

    def public_address(self, request: Request) -> str:
        """Return the address under which people reach this server, without a slash at the end.

        Who opens a page on the server's own machine would otherwise invite friends to theirs.
        """
        own = self.address.rstrip("/") or f"{request.url.scheme}://{request.url.netloc}"
        return self._network if self._network and is_local_url(own) else own

    def check_origin(self, request: Request) -> None:
        """Refuse a request that another site makes a browser send."""
        if is_foreign(request, self.address):
            raise Refused("foreign_origin")


def is_foreign(request: HTTPConnection, address: str) -> bool:
    """Whether a request comes from a page of another site, or of this one without HTTPS; programs send no origin."""
    origin = request.headers.get("origin")
    if origin is None:
        return False
    try:
        site, own = urlsplit(origin), urlsplit(address)
    except ValueError:
        return True
    if site.netloc and site.netloc == own.netloc:
        return site.scheme != own.scheme
    is_secure = request.url.scheme in ("https", "wss")
    return not site.netloc or site.netloc != request.headers.get("host") or (is_secure and site.scheme != "https")


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
