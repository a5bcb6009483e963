"""The event store, on SQLite and on PostgreSQL: appends are atomic, conflicts are detected, nothing is lost."""

import asyncio
import json
import sqlite3
import subprocess
import sys
import threading
from contextlib import suppress

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import event, text

from tablee import Record
from tablee.core.errors import TableeError
from tablee.server.live_table import table_addition
from tablee.storage import Addition, Store, StoreError, writer
from tablee.storage.backup import back_up, restore
from tablee.storage.coordination import PostgresCoordinator, coordinator_for
from tablee.storage.database import parse_notices
from tablee.storage.export import export_lines, export_records
from tablee.storage.lock import exclusive
from tablee.storage.migration import migrate, revision
from tablee.storage.schema import metadata
from tablee.tables.commands import Actor, Claim, Leave, ProposeEnd
from tablee.tables.creation import Secrets, TableRequest, new_table
from tablee.tables.decisions import decide
from tablee.tables.events import Left

ANA = Actor("p1", "Ana")
TIMEOUT = 120  # seconds; generous, the machine may be busy
REQUEST = TableRequest("skyjo", seats=2, options={"opening": "auto"}, is_open=True)


@pytest.fixture
def store(database):
    store = Store(database)
    store.open()
    yield store
    store.close()


def new_addition(table_id, request=REQUEST, maker=ANA):
    events, table = new_table(table_id, request, Secrets(7, "invite"), maker, 1.0, ("random",))
    return table_addition(0, events, table), table


def addition_of(table, command, actor=ANA):
    steps = decide(table, command, actor, 2.0)
    return table_addition(table.number, [step.event for step in steps], steps[-1].table), steps[-1].table


def test_events_are_read_as_they_were_written(store):
    addition, _ = new_addition("one")
    assert asyncio.run(store.append(addition))
    assert asyncio.run(store.events("one")) == list(addition.events)
    assert asyncio.run(store.events("one", after=1)) == list(addition.events)[1:]
    assert asyncio.run(store.events("none")) == []


def test_an_append_at_a_taken_number_changes_nothing(store):
    async def scenario():
        addition, table = new_addition("one")
        await store.append(addition)
        first, _ = addition_of(table, Leave())
        second, _ = addition_of(table, Claim(None), Actor("p2", "Ben"))
        assert len(second.events) == 2  # the second of them would be at a free number
        assert await store.append(first)
        assert not await store.append(second)
        assert not await store.append(addition)
        assert len(await store.events("one")) == len(addition.events) + 1

    asyncio.run(scenario())


def test_of_concurrent_appends_to_a_table_one_succeeds_and_numbers_have_no_gap(store):
    async def scenario():
        tables = {}
        for number in range(8):
            addition, tables[f"t{number}"] = new_addition(f"t{number}")
            await store.append(addition)
        commits = store.commits
        races = [
            store.append(addition_of(table, Claim(None), Actor(f"p{rival}", "Ben"))[0])
            for table in tables.values()
            for rival in range(2, 7)
        ]
        accepted = await asyncio.gather(*races)
        assert sum(accepted) == len(tables)
        assert store.commits - commits < len(races)  # several share a commit
        for name, table in tables.items():
            events = await store.events(name)
            assert len(events) == table.number + 2
            claims = [event for event in events if getattr(event, "person", "") not in ("", "p1")]
            assert len(claims) == 1

    asyncio.run(scenario())


def test_two_processes_cannot_both_append(database):
    """Two stores on one database, as two processes have."""

    async def scenario(one, two):
        addition, table = new_addition("one")
        await one.append(addition)
        rivals = [addition_of(table, Claim(None), Actor(f"p{n}", "Ben"))[0] for n in range(2, 22)]
        accepted = await asyncio.gather(*((one, two)[n % 2].append(rival) for n, rival in enumerate(rivals)))
        assert sum(accepted) == 1
        assert len(await two.events("one")) == table.number + 2

    one, two = Store(database), Store(database)
    one.open()
    two.open()
    asyncio.run(scenario(one, two))
    one.close()
    two.close()


def test_a_busy_writer_waits_for_others_to_share_a_commit_and_an_idle_one_for_nobody(store, monkeypatch):
    waits, begun, released = [], threading.Event(), threading.Event()
    monkeypatch.setattr(writer.time, "sleep", waits.append)

    def hold_up(_):
        begun.set()
        released.wait()

    async def scenario():
        held_up = asyncio.create_task(store.write(hold_up))
        await asyncio.to_thread(begun.wait)
        others = [asyncio.create_task(store.write(lambda _: None)) for _ in range(writer.BUSY_GROUP)]
        await asyncio.sleep(0)  # until all of them are requested
        released.set()
        await asyncio.gather(held_up, *others)
        assert waits == []
        await store.write(lambda _: None)
        assert waits == [writer.GATHER_SECONDS]
        await store.write(lambda _: None)
        assert waits == [writer.GATHER_SECONDS]

    asyncio.run(scenario())


def test_an_append_that_fails_does_not_affect_the_others_of_its_group(store):
    async def scenario():
        good, _ = new_addition("good")
        bad, _ = new_addition("x" * 32)
        broken = Addition(bad.row, 5, [Left(1.0, seat=0, key="\0")], frozenset({"p" * 65, "q" * 65}))
        results = await asyncio.gather(
            *(store.append(a) for a in (good, broken, new_addition("better")[0])), return_exceptions=True
        )
        assert results[0] is True
        assert results[2] is True
        assert len(await store.events("good")) == len(good.events)

    asyncio.run(scenario())


def test_an_unexpected_error_does_not_stop_the_writer(store):
    async def scenario():
        good, _ = new_addition("good")
        broken = Addition(good.row, 0, [Left(1.0, seat=object())], frozenset())  # cannot be encoded
        with pytest.raises(StoreError):
            await store.append(broken)
        assert await store.append(good)

    asyncio.run(scenario())


def test_errors_of_the_database_do_not_show_parameters(store):
    with store.engine.begin() as connection:
        connection.execute(text("DROP TABLE events"))
    with pytest.raises(StoreError) as failed:
        asyncio.run(store.append(new_addition("one")[0]))
    assert "invite" not in str(failed.value)
    with pytest.raises(StoreError):
        asyncio.run(store.events("one"))


def test_the_lobby_lists_open_tables_and_a_persons_own(store):
    async def scenario():
        await store.append(new_addition("public")[0])
        private, table = new_addition("private", TableRequest("skyjo", seats=2))
        await store.append(private)
        await store.append(new_addition("others", maker=Actor("p9", "Eve"))[0])
        assert {row.id for row in await store.open_tables()} == {"public", "others"}
        assert {row.id for row in await store.tables_of("p1")} == {"public", "private"}
        assert await store.count_unfinished("p1") == 2
        await store.append(addition_of(table, Leave())[0])
        assert {row.id for row in await store.tables_of("p1")} == {"public"}

    asyncio.run(scenario())


def test_chat_is_numbered_and_capped(store, monkeypatch):
    monkeypatch.setattr("tablee.storage.chat.MAX_CHAT_LINES", 5)

    async def scenario():
        for number in range(1, 9):
            assert (await store.add_chat("one", f"line {number}")).number == number
        assert [line.body for line in await store.chat("one")] == [f"line {n}" for n in range(4, 9)]
        assert [line.number for line in await store.chat("one", after=6)] == [7, 8]

    asyncio.run(scenario())


def test_a_chat_line_is_stored_once_for_each_key(store):
    async def scenario():
        first = await store.add_chat("one", "hello", "p1/c1")
        again = await asyncio.gather(*(store.add_chat("one", "hello", key) for key in ("p1/c1", "p1/c2", "p1/c2")))
        assert [line.number for line in (first, *again)] == [1, 1, 2, 2]
        assert (await store.add_chat("two", "hello", "p1/c1")).number == 1  # keys are those of one table
        assert [(await store.add_chat("one", "hello")).number for _ in range(2)] == [3, 4]  # without a key: a new one
        assert [line.number for line in await store.chat("one")] == [1, 2, 3, 4]

    asyncio.run(scenario())


def test_chat_of_two_processes_is_numbered_without_gaps(database):
    async def scenario(one, two):
        lines = await asyncio.gather(*((one, two)[n % 2].add_chat(f"t{n % 3}", "hello", f"p/{n}") for n in range(60)))
        for table in range(3):
            assert sorted(line.number for line in lines if line.table_id == f"t{table}") == list(range(1, 21))

    one, two = Store(database), Store(database)
    one.open()
    two.open()
    asyncio.run(scenario(one, two))
    one.close()
    two.close()


def test_a_write_between_reading_and_writing_does_not_refuse_a_chat_line(tmp_path):
    """SQLite refuses a transaction that has read, and writes after another has written."""
    store = Store(str(tmp_path / "tablee.db"))
    store.open()
    asyncio.run(store.add_chat("one", "first"))
    rival = sqlite3.connect(tmp_path / "tablee.db", timeout=0, check_same_thread=False)

    def write_in_between(connection, cursor, statement, *_):
        if statement.startswith("INSERT INTO chat"):
            with suppress(sqlite3.OperationalError), rival:  # refused while the writer has the lock
                rival.execute("INSERT INTO settings VALUES ('rival', 'was here')")

    event.listen(store.engine, "before_cursor_execute", write_in_between)
    assert asyncio.run(store.add_chat("one", "second")).number == 2
    rival.close()
    store.close()


def test_another_process_that_closes_the_file_leaves_the_log_in_place(tmp_path):
    """SQLite deletes the log with the last connection; a process that lost its locks would go on writing to nowhere."""
    file = tmp_path / "tablee.db"
    count = "import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM chat').fetchone())"
    store = Store(str(file))
    store.open()
    with store.engine.connect() as one, store.engine.connect() as two:
        for connection in (one, two):
            connection.execute(text("SELECT count(*) FROM chat"))
    for number in (1, 2):
        asyncio.run(store.add_chat("one", "hello"))
        counted = subprocess.run([sys.executable, "-c", count, file], capture_output=True, text=True, check=True)
        assert int(counted.stdout) == number
    store.close()


def test_the_secret_is_drawn_once(store, database):
    other = Store(database)
    assert store.secret() == other.secret()
    assert len(store.secret()) == 64
    other.close()


def test_migrations_create_exactly_the_schema(store):
    assert revision(store.engine) == "0008"
    migrate(store.engine)  # a second time: nothing to do
    with store.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


def add_finished_tables(store, count=3):
    async def scenario():
        for number in range(count):
            addition, table = new_addition(f"t{number}", TableRequest("skyjo", seats=2, bots=["random"]))
            await store.append(addition)
            await store.append(addition_of(table, ProposeEnd())[0])
        await store.append(new_addition("unfinished")[0])

    asyncio.run(scenario())


def test_a_backup_holds_everything_and_is_restored_into_either_kind_of_database(store, tmp_path, postgres):
    add_finished_tables(store)
    store.secret()
    asyncio.run(store.add_chat("t0", "hello"))
    assert back_up(store.url, tmp_path / "backup.db") == 4
    with pytest.raises(TableeError, match="already"):
        back_up(store.url, tmp_path / "backup.db")
    with pytest.raises(TableeError, match="not empty"):
        restore(tmp_path / "backup.db", store.url)
    for target in (str(tmp_path / "restored.db"), postgres.database()):
        assert restore(tmp_path / "backup.db", target) == 4
        restored = Store(target)
        for name in ("t0", "t1", "t2", "unfinished"):
            assert asyncio.run(restored.events(name)) == asyncio.run(store.events(name))
        assert restored.secret() == store.secret()
        assert len(asyncio.run(restored.chat("t0"))) == 1
        restored.close()


def test_a_backup_leaves_a_database_of_an_earlier_version_as_it_is(store, tmp_path):
    """A server of that version may be using it; `tablee doctor` advises a backup before the next start migrates it."""
    add_finished_tables(store)
    with store.engine.begin() as connection:
        connection.execute(text("DROP TABLE puzzle_attempts"))
        connection.execute(text("UPDATE alembic_version SET version_num = '0007'"))
    file = tmp_path / "backup.db"
    if store.is_shared:
        with pytest.raises(StoreError, match=r"has schema 0007.*the version that wrote it, or with pg_dump"):
            back_up(store.url, file)
    else:
        assert back_up(store.url, file) == 4
        before = file.read_bytes()
        assert restore(file, str(tmp_path / "restored.db")) == 4
        assert file.read_bytes() == before
    assert revision(store.engine) == "0007"
    assert {path.name for path in tmp_path.iterdir()} <= {
        *("tablee.db", "tablee.db-wal", "tablee.db-shm", "backup.db", "restored.db", "restored.db.lock")
    }


def test_nothing_is_restored_into_a_file_that_a_server_uses(tmp_path):
    store = Store(str(tmp_path / "tablee.db"))
    store.open()
    store.close()
    back_up(str(tmp_path / "tablee.db"), tmp_path / "backup.db")
    with exclusive(str(tmp_path / "other.db")), pytest.raises(StoreError, match="another server"):
        restore(tmp_path / "backup.db", str(tmp_path / "other.db"))


def test_finished_games_are_exported_as_records_and_lines(store, tmp_path):
    add_finished_tables(store)
    assert export_records(store, tmp_path / "records") == 3
    for path in (tmp_path / "records").iterdir():
        assert Record.load(path).verify().moves == 0
    with (tmp_path / "games.jsonl").open("w") as stream:
        assert export_lines(store, stream) == 3
    lines = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]
    assert [line["table"] for line in lines] == ["t0", "t1", "t2"]
    assert all(line["game"] == "skyjo" and line["end"] == "agreement" and line["seed"] for line in lines)


def test_processes_are_notified_and_one_of_them_runs_a_tables_bots(postgres):
    async def scenario():
        notices = asyncio.Queue()
        store = Store(postgres.database())
        store.open()
        one, two = PostgresCoordinator(store.url), PostgresCoordinator(store.url)
        await one.start(notices.put_nowait, lambda: None)
        await store.append(new_addition("one")[0])
        assert await asyncio.wait_for(notices.get(), TIMEOUT) == f"one {new_addition('one')[1].number}"
        await store.add_chat("one", "hello")
        assert await asyncio.wait_for(notices.get(), TIMEOUT) == "one chat"
        assert await one.lease("one")
        assert await one.lease("one")
        assert not await two.lease("one")
        assert await two.lease("another")
        await one.release("one")
        assert await two.lease("one")
        await two.stop()  # as if the process had ended; PostgreSQL takes a moment to notice
        async with asyncio.timeout(TIMEOUT):
            while not await one.lease("another"):
                await asyncio.sleep(0.05)
        await one.stop()
        store.close()

    asyncio.run(scenario())


def test_processes_are_notified_of_every_table_of_a_group(postgres, monkeypatch):
    monkeypatch.setattr("tablee.storage.database.MAX_NOTICES", 3)
    names = {f"t{number}" for number in range(8)}

    async def scenario():
        notified = []
        store = Store(postgres.database())
        store.open()
        listener = PostgresCoordinator(store.url)
        await listener.start(lambda notice: notified.append(notice.partition(" ")[0]), lambda: None)
        assert all(await asyncio.gather(*(store.append(new_addition(name)[0]) for name in names)))
        assert store.commits < len(names)
        async with asyncio.timeout(TIMEOUT):
            while len(notified) < len(names):
                await asyncio.sleep(0.01)
        assert sorted(notified) == sorted(names)
        await listener.stop()
        store.close()

    asyncio.run(scenario())


def test_a_process_is_not_told_what_it_has_written_itself(postgres):
    async def scenario():
        heard = {"one": asyncio.Queue(), "two": asyncio.Queue()}
        url = postgres.database()
        stores = {name: Store(url) for name in heard}
        coordinators = {name: coordinator_for(store) for name, store in stores.items()}
        for name, store in stores.items():
            store.open()
            await coordinators[name].start(heard[name].put_nowait, lambda: None)
        addition, table = new_addition("a")
        await stores["one"].append(addition)
        await stores["one"].add_chat("a", "hello")
        await stores["two"].append(addition_of(table, Claim(None), Actor("p2", "Ben"))[0])
        told = [await asyncio.wait_for(heard["two"].get(), TIMEOUT) for _ in range(2)]
        assert told == [f"a {table.number}", "a chat"]
        assert await asyncio.wait_for(heard["one"].get(), TIMEOUT) == f"a {table.number + 2}"
        for name, store in stores.items():
            await coordinators[name].stop()
            assert heard[name].empty()
            store.close()

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("payload", "sender", "notices"),
    [("from ab\na 1\nb chat", "ab", ["a 1", "b chat"]), ("a 1\nb chat", "", ["a 1", "b chat"]), ("", "", [""])],
)
def test_notices_of_earlier_versions_have_no_sender(payload, sender, notices):
    assert parse_notices(payload) == (sender, notices)


def test_a_connection_that_broke_while_it_was_idle_is_replaced(postgres, monkeypatch):
    monkeypatch.setattr("tablee.storage.database.IDLE_SECONDS", 0.0)
    store, other = Store(postgres.database()), Store(postgres.url("postgres"))
    store.open()
    assert asyncio.run(store.append(new_addition("one")[0]))
    with other.engine.connect() as connection:
        name = store.engine.url.database
        connection.execute(text(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"))
    assert asyncio.run(store.append(new_addition("two")[0]))
    other.close()
    store.close()
