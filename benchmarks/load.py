"""Load on a server: moves accepted per second, and the time from a move to the last player's screen.

    python benchmarks/load.py [--database sqlite postgresql URL] [--tables 100 1000] [--seconds 10] [--pace 5]
                              [--game NAME] [--peer] [--picture load.png]

The server and the players run in two processes on this machine. Every table has two people, each with a socket of
their own, who play their first choice: first at people's pace (a move per table every `--pace` seconds on average, with
random waits), then as soon as they can. In the same run: the rate at which the same database commits single rows, one
after the other. `postgresql` starts a server of its own, as the tests do.

`--peer` measures boardgame.io's server in the same way (load_peer.mjs): its tic-tac-toe, two sockets per match, in its
default storage in memory; it needs node and npm, and is installed into a temporary folder. Prints one JSON line per
figure; `server_ms_per_move` is the processor time of the server's process, without that of PostgreSQL.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import msgspec
from websockets.asyncio.client import ClientConnection, connect

from json_lines import print_line
from machine import description

HERE = Path(__file__).parent
TABLES_AT_ONCE = 40  # created concurrently
SETTLING_SECONDS = 2.0  # after all players are seated, and after a change of pace
PACE, AT_ONCE = "at people's pace", "as fast as it goes"
PEER_PACKAGES = ("boardgame.io@0.50.2", "socket.io-client@4")
TICKS = os.sysconf("SC_CLK_TCK")


# Server


@contextmanager
def server(database: str) -> Iterator[tuple[str, int]]:
    """Run a server in a child process; yield its address and the process id."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
    child = os.fork()
    if not child:
        serve(listener, database)
        os._exit(0)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    try:
        httpx.get(f"{url}/api/games", timeout=120).raise_for_status()
        yield url, child
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        listener.close()


def serve(listener: socket.socket, database: str) -> None:
    """Serve in this (child) process."""
    import uvicorn

    from tablee.server import catalogue, registry
    from tablee.server.app import create_app
    from tablee.server.launcher import uvicorn_options
    from tablee.server.settings import Settings

    registry.is_ready = catalogue.is_ready = lambda game: True  # `main` has compiled what is needed
    limits = {"command_rate": 1e6, "table_rate": 1e6, "tables_per_person": 10**6, "connections_per_person": 10**6}
    settings = Settings(database=database, silence=3600.0, **limits)  # the players send no pings
    uvicorn.Server(uvicorn.Config(create_app(settings), **uvicorn_options(settings))).run([listener])


def processor_seconds(process: int) -> float:
    """Return the processor time of a process."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def commits_per_second(database: str, seconds: float) -> float:
    """Return the rate at which the database commits single rows."""
    from sqlalchemy import insert

    from tablee.storage import Store, schema

    store = Store(database)
    store.open()
    count, start = 0, time.monotonic()
    while time.monotonic() - start < seconds:
        with store.engine.begin() as connection:
            connection.execute(insert(schema.settings).values(name=f"row {count} {start}", value="x" * 100))
        count += 1
    store.close()
    return count / seconds


# Players; they decode only the fields that they need


class Choice(msgspec.Struct):
    """A legal move."""

    text: str


class View(msgspec.Struct):
    """The view of a player."""

    choices: list[Choice]


class State(msgspec.Struct):
    """A table as shown to a player."""

    number: int
    phase: str
    is_early: bool
    view: View | None


class Message(msgspec.Struct):
    """Any message of the server."""

    type: str
    number: int | None = None
    state: State | None = None
    table: State | str | None = None


decode = msgspec.json.Decoder(Message).decode


class Load:
    """Tables with players, and the measured delays."""

    def __init__(self, url: str, process: int, game: str, pace: float) -> None:
        self.url, self.process, self.game, self.pace = url, process, game, pace
        self.delays: list[float] = []
        self.is_measuring = False
        self.all_seated, self.plays_at_once = asyncio.Event(), asyncio.Event()
        self.sent: dict[tuple[str, int], float] = {}  # (table, number of the event) -> time
        self.seen: set[tuple[str, int]] = set()  # moves that one of two players has received
        self.over: set[str] = set()  # finished tables
        self.players: list[asyncio.Task[None]] = []

    async def sit_down(self, tokens: list[str]) -> None:
        """Seat two people at each table, then let all of them play."""
        headers = [{"Authorization": f"Bearer {token}"} for token in tokens]
        pairs = list(zip(headers[::2], headers[1::2], strict=True))
        async with httpx.AsyncClient(base_url=self.url, timeout=120) as http:
            for first in range(0, len(pairs), TABLES_AT_ONCE):
                await asyncio.gather(*(self.make_table(http, *pair) for pair in pairs[first : first + TABLES_AT_ONCE]))
                print(f"\r{len(self.players) // 2:,} of {len(pairs):,} tables", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
        self.all_seated.set()

    async def make_table(self, http: httpx.AsyncClient, host: dict[str, str], guest: dict[str, str]) -> None:
        """Make a table, seat both people, and start their tasks."""
        request = {"game": self.game, "seats": 2, "rest": None}
        table = (await http.post("/api/tables", json=request, headers=host)).json()
        claim = {"type": "claim", "id": "c", "table": table["id"], "invite": table["invite"]}
        sockets = [await self.connect(headers) for headers in (host, guest)]
        await sockets[1].send(json.dumps(claim))
        while decode(await sockets[1].recv()).type != "ack":
            pass
        self.players += [asyncio.create_task(self.play(socket, table["id"])) for socket in sockets]

    async def connect(self, headers: dict[str, str]) -> ClientConnection:
        """Open the socket of a person."""
        address = f"{self.url.replace('http', 'ws')}/api/socket"
        return await connect(
            address, additional_headers=headers, compression=None, open_timeout=120, ping_interval=None, proxy=None
        )

    async def play(self, socket: ClientConnection, table: str) -> None:
        """Play the first choice whenever there is one."""
        await socket.send(json.dumps({"type": "watch", "id": "w", "table": table}))
        async for text in socket:
            message = decode(text)
            if message.type == "event" and message.number is not None:
                self._count_arrival(table, message.number)
            state = message.table if isinstance(message.table, State) else message.state
            if state and state.phase == "over":
                self.over.add(table)
            if state and state.view and state.view.choices and not state.is_early:
                await self._wait()
                self.sent[table, state.number + 1] = time.monotonic()
                move = {"type": "play", "id": f"m{state.number}", "table": table, "number": state.number}
                await socket.send(json.dumps({**move, "move": state.view.choices[0].text}))

    async def _wait(self) -> None:
        await self.all_seated.wait()
        with suppress(TimeoutError):
            if not self.plays_at_once.is_set():
                async with asyncio.timeout(random.uniform(0, 2 * self.pace)):
                    await self.plays_at_once.wait()

    def _count_arrival(self, table: str, number: int) -> None:
        """Count a move that has reached a player; the second of two arrivals ends its delay."""
        key = (table, number)
        if key not in self.seen:
            self.seen.add(key)
            return
        self.seen.discard(key)
        sent = self.sent.pop(key, None)
        if sent is not None and self.is_measuring:
            self.delays.append(time.monotonic() - sent)

    async def measure(self, seconds: float) -> dict[str, float]:
        """Measure for some seconds; return the figures."""
        self.delays = []
        start, used = time.monotonic(), processor_seconds(self.process)
        self.is_measuring = True
        await asyncio.sleep(seconds)
        self.is_measuring = False
        figures = summary(self.delays, time.monotonic() - start, processor_seconds(self.process) - used)
        return {**figures, "tables_over": len(self.over)}

    async def stop(self) -> None:
        """Cancel the tasks of all players."""
        for task in self.players:
            task.cancel()
        await asyncio.gather(*self.players, return_exceptions=True)


def summary(delays: list[float], elapsed: float, used: float) -> dict[str, float]:
    """Return rate, median and 99th percentile of the delays, and the server's processor time per move."""
    percentiles = statistics.quantiles(delays, n=100) if len(delays) > 1 else [float("nan")] * 99
    return {
        "moves_per_second": round(len(delays) / elapsed, 1),
        "p50_ms": round(percentiles[49] * 1e3, 1),
        "p99_ms": round(percentiles[98] * 1e3, 1),
        "server_ms_per_move": round(used / max(1, len(delays)) * 1e3, 2),
    }


async def measure_ours(url: str, process: int, tokens: list[str], options: argparse.Namespace) -> dict[str, Any]:
    """Return the figures of one number of tables, by mode."""
    load = Load(url, process, options.game, options.pace)
    start = time.monotonic()
    await load.sit_down(tokens)
    made = len(tokens) / 2 / (time.monotonic() - start)
    await asyncio.sleep(SETTLING_SECONDS)
    figures: dict[str, Any] = {PACE: await load.measure(options.seconds)}
    load.plays_at_once.set()
    await asyncio.sleep(SETTLING_SECONDS)
    figures[AT_ONCE] = await load.measure(options.seconds)
    await load.stop()
    return {mode: {"tables_made_per_second": round(made, 1), **values} for mode, values in figures.items()}


def new_tokens(database: str, people: int) -> list[str]:
    """Return tokens of new people, signed with the secret of the database: registration is not measured."""
    from tablee.server.identity import TokenSigner, new_person
    from tablee.storage import Store

    store = Store(database)
    store.open()
    signer = TokenSigner(store.secret())
    store.close()
    return [signer.token(new_person(f"Ana {number}", True, None)) for number in range(people)]


# Databases


@contextmanager
def open_database(name: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and the address of a database; one that is created here is deleted afterwards."""
    if "://" in name:
        yield name.partition("://")[0], name
    elif name == "postgresql":
        sys.path.insert(0, str(HERE.parent / "tests"))
        from databases import Postgres

        postgres = Postgres()
        try:
            yield name, postgres.database()
        finally:
            postgres.stop()
    else:
        with tempfile.TemporaryDirectory() as folder:
            yield "sqlite", str(Path(folder) / "tablee.db")


# Peer


def measure_peer(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield the figures of boardgame.io's server."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        install = ["npm", "install", "--silent", "--no-audit", "--no-fund", *PEER_PACKAGES]
        subprocess.run(install, cwd=folder, check=True, capture_output=True)
        shutil.copy(HERE / "load_peer.mjs", folder)
        for tables in options.tables:
            for mode, figures in drive_peer(folder, tables, options).items():
                yield {"server": PEER_PACKAGES[0], "database": "none", "tables": tables, "mode": mode, **figures}


def drive_peer(folder: Path, tables: int, options: argparse.Namespace) -> dict[str, Any]:
    """Run boardgame.io's server and its players, each in a Node process."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    command = ["node", "load_peer.mjs"]
    server_process = subprocess.Popen([*command, "serve", port], cwd=folder, stdout=subprocess.PIPE, text=True)
    assert server_process.stdout is not None
    try:
        while str(server_process.pid) not in server_process.stdout.readline():
            pass
        numbers = [port, str(server_process.pid), str(tables), str(options.seconds), str(options.pace)]
        driven = subprocess.run(
            [*command, "drive", *numbers], cwd=folder, stdout=subprocess.PIPE, text=True, check=True
        )
    finally:
        server_process.kill()
        server_process.wait()
    setting_up, *modes = [json.loads(line) for line in driven.stdout.splitlines()]
    made = {"tables_made_per_second": round(tables / setting_up["seconds"], 1)}
    summaries = [summary([delay / 1e3 for delay in m["delays_ms"]], m["elapsed"], m["server_seconds"]) for m in modes]
    return {mode: {**made, **figures} for mode, figures in zip((PACE, AT_ONCE), summaries, strict=True)}


# Output


def draw(figures: list[dict[str, Any]], path: str) -> None:
    """Draw the rates at full speed, and the delays at people's pace."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (rates, times) = pyplot.subplots(1, 2, figsize=(11, 4.5), layout="constrained", sharey=True)
    quick, slow = ([line for line in figures if line["mode"] == mode] for mode in (AT_ONCE, PACE))
    labels = [f"{line['server']}, {line['database']}, {line['tables']:,} tables" for line in quick]
    rates.barh(labels, [line["moves_per_second"] for line in quick], color="tab:blue")
    rates.set_title("moves per second,\n" + AT_ONCE)
    times.barh(labels, [line["p99_ms"] for line in slow], color="tab:orange", label="99th percentile")
    times.barh(labels, [line["p50_ms"] for line in slow], color="tab:blue", label="median")
    times.set_title("milliseconds to the last screen,\n" + PACE)
    times.legend()
    rates.invert_yaxis()
    figure.savefig(path)


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    from tablee.core.registry import all_games

    parser = argparse.ArgumentParser(description="moves per second, and the time from a move to the last screen")
    parser.add_argument("--database", nargs="+", default=["sqlite", "postgresql"])
    parser.add_argument("--tables", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--pace", type=float, default=5, help="seconds between two moves at a table")
    parser.add_argument("--game", default=all_games()[0].name)
    parser.add_argument("--peer", action="store_true", help="measure boardgame.io's server too")
    parser.add_argument("--picture", help="draw the figures into this file")
    return parser.parse_args()


def main() -> None:
    """Measure and print."""
    from tablee.core.registry import find_game
    from tablee.tables.warmup import exercise_table

    options = parse_arguments()
    print_line(**description())
    for _ in exercise_table(find_game(options.game), bots=("random",)):
        pass
    figures: list[dict[str, Any]] = []
    for name in options.database:
        with open_database(name) as (kind, database):
            rate = commits_per_second(database, min(3.0, options.seconds))
            print_line(figure="single_row_commits_per_second", database=kind, value=round(rate))
            for tables in options.tables:
                tokens = new_tokens(database, 2 * tables)
                with server(database) as (url, process):
                    measured = asyncio.run(measure_ours(url, process, tokens, options))
                for mode, values in measured.items():
                    figures.append({"server": "tablee", "database": kind, "tables": tables, "mode": mode, **values})
                    print_line(figure="load", game=options.game, **figures[-1])
    if options.peer and shutil.which("node") and shutil.which("npm"):
        for line in measure_peer(options):
            figures.append(line)
            print_line(figure="load", game="tic-tac-toe", **line)
    elif options.peer:
        print("boardgame.io was not measured: node and npm are not installed", file=sys.stderr)
    if options.picture:
        draw(figures, options.picture)


if __name__ == "__main__":
    main()
