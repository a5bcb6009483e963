"""Which connections a process accepts: a limit in all and per address, with file descriptors kept in reserve.

One object per process, shared by all connections (docs/decisions/0044-before-the-parser.md). A connection that waits
for a request gives way to a new one where the process is full; one that is being served never does.
"""

from __future__ import annotations

import asyncio
import resource
from collections import Counter
from typing import Protocol

from tablee.server.addresses import TrustedProxies, address_group
from tablee.server.limits import Buckets
from tablee.server.logs import incident
from tablee.server.settings import Settings

RESERVED_DESCRIPTORS = 100  # for the database, files, the programs of bots, and what libraries open
SWEEP_SECONDS = 1.0
CONNECTION_RATE, CONNECTION_BURST = 20.0, 300.0  # new connections per second and address: a class opens a page together
REQUEST_RATE, REQUEST_BURST = 100.0, 2_000.0  # requests per second and address, files included
FRAMES_PER_COMMAND, BURST_SECONDS = 20.0, 4.0  # frames per second and address, for each command that a person may send


class LimitedConnection(Protocol):
    """A connection that can be told to end."""

    deadline: float | None  # of the loop's clock: when it is too late for what the client is doing
    is_waiting: bool  # for a request, or for the rest of its head

    def expire(self) -> None:
        """End what has lasted too long."""
        ...

    def give_way(self) -> None:
        """Close, as another client needs the place."""
        ...


class Admission:
    """Counts the connections of a process, refuses those beyond the limits, and ends those past their deadlines."""

    def __init__(
        self, limit: int, per_address: int, proxies: TrustedProxies | None = None, command_rate: float = 20.0
    ) -> None:
        self.limit = limit
        self.per_address = per_address
        self._new_connections = Buckets(CONNECTION_RATE, CONNECTION_BURST)  # these three are per address
        self._requests = Buckets(REQUEST_RATE, REQUEST_BURST)
        self._frames = Buckets(FRAMES_PER_COMMAND * command_rate, FRAMES_PER_COMMAND * command_rate * BURST_SECONDS)
        self._proxies = proxies or TrustedProxies()
        self._connections: dict[LimitedConnection, str] = {}  # oldest first; with the group of the client's address
        self._groups: Counter[str] = Counter()
        self._is_sweeping = False

    @classmethod
    def for_process(cls, settings: Settings) -> Admission:
        """Return the admission of this process, after raising its limit of file descriptors as far as allowed."""
        limit = min(settings.connections, raise_descriptor_limit() - RESERVED_DESCRIPTORS)
        return cls(max(1, limit), settings.connections_per_address, command_rate=settings.command_rate)

    def __len__(self) -> int:
        return len(self._connections)

    def refusal(self, connection: LimitedConnection, host: str) -> str | None:
        """Take a new connection in and return None, or return why it is refused: `address` or `full`."""
        group = "" if host in self._proxies else address_group(host)
        if group and (self._groups[group] >= self.per_address or not self._new_connections.spend(group)):
            incident("connections of one address refused", limit=self.per_address)
            return "address"
        if len(self._connections) >= self.limit and not self._make_room():
            incident("connections refused: the process is full", limit=self.limit)
            return "full"
        self._connections[connection] = group
        if group:
            self._groups[group] += 1
        self._start_sweeping()
        return None

    def allows_request(self, connection: LimitedConnection) -> bool:
        """Whether the address of a connection may send one more request now."""
        group = self._connections.get(connection)
        return not group or self._requests.spend(group)

    def allows_frames(self, connection: LimitedConnection, count: int) -> bool:
        """Whether the address of a connection may send so many more frames now, over all its connections."""
        group = self._connections.get(connection)
        return not group or self._frames.spend(group, count)

    def replace(self, old: LimitedConnection, new: LimitedConnection) -> None:
        """Let a new protocol take over a connection: a WebSocket after its handshake."""
        group = self._connections.pop(old, None)
        if group is not None:
            self._connections[new] = group

    def leave(self, connection: LimitedConnection) -> None:
        """Forget a connection that was lost; harmless for one that was refused."""
        group = self._connections.pop(connection, "")
        if group:
            self._groups[group] -= 1
            if not self._groups[group]:
                del self._groups[group]

    def _make_room(self) -> bool:
        """Close the oldest connection that waits for a request; False if there is none."""
        oldest = next((connection for connection in self._connections if connection.is_waiting), None)
        if oldest is None:
            return False
        incident("waiting connections closed: the process is full", limit=self.limit)
        self.leave(oldest)
        oldest.give_way()
        return True

    def _start_sweeping(self) -> None:
        if not self._is_sweeping:
            self._is_sweeping = True
            asyncio.get_running_loop().call_later(SWEEP_SECONDS, self._sweep)

    def _sweep(self) -> None:
        """End the connections that are past their deadlines; cheaper than a timer for every request."""
        self._is_sweeping = False
        now = asyncio.get_running_loop().time()
        late = [each for each in self._connections if each.deadline is not None and each.deadline < now]
        for connection in late:
            incident("connections timed out")
            connection.expire()
        if self._connections:
            self._start_sweeping()


def raise_descriptor_limit() -> int:
    """Raise this process's limit of file descriptors to what it is allowed; return it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        except (OSError, ValueError):
            return soft
    return hard if hard != resource.RLIM_INFINITY else 1 << 20
