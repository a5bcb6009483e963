"""The tables that this process has in memory; others are opened from the store."""

from __future__ import annotations

import asyncio
import hmac
import logging
import math
import secrets
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import msgspec

from tablee.core.errors import BadRecord
from tablee.core.game import Game
from tablee.core.randomness import secret_seed
from tablee.core.registry import all_games, find_game
from tablee.protocol.shown import ChatShown
from tablee.protocol.stored import decode_summary
from tablee.records import Record
from tablee.server.bot_pool import BotPool
from tablee.server.collector import give_memory_back
from tablee.server.generations import Generations
from tablee.server.identity import Person
from tablee.server.live_table import PersonWatcher, ServedTable, table_addition
from tablee.server.logs import describe_exception, incident, log
from tablee.server.metrics import Metrics
from tablee.server.settings import BACKGROUND, Settings
from tablee.server.table_coach import TableCoach
from tablee.server.turn_messages import Turn, TurnMessages, turn_of
from tablee.server.turns import FairTurns
from tablee.server.warmup import GameLoader, request
from tablee.storage import Store, StoreError
from tablee.storage.coordination import Coordinator
from tablee.storage.daily import DailyStore
from tablee.storage.identities import IdentityStore
from tablee.storage.store import MAX_LISTED
from tablee.tables.alarm import Countdown
from tablee.tables.commands import Actor, Forget, Rematch, Rename, new_invite
from tablee.tables.creation import OpenedTable, Secrets, TableRequest, lesson_table, new_table, rematch_table
from tablee.tables.days import opening_time
from tablee.tables.events import Created, TableEvent
from tablee.tables.evolution import replay_events
from tablee.tables.forks import Fork, fork_table, recorded_table
from tablee.tables.live import MAX_RECENT_STEPS
from tablee.tables.refusals import Refused
from tablee.tables.table import GATHERING, OVER, OutdatedTable, Step, Table

ID_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # without those that look alike
IDLE_SECONDS = 60.0
QUIET_SECONDS = 5.0  # without a command, after which a table is trimmed
MANY_TABLES = 100  # dropped, after which their memory is given back
SWEEP_SECONDS = 5.0
WORK_AT_ONCE = 2  # threads that compute for requests, each of which may keep the event loop waiting for 5 ms
MAX_WAITING = 8  # requests per person, or per address of people without a name
MAX_CONSIDERED = 500  # newest open tables, among which those of an address are looked for
MAX_ADDRESSES = 4096  # of which the open tables made there are counted; the oldest are forgotten
WAKE_SECONDS = 2.0  # after its time, a table is opened if it has not gone on
WAKE_OVERLAP = 60.0  # seconds looked at again, as rows may be committed later than their time says
TableMaker = Callable[[Secrets, Actor, float], OpenedTable]


class TableRegistry:
    """Opens tables from the store on demand, and drops those that nobody watches."""

    def __init__(self, settings: Settings, store: Store, coordinator: Coordinator, metrics: Metrics) -> None:
        self.settings = settings
        self.store = store
        self.coordinator = coordinator
        self.metrics = metrics
        self.loader = GameLoader(all_games() if settings.compiler == BACKGROUND else ())
        self.bot_pool = BotPool(settings, metrics, self.loader.is_loaded)
        self.turns = FairTurns(WORK_AT_ONCE, MAX_WAITING)  # at replays, imports, explanations
        self.coach = TableCoach()
        self._unseated: dict[str, set[str]] = {}  # person -> tables that they made and do not sit at
        self._open_from: dict[str, set[str]] = {}  # group of addresses -> open tables that were made there
        self.generations = Generations()
        self.identities = IdentityStore(store)
        self.daily = DailyStore(store)
        self.clock: Callable[[], float] = time.time  # by which days begin and deals are opened
        self.turn_messages = TurnMessages(settings.webhook, settings.address, self._contact_of, self._waiting_table)
        self._live: dict[str, ServedTable] = {}
        self._opening: dict[str, asyncio.Task[ServedTable]] = {}
        self._making: dict[str, asyncio.Task[ServedTable]] = {}
        self._outdated: dict[str, float] = {}  # table -> number of its last event elsewhere, infinite if unknown
        self._refreshing: dict[str, asyncio.Task[None]] = {}
        self._countdowns: dict[str, Countdown] = {}  # of tables that were dropped while a clock was running
        self._woken_until = -math.inf  # wall time
        self._unopened: set[str] = set()  # tables that could not be opened when they were to go on
        self._dropped = 0  # tables, since memory was last given back
        self._sweeper: asyncio.Task[None] | None = None
        self._reader: asyncio.Task[None] | None = None  # of void tokens

    async def start(self) -> None:
        """Start listening for other processes, and dropping idle tables."""
        await self.coordinator.start(self._notified, self._missed)
        self._sweeper = asyncio.create_task(self._sweep())
        await self.generations.read(self.identities)
        if self.store.is_shared:
            self._reader = asyncio.create_task(self.generations.keep_reading(self.identities))
        self.loader.start()

    async def stop(self) -> None:
        """Close all tables."""
        self.loader.stop()
        for task in filter(None, (self._sweeper, self._reader)):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        await self.turn_messages.close()
        for live in list(self._live.values()):
            await live.close()
        await asyncio.gather(*self._refreshing.values(), return_exceptions=True)
        await self.coordinator.stop()
        self.bot_pool.close()
        await self.coach.close()

    # Opening

    async def table(self, table_id: str) -> ServedTable:
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

    async def _open(self, table_id: str) -> ServedTable:
        events = await self.store.events(table_id)
        if not events:
            raise Refused("unknown_table")
        assert isinstance(events[0], Created)
        if not is_served(events[0].game):
            raise Refused("unknown_game", game=events[0].game)
        request(find_game(events[0].game))
        chat = await self.store.chat(table_id)
        try:
            steps = await asyncio.to_thread(_recent_steps, table_id, events)
        except OutdatedTable:
            raise Refused("outdated") from None
        countdown = self._countdowns.pop(table_id, None)
        live = ServedTable(
            steps, chat, self.store, self.bot_pool, self.coordinator, self.metrics, self.settings.bot_pause, countdown
        )
        live.on_change = self.turn_messages.turn_changed
        self._live[table_id] = live
        if self.store.is_shared:
            await live.refresh()  # what others appended while this was read
        return live

    async def _contact_of(self, person: str) -> str:
        return (await self.identities.find(person)).contact

    async def _waiting_table(self, turn: Turn) -> Table | None:
        """Return the table of a turn that still lasts, if its person watches it nowhere and this process is to tell."""
        live = await self.table(turn.table)
        is_here = any(isinstance(each, PersonWatcher) and each.person_id == turn.person for each in live.watchers)
        if turn_of(live.table) != turn or is_here or not await self.coordinator.lease(turn.table):
            return None
        return live.table

    async def visible(self, table_id: str, person: Person | None, invite: str = "") -> ServedTable:
        """Return a table that a person may see: an open one, their own, or one they have the invite of."""
        live = await self.table(table_id)
        table = live.table
        if person is not None and person.id in table.removed:
            raise Refused("removed")
        is_own = person is not None and (table.seat_of(person.id), table.seat_kept_for(person.id)) != (None, None)
        is_invited = hmac.compare_digest(invite.encode(), table.created.invite.encode())
        if not (table.created.is_open or is_own or is_invited):
            raise Refused("unknown_table")
        if table.created.day and not is_own:
            await self._check_daily(table, person)
        return live

    async def _check_daily(self, table: Table, person: Person | None) -> None:
        """Refuse a look at the deal of a day to those who have not finished it, until it is opened to all."""
        day, game = table.created.day, table.created.game
        if self.clock() >= opening_time(day):
            return
        own = await self.daily.find(person.id, day, game) if person is not None else None
        is_running = table.is_daily and table.phase != OVER
        if own is None or own.ended_at is None or is_running:
            raise Refused("not_played", "daily_hidden")

    # Making

    async def create(self, request: TableRequest, person: Person, address: str = "") -> ServedTable:
        """Make a table; `address` is the group of addresses of who asks, empty for this machine."""
        await self.check_table_limit(person)
        if request.is_open:
            await self._check_open(person)
            await self._check_open_from(address)
        if not request.sits:
            self._check_unseated(request, person)
        live = await self._stored(partial(new_table, new_id(), request, bots=self.bot_pool.names()), person)
        if request.is_open and address:
            self._open_from.setdefault(address, set()).add(live.table.id)
        if not request.sits:
            self._unseated.setdefault(person.id, set()).add(live.table.id)
        return live

    async def _check_open(self, person: Person) -> None:
        """Refuse a person at too many open tables that wait for players: they would fill the lobby."""
        rows = await self.store.tables_of(person.id)
        if sum(row.is_open and row.phase == GATHERING for row in rows) >= self.settings.open_per_person:
            raise Refused("too_many", "too_many_open")

    async def _check_open_from(self, address: str) -> None:
        """Refuse an address from which too many open tables were made that wait for players, under whatever names."""
        made = self._open_from.get(address, set())
        if len(made) >= self.settings.open_per_address:
            made &= {row.id for row in await self.store.open_tables(MAX_CONSIDERED) if row.phase == GATHERING}
        if len(made) >= self.settings.open_per_address:
            raise Refused("too_many", "too_many_open_here")
        while len(self._open_from) >= MAX_ADDRESSES:
            del self._open_from[next(iter(self._open_from))]

    def _check_unseated(self, request: TableRequest, person: Person) -> None:
        """Refuse a table that nobody could see, and too many of one person at which they do not sit."""
        if not request.is_open:
            raise Refused("bad_setup", "nobody_sees")
        own = self._unseated.get(person.id, set())
        own = {each for each in own if each in self._live and self._live[each].table.phase != OVER}
        if own:
            self._unseated[person.id] = own
        else:
            self._unseated.pop(person.id, None)
        if len(own) >= self.settings.unseated_per_person:
            raise Refused("too_many", "too_many_unseated")

    async def fork(self, old: Table, fork: Fork, person: Person) -> ServedTable:
        """Make a table that continues from a position of a finished one."""
        if old.phase != OVER:
            raise Refused("not_over")
        await self.check_table_limit(person)
        return await self._stored(partial(fork_table, new_id(), old, fork, bots=self.bot_pool.names()), person)

    async def lesson(self, game: Game, person: Person, *, is_new: bool) -> ServedTable:
        """Open the guided round of a game that a person has not finished, or make one."""
        for row in [] if is_new else await self.store.tables_of(person.id):
            if row.game == game.name and row.phase != OVER and decode_summary(row.summary).is_lesson:
                with suppress(Refused):  # its rules are not installed any more
                    live = await self.table(row.id)
                    if live.table.progress() is not None:
                        return live
        await self.check_table_limit(person)
        return await self._stored(partial(lesson_table, new_id(), game.name), person)

    async def import_record(self, record: Record, person: Person) -> ServedTable:
        """Make a finished table from a record."""
        try:
            return await self._stored(partial(recorded_table, new_id(), record), person)
        except BadRecord as why:
            raise Refused("bad_record", why=why) from None

    async def _stored(self, make: TableMaker, person: Person) -> ServedTable:
        """Store a new table; it is dealt, or its record replayed, in a thread."""
        events, table = await self.turns.run(person.id, make, _new_secrets(), person.as_actor(), time.time())
        if not await self.store.append(table_addition(0, events, table)):
            raise Refused("unavailable")
        log("table made", game=table.created.game, seats=table.created.seats)
        return await self.table(table.id)

    async def open_or_make(self, table_id: str, make: TableMaker, person: Person) -> ServedTable:
        """Open a table, or store it first if there is none of that id; requests at the same moment share the work."""
        making = self._making.get(table_id)
        if making is None:
            making = self._making[table_id] = asyncio.create_task(self._open_or_make(table_id, make, person))
            making.add_done_callback(lambda _: self._making.pop(table_id, None))
        return await asyncio.shield(making)

    async def _open_or_make(self, table_id: str, make: TableMaker, person: Person) -> ServedTable:
        try:
            return await self.table(table_id)
        except Refused as refused:
            if refused.code != "unknown_table":
                raise
        try:
            return await self._stored(make, person)
        except Refused as refused:
            if refused.code != "unavailable":
                raise
            return await self.table(table_id)  # another process has stored it meanwhile

    async def check_table_limit(self, person: Person) -> None:
        """Refuse a person who sits at too many unfinished tables."""
        if await self.store.count_unfinished(person.id) >= self.settings.tables_per_person:
            raise Refused("too_many", "too_many_tables")

    async def rematch(self, live: ServedTable, person: Person, key: str) -> tuple[int, str]:
        """Make a table for the same players; anyone who asks second gets the one that exists."""
        opened = rematch_table(new_id(), live.table, _new_secrets(), person.id, time.time())
        try:
            number = await live.execute(Rematch(opened.table.id), person.as_actor(key), opened)
        except Refused as refused:
            if refused.code != "nothing_to_do" or live.table.rematch is None:
                raise
            number = live.table.number
        assert live.table.rematch is not None
        return number, live.table.rematch

    async def rename(self, person: Person) -> None:
        """Let a person's unfinished tables know the name that they have now."""
        for row in await self.store.tables_of(person.id):
            if row.phase != OVER:
                with suppress(Refused):  # they have left, or the game is not installed any more
                    await (await self.table(row.id)).execute(Rename(), person.as_actor())

    async def forget(self, person: Person) -> None:
        """Give up all seats of a person, and be no longer named there."""
        seen: set[str] = set()
        while rows := [row for row in await self.store.tables_of(person.id) if row.id not in seen]:
            for row in rows:
                seen.add(row.id)
                with suppress(Refused):  # the game is not installed any more
                    await (await self.table(row.id)).execute(Forget(), person.as_actor())

    async def reload_names(self, table_id: str) -> None:
        """Read again what is in memory of a table's log and chat: stored names have changed."""
        live = self._live.get(table_id)
        if live is not None:
            await live.reload_names()

    # Chat

    async def add_chat(self, live: ServedTable, person: Person, text: str, key: str) -> int:
        """Store a line of chat, then publish it; return its number. A line whose key is known is not repeated."""
        text = " ".join(text.split())
        if not text or not text.isprintable():
            raise Refused("bad_message", "bad_text")
        seat = live.table.seat_of(person.id)
        shown = ChatShown(0, time.time(), person.name, seat, text)
        body = msgspec.json.encode(shown).decode()
        line = await self.store.add_chat(live.table.id, body, person.as_actor(key).key)
        await live.publish_chat(line)
        return line.number

    # Other processes

    def _notified(self, notice: str) -> None:
        """Read what another process has written: `<id> <number of its last event>`, or `<id> chat`."""
        table_id, _, number = notice.partition(" ")
        live = self._live.get(table_id)
        reached = int(number) if number.isdecimal() else math.inf
        if live is None or live.table.number >= reached:
            return
        self._outdated[table_id] = max(reached, self._outdated.get(table_id, 0))
        if table_id not in self._refreshing:
            self._refreshing[table_id] = asyncio.create_task(self._refresh(live))

    async def _refresh(self, live: ServedTable) -> None:
        try:
            while live.table.id in self._outdated:
                number = self._outdated.pop(live.table.id)
                with suppress(StoreError):
                    await live.refresh(number)
        finally:  # not when the task is found done: a notice that arrives in between would be lost
            del self._refreshing[live.table.id]

    def _missed(self) -> None:
        for table_id in self._live:
            self._notified(f"{table_id} chat")

    # Dropping, and coming back

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            try:
                self.trim_quiet(QUIET_SECONDS)
                await self.forget_idle(IDLE_SECONDS)
                if self._dropped >= MANY_TABLES:
                    self._dropped = 0
                    await asyncio.to_thread(give_memory_back)
                with suppress(StoreError):  # which its observer knows of
                    await self.wake_due()
            except Exception as error:  # whatever fails must not end the task: tables wait for it
                incident("sweep fails", logging.ERROR, **describe_exception(error))

    def is_quiet(self) -> bool:
        """Return whether nothing has happened at any table for a while."""
        limit = time.monotonic() - QUIET_SECONDS
        return all(live.used_at < limit for live in self._live.values())

    def trim_quiet(self, seconds: float) -> None:
        """Drop what can be made again of tables at which nothing has happened for so many seconds."""
        limit = time.monotonic() - seconds
        for live in self._live.values():
            if live.used_at < limit:
                live.trim()

    async def forget_idle(self, seconds: float) -> None:
        """Drop tables that nobody has watched for so many seconds; their clocks go on."""
        limit = time.monotonic() - seconds
        for table_id, live in list(self._live.items()):
            if live.is_idle and live.used_at < limit:
                del self._live[table_id]
                self._dropped += 1
                if live.countdown is not None:
                    self._countdowns[table_id] = live.countdown
                await live.close()
        self.metrics.count_tables(live.table.phase for live in self._live.values())

    async def wake_due(self) -> None:
        """Open the tables that are to go on by themselves: a clock or rest has run out, or a bot is to move.

        The monotonic clock decides about tables that were in memory here, the wall clock about all others: those of
        another process that has ended, or from before a restart.
        """
        now = asyncio.get_running_loop().time()
        due = self._unopened | {table_id for table_id, countdown in self._countdowns.items() if countdown.due <= now}
        try:
            due |= await self._tables_to_wake()
        finally:
            self._unopened = due - self._live.keys()
            for table_id in sorted(self._unopened):
                await self._wake(table_id)

    async def _tables_to_wake(self) -> set[str]:
        """Return the tables of the store whose time has come since the last call, WAKE_SECONDS ago or earlier."""
        until = time.time() - WAKE_SECONDS
        after = min(self._woken_until, until) - WAKE_OVERLAP
        found = await self.store.due_tables(after, until)
        self._woken_until = found[-1][1] if len(found) == MAX_LISTED else until
        return {table_id for table_id, _ in found} - self._countdowns.keys()

    async def _wake(self, table_id: str) -> None:
        """Open a table, and it goes on; one that cannot be opened yet is tried again at the next sweep."""
        try:
            await self.table(table_id)
        except StoreError:
            return
        except Refused:
            pass  # its game or its version is not installed any more
        self._unopened.discard(table_id)
        self._countdowns.pop(table_id, None)


def is_served(game: str) -> bool:
    """Whether a game can be played here."""
    return any(game == known.name for known in all_games())


def _recent_steps(table_id: str, events: list[TableEvent]) -> list[Step]:
    return list(deque(replay_events(table_id, events), MAX_RECENT_STEPS))


def _new_secrets() -> Secrets:
    return Secrets(secret_seed(), new_invite())


def new_id() -> str:
    """Draw an id for a table: short enough to read aloud, too long to guess."""
    return "".join(secrets.choice(ID_LETTERS) for _ in range(12))
