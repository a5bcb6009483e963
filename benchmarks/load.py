"""Load: moves per second that a server accepts, and the time from a move to the last player's screen.

    python benchmarks/load.py [--database URL] [--tables 100 1000] [--seconds 10] [--game NAME]

A server process and the players' process share this machine. Every table has two people, each with a socket of his own;
whoever is on turn plays the first of his choices as soon as he sees it. Beside it, in the same run: how many single
rows the same database commits per second, one after the other. Prints one JSON line per figure.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import socket
import statistics
import tempfile
import time
from pathlib import Path

import httpx
from websockets.asyncio.client import connect

TOGETHER = 50  # tables that are made at the same time


def serve(listener: socket.socket, database: str) -> None:
    """Run a server in this (child) process."""
    import uvicorn

    from tablee.server import describing, hall
    from tablee.server.app import create_app
    from tablee.server.serving import uvicorn_options
    from tablee.server.settings import Settings

    hall.is_ready = describing.is_ready = lambda game: True  # what is needed here has been rehearsed
    limits = {"command_rate": 1e6, "table_rate": 1e6, "tables_per_person": 10**6, "connections_per_person": 10**6}
    app = create_app(Settings(database=database, **limits))
    uvicorn.Server(uvicorn.Config(app, **uvicorn_options())).run([listener])


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


class Bench:
    """Tables under load, and what was measured."""

    def __init__(self, url: str, game: str) -> None:
        self.url, self.game = url, game
        self.delays: list[float] = []
        self.moves = 0
        self.is_measuring = False
        self.sent: dict[tuple[str, int], float] = {}  # (table, number the move will get) -> when
        self.seen: dict[tuple[str, int], int] = {}

    async def table(self, number: int, http: httpx.AsyncClient) -> list[asyncio.Task[None]]:
        """Seat two people at a new table and let them play."""
        tokens = []
        for name in ("Ana", "Ben"):
            http.cookies.clear()
            me = (await http.put("/api/me", json={"name": f"{name} {number}", "is_program": True})).json()
            tokens.append(me["token"])
        heads = [{"Authorization": f"Bearer {token}"} for token in tokens]
        table = (await http.post("/api/tables", json={"game": self.game, "seats": 2}, headers=heads[0])).json()
        claim = {"type": "claim", "id": "c", "table": table["id"], "invite": table["invite"]}
        answer = await http.post(f"/api/tables/{table['id']}/commands", json=claim, headers=heads[1])
        answer.raise_for_status()
        return [asyncio.create_task(self.player(table["id"], head)) for head in heads]

    async def player(self, table: str, head: dict[str, str]) -> None:
        """Play the first choice whenever there is one."""
        address = f"{self.url.replace('http', 'ws')}/api/socket"
        async with connect(address, additional_headers=head, compression=None, open_timeout=120) as line:
            await line.send(json.dumps({"type": "watch", "id": "w", "table": table}))
            async for text in line:
                message = json.loads(text)
                state = message.get("table") if message["type"] == "table" else message.get("state")
                if message["type"] == "event":
                    self._arrived(table, message["number"])
                if state and state["view"] and state["view"]["choices"] and not state["early"]:
                    number = state["number"]
                    self.sent[table, number + 1] = time.monotonic()
                    move = {"type": "play", "id": f"m{number}", "table": table, "number": number}
                    await line.send(json.dumps({**move, "move": state["view"]["choices"][0]["text"]}))

    def _arrived(self, table: str, number: int) -> None:
        """Note that a move is on a screen; the second of two is the last."""
        key = (table, number)
        self.seen[key] = self.seen.get(key, 0) + 1
        if self.seen[key] == 2:
            begun = self.sent.pop(key, None)
            del self.seen[key]
            if begun is not None and self.is_measuring:
                self.moves += 1
                self.delays.append(time.monotonic() - begun)


async def measure(url: str, game: str, tables: int, seconds: float) -> dict[str, float]:
    """Return the figures of one load."""
    bench = Bench(url, game)
    players: list[asyncio.Task[None]] = []
    for first in range(0, tables, TOGETHER):
        clients = [httpx.AsyncClient(base_url=url, timeout=120) for _ in range(min(TOGETHER, tables - first))]
        made = await asyncio.gather(*(bench.table(first + n, http) for n, http in enumerate(clients)))
        players += [task for tasks in made for task in tasks]
        await asyncio.gather(*(http.aclose() for http in clients))
    await asyncio.sleep(1)
    bench.is_measuring = True
    begun = time.monotonic()
    await asyncio.sleep(seconds)
    bench.is_measuring = False
    elapsed = time.monotonic() - begun
    for task in players:
        task.cancel()
    await asyncio.gather(*players, return_exceptions=True)
    parts = statistics.quantiles(bench.delays, n=100)
    return {"moves_per_second": bench.moves / elapsed, "p50_ms": parts[49] * 1e3, "p99_ms": parts[98] * 1e3}


def show(**figures: object) -> None:
    """Print a line of figures."""
    print(json.dumps(figures), flush=True)


def main() -> None:
    """Measure and print."""
    from tablee.core.registry import all_games, find_game
    from tablee.server.warming import rehearse_serving

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", default="")
    parser.add_argument("--tables", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--game", default=all_games()[0].name)
    wishes = parser.parse_args()
    for _ in rehearse_serving(find_game(wishes.game), bots=("random",)):
        pass
    with tempfile.TemporaryDirectory() as folder:
        database = wishes.database or str(Path(folder) / "tablee.db")
        kind = "postgresql" if "://" in database else "sqlite"
        rate = commits_per_second(database, min(5.0, wishes.seconds))
        show(figure="single_row_commits_per_second", database=kind, value=round(rate))
        for tables in wishes.tables:
            listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
            child = os.fork()
            if not child:
                serve(listener, database)
                os._exit(0)
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            try:
                figures = asyncio.run(measure(url, wishes.game, tables, wishes.seconds))
            finally:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                listener.close()
            rounded = {name: round(value, 1) for name, value in figures.items()}
            show(figure="load", database=kind, game=wishes.game, tables=tables, **rounded)


if __name__ == "__main__":
    main()
