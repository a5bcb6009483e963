"""All tables of this process, and the way to them."""

from __future__ import annotations

import asyncio
import hmac
import math
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import msgspec

from tablee.core.errors import BadRecord
from tablee.core.randomness import secret_seed
from tablee.core.registry import all_games
from tablee.records import Record
from tablee.server.bot_pool import BotPool
from tablee.server.identity import Person
from tablee.server.live_table import RECENT, LiveTable, table_addition
from tablee.server.logs import log
from tablee.server.messages import ChatShown
from tablee.server.metrics import Metrics
from tablee.server.settings import Settings
from tablee.server.warmup import is_ready
from tablee.storage import Store, StoreError
from tablee.storage.coordination import Coordinator
from tablee.tables.commands import Actor, Rematch
from tablee.tables.creation import Secrets, TableRequest, new_table, rematch_table
from tablee.tables.decisions import Step
from tablee.tables.events import Created, TableEvent
from tablee.tables.forks import Fork, fork_table, recorded_table
from tablee.tables.refusals import Refused
from tablee.tables.table import OVER, OutdatedTable, Table, evolve, opened

ID_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that look alike
IDLE_SECONDS = 60.0
SWEEP_SECONDS = 5.0
MakesTable = Callable[[Secrets, Actor, float], tuple[list[TableEvent], Table]]


class TableRegistry:
    """Opens tables from the store when somebody asks for them, and drops those that nobody watches."""

    def __init__(self, settings: Settings, store: Store, coordinator: Coordinator, metrics: Metrics) -> None:
        self.settings = settings
        self.store = store
        self.coordinator = coordinator
        self.metrics = metrics
        self.bot_pool = BotPool(settings, metrics)
        self._live: dict[str, LiveTable] = {}
        self._opening: dict[str, asyncio.Task[LiveTable]] = {}
        self._outdated: dict[str, float] = {}  # table -> the number that others have come to, if they said so
        self._refreshing: dict[str, asyncio.Task[None]] = {}
        self._sweeper: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to listen and to sweep."""
        await self.coordinator.start(self._told, self._missed)
        self._sweeper = asyncio.create_task(self._sweep())

    async def stop(self) -> None:
        """Close everything; what is stored stays."""
        if self._sweeper is not None:
            self._sweeper.cancel()
            with suppress(asyncio.CancelledError):
                await self._sweeper
        for live in list(self._live.values()):
            await live.close()
        await asyncio.gather(*self._refreshing.values(), return_exceptions=True)
        await self.coordinator.stop()
        self.bot_pool.close()

    # Find

    async def table(self, table_id: str) -> LiveTable:
        """Return a table, from memory or from the store."""
        live = self._live.get(table_id)
        if live is None:
            opening = self._opening.get(table_id)
            if opening is None:
                opening = self._opening[table_id] = asyncio.create_task(self._open(table_id))
                opening.add_done_callback(lambda _: self._opening.pop(table_id, None))
            live = await asyncio.shield(opening)
        live.used_at = time.monotonic()
        return live

    async def _open(self, table_id: str) -> LiveTable:
        events = await self.store.events(table_id)
        if not events:
            raise Refused("unknown_table")
        assert isinstance(events[0], Created)
        check_ready(events[0].game)
        chat = await self.store.chat(table_id)
        try:
            steps = await asyncio.to_thread(_replayed, table_id, events)
        except OutdatedTable:
            raise Refused("outdated") from None
        live = LiveTable(self, steps[-1].table, steps[-RECENT:], chat)
        self._live[table_id] = live
        self.metrics.tables.set(len(self._live))
        if self.store.is_shared:
            await live.refresh()  # what was written while this was read
        return live

    async def visible(self, table_id: str, person: Person | None, invite: str = "") -> LiveTable:
        """Return a table that somebody may see: an open one, his own, or one he is invited to."""
        live = await self.table(table_id)
        table = live.table
        is_seated = person is not None and table.seat_of(person.id) is not None
        is_invited = hmac.compare_digest(invite.encode(), table.created.invite.encode())
        if not (table.created.is_open or is_seated or is_invited):
            raise Refused("unknown_table")
        return live

    # Make

    async def create(self, request: TableRequest, person: Person) -> LiveTable:
        """Make a table."""
        check_ready(request.game)
        if request.sits:
            await self.check_table_limit(person)
        return await self._stored(partial(new_table, new_id(), request), person)

    async def fork(self, old: Table, fork: Fork, person: Person) -> LiveTable:
        """Make a table that goes on from a moment of one that is over."""
        if old.phase != OVER:
            raise Refused("not_over")
        await self.check_table_limit(person)
        return await self._stored(partial(fork_table, new_id(), old, fork), person)

    async def import_record(self, record: Record, person: Person) -> LiveTable:
        """Make a table that is over out of somebody's record."""
        check_ready(record.header.game)
        try:
            return await self._stored(partial(recorded_table, new_id(), record), person)
        except BadRecord as why:
            raise Refused("bad_record", why=why) from None

    async def _stored(self, create: MakesTable, person: Person) -> LiveTable:
        """Store a new table; its cards are dealt, or its record is replayed, in a thread."""
        events, table = await asyncio.to_thread(create, _new_secrets(), person.as_actor(), time.time())
        if not await self.store.append(table_addition(0, events, table)):
            raise Refused("unavailable")
        log("table made", game=table.created.game, seats=table.created.seats)
        return await self.table(table.id)

    async def check_table_limit(self, person: Person) -> None:
        """Refuse somebody who sits at too many tables already."""
        if await self.store.count_unfinished(person.id) >= self.settings.tables_per_person:
            raise Refused("too_many", "too_many_tables")

    async def rematch(self, live: LiveTable, person: Person, key: str) -> tuple[int, str]:
        """Make a table with the same people; whoever asks second gets the one that is there."""
        old = live.table
        if old.rematch is not None and old.seat_of(person.id) is not None:
            return old.number, old.rematch
        table_id = new_id()
        actor = person.as_actor(key)
        events, table = rematch_table(table_id, old, _new_secrets(), time.time())
        number = await live.execute_with(Rematch(table_id), actor, table_addition(0, events, table))
        assert live.table.rematch is not None
        return number, live.table.rematch

    # Talk

    async def say(self, live: LiveTable, person: Person, text: str) -> int:
        """Keep a line of chat, then pass it on."""
        text = " ".join(text.split())
        if not text or not text.isprintable():
            raise Refused("bad_message", "bad_text")
        seat = live.table.seat_of(person.id)
        shown = ChatShown(0, time.time(), person.name, seat, text)
        line = await self.store.add_chat(live.table.id, msgspec.json.encode(shown).decode())
        live.hear(line)
        return line.number

    # Other processes

    def _told(self, notice: str) -> None:
        """Look up what another process has written: `<id> <number of its last event>`, or `<id> chat`."""
        table_id, _, number = notice.partition(" ")
        live = self._live.get(table_id)
        reached = int(number) if number.isdecimal() else math.inf
        if live is None or live.table.number >= reached:
            return
        self._outdated[table_id] = max(reached, self._outdated.get(table_id, 0))
        if table_id not in self._refreshing:
            self._refreshing[table_id] = asyncio.create_task(self._refresh(live))

    async def _refresh(self, live: LiveTable) -> None:
        try:
            while live.table.id in self._outdated:
                number = self._outdated.pop(live.table.id)
                with suppress(StoreError):
                    await live.refresh(number)
        finally:  # here, not when the task is found done: a notice that comes in between would be lost
            del self._refreshing[live.table.id]

    def _missed(self) -> None:
        for table_id in self._live:
            self._told(f"{table_id} chat")

    # Forget

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            self.metrics.commits.set(self.store.commits)
            await self.forget_idle(IDLE_SECONDS)

    async def forget_idle(self, seconds: float) -> None:
        """Drop tables that nobody has watched for so long."""
        limit = time.monotonic() - seconds
        for live in [live for live in self._live.values() if live.is_idle and live.used_at < limit]:
            del self._live[live.table.id]
            await live.close()
        self.metrics.tables.set(len(self._live))


def check_ready(name: str) -> None:
    """Refuse a game that is still being compiled; one that is not installed is somebody else's to refuse."""
    if any(game.name == name and not is_ready(game) for game in all_games()):
        raise Refused("preparing")


def _replayed(table_id: str, events: list[TableEvent]) -> list[Step]:
    first, *others = events
    assert isinstance(first, Created)
    table = opened(table_id, first)
    steps = [Step(first, table)]
    for event in others:
        table = evolve(table, event)
        steps = [*steps[-RECENT:], Step(event, table)]
    return steps


def _new_secrets() -> Secrets:
    return Secrets(secret_seed(), secrets.token_urlsafe(12))


def new_id() -> str:
    """Draw an id for a table: short enough to read out, too long to guess."""
    return "".join(secrets.choice(ID_LETTERS) for _ in range(12))
