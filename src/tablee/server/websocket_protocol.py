"""uvicorn's WebSocket protocol with a budget of frames, and a time limit for clients that do not read.

Usual messages take a short way (docs/decisions/0074-sockets-of-few-objects.md): a text in one frame is read without the
library's parser, several messages are sent by one write, and the writes to several clients follow one another.
"""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request
from websockets.protocol import State

from tablee.protocol.messages import MAX_MESSAGE_BYTES
from tablee.server.admission import Admission
from tablee.server.frames import FrameBudget, read_text_frame, text_frames
from tablee.server.logs import incident

SEND_TIMEOUT = 20.0  # seconds until a client must have read enough that the next message fits into the buffer
CLOSE_TIMEOUT = 12.0  # seconds after which a connection that is being closed is dropped; uvicorn closes after 10
FLOODING = 4030  # the code with which a connection is closed that sends more than its budget
SEND_MESSAGES = "tablee.send_messages"  # an ASGI extension: the function that sends several messages by one write
MAX_UNSENT = 32  # connections whose messages wait for those of others: drawing them takes some milliseconds
SendMessages = Callable[[Sequence[bytes]], Awaitable[None] | None]  # returns what to wait for until they are sent


class Inbox(deque[Any]):
    """Received messages, of which one task waits for the next; an asyncio.Queue is six more objects."""

    arrival: asyncio.Future[None] | None = None  # done when there is a message

    def put_nowait(self, message: Any) -> None:
        """Add a message, and wake the task that waits for it."""
        self.append(message)
        if self.arrival is not None and not self.arrival.done():
            self.arrival.set_result(None)


class Outbox:
    """The connections of a process whose messages are written next, one after the other.

    A process that reads many connections, such as a proxy, falls asleep while the next message is drawn, and to wake it
    takes longer than to write. What is drawn in one turn of the event loop is therefore written in the next one.
    """

    def __init__(self) -> None:
        self._waiting: list[BackpressureProtocol] = []

    def add(self, connection: BackpressureProtocol) -> None:
        """Write what a connection has to send in the next turn of the event loop, or now if many wait."""
        self._waiting.append(connection)
        if len(self._waiting) == 1:
            connection.loop.call_soon(self._flush)
        elif len(self._waiting) >= MAX_UNSENT:
            self._flush()

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        for connection in waiting:
            connection.flush()


class BackpressureProtocol(WebSocketsSansIOProtocol):
    """Drops a connection whose client sends too much or reads too slowly, and sends every message immediately."""

    deadline: float | None = None  # messages have time limits of their own
    is_waiting = False
    _unsent = b""  # frames that the outbox is to write

    def __init__(
        self, admission: Admission, outbox: Outbox, command_rate: float, *arguments: Any, **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self._outbox = outbox
        self.queue: Inbox = Inbox()  # type: ignore[assignment]
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
        self.conn.parser.close()  # or the parser and the connection would refer to each other

    def expire(self) -> None:
        """Drop the connection."""
        self.transport.abort()

    give_way = expire

    # Receiving

    def handle_connect(self, event: Request) -> None:
        """Begin to serve a client; the headers of its request are in the scope, and not kept twice."""
        super().handle_connect(event)
        event.headers.clear()
        if hasattr(self, "scope"):
            extensions: dict[str, Any] = self.scope["extensions"]
            extensions[SEND_MESSAGES] = self.send_messages

    def data_received(self, data: bytes) -> None:
        """Read what has arrived, unless it is more than the budget; the first data are the handshake."""
        if not self.handshake_initiated:
            super().data_received(data)
            return
        if self.transport.is_closing():
            return
        is_at_message = self._budget.is_between_frames and self.conn.current_size is None
        if not (self._budget.allows(data) and self._admission.allows_frames(self, self._budget.counted)):
            self._close_flooded()
        elif is_at_message and self._is_open and (text := read_text_frame(data, MAX_MESSAGE_BYTES)) is not None:
            self._receive_text(text)
        else:
            self.flush()  # before an answer to a ping or a close
            super().data_received(data)

    @property
    def _is_open(self) -> bool:
        """Whether neither side has begun to close the connection."""
        return self.handshake_complete and not self.close_sent and self.conn.state is State.OPEN

    def _receive_text(self, text: str) -> None:
        """Hand on a message; nothing more is read while another waits."""
        self.queue.put_nowait({"type": "websocket.receive", "text": text})
        if len(self.queue) > 1 and not self.read_paused:
            self.read_paused = True
            self.transport.pause_reading()

    def _close_flooded(self) -> None:
        """Close with a code if that is possible, without waiting for the client."""
        incident("connections closed that sent too much")
        self.flush()
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

    async def receive(self) -> Any:
        """Return the next message; more is read when none waits."""
        while not self.queue:
            self.queue.arrival = self.loop.create_future()
            await self.queue.arrival
        self.queue.arrival = None
        message = self.queue.popleft()
        if self.read_paused and not self.queue:
            self.read_paused = False
            self.transport.resume_reading()
        return message

    # Sending

    def on_task_complete(self, task: asyncio.Task[None]) -> None:
        """Drop a connection that its client does not close, after the application is done with it."""
        super().on_task_complete(task)
        self.scope["extensions"].clear()  # it refers to this protocol
        self.loop.call_later(CLOSE_TIMEOUT, self.transport.abort)

    async def send(self, message: Any) -> None:
        """Send a message when the buffer has room; raise OSError and drop the connection after SEND_TIMEOUT."""
        self.flush()
        if not self.writable.is_set():
            await self._wait_until_writable()
        if not self.close_sent:
            await super().send(message)
        elif message["type"] != "websocket.close":
            raise OSError("the connection is closed")  # uvicorn would raise a RuntimeError
        if message["type"] == "websocket.accept":
            del self.response  # of the handshake, which has been sent

    def send_messages(self, messages: Sequence[bytes]) -> Awaitable[None] | None:
        """Send text messages by one write, soon or when the buffer has room; OSError if the connection is closed."""
        self.flush()  # at most one batch waits
        if not self.writable.is_set():
            return self._send_when_writable(messages)
        self._write(messages)
        return None

    async def _send_when_writable(self, messages: Sequence[bytes]) -> None:
        await self._wait_until_writable()
        self._write(messages)

    def _write(self, messages: Sequence[bytes]) -> None:
        if self.disconnected or not self._is_open:
            raise OSError("the connection is closed")
        self._unsent += text_frames(messages)
        self._outbox.add(self)

    def flush(self) -> None:
        """Write what waits, unless the connection has been closed meanwhile."""
        unsent, self._unsent = self._unsent, b""
        if unsent and not self.transport.is_closing():
            self.transport.write(unsent)

    def shutdown(self) -> None:
        """Close at the end of the server, after what waits."""
        self.flush()
        super().shutdown()

    async def _wait_until_writable(self) -> None:
        try:
            async with asyncio.timeout(SEND_TIMEOUT):
                await self.writable.wait()
        except TimeoutError:
            incident("connections dropped that did not read")
            self.transport.abort()
            raise OSError(f"the client has not read for {SEND_TIMEOUT} seconds") from None
