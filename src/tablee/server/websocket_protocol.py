"""uvicorn's WebSocket protocol with a budget of frames, and a time limit for clients that do not read."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from tablee.server.admission import Admission
from tablee.server.frames import FrameBudget
from tablee.server.logs import incident

SEND_TIMEOUT = 20.0  # seconds until a client must have read enough that the next message fits into the buffer
CLOSE_TIMEOUT = 12.0  # seconds after which a connection that is being closed is dropped; uvicorn closes after 10
FLOODING = 4030  # the code with which a connection is closed that sends more than its budget


class BackpressureProtocol(WebSocketsSansIOProtocol):
    """Drops a connection whose client sends too much or reads too slowly, and sends every message immediately."""

    deadline: float | None = None  # messages have time limits of their own
    is_waiting = False

    def __init__(self, admission: Admission, command_rate: float, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._admission = admission
        self._budget = FrameBudget(command_rate)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Turn Nagle's algorithm off: it can delay the event that follows an acknowledgement by 40 ms."""
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._admission.leave(self)
        super().connection_lost(exc)

    def expire(self) -> None:
        """Drop the connection."""
        self.transport.abort()

    give_way = expire

    # Receiving

    def data_received(self, data: bytes) -> None:
        """Parse what has arrived, unless it is more than the budget; the first data are the handshake."""
        if not self.handshake_initiated:
            super().data_received(data)
        elif self.transport.is_closing():
            return
        elif self._budget.allows(data) and self._admission.allows_frames(self, self._budget.counted):
            super().data_received(data)
        else:
            self._close_flooded()

    def _close_flooded(self) -> None:
        """Close with a code if that is possible, without waiting for the client."""
        incident("connections closed that sent too much")
        self.queue.put_nowait({"type": "websocket.disconnect", "code": FLOODING})
        if self.handshake_complete and not self.close_sent and self.writable.is_set():
            self.conn.fail(FLOODING)
            self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self.transport.close()

    def handle_ping(self) -> None:
        """Answer a ping, unless the client does not read: then nothing is kept for it."""
        if self.writable.is_set():
            super().handle_ping()
        else:
            self.conn.data_to_send()

    # Sending

    async def run_asgi(self) -> None:
        """Serve the client; afterwards drop a connection that it does not close itself."""
        await super().run_asgi()
        self.loop.call_later(CLOSE_TIMEOUT, self.transport.abort)

    async def send(self, message: Any) -> None:
        """Send a message when the buffer has room; raise OSError and drop the connection after SEND_TIMEOUT."""
        if not self.writable.is_set():
            await self._wait_until_writable()
        if not self.close_sent:
            await super().send(message)
        elif message["type"] != "websocket.close":
            raise OSError("the connection is closed")  # uvicorn would raise a RuntimeError

    async def _wait_until_writable(self) -> None:
        try:
            async with asyncio.timeout(SEND_TIMEOUT):
                await self.writable.wait()
        except TimeoutError:
            incident("connections dropped that did not read")
            self.transport.abort()
            raise OSError(f"the client has not read for {SEND_TIMEOUT} seconds") from None
