"""Soak: people come and go for half an hour, and the server's memory stays flat and its log quiet.

    python benchmarks/soak.py [--minutes 30] [--tables 300] [--pace 5] [--database sqlite postgresql] [--game NAME]

Starts `tablee serve` on a new database. At each of `--tables` tables two people play random choices, a move every
`--pace` seconds on average; they chat, lose their connection and come back, and after some minutes leave for good,
when two others make a new table. Prints the server's memory, tables in memory and worst pause of the garbage
collector every minute as JSON lines, and last the verdict: the median memory of the last third must be at most 1.15
times that of the second, and every line of the log above the level `info` is listed with its count. Exits with 1 if
memory grows, if a table is stuck or if the log has such lines.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx

from json_lines import print_line
from load import new_tokens, open_database
from load_players import Line, Message, State
from machine import description

VISIT_SECONDS = (60.0, 300.0)  # that two people stay at a table
AWAY_SECONDS = (0.5, 10.0)  # until a lost connection is back
LOSSES, CHATS = 0.02, 0.05  # per move
PING_SECONDS = 20.0
STUCK_SECONDS = 120.0  # without any message although people play
MAX_GROWTH = 1.15
START_SECONDS = 900.0  # for a server with an empty compile cache


# The server


class Served:
    """A server process: its address, memory and log."""

    def __init__(self, database: str, game: str, folder: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free, socket.create_server(("127.0.0.1", 0)) as other:
            port, status = free.getsockname()[1], other.getsockname()[1]
        self.url, self.status = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{status}"
        self.log = folder / "log"
        command = [sys.executable, "-m", "tablee", "serve", game, "--port", str(port), "--database", database]
        settings = {"TABLEE_STATUS": f"127.0.0.1:{status}", "TABLEE_CONNECTIONS_PER_PERSON": "50"}
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                command, stdout=subprocess.DEVNULL, stderr=log, env={**os.environ, **settings}
            )

    def wait_until_ready(self, game: str) -> None:
        """Wait until the game is compiled."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            with suppress(httpx.HTTPError):
                if httpx.get(f"{self.url}/api/games/{game}").json()["compiled"] == 1:
                    return
            if self.process.poll() is not None:
                raise SystemExit(f"the server ended: {self.log.read_text()[-500:]}")
            time.sleep(0.5)
        raise SystemExit(f"{game} was not compiled after {START_SECONDS:.0f} s")

    def memory(self) -> float:
        """Return the resident memory, in MB."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))

    def metrics(self) -> dict[str, float]:
        """Return the tables in memory, and the bound of the longest pause of the collector, in seconds."""
        text = httpx.get(f"{self.status}/metrics", timeout=60).text
        tables = sum(float(value) for value in re.findall(r"^tablee_tables_in_memory\S* (\S+)$", text, re.MULTILINE))
        return {"tables_in_memory": tables, "collector_pause_below_s": _longest_pause(text)}

    def unquiet_lines(self) -> Counter[str]:
        """Return the lines of the log above the level info, by level and message."""
        found: Counter[str] = Counter()
        for line in self.log.read_text().splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                found[f"not JSON: {line[:80]}"] += 1
                continue
            if entry["level"] not in ("debug", "info"):
                found[f"{entry['level']}: {entry['message']}"] += 1
        return found

    def stop(self) -> None:
        """Stop the server."""
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def _longest_pause(text: str) -> float:
    """Return the smallest bucket of the histogram that holds all pauses, of all generations."""
    buckets: dict[str, list[tuple[float, float]]] = {}
    for labels, value in re.findall(r"^tablee_collector_pause_seconds_bucket\{(\S+)\} (\S+)$", text, re.MULTILINE):
        bound = re.search(r'le="([^"]+)"', labels)
        assert bound is not None
        others = re.sub(r'le="[^"]+",?', "", labels)
        buckets.setdefault(others, []).append((float(bound[1].replace("+Inf", "inf")), float(value)))
    longest = 0.0
    for listed in buckets.values():
        total = max(count for _, count in listed)
        if total:
            longest = max(longest, min(bound for bound, count in listed if count == total))
    return longest


@contextmanager
def serving(database: str, game: str) -> Iterator[Served]:
    """Serve a database until the end."""
    with tempfile.TemporaryDirectory() as folder:
        server = Served(database, game, Path(folder))
        try:
            server.wait_until_ready(game)
            yield server
        finally:
            server.stop()


# People


class Crowd:
    """People at many tables, who come and go."""

    def __init__(self, url: str, database: str, game: str, pace: float) -> None:
        self.url, self.database, self.game, self.pace = url, database, game, pace
        self.generator = random.Random(1)
        self.moves = self.visits = self.losses = self.stuck = 0
        self.refused: Counter[str] = Counter()

    async def keep_a_table(self, http: httpx.AsyncClient) -> None:
        """Let one pair of people after the other make a table and play."""
        await asyncio.sleep(self.generator.uniform(0, 30))
        while True:
            tokens = await asyncio.to_thread(new_tokens, self.database, 2)
            until = time.monotonic() + self.generator.uniform(*VISIT_SECONDS)
            with suppress(httpx.HTTPError):
                await self._visit(http, tokens, until)
                self.visits += 1

    async def _visit(self, http: httpx.AsyncClient, tokens: list[str], until: float) -> None:
        host, guest = ({"Authorization": f"Bearer {token}"} for token in tokens)
        request = {"game": self.game, "seats": 2, "rest": None, "clock": 60}
        made = await http.post("/api/tables", json=request, headers=host)
        if made.status_code != 201:
            self.refused[made.json()["code"]] += 1
            await asyncio.sleep(1)
            return
        table = made.json()
        claim = {"type": "claim", "id": "c", "table": table["id"], "invite": table["invite"]}
        (await http.post(f"/api/tables/{table['id']}/commands", json=claim, headers=guest)).raise_for_status()
        await asyncio.gather(*(self._play(token, table["id"], until) for token in tokens))

    async def _play(self, token: str, table: str, until: float) -> None:
        """Play at a table until a time, over one connection after the other."""
        while time.monotonic() < until:
            with suppress(OSError):
                async with self._line(token) as (line, messages):
                    line.send(type="watch", id="w", table=table)
                    if not await self._play_connected(line, messages, table, until):
                        return
            self.losses += 1
            await asyncio.sleep(self.generator.uniform(*AWAY_SECONDS))

    @asynccontextmanager
    async def _line(self, token: str) -> AsyncIterator[tuple[Line, asyncio.Queue[Message]]]:
        line, messages = await Line.connect(self.url, token), asyncio.Queue[Message]()
        line.receive = messages.put_nowait
        pings = asyncio.create_task(_ping(line))
        try:
            yield line, messages
        finally:
            pings.cancel()
            line.close()

    async def _play_connected(self, line: Line, messages: asyncio.Queue[Message], table: str, until: float) -> bool:
        """Play until a time; return True if the connection is to be lost before."""
        heard_at = time.monotonic()
        while (left := until - time.monotonic()) > 0:
            try:
                message = await asyncio.wait_for(messages.get(), min(left, PING_SECONDS * 2))
            except TimeoutError:
                if time.monotonic() - heard_at > STUCK_SECONDS:
                    self.stuck += 1
                    return False
                continue
            heard_at = time.monotonic()
            if message.type == "refused":
                self.refused["socket"] += 1
            state = message.table if isinstance(message.table, State) else message.state
            if state is None or state.phase == "over":
                if state is not None:
                    return False
                continue
            if state.view and state.view.choices and not state.is_early and messages.empty():
                await asyncio.sleep(self.generator.uniform(0, 2 * self.pace))
                move = self.generator.choice(state.view.choices).text
                line.send(type="play", id=f"m{state.number}", table=table, number=state.number, move=move)
                self.moves += 1
                if self.generator.random() < CHATS:
                    line.send(type="chat", id=f"t{state.number}", table=table, text="Well played")
                if self.generator.random() < LOSSES:
                    return True
        return False


async def _ping(line: Line) -> None:
    while True:
        await asyncio.sleep(PING_SECONDS)
        line.send(type="ping")


# Measuring


async def soak(server: Served, database: str, options: argparse.Namespace) -> tuple[list[float], Crowd]:
    """Let people come and go; return the memory in MB, every ten seconds, and the crowd."""
    crowd = Crowd(server.url, database, options.game, options.pace)
    memory: list[float] = []
    begun = time.monotonic()
    limits = httpx.Limits(max_connections=50)
    async with httpx.AsyncClient(base_url=server.url, timeout=120, limits=limits) as http:
        keeping = [asyncio.create_task(crowd.keep_a_table(http)) for _ in range(options.tables)]
        while (elapsed := time.monotonic() - begun) < options.minutes * 60:
            await asyncio.sleep(min(10.0, options.minutes * 60 - elapsed))
            memory.append(server.memory())
            if len(memory) % 6 == 0 or elapsed + 10 >= options.minutes * 60:
                figures = await asyncio.to_thread(server.metrics)
                minutes = round((time.monotonic() - begun) / 60, 1)
                counts = {"moves": crowd.moves, "visits": crowd.visits, "losses": crowd.losses, "stuck": crowd.stuck}
                print_line(figure="soak", minutes=minutes, memory_mb=round(memory[-1], 1), **figures, **counts)
            for task in keeping:
                if task.done():
                    task.result()  # raises what has failed
        for task in keeping:
            task.cancel()
        await asyncio.gather(*keeping, return_exceptions=True)
    return memory, crowd


def verdict(memory: list[float], crowd: Crowd, unquiet: Counter[str]) -> dict[str, Any]:
    """Return the figures of the whole run."""
    third = len(memory) // 3
    growth = statistics.median(memory[2 * third :]) / statistics.median(memory[third : 2 * third] or memory)
    return {
        "memory_growth": round(growth, 3),
        "is_flat": growth <= MAX_GROWTH,
        "moves": crowd.moves,
        "visits": crowd.visits,
        "stuck": crowd.stuck,
        "refused": dict(crowd.refused),
        "log_above_info": dict(unquiet),
    }


def main() -> None:
    """Run and print."""
    from tablee.core.registry import all_games

    parser = argparse.ArgumentParser(description="people come and go: memory stays flat, and the log quiet")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--tables", type=int, default=300)
    parser.add_argument("--pace", type=float, default=5, help="seconds between two moves at a table")
    parser.add_argument("--database", nargs="+", default=["sqlite"], choices=["sqlite", "postgresql"])
    parser.add_argument("--game", default=all_games()[0].name)
    options = parser.parse_args()
    print_line(**description())
    is_good = True
    for name in options.database:
        with open_database(name) as (kind, database), serving(database, options.game) as server:
            memory, crowd = asyncio.run(soak(server, database, options))
            figures = verdict(memory, crowd, server.unquiet_lines())
        print_line(figure="soak_verdict", database=kind, tables=options.tables, minutes=options.minutes, **figures)
        is_good &= figures["is_flat"] and not crowd.stuck and not figures["log_above_info"]
    sys.exit(not is_good)


if __name__ == "__main__":
    main()
