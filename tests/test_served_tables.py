"""The tables of a server process without sockets: chat, clocks, what is kept in memory and what comes back."""

import asyncio
import functools
import gc
import tracemalloc
import weakref
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import event

from clocks import Clocks
from tablee.protocol.messages import ChatRequest
from tablee.server import collector
from tablee.server.collector import CollectorSettings, give_memory_back
from tablee.server.commands import handle_command
from tablee.server.event_messages import Viewing
from tablee.server.identity import Person
from tablee.server.metrics import Metrics
from tablee.server.registry import TableRegistry
from tablee.server.settings import Settings
from tablee.storage import Store, StoreError
from tablee.storage.coordination import coordinator_for
from tablee.storage.export import finished_tables
from tablee.tables.commands import Claim, Pause, Play
from tablee.tables.creation import TableRequest

ANA, BEN = Person("p1", "Ana"), Person("p2", "Ben")
REQUEST = TableRequest("skyjo", seats=2, options={"opening": "auto"}, is_open=True)
TIMED = TableRequest("skyjo", seats=2, options={"opening": "auto"}, is_open=True, clock=60)


@asynccontextmanager
async def process(database):
    """A server process: a store and its tables."""
    store = Store(str(database))
    store.open()
    registry = TableRegistry(Settings(bot_pause=0.0), store, coordinator_for(store), Metrics())
    await registry.start()
    try:
        yield registry
    finally:
        await registry.stop()
        store.close()


# Chat


def test_a_chat_line_sent_three_times_is_one_line(tmp_path):
    async def scenario():
        async with process(tmp_path / "tablee.db") as registry:
            live = await registry.create(REQUEST, ANA)
            line = ChatRequest(id="c1", table=live.table.id, text="Hello")
            acks = [await handle_command(registry, line, ANA) for _ in range(3)]
            assert [ack.number for ack in acks] == [1, 1, 1]
            assert len(live.chat) == len(await registry.store.chat(live.table.id)) == 1
            assert (await handle_command(registry, line, BEN)).number == 2  # another person's id is another's line

    asyncio.run(scenario())


def test_chat_of_another_process_is_not_skipped(tmp_path):
    async def scenario():
        async with process(tmp_path / "tablee.db") as registry:
            live = await registry.create(REQUEST, ANA)
            await registry.add_chat(live, ANA, "one", "c1")
            await registry.store.add_chat(
                live.table.id, '{"number": 0, "at": 1.0, "name": "Ben", "seat": null, "text": "two"}'
            )
            await registry.add_chat(live, ANA, "three", "c2")
            assert [line.text for line in live.chat] == ["one", "two", "three"]

    asyncio.run(scenario())


# Clocks and bots of tables that no process has in memory


@pytest.fixture
def clocks(monkeypatch):
    return Clocks(monkeypatch)


async def timed_table(registry):
    """A table of two people on a clock of a minute, which nobody watches."""
    live = await registry.create(TIMED, ANA)
    await live.execute(Claim(None, live.table.created.invite), BEN.as_actor())
    return live.table.id


def is_covered(registry, table_id):
    live = registry._live.get(table_id)
    return live is not None and any(seat.is_covered for seat in live.table.seats)


@pytest.mark.parametrize("seconds", [0, -3600, 3600])
def test_a_table_that_was_dropped_comes_back_when_its_clock_runs_out(clocks, tmp_path, seconds):
    async def scenario():
        async with process(tmp_path / "tablee.db") as registry:
            table_id = await timed_table(registry)
            await registry.forget_idle(-1)
            assert table_id not in registry._live
            clocks.set_wall(seconds)
            await clocks.wait(55)
            await registry.wake_due()
            assert not is_covered(registry, table_id)
            await registry.forget_idle(-1)
            await clocks.until(lambda: is_covered(registry, table_id))

    clocks.run(scenario())


def test_a_dropped_table_that_is_opened_keeps_its_time(clocks, tmp_path):
    async def scenario():
        async with process(tmp_path / "tablee.db") as registry:
            table_id = await timed_table(registry)
            due = registry._live[table_id].countdown.due
            await registry.forget_idle(-1)
            clocks.set_wall(3600)
            assert (await registry.table(table_id)).countdown.due == due

    clocks.run(scenario())


def test_a_table_that_nobody_joins_is_closed_after_a_week_in_memory_or_not_and_is_no_record(clocks, tmp_path):
    async def scenario():
        async with process(tmp_path / "tablee.db") as registry:
            tables = [(await registry.create(REQUEST, ANA)).table.id for _ in range(2)]
            await registry.forget_idle(-1)
            await registry.table(tables[0])
            assert len(await registry.store.tables_of(ANA.id)) == 2
        async with process(tmp_path / "tablee.db") as registry:
            await registry.table(tables[0])
            await clocks.wait(7 * 86_400 + 10)
            await clocks.until(lambda: len(registry.store.finished()) == 2)
            assert await registry.store.tables_of(ANA.id) == []
            assert [(await registry.table(each)).table.end for each in tables] == ["expired", "expired"]
            assert await asyncio.to_thread(lambda: list(finished_tables(registry.store))) == []

    clocks.run(scenario())


def test_clocks_go_on_after_a_restart_though_nobody_comes_back(clocks, tmp_path):
    async def scenario():
        async with process(tmp_path / "tablee.db") as registry:
            table_id = await timed_table(registry)
        async with process(tmp_path / "tablee.db") as registry:
            await clocks.wait(70)
            await clocks.until(lambda: is_covered(registry, table_id))

    clocks.run(scenario())


def test_bots_go_on_after_a_restart_though_nobody_comes_back(clocks, tmp_path):
    class SilentBots:
        async def move(self, table, seat):
            await asyncio.Event().wait()

    async def scenario():
        async with process(tmp_path / "tablee.db") as registry:
            registry.bot_pool.move = SilentBots().move  # the process is stopped while they think
            request = TableRequest(
                "skyjo", seats=2, options={"opening": "auto"}, bots=["random", "random"], sits=False, is_open=True
            )
            table_id = (await registry.create(request, ANA)).table.id
        async with process(tmp_path / "tablee.db") as registry:
            await clocks.until(lambda: table_id in registry._live and registry._live[table_id].table.moves > 0)

    clocks.run(scenario())


def test_a_database_that_is_away_stops_no_clock(clocks, tmp_path, monkeypatch):
    async def scenario():
        async with process(tmp_path / "tablee.db") as registry:
            table_id = await timed_table(registry)
            await registry.forget_idle(-1)
            failures = []

            async def fail(*_, **__):
                failures.append(1)
                raise StoreError("the database did not answer")

            with monkeypatch.context() as away:
                away.setattr(registry.store, "events", fail)
                away.setattr(registry.store, "due_tables", fail)
                await clocks.until(lambda: len(failures) > 20)
            await clocks.until(lambda: is_covered(registry, table_id))

    clocks.run(scenario())


def test_a_table_whose_rules_are_gone_is_not_opened_for_ever(clocks, tmp_path, monkeypatch):
    async def scenario():
        async with process(tmp_path / "tablee.db") as registry:
            await timed_table(registry)
        opened = []
        monkeypatch.setattr("tablee.server.registry.is_served", opened.append)
        async with process(tmp_path / "tablee.db") as registry:
            await clocks.until(lambda: opened)
            registry._sweeper.cancel()  # which may be looking for such tables at this moment
            await asyncio.wait([registry._sweeper])
            await clocks.wait(600)
            await registry.wake_due()
            opened.clear()
            for _ in range(5):
                await registry.wake_due()
            assert not opened

    clocks.run(scenario())


def test_a_full_disk_loses_nothing_and_stops_no_clock(clocks, tmp_path):
    async def scenario():
        async with process(tmp_path / "tablee.db") as registry:
            table_id = await timed_table(registry)
            is_full = True

            def limit_pages(connection):
                connection.exec_driver_sql(f"PRAGMA max_page_count = {1 if is_full else 2**32 - 2}")

            event.listen(registry.store.engine, "begin", limit_pages)
            live, refused = await registry.table(table_id), []
            while not refused:  # until the last page is full
                try:
                    await registry.add_chat(live, ANA, "x" * 400, "")
                except StoreError as error:
                    refused.append(str(error))
            assert "full" in refused[0]
            stored = await registry.store.events(table_id)
            await clocks.wait(61)
            await clocks.wait(5)
            is_full = False
            await clocks.until(lambda: is_covered(registry, table_id))
            assert (await registry.store.events(table_id))[: len(stored)] == stored
            await live.execute(Pause(), ANA.as_actor("k1"))
            assert (await registry.store.events(table_id))[-1].key == "p1/k1"

    clocks.run(scenario())


# Memory


def test_quiet_tables_are_trimmed_and_busy_ones_are_not(tmp_path):
    async def scenario():
        async with process(tmp_path / "tablee.db") as registry:
            live = await registry.create(REQUEST, ANA)
            await live.log(0, "en")
            registry.trim_quiet(3600)
            assert live._logs
            registry.trim_quiet(-1)
            assert not live._logs
            await live.execute(Claim(None, live.table.created.invite), BEN.as_actor())
            assert [line.code for line in (await live.log(0, "en")).page(10).lines][-1] == "table.started"

    asyncio.run(scenario())


def test_an_idle_table_takes_less_than_fifty_kilobytes(tmp_path):
    """After moves that two people have seen; counted as allocated by Python and NumPy."""
    tables, moves = 4, 10

    async def played(registry):
        live = await registry.create(REQUEST, ANA)
        await live.execute(Claim(None, live.table.created.invite), BEN.as_actor())
        people = {live.table.seat_of(person.id): person for person in (ANA, BEN)}
        for _ in range(moves):
            match = live.table.match
            command = Play(match.text(match.legal_moves()[0]), live.table.number)
            await live.execute(command, people[match.to_move].as_actor())
            for seat in people:
                live.shown(Viewing(seat, "en", ""))
                await live.log(seat, "en")

    async def memory(registry):
        registry.trim_quiet(-1)
        for cached in gc.get_objects():  # parts of views, which all tables share
            if isinstance(cached, functools._lru_cache_wrapper) and cached.__module__.endswith(".view"):
                cached.cache_clear()
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    async def scenario():
        async with process(tmp_path / "tablee.db") as registry:
            await played(registry)  # what all tables share
            before = await memory(registry)
            for _ in range(tables):
                await played(registry)
            busy = tracemalloc.get_traced_memory()[0] - before
            return busy / tables, (await memory(registry) - before) / tables

    tracemalloc.start()
    try:
        busy, idle = asyncio.run(scenario())
    finally:
        tracemalloc.stop()
    assert idle < 50_000 < busy


def test_memory_is_given_back_after_many_tables_were_dropped(clocks, tmp_path, monkeypatch):
    given = []
    monkeypatch.setattr("tablee.server.registry.give_memory_back", lambda: given.append(True))
    monkeypatch.setattr("tablee.server.registry.MANY_TABLES", 3)

    async def scenario():
        async with process(tmp_path / "tablee.db") as registry:
            for _ in range(3):
                await registry.create(REQUEST, ANA)
            await registry.forget_idle(-1)
            await clocks.until(lambda: given)

    clocks.run(scenario())
    give_memory_back()  # the real one, wherever this runs


def test_what_the_start_has_made_is_left_out_of_collections(clocks):
    thresholds, settings = gc.get_threshold(), CollectorSettings()

    async def scenario():
        settings.start()
        try:
            assert gc.get_freeze_count() > 10_000
            assert gc.get_threshold() != thresholds
            cycle = Cycle()
            cycle.itself, gone = cycle, weakref.ref(cycle)
            del cycle
            await clocks.until(lambda: gone() is None)  # all the rest is collected from time to time
        finally:
            settings.stop()

    clocks.run(scenario())
    assert (gc.get_freeze_count(), gc.get_threshold()) == (0, thresholds)


def test_what_survives_is_left_out_until_a_full_collection(clocks, monkeypatch):
    """A full collection waits until the server is quiet; not if the memory has grown threefold."""
    memory, is_quiet = [100], []
    monkeypatch.setattr(collector, "resident_memory", lambda: memory[0])
    settings = CollectorSettings(lambda: bool(is_quiet))

    def left_out():
        cycle = Cycle()
        cycle.itself, gone = cycle, weakref.ref(cycle)
        gc.collect(0)
        gc.collect(1)
        return gone

    async def scenario():
        settings.start()
        try:
            first = left_out()
            for _ in range(3):
                gc.collect(1)
            assert not settings._is_full_due()
            assert first() is not None  # frozen while it was in use
            memory[0] = 301
            await clocks.until(lambda: first() is None)
            assert not settings._is_full_due()  # 301 is what counts now
            second = left_out()
            monkeypatch.setattr(collector, "FULL_SECONDS", 0.0)
            assert not settings._is_full_due()
            is_quiet.append(True)
            await clocks.until(lambda: second() is None)
        finally:
            settings.stop()

    clocks.run(scenario())


class Cycle:
    """An object that refers to itself."""
