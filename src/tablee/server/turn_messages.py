"""Messages to people who are away when it is their turn: a request to the operator's webhook (docs/hosting.md)."""

from __future__ import annotations

import asyncio
import logging
import urllib.request
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from tablee.core.registry import find_game
from tablee.protocol.messages import encode
from tablee.protocol.stored import TurnMessage
from tablee.server.logs import incident
from tablee.tables.seats import PERSON
from tablee.tables.table import Table

DELAY_SECONDS = 60.0  # after which a person who has not come is told
ATTEMPTS = 4
RETRY_SECONDS = 5.0  # before the second attempt; doubled before each further one
TIMEOUT_SECONDS = 10.0
MAX_WAITING = 1_000  # messages on their way; beyond it none is begun


class Turn(NamedTuple):
    """A person's turn at a table."""

    table: str
    person: str
    moves: int


def turn_of(table: Table) -> Turn | None:
    """Return whose turn it is, None unless it is a present person's."""
    if table.on_turn is None or table.on_turn < 0:
        return None
    seat = table.seats[table.on_turn]
    return Turn(table.id, seat.person, table.moves) if seat.kind == PERSON and seat.bot is None else None


class TurnMessages:
    """Sends a message when a turn has lasted a while and its person is not there; nothing waits for it."""

    def __init__(
        self,
        webhook: str,
        address: str,
        contact_of: Callable[[str], Awaitable[str]],
        is_waiting: Callable[[Turn], Awaitable[Table | None]],
    ) -> None:
        """Send to a URL, with links below `address`.

        `contact_of` returns where a person wants to be told, "" for nowhere; `is_waiting` the table if the turn still
        lasts, this process is to tell, and the person does not watch it.
        """
        self._webhook = webhook
        self._address = address.rstrip("/")
        self._contact_of = contact_of
        self._is_waiting = is_waiting
        self._tasks: dict[str, tuple[Turn, asyncio.Task[None]]] = {}  # by table

    def turn_changed(self, table: Table) -> None:
        """Note whose turn it is now."""
        turn = turn_of(table) if self._webhook else None
        known, task = self._tasks.get(table.id, (None, None))
        if turn == known:
            return
        if task is not None:
            task.cancel()
            del self._tasks[table.id]
        if turn is not None and len(self._tasks) < MAX_WAITING:
            self._tasks[table.id] = (turn, asyncio.create_task(self._tell_later(turn)))

    async def _tell_later(self, turn: Turn) -> None:
        await asyncio.sleep(DELAY_SECONDS)
        try:
            contact = await self._contact_of(turn.person)
            table = await self._is_waiting(turn) if contact else None
            if table is not None:
                await self._send(encode(self._message(table, contact)))
        except Exception as error:  # a message that cannot be sent must not disturb anything
            incident("message fails", logging.WARNING, error=type(error).__name__)
        finally:
            if self._tasks.get(turn.table, (None,))[0] == turn:
                del self._tasks[turn.table]

    def _message(self, table: Table, contact: str) -> TurnMessage:
        assert table.on_turn is not None
        title = find_game(table.created.game).words("en").say("title")
        link = f"{self._address}/t/{table.id}"
        return TurnMessage("turn", contact, table.seats[table.on_turn].name, table.created.game, title, table.id, link)

    async def _send(self, body: bytes) -> None:
        """Send a message, and again after a failure."""
        for attempt in range(ATTEMPTS):
            try:
                await asyncio.to_thread(self._post, body)
                return
            except OSError:
                if attempt == ATTEMPTS - 1:
                    raise
                await asyncio.sleep(RETRY_SECONDS * 2**attempt)

    def _post(self, body: bytes) -> None:
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self._webhook, body, headers, method="POST")
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS):
            pass

    async def close(self) -> None:
        """Send nothing more."""
        tasks = [task for _, task in self._tasks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
