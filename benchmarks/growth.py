"""Growth: what people ask for takes the same time, however many games are finished.

    python benchmarks/growth.py [--database sqlite postgresql] [--games 0 10000 1000000] [--turns 5]
                                [--samples 10] [--game NAME]

Fills new databases with finished games (rows written directly: of each game the row of the table, two people, three
events, two results, two reviewed, and a try at a daily table; the people, each with twenty opponents, are a hundredth
of the games), then lets new people make tables, sit down, play, look at the lobby, at their statistics and progress and
at the daily tables, and end the game, through the application without
sockets, at the databases in turns. Prints the lower quartiles in milliseconds as JSON lines (other work on the
machine only adds to the times), and last the ratios to the database without games: all must be below 2. PostgreSQL
analyses its tables after they are filled, as its autovacuum does; SQLite is left as it is.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from typing import Any

import httpx

from json_lines import print_line
from load import open_database
from machine import description

BATCH_GAMES = 5_000
OPPONENTS = 20  # of a person
MAX_RATIO = 2.0
FIRST_DAY = 1.7e9  # when the first game ended
Row = tuple[Any, ...]


# Finished games


def fill(database: str, game: str, games: int) -> None:
    """Write the rows of finished games into a new database."""
    from tablee.storage import Store

    store = Store(database)
    store.open()
    people = max(OPPONENTS + 1, games // 100)
    for begun in range(0, games, BATCH_GAMES):
        numbers = range(begun, min(begun + BATCH_GAMES, games))
        _write(store, _rows_of_games(game, numbers, people))
        print(f"\r{numbers.stop:,} games", end="", file=sys.stderr, flush=True)
    _write(store, _rows_of_people(game, people if games else 0))
    if store.is_shared:
        with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("ANALYZE")
    store.close()
    print(file=sys.stderr)


def _rows_of_games(game: str, numbers: range, people: int) -> dict[str, list[Row]]:
    from tablee.protocol.stored import StoredResult, StoredSeat, StoredSummary, encode_summary
    from tablee.tables.events import Created, Ended, Started, encode_event

    rows: dict[str, list[Row]] = defaultdict(list)
    for number in numbers:
        generator = random.Random(number)
        one = generator.randrange(people)
        pair = [_person(one), _person((one + 1 + generator.randrange(OPPONENTS)) % people)]
        table, at = f"game{number:08}", FIRST_DAY + number
        ranks = generator.choice([(1, 2), (2, 1)])
        seats = tuple(StoredSeat(seat, "person", f"Person {person}") for seat, person in enumerate(pair))
        summary = encode_summary(StoredSummary(seats, tuple(pair), None, StoredResult(at, (30, 50), ranks)))
        rows["tables"].append((table, game, "over", True, at - 900, at, summary, None))
        rows["people"] += [(person, table, at) for person in pair]
        created = Created(at - 900, game=game, version=1, seats=2, seed=f"{number:064x}", invite="x" * 16)
        events = [created, Started(at - 900), Ended(at, reason="score")]
        rows["events"] += [(table, index, encode_event(event)) for index, event in enumerate(events, start=1)]
        rows["results"] += [(person, game, at, table, generator.gauss(1000, 200)) for person in pair]
        rows["reviewed_games"] += [(person, game, at, table, 0.9, 500_000, 0, 0, 0, "[]") for person in pair]
        rows["daily_tries"].append((f"d{number:016x}", today(), game, table, at, ranks[0], generator.randrange(100)))
    return rows


def _rows_of_people(game: str, people: int) -> dict[str, list[Row]]:
    """Return what is kept about people."""
    rows: dict[str, list[Row]] = defaultdict(list)
    if people:
        rows["daily_counts"] = [(today(), game, rank, points, people) for rank in (1, 2) for points in range(100)]
    for number in range(people):
        person = _person(number)
        rows["tallies"].append((person, game, 200, 100, 0))
        rows["ratings"].append((game, person, f"Person {number}", False, 25.0, 3.0, 200))
        for distance in range(1, OPPONENTS + 1):
            other = (number + distance) % people
            rows["encounters"].append((person, game, _person(other), f"Person {other}", False, 5, 0, 5))
    return rows


def today() -> str:
    """Return the day of the daily tables that all of these people have played."""
    from tablee.tables.days import day_of

    return day_of(time.time())


def _person(number: int) -> str:
    return f"p{number:016x}"


def _write(store: Any, rows: dict[str, list[Row]]) -> None:
    """Write rows as fast as the database takes them."""
    from tablee.storage.schema import metadata

    connection = store.engine.raw_connection()
    driver = connection.driver_connection
    try:
        if not store.is_shared:
            driver.execute("BEGIN")
        for name, listed in rows.items():
            columns = ", ".join(column.name for column in metadata.tables[name].columns)
            if store.is_shared:
                with driver.cursor() as cursor, cursor.copy(f"COPY {name} ({columns}) FROM STDIN") as copy:
                    for row in listed:
                        copy.write_row(row)
            else:
                marks = ", ".join("?" * len(metadata.tables[name].columns))
                driver.executemany(f"INSERT INTO {name} ({columns}) VALUES ({marks})", listed)
        driver.commit()
    finally:
        connection.close()


# Measuring


class Visit:
    """Two people who make a table, play and leave; keeps how long each request took."""

    def __init__(self, http: httpx.AsyncClient, tokens: list[str], game: str) -> None:
        self.http, self.game = http, game
        self.headers = [{"Authorization": f"Bearer {token}"} for token in tokens]
        self.seconds: dict[str, list[float]] = defaultdict(list)

    async def timed(self, what: str, method: str, path: str, seat: int, body: Any = None) -> Any:
        """Send a request of one of the people, and return its answer."""
        begun = time.perf_counter()
        answer = await self.http.request(method, path, json=body, headers=self.headers[seat])
        self.seconds[what].append(time.perf_counter() - begun)
        answer.raise_for_status()
        return answer.json()

    async def run(self) -> None:
        """Make a table, sit down, move, look around, and end the game."""
        table = await self.timed("create", "POST", "/api/tables", 0, {"game": self.game, "seats": 2, "rest": None})
        path = f"/api/tables/{table['id']}/commands"
        command = {"id": "c", "table": table["id"]}
        await self.timed("claim", "POST", path, 1, {**command, "type": "claim", "invite": table["invite"]})
        for seat in (0, 1):
            shown = await self.timed("table", "GET", f"/api/tables/{table['id']}", seat)
            if shown["view"]["choices"] and not shown["is_early"]:
                move = {"number": shown["number"], "move": shown["view"]["choices"][0]["text"]}
                await self.timed("move", "POST", path, seat, {**command, "type": "play", "id": "m", **move})
                break
        await self.timed("lobby and own tables", "GET", "/api/tables", 0)
        await self.timed("statistics", "GET", "/api/statistics", 0)
        await self.timed("progress", "GET", f"/api/statistics/{self.game}/progress", 0)
        await self.timed("daily tables", "GET", "/api/daily", 0)
        await self.timed("own daily tables", "GET", "/api/me/daily", 0)
        await self.timed("propose", "POST", path, 0, {**command, "type": "propose_end", "id": "p"})
        await self.timed("end", "POST", path, 1, {**command, "type": "answer_end", "id": "a", "agrees": True})


async def measure(database: str, game: str, samples: int) -> dict[str, list[float]]:
    """Return the seconds that each request took."""
    from tablee.server.app import create_app
    from tablee.server.identity import new_person
    from tablee.server.settings import Settings

    app = create_app(Settings(database=database, command_rate=1e6, table_rate=1e6, status="off"))
    signer = _signer(app)
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=120) as http:
            visit = Visit(http, [signer.token(new_person(name, True, None)) for name in ("Ana", "Ben")], game)
            for _ in range(samples):
                await visit.run()
    return visit.seconds


def _signer(app: Any) -> Any:
    from tablee.server.identity import TokenSigner

    return TokenSigner(app.state.registry.store.secret())


def measure_databases(name: str, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Fill a database of each size, measure them in turns, and yield the lower quartiles in milliseconds."""
    with ExitStack() as stack:
        databases = {games: stack.enter_context(open_database(name))[1] for games in options.games}
        for games, database in databases.items():
            fill(database, options.game, games)
        seconds: dict[int, dict[str, list[float]]] = {games: defaultdict(list) for games in databases}
        for _ in range(options.turns):
            for games, database in databases.items():
                for what, taken in asyncio.run(measure(database, options.game, options.samples)).items():
                    seconds[games][what] += taken
    for games, requests in seconds.items():
        quartiles = {
            what: round(statistics.quantiles(taken, method="inclusive")[0] * 1e3, 2) for what, taken in requests.items()
        }
        yield {"database": name, "games": games, **quartiles}


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    from tablee.core.registry import all_games

    parser = argparse.ArgumentParser(
        description="what people ask for takes the same time, however many games are finished"
    )
    parser.add_argument("--database", nargs="+", default=["sqlite", "postgresql"], choices=["sqlite", "postgresql"])
    parser.add_argument("--games", type=int, nargs="+", default=[0, 10_000, 1_000_000], help="finished, ascending")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--samples", type=int, default=10, help="visits of two people in each turn")
    parser.add_argument("--game", default=all_games()[0].name)
    return parser.parse_args()


def main() -> None:
    """Measure and print; exit with 1 if anything grows."""
    from tablee.core.registry import find_game
    from tablee.tables.warmup import exercise_table

    options = parse_arguments()
    os.nice(5)
    print_line(**description())
    for _ in exercise_table(find_game(options.game), bots=("random",)):
        pass
    worst = 0.0
    for name in options.database:
        lines = []
        for line in measure_databases(name, options):
            lines.append(line)
            print_line(figure="growth", **line)
        first, last = lines[0], lines[-1]
        ratios = {what: round(last[what] / first[what], 2) for what in islice(first, 2, None)}
        worst = max(worst, *ratios.values())
        print_line(figure="growth_ratio", database=name, games=[first["games"], last["games"]], **ratios)
    sys.exit(worst >= MAX_RATIO)


if __name__ == "__main__":
    main()
