"""Load on a server: moves accepted per second, and the time from a move to the last player's screen.

    python benchmarks/load.py [--database sqlite postgresql URL] [--tables 100 1000] [--seconds 10] [--pace 5]
                              [--turns 3] [--against COMMIT ...] [--peer] [--game NAME] [--picture load.png]

The server and the players run in two processes on this machine. Every table has two people, each with a socket of
their own, who play random choices: first at people's pace (a move per table every `--pace` seconds on average, with
random waits), then as soon as they can. A finished game is followed by a rematch, so that all tables play all the time.
In the same run: the rate at which the same database commits single rows, one after the other. `postgresql` starts a
server of its own, as the tests do.

Everything is measured `--turns` times, in turns: these sources, those of each commit of `--against` (in a Git worktree
of its own, with a compile cache that is kept), and with `--peer` boardgame.io's server (load_peer.mjs): its
tic-tac-toe, two sockets per match, in its default storage in memory; it needs node and npm, and is installed into a
temporary folder. Prints one JSON line per figure, and last the medians of the turns with their ratios to these sources;
`server_ms_per_move` is the processor time of the server and its processes, without that of PostgreSQL.
`collector_p99_ms` and `collector_max_ms` are pauses of its garbage collector, on a busy machine longer than their
processor time. Versions before sockets of few objects (0074) collect fully every half minute: `--seconds 40` has one of
these in each mode.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import msgspec
import uvloop

import collector_pauses
from json_lines import print_line
from load_players import Load, summary
from machine import commit, description

HERE = Path(__file__).parent
SETTLING_SECONDS = 2.0  # after all players are seated, and after a change of pace
PACE, AT_ONCE = "at people's pace", "as fast as it goes"
PEER_PACKAGES = ("boardgame.io@0.50.2", "socket.io-client@4")
TICKS = os.sysconf("SC_CLK_TCK")
FIGURES = ("moves_per_second", "p50_ms", "p99_ms", "server_ms_per_move")
SERVE = """
import socket, sys
sys.path.append({here!r})
import collector_pauses
collector_pauses.record({pauses!r})
sys.path.insert(0, "benchmarks")  # of the version that is served
import load
load.serve(socket.socket(fileno={listener}), {database!r})
"""


# Servers


@dataclass(frozen=True)
class Server:
    """A server of this project in a process of its own."""

    url: str
    process: int
    pauses: Path  # of its garbage collector


@dataclass(frozen=True)
class Sources:
    """A version of this project that is served."""

    name: str  # of the commit
    folder: Path
    cache: str = os.environ.get("TABLEE_CACHE", "")  # folder for compiled kernels; empty: the usual one

    @contextmanager
    def server(self, database: str) -> Iterator[Server]:
        """Run a server in a process of its own."""
        with (
            socket.create_server(("127.0.0.1", 0), backlog=4096) as listener,
            tempfile.NamedTemporaryFile() as pauses,
        ):
            program = SERVE.format(here=str(HERE), pauses=pauses.name, listener=listener.fileno(), database=database)
            environment = {**os.environ, "PYTHONPATH": str(self.folder / "src"), "TABLEE_CACHE": self.cache}
            child = subprocess.Popen(
                [sys.executable, "-c", program], cwd=self.folder, env=environment, pass_fds=[listener.fileno()]
            )
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            try:
                httpx.get(f"{url}/api/games", timeout=120).raise_for_status()
                yield Server(url, child.pid, Path(pauses.name))
            finally:
                child.kill()
                child.wait()


@contextmanager
def sources_of(commits: list[str]) -> Iterator[list[Sources]]:
    """Yield these sources and those of other commits, in Git worktrees that are removed afterwards."""
    with ExitStack() as stack, tempfile.TemporaryDirectory() as folder:
        versions = [Sources(commit(), HERE.parent)]
        for name in commits:
            worktree = Path(folder) / name
            _git("worktree", "add", "--detach", str(worktree), name)
            stack.callback(_git, "worktree", "remove", "--force", str(worktree))
            cache = Path(tempfile.gettempdir()) / f"tablee-load-{name}"  # old versions delete what they do not know
            versions.append(Sources(name, worktree, str(cache)))
        yield versions
        stack.close()


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=HERE, check=True, capture_output=True)


def serve(listener: socket.socket, database: str) -> None:
    """Serve in this process; every version has this function, and is served by its own."""
    import uvicorn

    from tablee.server import catalogue, registry
    from tablee.server.app import create_app
    from tablee.server.launcher import uvicorn_options
    from tablee.server.settings import Settings

    registry.is_ready = catalogue.is_ready = lambda game: True  # kernels are loaded before anything is measured
    limits = {"command_rate": 1e6, "table_rate": 1e6, "tables_per_person": 10**6, "connections_per_person": 10**6}
    settings = Settings(database=database, silence=3600.0, **limits)  # the players send no pings
    uvicorn.Server(uvicorn.Config(create_app(settings), **uvicorn_options(settings))).run([listener])


def processor_seconds(process: int) -> float:
    """Return the processor time of a process and of those that it has started."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()
    own = (int(fields[11]) + int(fields[12])) / TICKS
    return own + sum(map(processor_seconds, started_by(process)))


def started_by(process: int) -> list[int]:
    """Return the ids of the processes that a process has started, by any of its threads."""
    return [
        int(each)
        for task in Path(f"/proc/{process}/task").iterdir()
        for each in (task / "children").read_text().split()
    ]


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


def commits_per_second(name: str, seconds: float) -> float:
    """Return the rate at which a database commits single rows."""
    from sqlalchemy import insert

    from tablee.storage import Store, schema

    with open_database(name) as (_, database):
        store = Store(database)
        store.open()
        count, start = 0, time.monotonic()
        while time.monotonic() - start < seconds:
            with store.engine.begin() as connection:
                connection.execute(insert(schema.settings).values(name=f"row {count} {start}", value="x" * 100))
            count += 1
        store.close()
    return count / seconds


def new_tokens(database: str, people: int) -> list[str]:
    """Return tokens of new people, signed with the secret of the server's database: registration is not measured.

    They have the three fields that every version reads.
    """
    from itsdangerous import URLSafeSerializer
    from sqlalchemy import text

    from tablee.storage.database import connect, database_url

    engine = connect(database_url(database))  # not a Store, which would migrate the schema of an older version
    with engine.connect() as connection:
        secret = connection.execute(text("SELECT value FROM settings WHERE name = 'secret'")).scalar_one()
    engine.dispose()
    signer = URLSafeSerializer(secret, salt="person")
    return [str(signer.dumps([f"p{number:016x}", f"Ana {number}", True])) for number in range(people)]


# Measuring


def measure_ours(version: Sources, name: str, tables: int, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield the figures of one version with one number of tables, by mode; its database is new."""
    with open_database(name) as (kind, database), version.server(database) as server:
        tokens = new_tokens(database, 2 * tables)
        figures = uvloop.run(_measure_players(server, tokens, options))
    line = {"server": version.name, "game": options.game, "database": kind, "tables": tables}
    yield from ({**line, "mode": mode, **values} for mode, values in figures.items())


async def _measure_players(server: Server, tokens: list[str], options: argparse.Namespace) -> dict[str, Any]:
    load = Load(server.url, options.game, options.pace)
    await load.play_one_game(tokens[:2])
    start = time.monotonic()
    await load.sit_down(tokens)
    made = {"tables_made_per_second": round(len(tokens) / 2 / (time.monotonic() - start), 1)}
    await asyncio.sleep(SETTLING_SECONDS)
    figures = {PACE: {**made, **await _measure_mode(load, server, options.seconds)}}
    load.plays_at_once.set()
    await asyncio.sleep(SETTLING_SECONDS)
    figures[AT_ONCE] = {**made, **await _measure_mode(load, server, options.seconds)}
    load.stop()
    return figures


async def _measure_mode(load: Load, server: Server, seconds: float) -> dict[str, float]:
    start, used = time.monotonic(), processor_seconds(server.process)
    delays = await load.measure(seconds)
    figures = summary(delays, time.monotonic() - start, processor_seconds(server.process) - used)
    pauses = [pause for pause in collector_pauses.read(server.pauses) if pause.ended_at > start]
    return figures | collector_pauses.summary(pauses)


class Peer:
    """boardgame.io, installed in a folder."""

    def __init__(self, folder: Path) -> None:
        install = ["npm", "install", "--silent", "--no-audit", "--no-fund", *PEER_PACKAGES]
        subprocess.run(install, cwd=folder, check=True, capture_output=True)
        shutil.copy(HERE / "load_peer.mjs", folder)
        self.folder = folder

    def measure(self, tables: int, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
        """Run its server and the players, each in a Node process; yield the figures by mode."""
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = str(free.getsockname()[1])
        command = ["node", "load_peer.mjs"]
        server = subprocess.Popen([*command, "serve", port], cwd=self.folder, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        try:
            while str(server.pid) not in server.stdout.readline():
                pass
            numbers = [port, str(server.pid), str(tables), str(options.seconds), str(options.pace), "figures.json"]
            subprocess.run([*command, "drive", *numbers], cwd=self.folder, stdout=subprocess.DEVNULL, check=True)
        finally:
            server.kill()
            server.wait()
        setting_up, *modes = msgspec.json.decode((self.folder / "figures.json").read_bytes())
        line = {"server": PEER_PACKAGES[0], "game": "tic-tac-toe", "database": "none", "tables": tables}
        line["tables_made_per_second"] = round(tables / setting_up["seconds"], 1)
        for mode, figures in zip((PACE, AT_ONCE), modes, strict=True):
            delays = [delay / 1e3 for delay in figures["delays_ms"]]
            yield {**line, "mode": mode, **summary(delays, figures["elapsed"], figures["server_seconds"])}


def measure_all(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield all figures, in turns."""
    with sources_of(options.against) as versions, tempfile.TemporaryDirectory() as folder:
        peer = Peer(Path(folder)) if options.peer else None
        for tables in options.tables:
            for turn in range(options.turns):
                for database in options.database:
                    for version in versions:
                        yield from ({"turn": turn} | line for line in measure_ours(version, database, tables, options))
                if peer is not None:
                    yield from ({"turn": turn} | line for line in peer.measure(tables, options))


# Output


def medians(figures: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the medians over the turns, each with its ratio to that of these sources (`ratio`: above 1 is more)."""
    keys = ("server", "game", "database", "tables", "mode")
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for line in figures:
        groups.setdefault(tuple(line[key] for key in keys), []).append(line)
    ours = {key[2:]: _medians(lines) for key, lines in groups.items() if key[0] == figures[0]["server"]}
    for key, lines in groups.items():
        found = _medians(lines)
        databases = [key[2]] if (key[2:]) in ours else sorted({other[0] for other in ours})
        ratios = {
            f"ratio_to_ours_{database}": {
                name: round(found[name] / ours[database, *key[3:]][name], 2)
                for name in FIGURES
                if ours[database, *key[3:]][name]
            }
            for database in databases
            if key[0] != figures[0]["server"]
        }
        yield {**dict(zip(keys, key, strict=True)), **found, **ratios}


def _medians(lines: list[dict[str, Any]]) -> dict[str, float]:
    return {name: round(statistics.median(line[name] for line in lines), 2) for name in FIGURES}


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
    parser.add_argument("--turns", type=int, default=3, help="how often everything is measured")
    parser.add_argument("--against", nargs="*", default=[], metavar="COMMIT", help="measure other versions too")
    parser.add_argument("--peer", action="store_true", help="measure boardgame.io's server too")
    parser.add_argument("--game", default=all_games()[0].name)
    parser.add_argument("--picture", help="draw the figures into this file")
    options = parser.parse_args()
    if options.peer and not (shutil.which("node") and shutil.which("npm")):
        print("boardgame.io is not measured: node and npm are not installed", file=sys.stderr)
        options.peer = False
    return options


def main() -> None:
    """Measure and print."""
    options = parse_arguments()
    print_line(**description())
    for name in options.database:
        rate = commits_per_second(name, min(3.0, options.seconds))
        print_line(figure="single_row_commits_per_second", database=name, value=round(rate))
    figures: list[dict[str, Any]] = []
    for line in measure_all(options):
        figures.append(line)
        print_line(figure="load", load=round(os.getloadavg()[0], 1), **line)
    found = list(medians(figures))
    for line in found:
        print_line(figure="median", **line)
    if options.picture:
        draw(found, options.picture)


if __name__ == "__main__":
    main()
