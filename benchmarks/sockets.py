"""What an open WebSocket costs a server: objects that the garbage collector tracks, memory, and what it leaves.

    python benchmarks/sockets.py [--sockets 200] [--types 20]

The server runs in a thread of this process with uvloop, as `tablee serve` does. The clients are file descriptors of
the same process, so that no object of Python belongs to them. `idle` sockets have read the first message and sent
nothing, `watching` ones have asked for a table, each for another. `garbage` is what only the collector frees after they
are closed: cycles. Prints JSON lines; then the types of the objects.
"""

from __future__ import annotations

import argparse
import gc
import os
import socket
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import httpx
import uvicorn

from json_lines import print_line
from machine import description
from tablee.core.registry import all_games
from tablee.server import collector
from tablee.server.app import create_app
from tablee.server.launcher import listening_socket, uvicorn_options
from tablee.server.settings import Settings

CLOSING_SECONDS = 15.0  # until the server has forgotten closed sockets, the timer of each included
LOADING_SECONDS = 60.0  # at most, until a server has loaded machine code that is in the cache
TRIMMING_SECONDS = 12.0  # until quiet tables have dropped what can be made again
BROWSER = {
    "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0 Safari/537.36",
    "Pragma": "no-cache",
    "Cache-Control": "no-cache",
    "Accept-Encoding": "gzip, deflate, br, zstd",
    "Accept-Language": "fr-FR,fr;q=0.9,en;q=0.8",
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version": "13",
}


def open_socket(port: int, token: str, table: str = "") -> int:
    """Open a WebSocket as a browser does, and watch a table; return its file descriptor after the first answers."""
    fields = {"Host": f"127.0.0.1:{port}", "Origin": f"http://127.0.0.1:{port}", "Cookie": f"tablee={token}", **BROWSER}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    with socket.create_connection(("127.0.0.1", port)) as opened:
        opened.sendall(f"GET /api/socket?lang=en HTTP/1.1\r\n{head}\r\n".encode())
        _read_until(opened, b'"hello"')
        if table:
            opened.sendall(_frame(b'{"type":"watch","id":"w","table":"%s","changes":true}' % table.encode()))
            _read_until(opened, b'"viewer"')
        return opened.detach()


def _frame(text: bytes) -> bytes:
    return bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text


def _read_until(opened: socket.socket, wanted: bytes) -> None:
    received = b""
    while wanted not in received:
        part = opened.recv(65_536)
        if not part:
            sys.exit(f"the server closed the connection: {received[:300]!r}")
        received += part


def tracked() -> Counter[str]:
    """Return how many objects the collector tracks after a full collection, by type."""
    gc.unfreeze()
    gc.collect()
    return counted()


def counted() -> Counter[str]:
    """Return how many objects the collector tracks, by type; those that the server leaves out are put in again."""
    gc.unfreeze()
    return Counter(f"{type(each).__module__}.{type(each).__qualname__}" for each in gc.get_objects())


def memory_kilobytes() -> float:
    """Return the resident memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e3


def measure(kind: str, port: int, tokens: list[str], tables: list[str], types: int) -> None:
    """Open one socket per person and print what each of them costs."""
    before, memory = tracked(), memory_kilobytes()
    opened = [open_socket(port, token, table) for token, table in zip(tokens, tables, strict=True)]
    time.sleep(1)
    after = tracked()
    count = len(opened)
    print_line(
        figure="socket",
        kind=kind,
        sockets=count,
        tracked_objects_per_socket=round((after.total() - before.total()) / count, 1),
        kilobytes_per_socket=round((memory_kilobytes() - memory) / count, 1),
    )
    for name, number in (after - before).most_common(types):
        print_line(figure="type", kind=kind, type=name, per_socket=round(number / count, 2))
    gc.disable()
    for each in opened:
        os.close(each)
    time.sleep(CLOSING_SECONDS)
    kept = counted()
    left = tracked()
    gc.enable()
    print_line(
        figure="closed",
        kind=kind,
        garbage_per_socket=round((kept.total() - left.total()) / count, 2),
        left_per_socket=round((left.total() - before.total()) / count, 2),
    )
    for name, number in (kept - left).most_common(types):
        print_line(figure="garbage", kind=kind, type=name, per_socket=round(number / count, 2))


def main() -> None:
    """Serve, open sockets and print."""
    parser = argparse.ArgumentParser(description="objects and memory of an open WebSocket")
    parser.add_argument("--sockets", type=int, default=200)
    parser.add_argument("--types", type=int, default=20, help="print so many types of objects")
    options = parser.parse_args()
    print_line(**description())
    vars(collector).update(YOUNG_SECONDS=1e6, FULL_SECONDS=1e6)  # everything is collected here
    collector.THRESHOLDS = (10**6, 10**6, 10**6)
    listener = listening_socket("127.0.0.1", 0)
    port = listener.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        limits = {
            "command_rate": 1e6,
            "table_rate": 1e6,
            "tables_per_person": 10**6,
            "open_per_person": 10**6,
            "connections_per_person": 10**6,
        }
        settings = Settings(database=f"{folder}/tablee.db", silence=3600.0, **limits)
        app = create_app(settings)
        server = uvicorn.Server(uvicorn.Config(app, **uvicorn_options(settings)))
        serving = threading.Thread(target=server.run, args=([listener],))
        serving.start()
        deadline = time.monotonic() + LOADING_SECONDS
        loader = app.state.registry.loader
        while not all(loader.is_loaded(game) for game in all_games()) and time.monotonic() < deadline:
            time.sleep(0.1)
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as http:
            http.put("/api/me", json={"name": "Ana"}).raise_for_status()
            tables = []
            for _ in range(options.sockets):
                made = http.post("/api/tables", json={"game": "skyjo", "seats": 2}).raise_for_status().json()
                tables.append(made["id"])
            token = http.cookies["tablee"]
        tokens = [token] * options.sockets
        time.sleep(TRIMMING_SECONDS)
        measure("idle", port, tokens, [""] * options.sockets, options.types)
        measure("watching", port, tokens, tables, options.types)
        server.should_exit = True
        serving.join()


if __name__ == "__main__":
    main()
