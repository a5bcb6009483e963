"""The server is killed (SIGKILL) at random times under load: acknowledged moves are stored once, and play goes on."""

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from tablee.storage import Store
from tablee.tables.events import Moved
from tablee.tables.evolution import rebuild_table

KILLS = {"thread": 50, "process": 10}  # by what appends events; a process takes a second or two to start
TABLES = 2
TIMEOUT = 120  # seconds; generous, the machine may be busy
GAME = {"game": "skyjo", "seats": 2, "options": {"opening": "auto"}, "rest": None}


class Pair:
    """Two people at one table who play at random and keep every acknowledgement."""

    def __init__(self, url, number, generator):
        self.url, self.generator = url, generator
        self.names = [f"Ana {number}", f"Ben {number}"]
        self.tokens, self.ids = [], []
        self.tables = []
        self.acknowledged = {}  # (table, key of the command) -> number
        self.sent = self.refused = 0

    async def sit_down(self):
        """Create a table and sit down; requests are repeated if the server is killed meanwhile."""
        async with httpx.AsyncClient(base_url=self.url, timeout=TIMEOUT) as http:
            for name in self.names[len(self.tokens) :]:
                me = await self._retry(http.put, "/api/me", json={"name": name, "is_program": True})
                self.tokens.append(me["token"])
                self.ids.append(me["id"])
                http.cookies.clear()  # two people share this client
            headers = [{"Authorization": f"Bearer {token}"} for token in self.tokens]
            table = await self._retry(http.post, "/api/tables", json=GAME, headers=headers[0])
            claim = {"type": "claim", "id": "claim", "table": table["id"], "invite": table["invite"]}
            await self._retry(http.post, f"/api/tables/{table['id']}/commands", json=claim, headers=headers[1])
            self.tables.append(table["id"])

    async def _retry(self, send, *arguments, **fields):
        while True:
            with suppress(httpx.TransportError):
                answer = await send(*arguments, **fields)
                if answer.status_code != 503:  # unavailable: the database is away, or the disk full
                    assert answer.status_code < 300, answer.text
                    return answer.json()
            await asyncio.sleep(0.05)

    async def play(self, done):
        """Play until `done`; after every lost connection, reconnect and repeat the command that was not answered."""
        unanswered = None
        while not done.is_set():
            with suppress(OSError, WebSocketException, EOFError):
                unanswered = await self._play_connected(done, unanswered)

    async def _play_connected(self, done, unanswered):
        """Play over two new connections; `unanswered` is the seat and command to repeat first, if any."""
        lines = []
        try:
            for token in self.tokens:
                header = {"Authorization": f"Bearer {token}"}
                lines.append(await connect(f"{self.url.replace('http', 'ws')}/api/socket", additional_headers=header))
            self.unanswered = unanswered
            while not done.is_set():
                if self.unanswered is None:
                    self.unanswered = await self._next_command(lines)
                await self._send(lines, *self.unanswered)
                self.unanswered = None
        except (OSError, WebSocketException, EOFError):
            return self.unanswered
        finally:
            for line in lines:
                line.transport.abort()
        return None

    async def _next_command(self, lines):
        """Choose a move of the seat to move, from what the table shows it."""
        table = self.tables[-1]
        shown = await self._look(lines, 0, table)
        if shown["phase"] == "over":
            await self.sit_down()
            return await self._next_command(lines)
        seat = shown["view"]["to_move"]
        shown = shown if seat == 0 else await self._look(lines, seat, table)
        choice = self.generator.choice(shown["view"]["choices"])
        self.sent += 1
        message = {"type": "play", "id": f"m{self.sent}", "table": table, "number": shown["number"]}
        return seat, {**message, "move": choice["text"]}

    async def _look(self, lines, seat, table):
        await lines[seat].send(json.dumps({"type": "watch", "id": "look", "table": table}))
        while True:
            message = json.loads(await asyncio.wait_for(lines[seat].recv(), TIMEOUT))
            if message["type"] == "table":
                return message["table"]
            if message["type"] == "refused":
                await self._wait(message)
                await lines[seat].send(json.dumps({"type": "watch", "id": "look", "table": table}))

    async def _wait(self, refused):
        """Wait until the database is back; nothing else may be the reason of a refusal."""
        assert refused["code"] == "unavailable", refused
        self.refused += 1
        await asyncio.sleep(0.1)

    async def _send(self, lines, seat, command):
        await lines[seat].send(json.dumps(command))
        while True:
            message = json.loads(await asyncio.wait_for(lines[seat].recv(), TIMEOUT))
            if message.get("id") == command["id"]:
                if message["type"] == "refused":
                    await self._wait(message)
                    await lines[seat].send(json.dumps(command))
                    continue
                assert message["type"] == "ack", message
                key = (command["table"], f"{self.ids[seat]}/{command['id']}")
                self.acknowledged[key] = message["number"]
                return


class RestartingServer:
    """A server that restarts when it is killed."""

    def __init__(self, database, folder, writes="thread"):
        program = Path(__file__).with_name("restarting_server.py")
        self.port_file = folder / "port"
        command = [sys.executable, program, database, self.port_file, GAME["game"], writes]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.pid = int(self.process.stdout.readline())
        self.url = f"http://127.0.0.1:{self.port_file.read_text()}"

    @property
    def status(self):
        """The address of health and metrics of the present process."""
        file = self.port_file.with_name("port.status")
        deadline = time.monotonic() + TIMEOUT
        while not (file.exists() and file.read_text()):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        return file.read_text()

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        self.pid = int(self.process.stdout.readline())

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)


async def play_and_kill(server, generator, kills):
    """Kill the server under load, each time after at least one more move was acknowledged."""
    pairs = [Pair(server.url, number, generator) for number in range(TABLES)]
    await asyncio.gather(*(pair.sit_down() for pair in pairs))
    done = asyncio.Event()
    playing = [asyncio.create_task(pair.play(done)) for pair in pairs]

    def count():
        return sum(len(pair.acknowledged) for pair in pairs)

    async def wait_for_progress(since):
        async with asyncio.timeout(TIMEOUT):
            while count() <= since:
                failed = [task for task in playing if task.done()]
                assert not failed, [task.exception() for task in failed]
                await asyncio.sleep(0.002)

    for _ in range(kills):
        await wait_for_progress(count())
        await asyncio.sleep(generator.random() * 0.05)
        await asyncio.to_thread(server.kill)
    before = [len(pair.acknowledged) for pair in pairs]
    async with asyncio.timeout(TIMEOUT):
        while any(len(pair.acknowledged) <= count for pair, count in zip(pairs, before, strict=True)):
            await asyncio.sleep(0.01)  # until every table has gone on
    done.set()
    await asyncio.gather(*playing)
    return pairs


@pytest.mark.parametrize("writes", ["thread", "process"])
def test_acknowledged_moves_are_stored_exactly_once(database, tmp_path, writes):
    server = RestartingServer(database, tmp_path, writes)
    try:
        pairs = asyncio.run(play_and_kill(server, random.Random(5), KILLS[writes]))
    finally:
        server.stop()
    store = Store(database)
    try:
        for pair in pairs:
            for table in pair.tables:
                check_table(asyncio.run(store.events(table)), table, pair)
    finally:
        store.close()
    assert sum(len(pair.acknowledged) for pair in pairs) >= KILLS[writes]


def check_table(events, table, pair):
    keys = [event.key for event in events if event.key]
    assert len(keys) == len(set(keys))
    numbers = {event.key: number for number, event in enumerate(events, start=1) if isinstance(event, Moved)}
    acknowledged = {key: number for (table_id, key), number in pair.acknowledged.items() if table_id == table}
    assert acknowledged.items() <= numbers.items()
    assert len(numbers) - len(acknowledged) <= 1  # the last one may not have been answered before the end
    assert rebuild_table(table, events).number == len(events)


def test_a_lost_move_fails_the_check():
    pair = Pair("http://nowhere", 0, random.Random(0))
    pair.acknowledged[("t", "p/m1")] = 7
    with pytest.raises(AssertionError):
        check_table([], "t", pair)
