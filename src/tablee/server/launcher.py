"""Run the server: one process, or several at one PostgreSQL."""

from __future__ import annotations

import os
import socket
from typing import Any

import uvicorn

from tablee.bots.roster import known_names
from tablee.core.errors import BadSetup
from tablee.server.messages import MAX_MESSAGE_BYTES
from tablee.server.settings import Settings
from tablee.server.websocket_protocol import BackpressureProtocol
from tablee.storage.store import database_url

APP = "tablee.server.app:create_app"
BACKLOG = 4096  # who may wait to be let in, when everybody comes back at once


def check(settings: Settings, host: str, port: int, workers: int) -> None:
    """Raise BadSetup where serving this way cannot work."""
    if workers > 1 and not database_url(settings.database).startswith("postgresql"):
        raise BadSetup(f"{workers} processes need PostgreSQL (--database postgresql://…); SQLite serves one")
    try:
        listening(host, port).close()
    except OSError as why:
        raise BadSetup(f"nothing can be served at {host}:{port}: {why.strerror or why}; try another --port") from None


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens and sends at once what is written; asyncio sees to that only for its own sockets."""
    listener = socket.create_server((host, port), backlog=BACKLOG)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def serve(settings: Settings, host: str, port: int, workers: int = 1) -> None:
    """Serve until interrupted."""
    os.environ.update(settings.environment())
    known_names()  # a list of outside bots that cannot be read is an error now, not at a table
    uvicorn.run(APP, factory=True, host=host, port=port, workers=workers, **uvicorn_options())


def uvicorn_options() -> dict[str, Any]:
    """Return how uvicorn is set up, here and in tests."""
    return {
        "ws": BackpressureProtocol,
        "ws_max_size": MAX_MESSAGE_BYTES,
        "ws_ping_interval": None,  # the client's heartbeat does it
        "ws_per_message_deflate": False,  # costs memory per connection
        "access_log": False,  # addresses are nobody's business
        "log_level": "warning",
        "server_header": False,
        "timeout_graceful_shutdown": 3,
    }
