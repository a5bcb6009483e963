"""Launching the server: one process, or several that share a PostgreSQL database."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from threading import Thread
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.supervisors import Multiprocess

from tablee.bots.roster import known_names
from tablee.core.errors import BadSetup, TableeError
from tablee.core.registry import find_game, only_names
from tablee.protocol.messages import MAX_MESSAGE_BYTES
from tablee.server.admission import Admission
from tablee.server.app import create_app
from tablee.server.http_protocol import LimitedHttpProtocol
from tablee.server.logs import log, write_logs_to_stderr
from tablee.server.settings import Settings
from tablee.server.status import OFF, default_status_address, parse_status_address
from tablee.server.websocket_protocol import BackpressureProtocol, Outbox
from tablee.storage import Store
from tablee.storage.database import database_url, is_postgresql
from tablee.storage.lock import exclusive

WORKER = "tablee.server.launcher:worker_app"
BACKLOG = 4096  # connections that wait to be accepted, as when all clients reconnect after a restart
FAILED = 2  # exit code of a worker that cannot start; the supervisor starts another


def serve(
    settings: Settings, host: str, port: int, workers: int = 1, on_open: Callable[[], None] = lambda: None
) -> None:
    """Serve until interrupted; call `on_open` once people can connect. Raises TableeError if it cannot start."""
    settings = replace(settings, status=settings.status or default_status_address(port))
    check_setup(settings, workers)
    with closing(_bind(host, port)) as listener, exclusive(settings.database), suppress(KeyboardInterrupt):
        if workers == 1:
            app = create_app(settings)
            write_logs_to_stderr()
            AnnouncedServer(uvicorn.Config(app, **uvicorn_options(settings)), on_open).run([listener])
        else:
            _migrate(settings)
            os.environ.update(_worker_environment(settings))
            write_logs_to_stderr()
            config = uvicorn.Config(WORKER, factory=True, workers=workers, **uvicorn_options(settings))
            AnnouncedSupervisor(config, [listener], on_open).run()


def check_setup(settings: Settings, workers: int) -> None:
    """Raise TableeError if the server cannot be run this way."""
    if workers > 1 and not is_postgresql(database_url(settings.database)):
        raise BadSetup(f"{workers} processes need PostgreSQL (--database postgresql://…); SQLite allows one")
    if settings.status not in ("", OFF) and len(parse_status_address(settings.status)[1]) < workers:
        raise BadSetup(f"TABLEE_STATUS={settings.status} needs a port for each of {workers} processes: HOST:FIRST-LAST")
    known_names()  # raises now, not at a table, if the list of external bots cannot be read
    for name in only_names():
        find_game(name)


def _bind(host: str, port: int) -> socket.socket:
    try:
        return listening_socket(host, port)
    except OSError as error:
        raise BadSetup(f"cannot listen on {host}:{port}: {error.strerror or error}; try another --port") from None


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket without Nagle's algorithm, which asyncio turns off only for its own sockets."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def _migrate(settings: Settings) -> None:
    """Migrate the database before any worker starts, so that what is wrong with it is said once."""
    store = Store(settings.database)
    store.open()
    store.close()


def _worker_environment(settings: Settings) -> dict[str, str]:
    """Return the variables for workers, without what they read from a file themselves."""
    variables = settings.environment().items()
    return {name: value for name, value in variables if f"{name}_FILE" not in os.environ}


# Processes


class AnnouncedServer(uvicorn.Server):
    """Calls a function when it serves."""

    def __init__(self, config: uvicorn.Config, on_open: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_open = on_open

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to serve."""
        await super().startup(sockets)
        self._on_open()


class AnnouncedSupervisor(Multiprocess):
    """Calls a function when the first of its workers serves."""

    def __init__(self, config: uvicorn.Config, sockets: list[socket.socket], on_open: Callable[[], None]) -> None:
        super().__init__(config, sockets)
        self._on_open: Callable[[], None] | None = on_open

    def keep_subprocess_alive(self) -> None:
        """Restart workers that have died, and look whether one serves."""
        super().keep_subprocess_alive()
        if self._on_open is not None and any(process.is_ready(timeout=1) for process in self.processes):
            self._on_open()
            self._on_open = None


def worker_app() -> FastAPI:
    """Create the application of a worker process, which ends with its supervisor, even if that is killed."""
    write_logs_to_stderr()
    Thread(target=_end_with_supervisor, name="supervisor", daemon=True).start()
    try:
        return create_app(Settings.from_environment())
    except TableeError as error:
        log("a worker cannot start", logging.CRITICAL, why=str(error))
        sys.exit(FAILED)


def _end_with_supervisor() -> None:
    supervisor = multiprocessing.parent_process()
    if supervisor is not None:
        supervisor.join()
        log("the supervisor has died", logging.ERROR)
        os.kill(os.getpid(), signal.SIGTERM)


def uvicorn_options(settings: Settings) -> dict[str, Any]:
    """Return uvicorn's settings, for servers and tests."""
    admission = Admission.for_process(settings)
    return {
        "http": partial(LimitedHttpProtocol, admission),
        "ws": partial(BackpressureProtocol, admission, Outbox(), settings.command_rate),
        "backlog": BACKLOG,
        "ws_max_size": MAX_MESSAGE_BYTES,
        "ws_ping_interval": None,  # clients send pings in the protocol
        "ws_per_message_deflate": False,  # it costs memory per connection
        "access_log": False,  # it would contain IP addresses
        "log_config": None,  # everything is logged as JSON (server/logs.py)
        "log_level": "warning",
        "server_header": False,
        "timeout_graceful_shutdown": 3,
        "timeout_worker_healthcheck": 30,  # seconds; a busy machine is no reason to kill a worker
    }
