"""uvicorn's WebSocket protocol, with an end to its patience: it would wait for ever for a client that does not read."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

PATIENCE = 20.0  # seconds that a client may take to make room for one more message


class BackpressureProtocol(WebSocketsSansIOProtocol):
    """Drops a connection whose client reads too slowly, and sends every message at once."""

    def connection_made(self, transport: Any) -> None:
        """Begin; an acknowledgement must not hold the event behind it back for 40 ms (Nagle's algorithm)."""
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().connection_made(transport)

    async def send(self, message: Any) -> None:
        """Send once there is room, or give the connection up."""
        if not self.writable.is_set():
            await self._room()
        await super().send(message)

    async def _room(self) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                await self.writable.wait()
        except TimeoutError:
            self.transport.abort()
            raise OSError("the client reads too slowly") from None
