"""Scale-out: three hosts on one PostgreSQL behind nginx, under load, as one after the other is restarted or lost.

    python benchmarks/scale.py [--tables 20] [--pace 0.5] [--seconds 10] [--patience 1.5] [--game NAME]

A host is a network namespace with an address of its own, in which `tablee serve` runs; all are on one bridge, with the
database and a proxy with proxy.conf. Every table has two people, who play random moves through the proxy, and repeat
what was not answered when their connection breaks. In turn: all hosts are restarted one after the other (SIGTERM); the
one with most connections crashes (SIGKILL); the one that then has most is cut off without a word, as when its cable is
pulled. Prints one JSON line for each: how many times a pair of people lost their connection, and the seconds until
their next move was acknowledged. At the end every acknowledged move must be in the database, once; exits 1 if not.

It needs Linux, root (`ip netns`), nginx and PostgreSQL. `make scale` runs it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from websockets.exceptions import WebSocketException

from json_lines import print_line

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import test_kill  # noqa: E402
from databases import Postgres  # noqa: E402
from tablee.storage import Store  # noqa: E402

HOSTS = 3
BRIDGE, NETWORK = "tablee-bridge", "10.177.0"
OWN = f"{NETWORK}.1"  # where the database and the proxy are
PROXY_PORT, SERVER_PORT = 8080, 8000
PATIENCE = 120.0  # seconds; the machine may be busy


def run(*command: object) -> None:
    """Run a command that must succeed."""
    subprocess.run([str(part) for part in command], check=True, capture_output=True)


# Hosts


class Host:
    """A network namespace, and the server in it."""

    def __init__(self, number: int, database: str, game: str, folder: Path) -> None:
        self.name, self.address = f"tablee-host{number}", f"{NETWORK}.{10 + number}"
        self._database, self._game, self._log = database, game, folder / f"{self.name}.log"
        self._link = f"tablee-{number}"
        self._process: subprocess.Popen[bytes] | None = None
        run("ip", "netns", "add", self.name)
        run("ip", "link", "add", self._link, "type", "veth", "peer", "name", "eth0", "netns", self.name)
        run("ip", "link", "set", self._link, "master", BRIDGE, "up")
        run("ip", "-n", self.name, "address", "add", f"{self.address}/24", "dev", "eth0")
        for device in ("lo", "eth0"):
            run("ip", "-n", self.name, "link", "set", device, "up")

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        command = ["ip", "netns", "exec", self.name, sys.executable, "-m", "tablee", "serve", self._game]
        command += ["--host", "0.0.0.0", "--port", str(SERVER_PORT), "--database", self._database]
        rates = {"TABLEE_COMMAND_RATE": "1000", "TABLEE_TABLE_RATE": "1000"}
        environment = {**os.environ, **rates, "FORWARDED_ALLOW_IPS": OWN, "PYTHONPATH": str(ROOT / "src")}
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        deadline = time.monotonic() + PATIENCE
        while not self._answers():
            if time.monotonic() > deadline or self._process.poll() is not None:
                raise RuntimeError(f"{self.name} does not start: {self._log.read_text()}")
            time.sleep(0.1)

    def _answers(self) -> bool:
        with suppress(OSError), urllib.request.urlopen(f"http://{self.address}:{SERVER_PORT}/api/games", timeout=1):
            return True
        return False

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End the server."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(PATIENCE)

    def connections(self) -> int:
        """Return the number of connections to the server."""
        command = ["ip", "netns", "exec", self.name, "ss", "-Htn", "state", "established", "sport", f"= :{SERVER_PORT}"]
        return len(subprocess.run(command, check=True, capture_output=True).stdout.splitlines())

    def cut(self, *, is_cut: bool) -> None:
        """Pull the cable, or plug it in again: packets are dropped without a word."""
        run("ip", "link", "set", self._link, "down" if is_cut else "up")

    def remove(self) -> None:
        """Remove the host."""
        self.stop(signal.SIGKILL)
        run("ip", "netns", "delete", self.name)


@contextmanager
def bridge() -> Iterator[None]:
    """Make a network of hosts, with this machine as one of them."""
    run("ip", "link", "add", BRIDGE, "type", "bridge")
    try:
        run("ip", "address", "add", f"{OWN}/24", "dev", BRIDGE)
        run("ip", "link", "set", BRIDGE, "up")
        yield
    finally:
        run("ip", "link", "delete", BRIDGE)


@contextmanager
def database_server() -> Iterator[str]:
    """Yield the URL of a database that the hosts can reach."""
    cluster = Postgres(f"listen_addresses='{OWN}'", "port=5432")
    try:
        with (cluster.data / "pg_hba.conf").open("a") as rules:
            rules.write(f"host all all {NETWORK}.0/24 trust\n")
        cluster.run("pg_ctl", "reload", "-D", cluster.data)
        name = cluster.database().split("/")[3].split("?")[0]
        yield f"postgresql://tablee@{OWN}:5432/{name}"
    finally:
        cluster.stop()


@contextmanager
def proxy(hosts: list[Host], folder: Path) -> Iterator[str]:
    """Yield the URL of nginx with proxy.conf, in front of these hosts."""
    servers = "".join(f"\n    server {host.address}:{SERVER_PORT} max_fails=1 fail_timeout=5s;" for host in hosts)
    site = re.sub(r"(\n    server server\d:[^\n]*)+", servers, (ROOT / "proxy.conf").read_text())
    site = site.replace(f"listen {PROXY_PORT}", f"listen {OWN}:{PROXY_PORT}")
    site = re.sub(r"rate=\d+r/s", "rate=100000r/s", site)  # all people have one address here
    site = re.sub(r"limit_conn sockets \d+", "limit_conn sockets 60000", site)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    paths = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    main = f"user root; pid {folder}/pid; daemon off; worker_processes 1; events {{ worker_connections 8192; }}\n"
    (folder / "nginx.conf").write_text(f"{main}http {{ access_log off; {paths}\n{site}\n}}\n")
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    process = subprocess.Popen([program, "-c", str(folder / "nginx.conf"), "-e", str(folder / "nginx.log")])
    try:
        with suppress(subprocess.TimeoutExpired):
            raise RuntimeError(f"nginx does not start: exit code {process.wait(1)}")
        yield f"http://{OWN}:{PROXY_PORT}"
    finally:
        process.terminate()
        process.wait(PATIENCE)


# People


class TimedPair(test_kill.Pair):
    """Two people who measure how long a lost connection keeps them from playing."""

    def __init__(self, url: str, number: int, pace: float, patience: float) -> None:
        super().__init__(url, number, random.Random(number))
        self.pace, self.patience = pace, patience
        self.losses: list[float] = []  # seconds from a loss to the next acknowledged move
        self._lost_at: float | None = None

    async def play(self, done: asyncio.Event) -> None:
        """Play until `done`; after a loss connect again."""
        unanswered = None
        while not done.is_set():
            with suppress(OSError, WebSocketException, EOFError):
                unanswered = await self._play_connected(done, unanswered)
            self._lost_at = self._lost_at or time.monotonic()
            await asyncio.sleep(0.05)

    async def _next_command(self, lines):
        await asyncio.sleep(self.generator.expovariate(1 / self.pace))
        while True:
            with suppress(IndexError):  # no choices: the other person's host has not heard of the last move yet
                return await super()._next_command(lines)
            await asyncio.sleep(0.05)

    async def _send(self, lines, seat, command):
        await lines[seat].send(json.dumps(command))
        while True:
            message = json.loads(await asyncio.wait_for(lines[seat].recv(), self.patience))
            if message.get("id") != command["id"]:
                continue
            if message["type"] != "ack":
                if message["code"] == "unavailable":
                    raise OSError(message)  # the process is ending, or has lost the database: another one answers
                return  # chosen from what a host showed that was behind
            self.acknowledged[(command["table"], f"{self.ids[seat]}/{command['id']}")] = message["number"]
            if self._lost_at is not None:
                self.losses.append(time.monotonic() - self._lost_at)
                self._lost_at = None
            return

    async def _retry(self, send, *arguments, **fields):
        while True:
            with suppress(test_kill.httpx.TransportError):
                answer = await send(*arguments, **fields)
                if answer.status_code < 300:
                    return answer.json()
            await asyncio.sleep(0.05)


async def play_through(
    url: str, hosts: list[Host], tables: int, pace: float, seconds: float, patience: float
) -> list[TimedPair]:
    """Play while hosts are restarted and lost; print a line for each; return the pairs."""
    test_kill.TIMEOUT = patience
    pairs = [TimedPair(url, number, pace, patience) for number in range(tables)]
    await asyncio.gather(*(pair.sit_down() for pair in pairs))
    done = asyncio.Event()
    playing = [asyncio.create_task(pair.play(done)) for pair in pairs]

    async def measure(what: str, action: Callable[[], Awaitable[None]]) -> None:
        before, begun = sum(len(pair.acknowledged) for pair in pairs), time.monotonic()
        for pair in pairs:
            pair.losses.clear()
        await action()
        await wait_for_all(pairs, playing)
        losses = sorted(loss for pair in pairs for loss in pair.losses)
        moves = sum(len(pair.acknowledged) for pair in pairs) - before
        figures = {"losses": len(losses), "moves": moves, "seconds": round(time.monotonic() - begun, 1)}
        if losses:
            figures |= {"back_after_median": round(losses[len(losses) // 2], 2), "back_after_max": round(losses[-1], 2)}
        print_line(what=what, tables=tables, **figures)

    async def restart_all() -> None:
        for host in hosts:
            await asyncio.to_thread(host.stop)
            await asyncio.to_thread(host.start)

    async def crash() -> None:
        await asyncio.to_thread(busiest(hosts).stop, signal.SIGKILL)
        await asyncio.sleep(seconds)

    async def cut_off() -> None:
        busiest(hosts).cut(is_cut=True)
        await asyncio.sleep(seconds)

    await measure("quiet", lambda: asyncio.sleep(seconds))
    await measure("rolling restart of all hosts", restart_all)
    await measure("a host crashes", crash)
    await measure("a host is cut off", cut_off)
    for host in hosts:
        host.cut(is_cut=False)
    done.set()
    await asyncio.gather(*playing)
    return pairs


def busiest(hosts: list[Host]) -> Host:
    """Return the host with most connections: one without any is not missed."""
    return max(hosts, key=Host.connections)


async def wait_for_all(pairs: list[TimedPair], playing: list[asyncio.Task[None]]) -> None:
    """Wait until every table has gone on."""
    before = [len(pair.acknowledged) for pair in pairs]
    async with asyncio.timeout(PATIENCE):
        while any(len(pair.acknowledged) <= count for pair, count in zip(pairs, before, strict=True)):
            for task in playing:
                if task.done():
                    task.result()
            await asyncio.sleep(0.05)


def check(pairs: list[TimedPair], database: str) -> int:
    """Compare what was acknowledged with the database; return how many moves there were."""
    store = Store(database)
    for pair in pairs:
        for table in pair.tables:
            test_kill.check_table(asyncio.run(store.events(table)), table, pair)
    store.engine.dispose()
    return sum(len(pair.acknowledged) for pair in pairs)


def main() -> None:
    """Run everything once."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--pace", type=float, default=0.5, help="mean seconds between two moves at a table")
    parser.add_argument("--seconds", type=float, default=10.0, help="how long each phase lasts")
    parser.add_argument(
        "--patience", type=float, default=1.5, help="seconds until a client that has no answer reconnects"
    )
    parser.add_argument("--game", default=test_kill.GAME["game"])
    arguments = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        stack.enter_context(bridge())
        database = stack.enter_context(database_server())
        hosts = []
        for number in range(1, HOSTS + 1):
            hosts.append(Host(number, database, arguments.game, folder))
            stack.callback(hosts[-1].remove)
        for host in hosts:
            host.start()
        url = stack.enter_context(proxy(hosts, folder))
        settings = (arguments.tables, arguments.pace, arguments.seconds, arguments.patience)
        pairs = asyncio.run(play_through(url, hosts, *settings))
        print_line(what="acknowledged moves, all in the database once", moves=check(pairs, database))


if __name__ == "__main__":
    main()
