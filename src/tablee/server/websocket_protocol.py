"""uvicorn's WebSocket protocol with a time limit for clients that do not read, for which it would wait forever."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

SEND_TIMEOUT = 20.0  # seconds until a client must have read enough that the next message fits into the buffer


class BackpressureProtocol(WebSocketsSansIOProtocol):
    """Drops a connection whose client reads too slowly, and sends every message immediately."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Turn Nagle's algorithm off: it can delay the event that follows an acknowledgement by 40 ms."""
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().connection_made(transport)

    async def send(self, message: Any) -> None:
        """Send a message when the buffer has room; raise OSError and drop the connection after SEND_TIMEOUT."""
        if not self.writable.is_set():
            await self._wait_until_writable()
        await super().send(message)

    async def _wait_until_writable(self) -> None:
        try:
            async with asyncio.timeout(SEND_TIMEOUT):
                await self.writable.wait()
        except TimeoutError:
            self.transport.abort()
            raise OSError(f"the client has not read for {SEND_TIMEOUT} seconds") from None
