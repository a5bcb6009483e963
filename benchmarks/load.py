"""Load: moves per second that a server accepts, and the time from a move to the last player's screen.

    python benchmarks/load.py [--database sqlite postgresql URL] [--tables 100 1000] [--seconds 10] [--pace 5]
                              [--game NAME] [--peer] [--picture load.png]

A server process and the players' process share this machine. Every table has two people, each with a socket of his
own, who play the first of their choices: first at people's pace (a move per table every `--pace` seconds, by chance
sooner or later), then as soon as they see it, which is as fast as it goes. Beside it, in the same run: how many single
rows the same database commits per second, one after the other. `postgresql` starts one of its own, as the tests do.

`--peer` drives boardgame.io's server the same way (load_peer.mjs): its tic-tac-toe, two sockets per match, in its
default storage, which is its memory; it needs node and npm, and goes into a temporary folder. Prints one JSON line per
figure; `server_ms_per_move` is the processor time of the server's process, without that of PostgreSQL's.
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

from machine import description

HERE = Path(__file__).parent
TOGETHER = 40  # tables that are made at the same time
SETTLING = 2.0  # seconds until everybody has seen his table, or plays in the new way
PACE, AT_ONCE = "at people's pace", "as fast as it goes"
PEER_PACKAGES = ("boardgame.io@0.50.2", "socket.io-client@4")
TICKS = os.sysconf("SC_CLK_TCK")


# A server


@contextmanager
def server(database: str) -> Iterator[tuple[str, int]]:
    """Run a server in a process of its own; yield its address and the id of the process."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
    child = os.fork()
    if not child:
        serve(listener, database)
        os._exit(0)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    try:
        httpx.get(f"{url}/healthz", timeout=120).raise_for_status()
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

    registry.is_ready = catalogue.is_ready = lambda game: True  # what is needed here has been rehearsed
    limits = {"command_rate": 1e6, "table_rate": 1e6, "tables_per_person": 10**6, "connections_per_person": 10**6}
    app = create_app(Settings(database=database, silence=3600.0, **limits))  # players here have no heartbeat
    uvicorn.Server(uvicorn.Config(app, **uvicorn_options())).run([listener])


def processor_seconds(process: int) -> float:
    """Return the processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def commits_per_second(database: str, seconds: float) -> float:
    """Return how many single rows the database commits per second."""
    from sqlalchemy import insert

    from tablee.storage import Store, schema

    store = Store(database)
    store.open()
    count, begun = 0, time.monotonic()
    while time.monotonic() - begun < seconds:
        with store.engine.begin() as connection:
            connection.execute(insert(schema.settings).values(name=f"row {count} {begun}", value="x" * 100))
        count += 1
    store.close()
    return count / seconds


# The players: of what they are sent, they read only what they need to play


class Choice(msgspec.Struct):
    """A move one may make."""

    text: str


class View(msgspec.Struct):
    """What is on the screen."""

    choices: list[Choice]


class State(msgspec.Struct):
    """A table as a player sees it."""

    number: int
    phase: str
    is_early: bool
    view: View | None


class Message(msgspec.Struct):
    """Whatever the server says."""

    type: str
    number: int | None = None
    state: State | None = None
    table: State | str | None = None


read = msgspec.json.Decoder(Message).decode


class Load:
    """Tables under load, and what was measured."""

    def __init__(self, url: str, process: int, game: str, pace: float) -> None:
        self.url, self.process, self.game, self.pace = url, process, game, pace
        self.delays: list[float] = []
        self.is_measuring = False
        self.all_sit, self.hurry = asyncio.Event(), asyncio.Event()
        self.sent: dict[tuple[str, int], float] = {}  # (table, number the move will get) -> when
        self.seen: set[tuple[str, int]] = set()  # by the first of two players
        self.over: set[str] = set()  # tables where nobody plays any more
        self.players: list[asyncio.Task[None]] = []

    async def sit_down(self, tokens: list[str]) -> None:
        """Seat two people at each of many tables, then let them play."""
        heads = [{"Authorization": f"Bearer {token}"} for token in tokens]
        pairs = list(zip(heads[::2], heads[1::2], strict=True))
        async with httpx.AsyncClient(base_url=self.url, timeout=120) as http:
            for first in range(0, len(pairs), TOGETHER):
                await asyncio.gather(*(self.table(http, *pair) for pair in pairs[first : first + TOGETHER]))
                print(f"\r{len(self.players) // 2:,} of {len(pairs):,} tables", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
        self.all_sit.set()

    async def table(self, http: httpx.AsyncClient, maker: dict[str, str], guest: dict[str, str]) -> None:
        """Make a table, and wait until both see it."""
        table = (
            await http.post("/api/tables", json={"game": self.game, "seats": 2, "rest": None}, headers=maker)
        ).json()
        claim = {"type": "claim", "id": "c", "table": table["id"], "invite": table["invite"]}
        lines = [await self.line(head) for head in (maker, guest)]
        await lines[1].send(json.dumps(claim))
        while read(await lines[1].recv()).type != "ack":
            pass
        self.players += [asyncio.create_task(self.player(line, table["id"])) for line in lines]

    async def line(self, head: dict[str, str]) -> ClientConnection:
        """Connect somebody."""
        address = f"{self.url.replace('http', 'ws')}/api/socket"
        return await connect(
            address, additional_headers=head, compression=None, open_timeout=120, ping_interval=None, proxy=None
        )

    async def player(self, line: ClientConnection, table: str) -> None:
        """Play the first choice whenever there is one."""
        await line.send(json.dumps({"type": "watch", "id": "w", "table": table}))
        async for text in line:
            message = read(text)
            if message.type == "event" and message.number is not None:
                self._arrived(table, message.number)
            state = message.table if isinstance(message.table, State) else message.state
            if state and state.phase == "over":
                self.over.add(table)
            if state and state.view and state.view.choices and not state.is_early:
                await self._think()
                self.sent[table, state.number + 1] = time.monotonic()
                move = {"type": "play", "id": f"m{state.number}", "table": table, "number": state.number}
                await line.send(json.dumps({**move, "move": state.view.choices[0].text}))

    async def _think(self) -> None:
        await self.all_sit.wait()
        with suppress(TimeoutError):
            if not self.hurry.is_set():
                async with asyncio.timeout(random.uniform(0, 2 * self.pace)):
                    await self.hurry.wait()

    def _arrived(self, table: str, number: int) -> None:
        """Note that a move is on a screen; the second of two is the last."""
        key = (table, number)
        if key not in self.seen:
            self.seen.add(key)
            return
        self.seen.discard(key)
        begun = self.sent.pop(key, None)
        if begun is not None and self.is_measuring:
            self.delays.append(time.monotonic() - begun)

    async def measure(self, seconds: float) -> dict[str, float]:
        """Return the figures of some seconds."""
        self.delays = []
        begun, used = time.monotonic(), processor_seconds(self.process)
        self.is_measuring = True
        await asyncio.sleep(seconds)
        self.is_measuring = False
        told = summary(self.delays, time.monotonic() - begun, processor_seconds(self.process) - used)
        return {**told, "tables_over": len(self.over)}

    async def stop(self) -> None:
        """Send everybody home."""
        for task in self.players:
            task.cancel()
        await asyncio.gather(*self.players, return_exceptions=True)


def summary(delays: list[float], elapsed: float, used: float) -> dict[str, float]:
    """Return what is told of some seconds of play."""
    parts = statistics.quantiles(delays, n=100) if len(delays) > 1 else [float("nan")] * 99
    return {
        "moves_per_second": round(len(delays) / elapsed, 1),
        "p50_ms": round(parts[49] * 1e3, 1),
        "p99_ms": round(parts[98] * 1e3, 1),
        "server_ms_per_move": round(used / max(1, len(delays)) * 1e3, 2),
    }


async def measure_ours(url: str, process: int, tokens: list[str], wishes: argparse.Namespace) -> dict[str, Any]:
    """Return the figures of one load, by how people play."""
    load = Load(url, process, wishes.game, wishes.pace)
    begun = time.monotonic()
    await load.sit_down(tokens)
    made = len(tokens) / 2 / (time.monotonic() - begun)
    await asyncio.sleep(SETTLING)
    figures: dict[str, Any] = {PACE: await load.measure(wishes.seconds)}
    load.hurry.set()
    await asyncio.sleep(SETTLING)
    figures[AT_ONCE] = await load.measure(wishes.seconds)
    await load.stop()
    return {mode: {"tables_made_per_second": round(made, 1), **told} for mode, told in figures.items()}


def new_tokens(database: str, people: int) -> list[str]:
    """Return tokens of people as the server would sign them: that they gave their names is not what is measured."""
    from tablee.server.identity import TokenSigner, new_person
    from tablee.storage import Store

    store = Store(database)
    store.open()
    signer = TokenSigner(store.secret())
    store.close()
    return [signer.token(new_person(f"Ana {number}", True, None)) for number in range(people)]


# The databases


@contextmanager
def opened(name: str) -> Iterator[tuple[str, str]]:
    """Yield what kind of database a name stands for, and its address; what is made here is gone afterwards."""
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


# The peer


def measure_peer(wishes: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield the figures of boardgame.io's server."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        install = ["npm", "install", "--silent", "--no-audit", "--no-fund", *PEER_PACKAGES]
        subprocess.run(install, cwd=folder, check=True, capture_output=True)
        shutil.copy(HERE / "load_peer.mjs", folder)
        for tables in wishes.tables:
            for mode, told in drive_peer(folder, tables, wishes).items():
                yield {"server": PEER_PACKAGES[0], "database": "none", "tables": tables, "mode": mode, **told}


def drive_peer(folder: Path, tables: int, wishes: argparse.Namespace) -> dict[str, Any]:
    """Run its server and its players, each in a process of node's."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    command = ["node", "load_peer.mjs"]
    serving = subprocess.Popen([*command, "serve", port], cwd=folder, stdout=subprocess.PIPE, text=True)
    assert serving.stdout is not None
    try:
        while str(serving.pid) not in serving.stdout.readline():
            pass
        numbers = [port, str(serving.pid), str(tables), str(wishes.seconds), str(wishes.pace)]
        driven = subprocess.run(
            [*command, "drive", *numbers], cwd=folder, stdout=subprocess.PIPE, text=True, check=True
        )
    finally:
        serving.kill()
        serving.wait()
    setting_up, *modes = [json.loads(line) for line in driven.stdout.splitlines()]
    made = {"tables_made_per_second": round(tables / setting_up["seconds"], 1)}
    told = [summary([delay / 1e3 for delay in m["delays_ms"]], m["elapsed"], m["server_seconds"]) for m in modes]
    return {mode: {**made, **figures} for mode, figures in zip((PACE, AT_ONCE), told, strict=True)}


# What is told


def show(**figures: object) -> None:
    """Print a line of figures."""
    print(json.dumps(figures), flush=True)


def draw(figures: list[dict[str, Any]], path: str) -> None:
    """Draw the time to the last screen, and how many moves are accepted."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (rates, times) = pyplot.subplots(1, 2, figsize=(11, 4.5), layout="constrained", sharey=True)
    quick, slow = ([line for line in figures if line["mode"] == mode] for mode in (AT_ONCE, PACE))
    labels = [f"{line['server']}, {line['database']}, {line['tables']:,} tables" for line in quick]
    rates.barh(labels, [line["moves_per_second"] for line in quick], color="tab:blue")
    rates.set_title("moves per second,\n" + AT_ONCE)
    times.barh(labels, [line["p99_ms"] for line in slow], color="tab:orange", label="99 of 100")
    times.barh(labels, [line["p50_ms"] for line in slow], color="tab:blue", label="half of all")
    times.set_title("milliseconds to the last screen,\n" + PACE)
    times.legend()
    rates.invert_yaxis()
    figure.savefig(path)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    from tablee.core.registry import all_games

    parser = argparse.ArgumentParser(description="moves per second, and the time from a move to the last screen")
    parser.add_argument("--database", nargs="+", default=["sqlite", "postgresql"])
    parser.add_argument("--tables", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--pace", type=float, default=5, help="seconds between two moves at a table")
    parser.add_argument("--game", default=all_games()[0].name)
    parser.add_argument("--peer", action="store_true", help="drive boardgame.io's server too")
    parser.add_argument("--picture", help="a file to draw the figures into")
    return parser.parse_args()


def main() -> None:
    """Measure and print."""
    from tablee.core.registry import find_game
    from tablee.server.warmup import exercise_serving

    wishes = arguments()
    show(**description())
    for _ in exercise_serving(find_game(wishes.game), bots=("random",)):
        pass
    figures: list[dict[str, Any]] = []
    for name in wishes.database:
        with opened(name) as (kind, database):
            rate = commits_per_second(database, min(3.0, wishes.seconds))
            show(figure="single_row_commits_per_second", database=kind, value=round(rate))
            for tables in wishes.tables:
                tokens = new_tokens(database, 2 * tables)
                with server(database) as (url, process):
                    measured = asyncio.run(measure_ours(url, process, tokens, wishes))
                for mode, told in measured.items():
                    figures.append({"server": "tablee", "database": kind, "tables": tables, "mode": mode, **told})
                    show(figure="load", game=wishes.game, **figures[-1])
    if wishes.peer and shutil.which("node") and shutil.which("npm"):
        for line in measure_peer(wishes):
            figures.append(line)
            show(figure="load", game="tic-tac-toe", **line)
    elif wishes.peer:
        print("boardgame.io was not measured: node and npm are not installed", file=sys.stderr)
    if wishes.picture:
        draw(figures, wishes.picture)


if __name__ == "__main__":
    main()
