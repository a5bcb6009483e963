"""Durability: a server that is killed, on a machine whose clock, disk and database fail, loses nothing and goes on.

    python benchmarks/kills.py [--database sqlite postgresql] [--kills 200] [--tables 10] [--seed 5]
                               [--writes thread|process]

People play at random at `--tables` tables while the server is killed (SIGKILL) `--kills` times, each time after at
least one more move was acknowledged. Before one kill in ten the wall clock is set back or forward by up to an hour;
before one in twenty-five the disk is full for a while (SQLite) or the database is stopped and started (PostgreSQL). A
few tables with a clock of ten seconds are left alone by their players. At the end every table must go on, every
acknowledged move must be stored exactly once, and every clock must have run out. Prints one JSON line per database;
exits with 1 if anything was lost or is stuck. With `--writes process`, another process appends events from the first on
(docs/decisions/0077-a-process-that-writes.md). The tests run a short form (tests/test_kill.py).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from json_lines import print_line
from machine import description

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from databases import Postgres
from seeds import TEST_FILE
from test_kill import GAME, TIMEOUT, Pair, RestartingServer

CLOCK = 10  # seconds, the shortest that a table may have
TIMED_TABLES = 5
CLOCK_SECONDS = 120.0  # after the last kill, by which all clocks must have run out
FAULT_SECONDS = 10.0


class FaultyMachine:
    """A database that fails on demand, and the wall clock of its server."""

    def __init__(self, server: RestartingServer, postgres: Postgres | None) -> None:
        self.server, self.postgres = server, postgres

    def set_wall(self, seconds: float) -> None:
        """Set the wall clock ahead of (or behind) the true time."""
        self._file("wall.new").write_text(str(seconds))
        self._file("wall.new").replace(self._file("wall"))  # at once: a new process may be reading it
        self._tell()

    def fail(self) -> None:
        """Take the database away: the disk is full, or PostgreSQL is stopped at once."""
        if self.postgres is not None:
            self.postgres.run("pg_ctl", "stop", "-m", "immediate", "-D", self.postgres.data)
        else:
            self._file("full").touch()
            self._tell()

    def recover(self) -> None:
        """Bring the database back."""
        if self.postgres is not None:
            log = self.postgres.folder / "log"
            self.postgres.run("pg_ctl", "start", "-w", "-D", self.postgres.data, "-l", log)
        else:
            self._file("full").unlink()
            self._tell()

    def _file(self, what: str) -> Path:
        return Path(f"{self.server.port_file}.{what}")

    def _tell(self) -> None:
        os.kill(self.server.pid, signal.SIGUSR1)


class Proof:
    """Players, kills and faults, and what came of them."""

    def __init__(self, server: RestartingServer, machine: FaultyMachine, options: argparse.Namespace) -> None:
        self.server, self.machine, self.options = server, machine, options
        self.generator = random.Random(options.seed)
        self.pairs = [Pair(server.url, number, self.generator) for number in range(options.tables)]
        self.timed: list[tuple[str, str]] = []  # tables with a clock, and the token of a player
        self.faults = self.clocks_set = 0

    async def run(self) -> dict[str, Any]:
        """Play and kill; return the figures."""
        await asyncio.gather(*(pair.sit_down() for pair in self.pairs))
        for number in range(TIMED_TABLES):
            await self._leave_a_table_alone(number)
        done = asyncio.Event()
        playing = [asyncio.create_task(pair.play(done)) for pair in self.pairs]
        for number in range(1, self.options.kills + 1):
            await self._wait_for_progress(playing)
            if await self._fail(number):
                await self._wait_for_progress(playing)
            await asyncio.sleep(self.generator.random() * 0.05)
            await asyncio.to_thread(self.server.kill)
            print(f"\r{number} kills, {self._acknowledged():,} moves", end="", file=sys.stderr, flush=True)
        stuck = await self._stuck_tables()
        stopped = await self._stopped_clocks()
        done.set()
        await asyncio.gather(*playing)
        print(file=sys.stderr)
        return {"stuck_tables": stuck, "stopped_clocks": stopped}

    async def _leave_a_table_alone(self, number: int) -> None:
        """Seat two people at a table with a clock; they never move."""
        pair = Pair(self.server.url, 1_000 + number, self.generator)
        untimed = dict(GAME)
        GAME["clock"] = CLOCK
        try:
            await pair.sit_down()
        finally:
            GAME.clear()
            GAME.update(untimed)
        self.timed.append((pair.tables[0], pair.tokens[0]))

    async def _fail(self, number: int) -> bool:
        """Set the clock, or let the database fail, before some kills; return whether anything was done."""
        if number % 10 == 0:
            self.machine.set_wall(self.generator.uniform(-3600, 3600))
            self.clocks_set += 1
        if number % 25 == 0:
            await asyncio.to_thread(self.machine.fail)
            await self._wait_for_refusals()
            await asyncio.to_thread(self.machine.recover)
            self.faults += 1
        return number % 10 == 0 or number % 25 == 0

    async def _wait_for_refusals(self) -> None:
        """Wait until the fault is noticed, at most FAULT_SECONDS: there may be room left in the last pages."""
        since, deadline = self.refused, time.monotonic() + FAULT_SECONDS
        while self.refused == since and time.monotonic() < deadline:
            await asyncio.sleep(0.01)

    @property
    def refused(self) -> int:
        """How many requests were refused because the database was away."""
        return sum(pair.refused for pair in self.pairs)

    def _acknowledged(self) -> int:
        return sum(len(pair.acknowledged) for pair in self.pairs)

    async def _wait_for_progress(self, playing: list[asyncio.Task[None]]) -> None:
        since = self._acknowledged()
        async with asyncio.timeout(TIMEOUT):
            while self._acknowledged() <= since:
                for task in playing:
                    if task.done():
                        task.result()  # raises what has failed
                await asyncio.sleep(0.002)

    async def _stuck_tables(self) -> int:
        """Return how many tables do not go on after the last kill."""
        before = [len(pair.acknowledged) for pair in self.pairs]
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            stuck = sum(len(pair.acknowledged) <= count for pair, count in zip(self.pairs, before, strict=True))
            if not stuck:
                return 0
            await asyncio.sleep(0.05)
        return stuck

    async def _stopped_clocks(self) -> int:
        """Return how many clocks have not run out; nothing looks at these tables until then."""
        await asyncio.sleep(CLOCK)
        deadline = time.monotonic() + CLOCK_SECONDS
        async with httpx.AsyncClient(base_url=self.server.url, timeout=TIMEOUT) as http:
            while True:
                stopped = 0
                for table, token in self.timed:
                    answer = await http.get(f"/api/tables/{table}", headers={"Authorization": f"Bearer {token}"})
                    stopped += not any(seat["is_covered"] for seat in answer.json()["seats"])
                if not stopped or time.monotonic() > deadline:
                    return stopped
                await asyncio.sleep(1)


def check(database: str, pairs: list[Pair]) -> dict[str, int]:
    """Compare every acknowledgement with the stored events."""
    from tablee.storage import Store
    from tablee.tables.events import Moved
    from tablee.tables.evolution import rebuild_table

    store = Store(database)
    lost = doubled = unreadable = 0
    for pair in pairs:
        for table in pair.tables:
            events = asyncio.run(store.events(table))
            keys = [event.key for event in events if event.key]
            doubled += len(keys) - len(set(keys))
            numbers = {event.key: number for number, event in enumerate(events, start=1) if isinstance(event, Moved)}
            acknowledged = {key: number for (table_id, key), number in pair.acknowledged.items() if table_id == table}
            lost += len(acknowledged.items() - numbers.items())
            unreadable += rebuild_table(table, events).number != len(events)
    store.close()
    return {"lost": lost, "doubled": doubled, "unreadable": unreadable}


@contextmanager
def database_of(name: str, folder: Path) -> Iterator[tuple[str, Postgres | None]]:
    """Yield the address of a new database, and its server if it has one; it waits for the disk."""
    if name == "sqlite":
        yield str(folder / "tablee.db"), None
        return
    postgres = Postgres()
    try:
        yield postgres.database(), postgres
    finally:
        postgres.stop()


def prove(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """Return the figures of one database."""
    with tempfile.TemporaryDirectory() as folder, database_of(name, Path(folder)) as (database, postgres):
        named = Path(folder) / "name"
        named.write_text(f"kills {options.seed} {name}")  # the deals follow from it
        os.environ[TEST_FILE] = str(named)
        server = RestartingServer(database, Path(folder), options.writes)
        try:
            proof = Proof(server, FaultyMachine(server, postgres), options)
            figures = asyncio.run(proof.run())
        finally:
            server.stop()
        checked = check(database, proof.pairs)
    return {
        "kills": options.kills,
        "clocks_set": proof.clocks_set,
        "full" if postgres is None else "away": proof.faults,
        "tables": sum(len(pair.tables) for pair in proof.pairs),
        "acknowledged": sum(len(pair.acknowledged) for pair in proof.pairs),
        "unavailable": proof.refused,
        **checked,
        **figures,
    }


def main() -> None:
    """Prove and print; exit with 1 if anything was lost or is stuck."""
    parser = argparse.ArgumentParser(description="kill a server again and again: nothing is lost, and all goes on")
    parser.add_argument("--database", nargs="+", default=["sqlite", "postgresql"], choices=["sqlite", "postgresql"])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--tables", type=int, default=10)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--writes", default="thread", choices=["thread", "process"], help="what appends events")
    options = parser.parse_args()
    print_line(**description())
    failures = 0
    for name in options.database:
        figures = prove(name, options)
        print_line(figure="kills", database=name, writes=options.writes, **figures)
        failures += sum(figures[what] for what in ("lost", "doubled", "unreadable", "stuck_tables", "stopped_clocks"))
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
