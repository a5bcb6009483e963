"""The players of `load.py`: two at each table, each with a socket of their own."""

from __future__ import annotations

import asyncio
import random
import statistics
import sys
import time
from contextlib import suppress
from typing import Any

import httpx
import msgspec
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.uri import parse_uri

from tablee.protocol.changes import Change, apply_changes

TABLES_AT_ONCE = 40  # created concurrently
CHANGES_VERSION = 3  # of the protocol, from which on watchers can ask for what changed, as browsers do


# What players decode of the server's messages, of this version and of earlier ones


class Message(msgspec.Struct):
    """Any message of the server."""

    type: str
    id: str | None = None
    version: int = 0  # of the protocol, in the first message
    number: int | None = None
    state: dict[str, Any] | None = None
    table: dict[str, Any] | str | None = None
    changes: list[Change] = []
    new_table: str | None = None


decode = msgspec.json.Decoder(Message).decode


class Line(asyncio.Protocol):
    """A WebSocket of one player; messages are handed on as they arrive.

    Much cheaper than the client class of `websockets`, so that the players leave the processor to the server.
    """

    def __init__(self, url: str, token: str) -> None:
        self._websocket = ClientProtocol(parse_uri(url), max_size=None)
        self._token = token
        self._opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.knows_changes = False  # whether the server sends what changed instead of whole tables
        self.receive: Any = None  # is called with every message but the first

    @classmethod
    async def connect(cls, url: str, token: str) -> Line:
        """Connect a person to a server."""
        address = httpx.URL(url)
        loop = asyncio.get_running_loop()
        socket_url = f"ws://{address.host}:{address.port}/api/socket"
        _, line = await loop.create_connection(lambda: cls(socket_url, token), address.host, address.port)
        await line._opened
        return line

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the handshake."""
        self._transport: Any = transport
        request = self._websocket.connect()
        request.headers["Authorization"] = f"Bearer {self._token}"
        self._websocket.send_request(request)
        self._flush()

    def data_received(self, data: bytes) -> None:
        """Hand on what has arrived."""
        self._websocket.receive_data(data)
        for event in self._websocket.events_received():
            if isinstance(event, Frame) and event.opcode is Opcode.TEXT:
                self._take(decode(event.data))

    def _take(self, message: Message) -> None:
        if message.type == "hello":
            self.knows_changes = message.version >= CHANGES_VERSION
            self._opened.set_result(None)
        elif self.receive is not None:
            self.receive(message)

    def send(self, **message: Any) -> None:
        """Send a message."""
        self._websocket.send_text(msgspec.json.encode(message))
        self._flush()

    def close(self) -> None:
        """Drop the connection."""
        self._transport.abort()

    def _flush(self) -> None:
        self._transport.write(b"".join(self._websocket.data_to_send()))


class Player:
    """A person who plays random choices, and a rematch after the last one."""

    def __init__(self, load: Load, line: Line, table: str, *, is_host: bool) -> None:
        self.table = table
        self._load = load
        self._line = line
        self._is_host = is_host
        self._generator = random.Random(f"{table} {is_host}")
        self._state: dict[str, Any] | None = None  # the table as shown last
        line.receive = self._receive

    def watch(self) -> None:
        """Watch the table, and play when it is one's turn."""
        self._state = None
        wanted = {"changes": True} if self._line.knows_changes else {}
        self._line.send(type="watch", id="w", table=self.table, **wanted)

    def follow(self, table: str) -> None:
        """Go on to the rematch."""
        self._line.send(type="unwatch", id="u", table=self.table)
        self.table = table
        self.watch()

    def close(self) -> None:
        """Leave."""
        self._line.close()

    def _receive(self, message: Message) -> None:
        if message.type == "event" and message.number is not None:
            self._load.count_arrival(self.table, message.number)
        if message.new_table is not None:
            self._load.rematch(self.table, message.new_table)
        state = message.table if isinstance(message.table, dict) else message.state
        if message.changes and message.table == self.table and self._state is not None:
            state = apply_changes(message.changes, self._state)
        if state is not None and state["id"] == self.table:
            self._state = state
            self._look(state)

    def _look(self, state: dict[str, Any]) -> None:
        choices = (state.get("view") or {}).get("choices", [])
        is_early = state.get("is_early") or state.get("early")  # its name before version 2 of the protocol
        if state["phase"] == "over" and self._is_host:
            self._load.finished += 1
            self._line.send(type="rematch", id="r", table=self.table)
        elif choices and not is_early:
            choice = self._generator.choice(choices)
            self._load.schedule(lambda: self._play(state["number"], choice["text"]))

    def _play(self, number: int, move: str) -> None:
        self._load.sent[self.table, number + 1] = time.monotonic()
        self._line.send(type="play", id=f"m{number}", table=self.table, number=number, move=move)


class Load:
    """Tables with two players each, and the measured delays."""

    def __init__(self, url: str, game: str, pace: float) -> None:
        self.url, self.game, self.pace = url, game, pace
        self.sent: dict[tuple[str, int], float] = {}  # (table, number of the event) -> time
        self.finished = 0  # games
        self.plays_at_once = asyncio.Event()
        self._is_measuring = False
        self._all_seated = asyncio.Event()
        self._delays: list[float] = []
        self._seen: set[tuple[str, int]] = set()  # moves that one of two players has received
        self._pairs: dict[str, tuple[Player, ...]] = {}  # by table
        self._tasks: set[asyncio.Task[None]] = set()

    # Tables

    async def play_one_game(self, tokens: list[str]) -> None:
        """Play a whole game, so that the server has loaded everything that it needs."""
        self.plays_at_once.set()
        await self.sit_down(tokens)
        while not self.finished:
            await asyncio.sleep(0.05)
        self.stop()
        self.plays_at_once.clear()
        self._all_seated.clear()

    async def sit_down(self, tokens: list[str]) -> None:
        """Seat two people at each table, then let all of them play."""
        pairs = list(zip(tokens[::2], tokens[1::2], strict=True))
        async with httpx.AsyncClient(base_url=self.url, timeout=120) as http:
            for first in range(0, len(pairs), TABLES_AT_ONCE):
                await asyncio.gather(*(self._make_table(http, *pair) for pair in pairs[first : first + TABLES_AT_ONCE]))
                print(f"\r{len(self._pairs):,} of {len(pairs):,} tables", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
        self._all_seated.set()

    async def _make_table(self, http: httpx.AsyncClient, host: str, guest: str) -> None:
        headers = {"Authorization": f"Bearer {host}"}
        answer = await http.post("/api/tables", json={"game": self.game, "seats": 2}, headers=headers)
        answer.raise_for_status()
        table = answer.json()
        lines = [await Line.connect(self.url, token) for token in (host, guest)]
        claimed = asyncio.get_running_loop().create_future()
        lines[1].receive = lambda message: message.id == "c" and claimed.set_result(message)
        lines[1].send(type="claim", id="c", table=table["id"], invite=table["invite"])
        await claimed
        players = tuple(Player(self, line, table["id"], is_host=line is lines[0]) for line in lines)
        self._pairs[table["id"]] = players
        for player in players:
            player.watch()

    def rematch(self, table: str, new_table: str) -> None:
        """Let both players of a finished table go on at another one."""
        self._pairs[new_table] = self._pairs.pop(table)
        for player in self._pairs[new_table]:
            player.follow(new_table)

    def stop(self) -> None:
        """Close all connections."""
        for task in self._tasks:
            task.cancel()
        for players in self._pairs.values():
            for player in players:
                player.close()
        self._pairs.clear()

    # Moves

    def schedule(self, play: Any) -> None:
        """Play at once, or after a pause."""
        if self.plays_at_once.is_set() and self._all_seated.is_set():
            play()
            return
        task = asyncio.create_task(self._play_later(play))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _play_later(self, play: Any) -> None:
        await self._all_seated.wait()
        with suppress(TimeoutError):
            async with asyncio.timeout(random.uniform(0, 2 * self.pace)):
                await self.plays_at_once.wait()
        play()

    def count_arrival(self, table: str, number: int) -> None:
        """Count a move that has reached a player; the second of two arrivals ends its delay."""
        key = (table, number)
        if key not in self._seen:
            self._seen.add(key)
            return
        self._seen.discard(key)
        sent = self.sent.pop(key, None)
        if sent is not None and self._is_measuring:
            self._delays.append(time.monotonic() - sent)

    async def measure(self, seconds: float) -> list[float]:
        """Return the delays of all moves that arrive within some seconds."""
        self._delays = []
        self._is_measuring = True
        await asyncio.sleep(seconds)
        self._is_measuring = False
        return self._delays


def summary(delays: list[float], elapsed: float, used: float) -> dict[str, float]:
    """Return rate, median and 99th percentile of the delays, and the server's processor time per move."""
    percentiles = statistics.quantiles(delays, n=100) if len(delays) > 1 else [float("nan")] * 99
    return {
        "moves_per_second": round(len(delays) / elapsed, 1),
        "p50_ms": round(percentiles[49] * 1e3, 1),
        "p99_ms": round(percentiles[98] * 1e3, 1),
        "server_ms_per_move": round(used / max(1, len(delays)) * 1e3, 2),
    }
