"""Health and metrics for operators, on an address of their own (docs/decisions/0046-status-address.md).

A thread answers, so that it also does so when the event loop hangs.
"""

from __future__ import annotations

import errno
import re
import socket
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from threading import Thread

from tablee.core.errors import BadSetup
from tablee.protocol.messages import encode
from tablee.protocol.rest import Health
from tablee.server.health import ProcessHealth
from tablee.server.metrics import Metrics

OFF = "off"
PORT_DISTANCE = 1_000  # from the server's own port
DEFAULT_PORTS = 16  # of which each process takes the first free one
PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


class StatusServer(ThreadingHTTPServer):
    """Serves `/healthz`, `/healthz/live`, `/healthz/ready` and `/metrics` from threads."""

    daemon_threads = True
    allow_reuse_port = False

    def __init__(self, address: str, health: ProcessHealth, metrics: Metrics) -> None:
        """Listen on the first free port of `HOST:PORT` or `HOST:FIRST-LAST`; raise BadSetup if there is none."""
        self.health, self.metrics = health, metrics
        host, ports = parse_status_address(address)
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        for port in ports:
            try:
                super().__init__((host, port), _Handler)
                break
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise BadSetup(f"cannot listen on {host}:{port} (TABLEE_STATUS): {error.strerror}") from None
        else:
            raise BadSetup(f"every port of TABLEE_STATUS={address} is in use; set another, or {OFF}")
        self._thread = Thread(target=self.serve_forever, name="status", daemon=True)

    @property
    def address(self) -> str:
        """Where it listens."""
        host, port = self.server_address[:2]
        return f"{host!s}:{port}"

    def start(self) -> None:
        """Start answering."""
        self._thread.start()

    def stop(self) -> None:
        """Stop answering."""
        self.shutdown()
        self.server_close()
        self._thread.join()

    def server_bind(self) -> None:
        """Bind without looking up the host's name, which can take seconds."""
        TCPServer.server_bind(self)


class _Handler(BaseHTTPRequestHandler):
    server: StatusServer
    timeout = 10.0  # seconds for a request to arrive

    def do_GET(self) -> None:
        """Answer one of the known paths."""
        answers: dict[str, Callable[[], tuple[int, str, bytes]]] = {
            "/healthz": self._ready,
            "/healthz/ready": self._ready,
            "/healthz/live": self._live,
            "/metrics": lambda: (HTTPStatus.OK, PROMETHEUS, self.server.metrics.text()),
        }
        answer = answers.get(self.path.partition("?")[0], lambda: (HTTPStatus.NOT_FOUND, "text/plain", b"not found\n"))
        status, kind, body = answer()
        self.send_response_only(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _ready(self) -> tuple[int, str, bytes]:
        return _health("ready", self.server.health.unreadiness())

    def _live(self) -> tuple[int, str, bytes]:
        return _health("alive", self.server.health.death())

    def log_message(self, *_: object) -> None:
        """Log no requests."""


def _health(good: str, problem: str | None) -> tuple[int, str, bytes]:
    if problem is None:
        return HTTPStatus.OK, "application/json", encode(Health(good))
    return HTTPStatus.SERVICE_UNAVAILABLE, "application/json", encode(Health(f"not {good}", problem))


def default_status_address(port: int) -> str:
    """Return the address for a server on `port`: the loopback interface, and ports a thousand above it."""
    first = port + PORT_DISTANCE if port + PORT_DISTANCE + DEFAULT_PORTS <= 65_536 else port - PORT_DISTANCE
    return f"127.0.0.1:{first}-{first + DEFAULT_PORTS - 1}"


def parse_status_address(text: str) -> tuple[str, range]:
    """Return host and ports of `HOST:PORT` or `HOST:FIRST-LAST`; raise BadSetup if it is neither."""
    found = re.fullmatch(r"(?P<host>[^\s:]+|\[[0-9a-fA-F:]+\]):(?P<first>\d{1,5})(?:-(?P<last>\d{1,5}))?", text)
    first = int(found["first"]) if found else -1
    last = int(found["last"] or first) if found else -1
    if not found or not 0 <= first <= last <= 65_535:
        raise BadSetup(f"TABLEE_STATUS={text} is not HOST:PORT, HOST:FIRST-LAST or {OFF}; for example 127.0.0.1:9100")
    return found["host"].strip("[]"), range(first, last + 1)
