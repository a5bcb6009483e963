"""Launching the server: one process, or several that share a PostgreSQL database."""

from __future__ import annotations

import os
import socket
from dataclasses import replace
from functools import partial
from typing import Any

import uvicorn

from tablee.bots.roster import known_names
from tablee.core.errors import BadSetup
from tablee.protocol.messages import MAX_MESSAGE_BYTES
from tablee.server.admission import Admission
from tablee.server.http_protocol import LimitedHttpProtocol
from tablee.server.settings import Settings
from tablee.server.status import default_status_address
from tablee.server.websocket_protocol import BackpressureProtocol
from tablee.storage.database import database_url, is_postgresql

APP = "tablee.server.app:create_app"
BACKLOG = 4096  # connections that wait to be accepted, as when all clients reconnect after a restart


def check_setup(settings: Settings, host: str, port: int, workers: int) -> None:
    """Raise BadSetup if the server cannot be run this way."""
    if workers > 1 and not is_postgresql(database_url(settings.database)):
        raise BadSetup(f"{workers} processes need PostgreSQL (--database postgresql://…); SQLite allows one")
    try:
        listening_socket(host, port).close()
    except OSError as error:
        raise BadSetup(f"cannot listen on {host}:{port}: {error.strerror or error}; try another --port") from None


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket without Nagle's algorithm, which asyncio turns off only for its own sockets."""
    listener = socket.create_server((host, port), backlog=BACKLOG)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def serve(settings: Settings, host: str, port: int, workers: int = 1) -> None:
    """Serve until interrupted."""
    settings = replace(settings, status=settings.status or default_status_address(port))
    os.environ.update(settings.environment())
    known_names()  # raises now, not at a table, if the list of external bots cannot be read
    uvicorn.run(APP, factory=True, host=host, port=port, workers=workers, **uvicorn_options(settings))


def uvicorn_options(settings: Settings) -> dict[str, Any]:
    """Return uvicorn's settings, for servers and tests."""
    admission = Admission.for_process(settings)
    return {
        "http": partial(LimitedHttpProtocol, admission),
        "ws": partial(BackpressureProtocol, admission, settings.command_rate),
        "backlog": BACKLOG,
        "ws_max_size": MAX_MESSAGE_BYTES,
        "ws_ping_interval": None,  # clients send pings in the protocol
        "ws_per_message_deflate": False,  # it costs memory per connection
        "access_log": False,  # it would contain IP addresses
        "log_config": None,  # everything is logged as JSON (server/logs.py)
        "log_level": "warning",
        "server_header": False,
        "timeout_graceful_shutdown": 3,
    }
