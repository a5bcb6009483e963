"""The authority over one table in memory: it executes commands in order, wakes watchers, and runs bots and clock.

It knows neither server nor database. In one process, with events in memory:

    bots = BotThreads(seconds=1.0)
    opened = new_table("local", TableRequest("<game>", bots=["greedy"]), secrets, ana, time.time(), bots.names())
    live = await LiveTable.create(opened, MemoryJournal(), bots)    # or, from a Match: continue_match(...)
    live.watchers.add(screen)                                       # screen.wake(table_id) is called after each change
    await live.execute(Play("<move>", live.table.number), ana)      # raises Refused
    shown = table_shown(live.table, live.table.viewer_of(ana.person), "en")
    lines = (await live.log(shown.viewer, "en")).page(limit=50)
    await live.close()
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from typing import Protocol, Self

from tablee.core.errors import TableeError
from tablee.protocol.shown import LogLine
from tablee.tables.alarm import Alarm, Countdown, deadline_of
from tablee.tables.commands import NAMING_BOTS, TABLE_ITSELF, Actor, BotPlay, Command, Expire
from tablee.tables.creation import OpenedTable
from tablee.tables.decisions import decide
from tablee.tables.events import Forgotten, Renamed, TableEvent
from tablee.tables.evolution import evolve, replay_events
from tablee.tables.lessons import pace, scripted_move
from tablee.tables.log import TableLog, build_log, event_lines
from tablee.tables.refusals import Refused
from tablee.tables.table import Step, Table

MAX_RECENT_STEPS = 24  # kept for watchers that missed some
MAX_ATTEMPTS = 5  # when other processes append to the same table
RENAMING = (Renamed, Forgotten)  # events after which earlier ones are told in other words
RETRY_SECONDS = 2.0  # until the next try after a failed append, or to run bots that another process runs


class EventJournal(Protocol):
    """Where events are kept."""

    async def append(self, number: int, steps: Sequence[Step], *others: OpenedTable) -> bool:
        """Append events after event `number` of a table, and new tables; all or nothing, durably.

        Returns False if the table has other events there already.
        """
        ...

    async def events(self, table_id: str, after: int = 0) -> list[TableEvent]:
        """Return a table's events after a number."""
        ...


class BotMover(Protocol):
    """Who chooses the moves of bots."""

    def names(self) -> Collection[str]:
        """Return the names of the known bots."""
        ...

    async def move(self, table: Table, seat: int) -> str:
        """Return the text of a legal move for the seat on turn."""
        ...


class Lease(Protocol):
    """Which of several processes runs a table's bots."""

    async def lease(self, table_id: str) -> bool:
        """Return whether this process does."""
        ...

    async def release(self, table_id: str) -> None:
        """Let another process do it."""
        ...


class Watcher(Protocol):
    """Who wants to know about changes."""

    def wake(self, table_id: str) -> None:
        """Note that a table has changed."""
        ...


class OnlyProcess:
    """The lease of a process that shares its tables with no other."""

    async def lease(self, table_id: str) -> bool:
        """Return True: no other process runs bots."""
        return True

    async def release(self, table_id: str) -> None:
        """Do nothing: no other process waits."""


class MemoryJournal:
    """Keeps events in memory."""

    def __init__(self) -> None:
        self._events: dict[str, list[TableEvent]] = {}

    async def append(self, number: int, steps: Sequence[Step], *others: OpenedTable) -> bool:
        """Append events; False if the table has other events there already."""
        kept = self._events.setdefault(steps[-1].table.id, [])
        if len(kept) != number:
            return False
        kept += [step.event for step in steps]
        for opened in others:
            self._events[opened.table.id] = list(opened.events)
        return True

    async def events(self, table_id: str, after: int = 0) -> list[TableEvent]:
        """Return a table's events after a number."""
        return self.kept(table_id)[after:]

    def kept(self, table_id: str) -> list[TableEvent]:
        """Return all events of a table."""
        return self._events.get(table_id, [])


class LiveTable:
    """Owns a table; nothing else in this process changes it."""

    def __init__(
        self,
        steps: Iterable[Step],
        journal: EventJournal,
        bots: BotMover,
        lease: Lease | None = None,
        bot_pause: float = 0.0,
        countdown: Countdown | None = None,
    ) -> None:
        """Take over a table after its last steps, which are in the journal; `bot_pause` is in seconds per move.

        `countdown` is what the table was waiting for when it was last in memory.
        """
        self.steps = deque(steps, MAX_RECENT_STEPS)
        self.table = self.steps[-1].table
        self.watchers: set[Watcher] = set()
        self.used_at = time.monotonic()
        self._journal = journal
        self._bots = bots
        self._lease: Lease = lease or OnlyProcess()
        self._bot_pause = bot_pause
        self._logs: dict[tuple[int, str], TableLog] = {}
        self._executing = asyncio.Lock()
        self._is_doubtful = False  # an append failed: it may or may not have happened
        self._bot_loop: asyncio.Task[None] | None = None
        self._alarm = Alarm(countdown)
        self._time_ahead = max(time.time(), self.table.at) - asyncio.get_running_loop().time()
        self._expiring: asyncio.Task[None] | None = None
        self._schedule()

    @classmethod
    async def create(cls, opened: OpenedTable, journal: EventJournal, bots: BotMover, bot_pause: float = 0.0) -> Self:
        """Store a new table, and take it over."""
        steps = list(replay_events(opened.table.id, opened.events))
        if not await journal.append(0, steps):
            raise Refused("unavailable")
        return cls(steps, journal, bots, bot_pause=bot_pause)

    # Commands

    async def execute(self, command: Command, actor: Actor, *others: OpenedTable) -> int:
        """Decide, store and publish a command, together with new tables that come of it; raises `Refused`.

        Returns the number of its first event. A command whose key was executed before is not repeated.
        """
        async with self._executing:
            self.used_at = time.monotonic()
            for _ in range(MAX_ATTEMPTS):
                if self._is_doubtful:
                    await self._catch_up()
                if actor.key and actor.key in self.table.receipts:
                    return self.table.receipts[actor.key]
                bots = self._bots.names() if isinstance(command, NAMING_BOTS) else ()
                steps = decide(self.table, command, actor, self._time_for(command), bots)
                if await self._append(steps, others):
                    return steps[0].table.number
                await self._catch_up()
            raise Refused("unavailable")

    def _now(self) -> float:
        """Return the time of the table: the wall clock's when it was opened, and what has passed since.

        The wall clock can be set at any moment; what people have left to think must not depend on it.
        """
        return max(asyncio.get_running_loop().time() + self._time_ahead, self.table.at)

    def _time_for(self, command: Command) -> float:
        """Return the time at which a command is decided; the alarm says what has expired."""
        if not isinstance(command, Expire):
            return self._now()
        if self._alarm.countdown is None or not self._alarm.is_due:
            raise Refused("nothing_to_do", "time_left")
        return max(self._now(), self._alarm.countdown.deadline.at)

    async def _append(self, steps: Sequence[Step], others: Sequence[OpenedTable]) -> bool:
        try:
            is_stored = await self._journal.append(self.table.number, steps, *others)
        except (TableeError, asyncio.CancelledError):
            self._is_doubtful = True
            raise
        if is_stored:
            self.publish(steps)
        return is_stored

    def publish(self, steps: Sequence[Step]) -> None:
        """Take over stored steps, and wake the watchers."""
        self.table.forget_sights_before(steps[-1].table)
        self.steps.extend(steps)
        self.table = steps[-1].table
        self.wake()
        self._schedule()

    def wake(self) -> None:
        """Tell all watchers that something has changed."""
        for watcher in self.watchers:
            watcher.wake(self.table.id)

    # Other processes

    async def refresh(self, number: float = math.inf) -> None:
        """Read what other processes have appended, unless all events up to a number are known."""
        async with self._executing:
            if number > self.table.number:
                await self._catch_up()

    async def _catch_up(self) -> None:
        events = await self._journal.events(self.table.id, after=self.table.number)
        self._is_doubtful = False
        table, steps = self.table, []
        for event in events:
            table = evolve(table, event)
            steps.append(Step(event, table))
        if steps:
            self.publish(steps)

    # The log

    async def log(self, viewer: int, language: str) -> TableLog:
        """Return the log up to the last event; it is replayed in a thread if it is not in memory.

        One is kept per viewer and language, until the table is trimmed.
        """
        key = (viewer, language)
        while key not in self._logs or not self._extend(self._logs[key]):
            stored = await self._journal.events(self.table.id)
            events = stored[: self.table.number]  # another process may have appended more
            self._logs[key] = await asyncio.to_thread(build_log, self.table.id, events, viewer, language)
        return self._logs[key]

    def forget_logs(self) -> None:
        """Drop the logs in memory: stored names have changed."""
        self._logs.clear()

    def _extend(self, log: TableLog) -> bool:
        """Add recent steps to a log; False if it lags too far behind."""
        missing = self.steps_after(log.number)
        for step in missing or ():
            log.add(step)
        return missing is not None

    def steps_after(self, number: int) -> list[Step] | None:
        """Return the steps after a number; None if some are not kept, it is from the future, or a name changed."""
        missing = self.table.number - number
        if not 0 <= missing <= len(self.steps):
            return None
        steps = [self.steps[index] for index in range(-missing, 0)]
        for step in steps:
            if isinstance(step.event, RENAMING):
                return None  # the log is another one
        return steps

    def lines(self, step: Step, viewer: int, language: str) -> tuple[LogLine, ...]:
        """Return the log lines of a recent step, and add them to the log if that is in memory."""
        lines = event_lines(step, viewer, language)
        log = self._logs.get((viewer, language))
        if log is not None and log.number == step.table.number - 1:
            log.add(step, lines)
        return lines

    # Clock and bots

    def _schedule(self) -> None:
        """Set the alarm of clock, rest or gathering, and start the bot loop if a bot is on turn."""
        deadline = deadline_of(self.table)
        if deadline is None:
            self._alarm.clear()
        else:
            self._alarm.set(deadline, self._now(), self._ring)
        if self.table.is_bots_turn and (self._bot_loop is None or self._bot_loop.done()):
            self._bot_loop = asyncio.create_task(self._run_bots())

    def _ring(self) -> None:
        if self._expiring is None or self._expiring.done():
            self._expiring = asyncio.create_task(self._expire())

    async def _expire(self) -> None:
        """Let a bot take over, end the rest or close the table: until it is stored or no longer due."""
        while self._alarm.is_due:
            await self._try(Expire())
            if self._alarm.is_due:
                await asyncio.sleep(RETRY_SECONDS)

    async def _try(self, command: Command) -> None:
        """Execute a command of the table itself, if it still applies."""
        try:
            await self.execute(command, TABLE_ITSELF)
        except Refused:
            return
        except TableeError:  # of the journal
            await asyncio.sleep(RETRY_SECONDS)

    async def _run_bots(self) -> None:
        """Let bots move as long as one is on turn."""
        while self.table.is_bots_turn:
            if not await self._lease.lease(self.table.id):
                await asyncio.sleep(RETRY_SECONDS)
                continue
            table, seat = self.table, self.table.on_turn
            assert seat is not None
            pause = asyncio.create_task(asyncio.sleep(self._bot_pause * pace(table)))
            move = scripted_move(table) or await self._bots.move(table, seat)
            await pause
            await self._try(BotPlay(seat, move, table.number))

    # Memory

    def trim(self) -> None:
        """Drop what can be made again: logs, older steps, sights. For a table at which nothing happens for a while."""
        self._logs.clear()
        while len(self.steps) > 1:
            self.steps.popleft()
        self.table.forget_sights()

    @property
    def is_idle(self) -> bool:
        """True without watchers or pending work; a clock may be running."""
        is_working = any(task is not None and not task.done() for task in (self._bot_loop, self._expiring))
        return not self.watchers and not self._executing.locked() and not is_working

    @property
    def countdown(self) -> Countdown | None:
        """What the table waits for, and until when; None if neither its clock nor its rest is limited."""
        return self._alarm.countdown

    async def close(self) -> None:
        """Stop bots and clock."""
        self._alarm.cancel()
        tasks = [task for task in (self._bot_loop, self._expiring) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._bot_loop = self._expiring = None  # a cancelled task refers to the table through its traceback
        await self._lease.release(self.table.id)
