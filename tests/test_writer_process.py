"""Appends in a process of its own: what holds for the thread holds for it, and it may die at any moment."""

import asyncio
import os
import select
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path

import httpx
import pytest
from sqlalchemy import text

import test_statistics
import test_storage
from tablee.storage import Store, StoreError, writer, writer_process
from tablee.storage.lock import exclusive
from tablee.storage.observer import WRITE, WRITER_PROCESS, Unobserved
from tablee.storage.schema import metadata
from tablee.tables.commands import Actor, Claim
from tablee.tables.events import Renamed
from test_statistics import (  # noqa: F401
    games,
    test_a_database_from_before_is_counted_as_if_it_had_been_kept_all_along,
    test_what_is_kept_follows_from_the_results_in_the_order_of_their_ends,
)
from test_storage import (  # noqa: F401
    TIMEOUT,
    addition_of,
    new_addition,
    test_a_backup_holds_everything_and_is_restored_into_either_kind_of_database,
    test_an_append_at_a_taken_number_changes_nothing,
    test_an_append_that_fails_does_not_affect_the_others_of_its_group,
    test_an_unexpected_error_does_not_stop_the_writer,
    test_events_are_read_as_they_were_written,
    test_of_concurrent_appends_to_a_table_one_succeeds_and_numbers_have_no_gap,
    test_the_lobby_lists_open_tables_and_a_persons_own,
    test_two_processes_cannot_both_append,
)

SERVER = """
import sys
from tablee.server.launcher import serve
from tablee.server.settings import Settings
from tablee.storage import store, writer, writer_process
store.can_help = lambda url: True
writer.BUSY_EXCESS = 0.0
writer_process.READY_WAIT = 60.0
settings = Settings(database=sys.argv[1], status="off")
serve(settings, "127.0.0.1", int(sys.argv[2]), on_open=lambda: print("open", flush=True))
"""


@pytest.fixture(autouse=True)
def written(monkeypatch):
    """Let a process append from the first event on; return the numbers of appends that it was given."""
    given = []
    write = writer_process.WriterProcess.write

    def count_and_write(process, appends):
        given.append(len(appends))
        return write(process, appends)

    monkeypatch.setattr(writer_process.WriterProcess, "write", count_and_write)
    monkeypatch.setattr(writer_process, "READY_WAIT", TIMEOUT)
    monkeypatch.setattr("tablee.storage.store.can_help", lambda url: True)  # also on one core
    monkeypatch.setattr(writer, "BUSY_EXCESS", 0.0)
    for module in (test_storage, test_statistics):
        monkeypatch.setattr(module, "Store", partial(Store, uses_process=True))
    yield given
    assert given


@pytest.fixture
def store(database, written):
    store = Store(database, uses_process=True)
    store.open()
    yield store
    store.close()


class Observer(Unobserved):
    """Keeps what failed."""

    def __init__(self):
        self.failures = []

    def failed(self, operation, why):
        self.failures.append((operation, why))


def process_of(store):
    """Return the process that writes, for tests alone: nothing else needs it."""
    return store._writer._process._process


def rename(table, number):
    """Return an addition of one event, by a command with a key."""
    event = Renamed(2.0, key=f"p1/{number}", seat=0, name=f"Ana {number}")
    addition = new_addition(table)[0]
    return test_storage.Addition(addition.row, number, [event], addition.people)


def test_every_acknowledged_event_is_stored_once_if_the_process_is_killed_between_and_during_commits(
    database, monkeypatch
):
    """Requests go on while the process is killed again and again; each time the thread goes on by itself."""
    monkeypatch.setattr(writer_process, "PAUSE_SECONDS", 0.0)
    tables, kills = [f"t{number}" for number in range(4)], 6

    async def play(store, table, done):
        number = new_addition(table)[1].number
        assert await store.append(new_addition(table)[0])
        while not done.is_set():
            if not await store.append(rename(table, number)):  # it was committed before the process died
                events = await store.events(table, after=number)
                assert [event.key for event in events] == [f"p1/{number}"]
            number += 1
        return number

    async def scenario():
        store, done = Store(database, observer := Observer(), uses_process=True), asyncio.Event()
        store.open()
        playing = [asyncio.create_task(play(store, table, done)) for table in tables]
        killed = set()
        async with asyncio.timeout(TIMEOUT):
            while len(killed) < kills:
                await asyncio.sleep(0.01 * (len(killed) % 3))
                process = process_of(store)
                if process is not None and process.pid not in killed and store._writer._process._is_ready:
                    process.send_signal(signal.SIGKILL)
                    killed.add(process.pid)
        done.set()
        for table, number in zip(tables, await asyncio.gather(*playing), strict=True):
            events = await store.events(table)
            assert len(events) == number
            assert len({event.key for event in events if event.key}) == len([event for event in events if event.key])
        store.close()
        assert {operation for operation, _ in observer.failures} >= {WRITER_PROCESS}

    asyncio.run(scenario())


def test_what_the_process_is_refused_the_thread_tries_again(database):
    async def scenario():
        store = Store(database, observer := Observer(), uses_process=True)
        store.open()
        assert await store.append(new_addition("one")[0])
        with store.engine.begin() as connection:
            connection.execute(text("DROP TABLE events"))
        with pytest.raises(StoreError, match="the database refused") as failed:
            await store.append(new_addition("two")[0])
        assert "invite" not in str(failed.value)
        assert {operation for operation, _ in observer.failures} == {WRITE}
        assert len(observer.failures) == 2  # of the process and of the thread
        metadata.tables["events"].create(store.engine)
        assert await store.append(new_addition("three")[0])
        assert len(observer.failures) == 2
        store.close()

    asyncio.run(scenario())


def test_a_process_that_does_not_answer_is_given_up_and_the_thread_writes(database, monkeypatch, written):
    monkeypatch.setattr(writer_process, "ANSWER_SECONDS", 1.0)

    async def scenario():
        store = Store(database, observer := Observer(), uses_process=True)
        store.open()
        assert await store.append(new_addition("one")[0])
        process = process_of(store)
        process.send_signal(signal.SIGSTOP)
        assert await store.append(new_addition("two")[0])
        assert process.returncode == -signal.SIGKILL
        assert (
            "writer process",
            "the process that writes has failed: it has not answered for 1 s",
        ) in observer.failures
        assert await store.append(new_addition("three")[0])
        assert written == [1, 1]  # no other one is started for a while
        assert await store.append(addition_of(new_addition("three")[1], Claim(None), Actor("p2", "Ben"))[0])
        store.close()

    asyncio.run(scenario())


@pytest.mark.parametrize("command", [["/nowhere/python"], [sys.executable, "-c", "raise SystemExit(1)"]])
def test_where_no_process_starts_the_thread_writes(database, monkeypatch, written, command):
    monkeypatch.setattr(writer_process, "COMMAND", command)
    store = Store(database, observer := Observer(), uses_process=True)
    store.open()
    assert asyncio.run(store.append(new_addition("one")[0]))
    store.close()
    assert [operation for operation, _ in observer.failures] == [WRITER_PROCESS]
    assert written == []
    written.append(0)


def test_the_process_has_no_descriptors_of_the_server_but_its_pipe_and_the_lock(tmp_path):
    file = tmp_path / "tablee.db"
    with (tmp_path / "secret").open("w") as opened, exclusive(str(file)):
        os.set_inheritable(opened.fileno(), True)
        store = Store(str(file), uses_process=True)
        store.open()
        assert asyncio.run(store.append(new_addition("one")[0]))
        process = process_of(store)
        targets = [os.readlink(each) for each in Path(f"/proc/{process.pid}/fd").iterdir()]
        files = sorted(Path(target).name for target in targets if target.startswith(str(tmp_path)))
        assert files == ["tablee.db", "tablee.db-shm", "tablee.db-wal", "tablee.db.lock"]
        assert len([target for target in targets if target.startswith("socket:")]) == 1
        assert str(file) not in Path(f"/proc/{process.pid}/cmdline").read_text()
        process.send_signal(signal.SIGINT)  # as Ctrl-C in a terminal, and systemd's SIGTERM, which the server gets too
        process.send_signal(signal.SIGTERM)
        assert asyncio.run(store.append(new_addition("two")[0]))
        assert process_of(store) is process
        store.close()
        assert process.returncode == 0


def test_a_store_that_is_no_servers_starts_no_process(database, written):
    store = Store(database)
    store.open()
    assert asyncio.run(store.append(new_addition("one")[0]))
    assert store._writer._process is None
    store.close()
    assert written == []
    written.append(0)


class Server:
    """A server in a process of its own, whose process that writes is there from the first event on."""

    def __init__(self, database):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        command = [sys.executable, "-c", SERVER, str(database), str(port)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.url = f"http://127.0.0.1:{port}"

    def wait(self):
        """Wait until it is open."""
        assert self.process.stdout.readline() == "open\n", self.process.stderr.read()

    @property
    def bytes_read_by_writer(self):
        """How much its process that writes has read from its pipe and files."""
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        (writer,) = [process for task in tasks for process in task.read_text().split()]
        return int(Path(f"/proc/{writer}/io").read_text().split()[1])

    def is_open(self):
        """Whether it has said that it is open."""
        return bool(select.select([self.process.stdout], [], [], 0)[0])

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()


@pytest.fixture
def started():
    """Start servers; they are killed at the end."""
    servers = []

    def start(database):
        servers.append(Server(database))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


def test_a_second_server_opens_after_the_process_of_a_killed_one_has_written_what_it_was_given(
    tmp_path, started, written
):
    written.append(0)  # in other processes
    file = tmp_path / "tablee.db"
    first = started(file)
    first.wait()
    with httpx.Client(base_url=first.url, timeout=TIMEOUT) as http:
        http.put("/api/me", json={"name": "Ana"}).raise_for_status()
        http.post("/api/tables", json={"game": "skyjo", "seats": 2}).raise_for_status()
        with closing(sqlite3.connect(file, isolation_level=None)) as rival:
            rival.execute("BEGIN IMMEDIATE")  # the next append waits
            with ThreadPoolExecutor(1) as thread:
                read = first.bytes_read_by_writer
                unanswered = thread.submit(http.post, "/api/tables", json={"game": "skyjo", "seats": 2})
                while first.bytes_read_by_writer == read:
                    time.sleep(0.01)  # until the process has been given it
                first.process.kill()
                first.process.wait()
                second = started(file)
                with pytest.raises(httpx.TransportError):
                    unanswered.result(TIMEOUT)
            time.sleep(2)
            assert second.process.poll() is None
            assert not second.is_open()
            assert rival.execute("SELECT count(*) FROM tables").fetchone() == (1,)
            rival.execute("ROLLBACK")
            second.wait()
            assert rival.execute("SELECT count(*) FROM tables").fetchone() == (2,)
