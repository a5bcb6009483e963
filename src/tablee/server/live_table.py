"""A table in the memory of this process: it carries commands out in turn, wakes watchers, runs bots and clock."""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from typing import TYPE_CHECKING, Protocol

import msgspec

from tablee.core.state import SPECTATOR
from tablee.server.messages import ChatShown
from tablee.storage import Addition, ChatLine, StoreError, TableRow
from tablee.tables.commands import TABLE_ITSELF, Actor, BotPlay, Command, Expire
from tablee.tables.decisions import Step, carry_out
from tablee.tables.events import DEAL, TableEvent, kind_of
from tablee.tables.presentation import SeatShown, seats_shown
from tablee.tables.refusals import Refused
from tablee.tables.table import Table, evolve

if TYPE_CHECKING:
    from tablee.server.registry import TableRegistry

RECENT = 24  # steps kept for those who were away for a moment
MAX_ATTEMPTS = 5  # when other processes write to the same table
LEASE_SECONDS = 2.0  # between two tries to run the bots that another process runs


class Watcher(Protocol):
    """Somebody who wants to know what happens."""

    def wake(self, table_id: str) -> None:
        """Something has happened at a table."""


class ResultKept(msgspec.Struct, frozen=True):
    """How a game that counts ended; without places if no rule ended it."""

    at: float
    scores: tuple[int, ...]
    ranks: tuple[int, ...] = msgspec.field(name="places")


class TurnSummary(msgspec.Struct, frozen=True):
    """What the lobby shows of a table, as the store keeps it."""

    seats: tuple[SeatShown, ...]
    people: tuple[str, ...]  # per seat; empty where no person sits
    on_turn: int | None
    result: ResultKept | None = None


class LiveTable:
    """Owns a table; nothing else in this process changes it."""

    def __init__(self, registry: TableRegistry, table: Table, steps: list[Step], chat: list[ChatLine]) -> None:
        self._registry = registry
        self.table = table
        self.steps = deque(steps, RECENT)
        self.chat = deque((_chat_shown(line) for line in chat), 100)
        self.written: dict[tuple[int, int, str], bytes] = {}  # number, viewer, language -> an event as it is sent
        self.watchers: set[Watcher] = set()
        self.used_at = time.monotonic()
        self._turn = asyncio.Lock()
        self._is_doubtful = False  # a write failed: it may or may not have happened
        self._bots: asyncio.Task[None] | None = None
        self._alarm: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._look_around()

    # Commands

    async def carry_out(self, command: Command, actor: Actor) -> int:
        """Store what a command leads to, then publish it; return the number of its first event."""
        async with self._turn:
            self.used_at = time.monotonic()
            for _ in range(MAX_ATTEMPTS):
                if self._is_doubtful:
                    await self._catch_up()
                if actor.key and actor.key in self.table.receipts:
                    return self.table.receipts[actor.key]
                steps = carry_out(self.table, command, actor, time.time())
                number = self.table.number + 1
                if await self._store(steps):
                    return number
                await self._catch_up()
            raise Refused("unavailable")

    async def execute_with(self, command: Command, actor: Actor, new: Addition) -> int:
        """Store what a command leads to together with a new table that comes of it."""
        async with self._turn:
            if actor.key and actor.key in self.table.receipts:
                return self.table.receipts[actor.key]
            steps = carry_out(self.table, command, actor, time.time())
            if not await self._store(steps, new):
                await self._catch_up()
                raise Refused("unavailable")
            return steps[0].table.number

    async def _store(self, steps: list[Step], *others: Addition) -> bool:
        begun = time.monotonic()
        try:
            is_stored = await self._registry.store.append(addition(self.table.number, steps), *others)
        except StoreError:
            self._is_doubtful = True
            raise
        except asyncio.CancelledError:
            self._is_doubtful = True
            raise
        self._registry.metrics.store_seconds.observe(time.monotonic() - begun)
        if is_stored:
            self._publish(steps)
        return is_stored

    def _publish(self, steps: list[Step]) -> None:
        for step in steps:
            self.steps.append(step)
            self._registry.metrics.events.labels(kind_of(step.event)).inc()
        self.table = steps[-1].table
        self.written.clear()  # what was the last event brings the table no more
        self.wake()
        self._look_around()

    def wake(self) -> None:
        """Tell all watchers that there is something new."""
        for watcher in self.watchers:
            watcher.wake(self.table.id)

    # Other processes

    async def refresh(self, number: float = math.inf) -> None:
        """See what other processes have written, unless all up to a number is known: often it is one's own move."""
        async with self._turn:
            if number <= self.table.number:
                return
            await self._catch_up()
        last = self.chat[-1].number if self.chat else 0
        lines = await self._registry.store.chat(self.table.id, after=last)
        for line in lines:
            self.hear(line)

    async def _catch_up(self) -> None:
        events = await self._registry.store.events(self.table.id, after=self.table.number)
        self._is_doubtful = False
        table, steps = self.table, []
        for event in events:
            table = evolve(table, event)
            steps.append(Step(event, table))
        if steps:
            self._publish(steps)

    def hear(self, line: ChatLine) -> None:
        """Pass a line of chat on, once."""
        if not self.chat or line.number > self.chat[-1].number:
            self.chat.append(_chat_shown(line))
            self.wake()

    # Clock and bots

    def _look_around(self) -> None:
        """See whether a bot is on turn, and when the clock of the seat on turn runs out."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if self.table.deadline is not None:
            delay = max(0.0, self.table.deadline - time.time()) + 0.01
            self._alarm = asyncio.get_running_loop().call_later(delay, self._time_is_up)
        if self._is_bots_turn() and (self._bots is None or self._bots.done()):
            self._bots = asyncio.create_task(self._run_bots())

    def _time_is_up(self) -> None:
        task = asyncio.create_task(self._try(Expire()))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _try(self, command: Command) -> None:
        """Carry out what the table wants of itself, if it still makes sense."""
        try:
            await self.carry_out(command, TABLE_ITSELF)
        except Refused:
            return
        except StoreError:
            await asyncio.sleep(LEASE_SECONDS)

    def _is_bots_turn(self) -> bool:
        seat = self.table.on_turn
        return seat is not None and seat >= 0 and self.table.seats[seat].bot is not None

    async def _run_bots(self) -> None:
        """Let bots play as long as it is their turn."""
        while self._is_bots_turn():
            if not await self._registry.coordinator.lease(self.table.id):
                await asyncio.sleep(LEASE_SECONDS)
                continue
            table, seat = self.table, self.table.on_turn
            assert seat is not None
            pause = asyncio.create_task(asyncio.sleep(self._registry.settings.bot_pause))
            move = await self._registry.bot_pool.move(table, seat)
            await pause
            await self._try(BotPlay(seat, move, table.number))

    @property
    def is_idle(self) -> bool:
        """Whether nobody would miss it."""
        return not self.watchers and not self._turn.locked() and (self._bots is None or self._bots.done())

    async def close(self) -> None:
        """Stop bots and clock."""
        if self._alarm is not None:
            self._alarm.cancel()
        tasks = [task for task in (self._bots, *self._tasks) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._registry.coordinator.release(self.table.id)


def addition(expected: int, steps: list[Step]) -> Addition:
    """Return what the store is asked to append."""
    return table_addition(expected, [step.event for step in steps], steps[-1].table)


def table_addition(expected: int, events: list[TableEvent], table: Table) -> Addition:
    """Return what the store is asked to append, with what the lobby will show."""
    people = tuple(seat.person for seat in table.seats)
    summary = TurnSummary(seats_shown(table, SPECTATOR), people, table.on_turn, _result(table))
    row = TableRow(
        id=table.id,
        game=table.created.game,
        phase=table.phase,
        is_open=table.created.is_open,
        created_at=table.created.at,
        updated_at=table.at,
        summary=msgspec.json.encode(summary).decode(),
    )
    return Addition(row, expected, events, frozenset(filter(None, people)))


def _result(table: Table) -> ResultKept | None:
    """Return what statistics count; forks and records that people bring do not."""
    if table.match is None or table.ended_at is None or table.created.source != DEAL:
        return None
    outcome = table.match.outcome
    return ResultKept(table.ended_at, tuple(table.match.scores()), outcome.ranks if outcome else ())


def _chat_shown(line: ChatLine) -> ChatShown:
    return msgspec.structs.replace(msgspec.json.decode(line.body, type=ChatShown), number=line.number)
