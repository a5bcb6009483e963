"""Attacks on a server, and what honest players notice of them. Loopback only, bounded in time and rate.

    python benchmarks/attack.py [--only NAME …] [--seconds 6] [--tables 6] [--game NAME]

A server with its usual limits and 1,024 file descriptors runs in one process, an attack (attacks.py) in a second, and
honest players at addresses of their own in a third: pairs at tables, who move a few times per second, and a reader who
opens the lobby every half second. Each attack is measured in turn with a quiet time before it. Exits with 1 if, under
any attack, the 99th percentile of the time from a move to both screens is more than 3 times the quiet one, the server's
memory more than 1.5 times, anything is refused to an honest player or reader, or an honest table leaves the lobby.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import signal
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect

from attacks import ATTACKS, HOST, Target
from json_lines import print_line
from machine import description

MAX_DELAY_RATIO, MAX_MEMORY_RATIO = 3.0, 1.5
DESCRIPTORS = 1_024  # of the server
PAUSE = 0.3  # seconds before a player moves
LOBBY_PAUSE = 0.5  # seconds between two readings of the lobby
REQUEST_SECONDS = 20.0


# Processes


@contextmanager
def forked(work: Any, *arguments: Any) -> Iterator[int]:
    """Call a function in a child process, which is killed at the end; yield its id."""
    child = os.fork()
    if not child:
        try:
            work(*arguments)
        finally:
            os._exit(0)
    try:
        yield child
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def serve(listener: socket.socket, folder: str) -> None:
    """Serve with the usual limits."""
    import uvicorn

    from tablee.server import catalogue, registry
    from tablee.server.app import create_app
    from tablee.server.launcher import uvicorn_options
    from tablee.server.logs import write_logs_to_stderr
    from tablee.server.settings import Settings

    resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
    registry.is_ready = catalogue.is_ready = lambda game: True  # `main` has compiled what is needed
    sys.stderr = (Path(folder) / "server.log").open("w")
    write_logs_to_stderr()
    settings = Settings(database=str(Path(folder) / "tablee.db"), status="off")
    uvicorn.Server(uvicorn.Config(create_app(settings), **uvicorn_options(settings))).run([listener])


def run_attack(name: str, target: Target) -> None:
    """Attack until killed."""
    os.nice(5)  # the attacker would have a machine of its own
    asyncio.run(ATTACKS[name](target))  # type: ignore[arg-type]


def memory(process: int) -> float:
    """Return the resident memory of a process in MB."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


# Honest people


def local_client(url: str, number: int) -> httpx.AsyncClient:
    """Return an HTTP client at an honest person's address."""
    transport = httpx.AsyncHTTPTransport(local_address=honest_address(number))
    return httpx.AsyncClient(base_url=url, transport=transport, timeout=REQUEST_SECONDS)


def honest_address(number: int) -> str:
    """Return the address of an honest person."""
    return f"127.0.1.{1 + number % 200}"


@dataclass
class Phase:
    """What was measured in a quiet time or under an attack."""

    delays: list[float] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    memory: float = 0.0

    def percentile(self, percent: int) -> float:
        """Return a percentile of the delays in ms; infinite without enough of them."""
        if len(self.delays) < 10:
            return float("inf")
        return statistics.quantiles(self.delays, n=100)[percent - 1] * 1e3


class Honest:
    """Players at tables, and a reader of the lobby."""

    def __init__(self, url: str, game: str) -> None:
        self.url, self.game = url, game
        self.phase = Phase()
        self.tasks: list[asyncio.Task[None]] = []
        self.seen: dict[tuple[str, int], float] = {}  # (table, number of the event) -> when it was sent
        self.listed = ""  # an open table that must stay in the lobby
        self._people = 0

    async def person(self) -> tuple[httpx.AsyncClient, dict[str, str]]:
        """Return a new person's client, and the headers of their socket."""
        self._people += 1
        http = local_client(self.url, self._people)
        answer = await http.put("/api/me", json={"name": f"Ana {self._people}"})
        answer.raise_for_status()
        return http, {"Cookie": f"tablee={answer.cookies['tablee']}"}

    async def sit_down(self, tables: int) -> None:
        """Let pairs play, and a reader read; an open table waits in the lobby."""
        self.tasks += [asyncio.create_task(self.keep_playing()) for _ in range(tables)]
        http, _ = await self.person()
        made = await http.post("/api/tables", json={"game": self.game, "seats": 2, "is_open": True})
        self.listed = made.json()["id"]
        self.tasks.append(asyncio.create_task(self.read_lobby(http)))

    async def keep_playing(self) -> None:
        """Play one game after the other."""
        people = [await self.person() for _ in range(2)]
        while True:
            try:
                await self.play_game(people)
            except (OSError, httpx.HTTPError, KeyError, Exception) as error:  # whatever it is, it was not for them
                self.phase.refusals.append(f"game: {type(error).__name__} {str(error)[:80]}")
                await asyncio.sleep(1)

    async def play_game(self, people: list[tuple[httpx.AsyncClient, dict[str, str]]]) -> None:
        """Make a table, sit down, and play it to the end."""
        request = {"game": self.game, "seats": 2, "rest": None}
        table = (await people[0][0].post("/api/tables", json=request)).json()
        sockets = [await self.connect(headers, number) for number, (_, headers) in enumerate(people)]
        claim = {"type": "claim", "id": f"c{time.monotonic()}", "table": table["id"], "invite": table["invite"]}
        await sockets[1].send(json.dumps(claim))
        try:
            await asyncio.gather(*(self.play(each, table["id"], table["invite"]) for each in sockets))
        finally:
            for each in sockets:
                await each.close()

    async def connect(self, headers: dict[str, str], number: int) -> ClientConnection:
        """Open the socket of a person."""
        address = f"{self.url.replace('http', 'ws')}/api/socket"
        source = (honest_address(self._people + number), 0)
        return await connect(
            address, additional_headers=headers, compression=None, open_timeout=REQUEST_SECONDS, proxy=None,
            local_addr=source,
        )  # fmt: skip

    async def play(self, line: ClientConnection, table: str, invite: str) -> None:
        """Play the first choice whenever there is one, until the game is over."""
        await line.send(json.dumps({"type": "watch", "id": "w", "table": table, "invite": invite}))
        async for text in line:
            message = json.loads(text)
            if message["type"] == "refused":
                self.phase.refusals.append(f"message: {message['code']}")
            if message["type"] == "event":
                self._count_arrival(table, message["number"])
            state = message.get("state") or (message["table"] if message["type"] == "table" else None)
            if not state:
                continue
            if state["phase"] == "over":
                return
            choices = (state.get("view") or {}).get("choices")
            if choices and not state["is_early"]:
                await asyncio.sleep(PAUSE)
                self.seen[table, state["number"] + 1] = time.monotonic()
                move = {"type": "play", "id": f"m{state['number']}", "table": table, "number": state["number"]}
                await line.send(json.dumps({**move, "move": choices[0]["text"]}))

    def _count_arrival(self, table: str, number: int) -> None:
        """Count a move at its first arrival as begun, at its second as seen by both."""
        sent = self.seen.pop((table, number), None)
        if sent is None:
            return
        if sent > 0:
            self.seen[table, number] = -sent
        else:
            self.phase.delays.append(time.monotonic() + sent)

    async def read_lobby(self, http: httpx.AsyncClient) -> None:
        """Read the lobby; the open table must be in it."""
        while True:
            await asyncio.sleep(LOBBY_PAUSE)
            try:
                async with local_client(self.url, 150) as visitor:
                    answer = await visitor.get("/api/tables")
            except httpx.HTTPError as error:
                self.phase.refusals.append(f"lobby: {type(error).__name__}")
                continue
            if answer.status_code != httpx.codes.OK:
                self.phase.refusals.append(f"lobby: {answer.status_code}")
            elif self.listed not in {table["id"] for table in answer.json()["open"]}:
                self.phase.refusals.append("lobby: the honest table is not listed")

    async def measure(self, seconds: float, process: int) -> Phase:
        """Measure for some seconds."""
        phase = self.phase = Phase()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            phase.memory = max(phase.memory, memory(process))
            await asyncio.sleep(0.1)
        return phase


# What attackers know


async def prepare_target(url: str, game: str) -> Target:
    """Make an open table, and bring the record of a finished game."""
    from tablee import Match

    match = Match(game, seats=2, seed=1)
    while match.outcome is None:
        match.push(match.legal_moves()[0] if len(match.moves) % 3 else match.legal_moves()[-1])
        if len(match.moves) > 400:
            break
    record = match.record(kinds=["person", "person"], table="", end="" if match.outcome else "agreement").text()
    async with local_client(url, 199) as http:
        await http.put("/api/me", json={"name": "Host"})
        imported = await http.post("/api/records", json={"record": record})
        imported.raise_for_status()
        made = await http.post("/api/tables", json={"game": game, "seats": 2, "is_open": True})
        port = int(url.rpartition(":")[2])
        return Target(port, game, made.json()["id"], imported.json()["table"], record)


# Measuring


def verdict(quiet: Phase, attacked: Phase) -> dict[str, Any]:
    """Compare; `broken` names the bounds that do not hold."""
    ratio = attacked.percentile(99) / quiet.percentile(99)
    growth = attacked.memory / quiet.memory
    broken = [
        *(["delay"] if not ratio <= MAX_DELAY_RATIO else []),
        *(["memory"] if growth > MAX_MEMORY_RATIO else []),
        *(["refused"] if attacked.refusals else []),
    ]
    return {
        "quiet_p99_ms": round(quiet.percentile(99), 1),
        "p50_ms": round(attacked.percentile(50), 1),
        "p99_ms": round(attacked.percentile(99), 1),
        "delay_ratio": round(ratio, 2),
        "memory_mb": round(attacked.memory),
        "memory_ratio": round(growth, 2),
        "moves": len(attacked.delays),
        "refused": sorted(set(attacked.refusals))[:5],
        "broken": broken,
    }


async def measure_all(url: str, process: int, options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Run each attack after a quiet time; return the figures by attack."""
    target = await prepare_target(url, options.game)
    honest = Honest(url, options.game)
    await honest.sit_down(options.tables)
    await honest.measure(options.seconds, process)  # warm up
    figures: dict[str, dict[str, Any]] = {}
    for name in options.only:
        quiet = await honest.measure(options.seconds, process)
        with forked(run_attack, name, target):
            await asyncio.sleep(1.0)
            figures[name] = verdict(quiet, await honest.measure(options.seconds, process))
        figures[name]["quiet_refused"] = len(quiet.refusals)
        print_line(figure="attack", attack=name, **figures[name])
        await asyncio.sleep(1.0)
    for task in honest.tasks:
        task.cancel()
    await asyncio.gather(*honest.tasks, return_exceptions=True)
    return figures


def print_table(figures: dict[str, dict[str, Any]]) -> None:
    """Print the figures for people."""
    print(f"\n{'attack':32} {'quiet p99':>10} {'p99 ms':>8} {'ratio':>6} {'MB':>5} {'ratio':>6}  broken")
    for name, row in figures.items():
        print(
            f"{name:32} {row['quiet_p99_ms']:>10} {row['p99_ms']:>8} {row['delay_ratio']:>6} {row['memory_mb']:>5} "
            f"{row['memory_ratio']:>6}  {', '.join(row['broken']) or '-'}"
        )


def game_for_two() -> str:
    """Return the name of the first game that two can play without options."""
    from tablee.core.errors import BadSetup
    from tablee.core.registry import all_games

    for game in all_games():
        with suppress(BadSetup):
            game.setup(2)
            return game.name
    raise BadSetup("no game is played by two")


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="what honest players notice of attacks")
    parser.add_argument("--only", nargs="+", choices=list(ATTACKS), default=list(ATTACKS), metavar="ATTACK")
    parser.add_argument("--seconds", type=float, default=6, help="of each quiet time and of each attack")
    parser.add_argument("--tables", type=int, default=6)
    parser.add_argument("--game", default=game_for_two())
    return parser.parse_args()


def main() -> None:
    """Measure, print, and exit with 1 if a bound is broken."""
    from tablee.core.registry import find_game
    from tablee.tables.warmup import exercise_table

    options = parse_arguments()
    print_line(**description())
    for _ in exercise_table(find_game(options.game), bots=("random", "expert")):
        pass
    listener = socket.create_server((HOST, 0), backlog=4096)
    url = f"http://{HOST}:{listener.getsockname()[1]}"
    with tempfile.TemporaryDirectory() as folder, forked(serve, listener, folder) as process:
        httpx.get(f"{url}/api/bots", timeout=120).raise_for_status()
        figures = asyncio.run(measure_all(url, process, options))
        lines = (Path(folder) / "server.log").read_text().splitlines()
    print_table(figures)
    print(f"\nlines in the server's log: {len(lines)}; not JSON: {sum(not line.startswith('{') for line in lines)}")
    sys.exit(any(row["broken"] for row in figures.values()))


if __name__ == "__main__":
    main()
