"""A live table of the server: its events are in the store, and it has a chat."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, runtime_checkable

import msgspec

from tablee.protocol.shown import ChatShown, PresenceShown, TableShown
from tablee.protocol.stored import StoredResult, StoredSeat, StoredSummary, encode_summary
from tablee.server.event_messages import EventMessages, Viewing
from tablee.server.metrics import Metrics
from tablee.storage import Addition, ChatLine, Store, TableRow
from tablee.tables.alarm import Countdown, deadline_of
from tablee.tables.creation import OpenedTable
from tablee.tables.events import TableEvent, kind_of
from tablee.tables.forgetting import NOBODY
from tablee.tables.live import BotMover, Lease, LiveTable, Watcher
from tablee.tables.seats import PERSON
from tablee.tables.table import OVER, Step, Table

MAX_RECENT_CHAT = 100  # lines
BOT_SECONDS = 60.0  # after which a bot that is to move has been forgotten, as by a process that was killed


class StoreJournal:
    """The journal of tables whose events are in the store."""

    def __init__(self, store: Store, metrics: Metrics) -> None:
        self._store = store
        self._metrics = metrics

    async def append(self, number: int, steps: Sequence[Step], *others: OpenedTable) -> bool:
        """Append events, and new tables, durably; False if the table has other events there already."""
        begun = time.monotonic()
        first = table_addition(number, [step.event for step in steps], steps[-1].table)
        is_stored = await self._store.append(first, *(table_addition(0, *opened) for opened in others))
        self._metrics.store_seconds.observe(time.monotonic() - begun)
        return is_stored

    async def events(self, table_id: str, after: int = 0) -> list[TableEvent]:
        """Return a table's events after a number."""
        return await self._store.events(table_id, after=after)


@runtime_checkable
class PersonWatcher(Watcher, Protocol):
    """A watcher that may be a person's."""

    @property
    def person_id(self) -> str | None:
        """The id of the person who watches, None for a guest without a name."""
        ...


class ServedTable(LiveTable):
    """A table that connections watch."""

    def __init__(
        self,
        steps: Iterable[Step],
        chat: Iterable[ChatLine],
        store: Store,
        bots: BotMover,
        lease: Lease,
        metrics: Metrics,
        bot_pause: float,
        countdown: Countdown | None = None,
    ) -> None:
        self.chat = deque((_chat_shown(line) for line in chat), MAX_RECENT_CHAT)
        self._store = store
        self._metrics = metrics
        self._messages = EventMessages()
        self._seen_at: dict[str, float] = {}  # person at the table -> wall time when they stopped watching
        self.on_change: Callable[[Table], None] = lambda table: None  # called after stored steps were taken over
        super().__init__(steps, StoreJournal(store, metrics), bots, lease, bot_pause, countdown)

    def publish(self, steps: Sequence[Step]) -> None:
        """Take over stored steps, and wake the watchers."""
        for step in steps:
            self._metrics.count_event(kind_of(step.event))
        self._messages.advance(self.table.number)
        super().publish(steps)
        self.on_change(self.table)

    def trim(self) -> None:
        """Drop what can be made again."""
        self._messages.forget()
        super().trim()

    def unwatch(self, watcher: PersonWatcher) -> None:
        """Remove a watcher; its person is away from now on, unless they watch elsewhere."""
        self.watchers.discard(watcher)
        if watcher.person_id is not None and self.table.seat_of(watcher.person_id) is not None:
            self._seen_at[watcher.person_id] = time.time()

    def presence(self) -> tuple[PresenceShown, ...]:
        """Return which people at the table watch it in this process; it is kept in memory only."""
        here = {each.person_id for each in self.watchers if isinstance(each, PersonWatcher)}
        return tuple(
            PresenceShown(index, seat.person in here, None if seat.person in here else self._seen_at.get(seat.person))
            for index, seat in enumerate(self.table.seats)
            if seat.kind == PERSON
        )

    def shown(self, viewing: Viewing) -> TableShown:
        """Return the whole table, drawn once for all who see and read the same."""
        return self._messages.shown(self, viewing)

    def event_text(self, step: Step, viewing: Viewing, known: int | None = None) -> bytes:
        """Return the message about a recent step, encoded once for all who see and read the same.

        `known`: the number of the event whose table the watcher was sent; if possible, only what changed since is sent.
        """
        return self._messages.text(self, step, viewing, known)

    async def reload_names(self) -> None:
        """Drop logs and messages in memory and read the chat again: stored names and lines of chat are gone."""
        self.forget_logs()
        self._messages.forget()
        lines = await self._store.chat(self.table.id)
        self.chat = deque((_chat_shown(line) for line in lines), MAX_RECENT_CHAT)

    # Chat

    async def refresh(self, number: float = math.inf) -> None:
        """Read what other processes have appended, unless all events up to a number are known; and their chat."""
        is_known = number <= self.table.number
        await super().refresh(number)
        if not is_known:
            await self._read_chat()

    async def publish_chat(self, line: ChatLine) -> None:
        """Take over a stored line of chat, with those before it that another process has stored."""
        if line.number == self.last_chat + 1:
            self._add_chat(line)
        elif line.number > self.last_chat:
            await self._read_chat()

    async def _read_chat(self) -> None:
        for line in await self._store.chat(self.table.id, after=self.last_chat):
            self._add_chat(line)

    def _add_chat(self, line: ChatLine) -> None:
        """Add a line, once, and wake the watchers."""
        if line.number > self.last_chat:
            self.chat.append(_chat_shown(line))
            self.wake()

    @property
    def last_chat(self) -> int:
        """The number of the last line of chat, 0 if there is none."""
        return self.chat[-1].number if self.chat else 0


def table_addition(expected: int, events: list[TableEvent], table: Table) -> Addition:
    """Return what the store appends for events that lead to `table`: them, and the table's row for the lobby."""
    people = tuple(seat.person if seat.person != NOBODY else "" for seat in table.seats)
    kept_for = tuple(seat.kept_for for seat in table.seats) if table.phase != OVER else ()
    row = TableRow(
        id=table.id,
        game=table.created.game,
        phase=table.phase,
        is_open=table.created.is_open,
        created_at=table.created.at,
        updated_at=table.at if table.ended_at is None else table.ended_at,
        summary=_summary(table, people, kept_for),
        wakes_at=_wakes_at(table),
    )
    return Addition(row, expected, events, frozenset(filter(None, (*people, *kept_for))))


def _summary(table: Table, people: tuple[str, ...], kept_for: tuple[str, ...]) -> str:
    """Return the encoded summary, of which a move changes who is on turn."""
    known, on_turn = table.steady.summaries, table.on_turn
    if on_turn not in known:
        known[on_turn] = encode_summary(
            StoredSummary(
                seats=_seats(table),
                people=people,
                on_turn=on_turn,
                result=_result(table),
                kept_for=kept_for,
                is_locked=table.is_locked,
                is_lesson=table.is_lesson,
                has_coach=table.created.coach,
                day=table.created.day if table.is_daily else "",
            )
        )
    return known[on_turn]


def _wakes_at(table: Table) -> float | None:
    """Return when the table has to be opened if no process has it in memory; by the wall clock as it is now."""
    deadline = deadline_of(table)
    if deadline is not None:
        return time.time() + deadline.at - table.at
    return time.time() + BOT_SECONDS if table.is_bots_turn else None


def _seats(table: Table) -> tuple[StoredSeat, ...]:
    return tuple(
        StoredSeat(index, seat.kind, seat.name, seat.bot, False, seat.is_covered, index == table.host)
        for index, seat in enumerate(table.seats)
    )


def _result(table: Table) -> StoredResult | None:
    """Return the result for statistics; games with a coach, forks and imported records do not count.

    A try at a daily table that ended too late has one, by which it is marked as ended.
    """
    if table.match is None or table.ended_at is None or not (table.is_rated or table.is_daily):
        return None
    outcome = table.match.outcome
    return StoredResult(table.ended_at, tuple(table.match.scores()), outcome.ranks if outcome else ())


def _chat_shown(line: ChatLine) -> ChatShown:
    return msgspec.structs.replace(msgspec.json.decode(line.body, type=ChatShown), number=line.number)
