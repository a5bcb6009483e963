"""uvicorn's HTTP protocol with limits before the parser: bytes, requests in a row, and time.

httptools has no limits of its own; h11 has, at three times the processor time of a request
(docs/decisions/0044-before-the-parser.md).
"""

from __future__ import annotations

import asyncio
import sys
from http import HTTPStatus
from typing import Any, NoReturn

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from tablee.server.admission import Admission
from tablee.server.logs import incident

MAX_HEAD_BYTES = 16_384  # request line and headers
MAX_REQUEST_BYTES = 1 << 20  # head and body as they are sent; routes allow less
MAX_PIPELINED = 8  # requests sent before the first is answered; browsers and proxies send none
HEAD_SECONDS = 10.0  # until the head is complete, from the connection or the last answer on
BODY_SECONDS = 30.0  # from the head to the end of the body
SEND_SECONDS = 20.0  # in which a client must read MIN_BYTES_READ of an answer, or all that is left of it
MIN_BYTES_READ = 16_384
REFUSALS = {"address": HTTPStatus.TOO_MANY_REQUESTS, "full": HTTPStatus.SERVICE_UNAVAILABLE}


class TooLarge(Exception):
    """The request exceeds a limit; the status says which."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status)
        self.status = status


class LimitedHttpProtocol(HttpToolsProtocol):
    """One connection; it is closed where a request is too large or takes too long, before anything is kept of it."""

    def __init__(self, admission: Admission, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.deadline: float | None = None
        self.is_waiting = True
        self._admission = admission
        self._received = 0  # bytes of the present request
        self._head_length = 0  # of its parsed parts
        self._is_in_head = True
        self._excess: TooLarge | None = None
        self._unread = sys.maxsize  # bytes of answers in the buffer when the last deadline passed

    # The connection

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection in, or refuse it with a status."""
        super().connection_made(transport)
        refusal = self._admission.refusal(self, self.client[0] if self.client else "")
        if refusal is not None:
            self.refuse(REFUSALS[refusal])
        self._allow(HEAD_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._admission.leave(self)
        super().connection_lost(exc)

    def handle_websocket_upgrade(self) -> None:
        """Hand the connection over to the WebSocket's protocol, which counts as the same connection."""
        super().handle_websocket_upgrade()
        self._admission.replace(self, self.transport.get_protocol())  # type: ignore[arg-type]
        self.parser = None  # type: ignore[assignment]  # it and this protocol refer to each other

    def refuse(self, status: HTTPStatus) -> None:
        """Send a response without a body, and close."""
        if self.transport.is_closing():
            return
        retry = "Retry-After: 10\r\n" if status in REFUSALS.values() else ""
        head = f"HTTP/1.1 {status.value} {status.phrase}\r\n{retry}Content-Length: 0\r\nConnection: close\r\n\r\n"
        self.transport.write(head.encode())
        self.transport.close()

    def expire(self) -> None:
        """End a request that takes too long, or an answer that is not read."""
        before, unread = self._unread, self.transport.get_write_buffer_size()
        self._unread = unread
        if 0 < unread <= before - MIN_BYTES_READ:
            self._allow(SEND_SECONDS)  # slowly, but the client reads
            return
        if self.is_waiting and self._received and not unread:
            self.refuse(HTTPStatus.REQUEST_TIMEOUT)
        self.give_way()

    def give_way(self) -> None:
        """Close without waiting for the client to read."""
        if self.transport.get_write_buffer_size() > 0:
            self.transport.abort()
        else:
            self.transport.close()

    def _allow(self, seconds: float | None) -> None:
        """Set the deadline for what the client has to do next; None: it is the server's turn, unless nobody reads."""
        if seconds is None and self.flow.write_paused:
            seconds = SEND_SECONDS
        self.deadline = None if seconds is None else self.loop.time() + seconds

    # Receiving

    def data_received(self, data: bytes) -> None:
        """Parse what has arrived; it goes no further if it is too much."""
        if self.transport.is_closing():
            return
        self._unset_keepalive_if_required()
        self._received += len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self._upgrade()
        except httptools.HttpParserError:
            self._end(self._excess)
        else:
            self._check_length()

    def _check_length(self) -> None:
        """Refuse a request of which too much has come, however it is cut; what came at once is at most 256 KB."""
        if self._is_in_head and self._received > MAX_HEAD_BYTES:
            self._end(TooLarge(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE))
        elif self._received > MAX_REQUEST_BYTES:
            self._end(TooLarge(HTTPStatus.REQUEST_ENTITY_TOO_LARGE))

    def _upgrade(self) -> None:
        if self._should_upgrade():
            self.handle_websocket_upgrade()
        else:
            self.refuse(HTTPStatus.BAD_REQUEST)

    def _end(self, excess: TooLarge | None) -> None:
        """Refuse what cannot be read, or is too large."""
        incident("invalid HTTP requests" if excess is None else "HTTP requests too large")
        is_answering = self.cycle is not None and self.cycle.response_started and not self.cycle.response_complete
        if is_answering:
            self.transport.abort()  # a status would become part of the answer
        else:
            self.refuse(HTTPStatus.BAD_REQUEST if excess is None else excess.status)

    def _exceed(self, status: HTTPStatus) -> NoReturn:
        """Stop the parser, which replaces exceptions of its callbacks by one of its own."""
        self._excess = TooLarge(status)
        raise self._excess

    # Callbacks of the parser

    def on_url(self, url: bytes) -> None:
        """Take a part of the request line."""
        self._count_head(len(url), HTTPStatus.REQUEST_URI_TOO_LONG)
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header."""
        self._count_head(len(name) + len(value) + 4, HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        if name.lower() == b"content-length" and value.isdigit() and int(value[:20]) > MAX_REQUEST_BYTES:
            self._exceed(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        super().on_header(name, value)

    def _count_head(self, length: int, status: HTTPStatus) -> None:
        self._head_length += length
        if self._head_length > MAX_HEAD_BYTES:
            self._exceed(status)

    def on_headers_complete(self) -> None:
        """Begin to serve a request."""
        if len(self.pipeline) >= MAX_PIPELINED or not self._admission.allows_request(self):
            self._exceed(HTTPStatus.TOO_MANY_REQUESTS)
        self._is_in_head = self.is_waiting = False
        self._allow(BODY_SECONDS)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Wait for the next request; this one has no more time limit unless it is answered already."""
        self._received = self._head_length = 0
        self._is_in_head = True
        is_answered = self.cycle is not None and self.cycle.response_complete
        self._allow(HEAD_SECONDS if is_answered else None)
        super().on_message_complete()

    # Sending

    def on_response_complete(self) -> None:
        """Wait for the next request, and for the client to read."""
        self.is_waiting = not self.pipeline
        self._allow(HEAD_SECONDS if self.is_waiting else None)
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Give a client that reads slowly some time."""
        super().pause_writing()
        self._allow(SEND_SECONDS)

    def resume_writing(self) -> None:
        """Go on: the client has read."""
        super().resume_writing()
        self._allow(HEAD_SECONDS if self.is_waiting else None)
