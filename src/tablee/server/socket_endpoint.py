"""The address of sockets: an ASGI application without the layers of FastAPI's routes.

A route is some thirty coroutines for as long as a socket is open (docs/decisions/0074-sockets-of-few-objects.md).
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from starlette.datastructures import QueryParams
from starlette.requests import HTTPConnection
from starlette.types import Receive, Scope, Send

from tablee.core.languages import supported
from tablee.server.connection import FOREIGN, SILENT, TOO_MANY, Closed, Connection
from tablee.server.limits import SocketCount
from tablee.server.logs import describe_exception, incident
from tablee.server.registry import TableRegistry
from tablee.server.requests import RequestGuard, is_foreign
from tablee.server.settings import Settings
from tablee.server.websocket_protocol import SEND_MESSAGES

PATH = "/api/socket"
NORMAL = 1000
FAILED = 1011  # the code of a connection that the server closes because of an error of its own
SWEEP_SECONDS = 1.0  # at most, between two looks for silent clients


class SocketEndpoint:
    """Accepts sockets, refuses those of other sites and beyond the limits, and closes silent ones."""

    def __init__(self, settings: Settings, registry: TableRegistry, guard: RequestGuard) -> None:
        self._address = settings.address
        self._silence = settings.silence
        self._registry = registry
        self._guard = guard
        self._count = SocketCount(settings.connections_per_person, settings.connections_per_address)
        self._open: set[Connection] = set()
        self._is_sweeping = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one client; a failure is logged once, and not at all if the client has only gone."""
        try:
            connection = await self._accept(scope, receive, send)
            try:
                await connection.run()
            finally:
                self._remove(connection)
        except Closed as closed:
            await _close(send, closed.code)
        except Exception as error:
            if not is_disconnection(error):
                incident("connection fails", logging.ERROR, **describe_exception(error))
            await _close(send, FAILED)

    async def _accept(self, scope: Scope, receive: Receive, send: Send) -> Connection:
        """Open a connection; raise `Closed` with the code of the reason why it is refused."""
        if scope["path"] != PATH:
            raise Closed(NORMAL)  # before it is accepted: a client gets 403
        await receive()  # `websocket.connect`
        await send({"type": "websocket.accept"})
        request = HTTPConnection(scope)
        if is_foreign(request, self._address):
            raise self._refused(FOREIGN, "foreign_origin")
        client = self._guard.client(request)
        if self._count.is_full_for(client):
            raise self._refused(TOO_MANY, "too_many")
        send_messages = scope.get("extensions", {}).get(SEND_MESSAGES) or partial(_send_each, send)
        language = supported(QueryParams(scope["query_string"]).get("lang"))
        person = self._guard.identify(request)
        connection = Connection(self._registry, receive, send_messages, self._guard.commands, client, person, language)
        self._add(connection)
        return connection

    def _refused(self, code: int, reason: str) -> Closed:
        self._registry.metrics.refuse("connection", reason)
        return Closed(code)

    def _add(self, connection: Connection) -> None:
        self._open.add(connection)
        self._count.add(connection.client)
        self._registry.metrics.connections.inc()
        if not self._is_sweeping:
            self._sweep()

    def _remove(self, connection: Connection) -> None:
        self._open.discard(connection)
        self._count.remove(connection.client)
        self._registry.metrics.connections.dec()

    def _sweep(self) -> None:
        """Close the connections of silent clients, again and again: cheaper than a timer for every message."""
        latest = time.monotonic() - self._silence
        for connection in self._open:
            if connection.waiting_since < latest:
                connection.stop(Closed(SILENT))
        self._is_sweeping = bool(self._open)
        if self._is_sweeping:
            asyncio.get_running_loop().call_later(min(SWEEP_SECONDS, self._silence / 4), self._sweep)


def is_disconnection(error: Exception) -> bool:
    """Whether an exception says that the client has gone: a RuntimeError where something is sent after the close."""
    is_late = isinstance(error, RuntimeError) and "websocket." in str(error)
    return is_late or isinstance(error, OSError)


async def _close(send: Send, code: int) -> None:
    with suppress(Exception):
        await send({"type": "websocket.close", "code": code})


async def _send_each(send: Send, texts: Sequence[bytes]) -> None:
    """Send messages one by one, under a server that cannot do more."""
    for text in texts:
        await send({"type": "websocket.send", "text": text.decode()})
