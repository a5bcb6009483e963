"""A process that appends events for the writer's thread of a busy server, which waits for it without the GIL.

It (`writer_worker.py`) executes the same functions as the thread would. It holds the lock of a SQLite file with the
server, gets no other descriptors, is told the database through its pipe, and ends with the pipe: once the server closes
it, or has died.
"""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection as PipeEnd

import msgspec

from tablee.storage.database import StoreError, is_postgresql, sqlite_file
from tablee.storage.lock import held_lock
from tablee.storage.observer import WRITER_PROCESS, StoreObserver
from tablee.storage.rows import Append

START_SECONDS = 60.0  # until it is ready
READY_WAIT = 0.0  # seconds that each commit waits for a process that starts
ANSWER_SECONDS = 90.0  # for one commit: SQLite waits up to 30 s for another program's
PAUSE_SECONDS = 600.0  # after a failure, until the next one is started
COMMAND = [sys.executable, "-m", "tablee.storage.writer_worker"]


class Start(msgspec.Struct, array_like=True):
    """The first message to the process: its database, and the sender of its notices."""

    database: str
    sender: str


class Answer(msgspec.Struct, array_like=True):
    """Which appends were accepted, or why the database refused them all."""

    accepted: list[bool] = []
    refusal: str = ""


encode = msgspec.msgpack.Encoder().encode
decode_start = msgspec.msgpack.Decoder(Start).decode
decode_appends = msgspec.msgpack.Decoder(list[Append]).decode
decode_answer = msgspec.msgpack.Decoder(Answer).decode
FAILURES = (OSError, EOFError, msgspec.MsgspecError)  # of a pipe whose other end has failed


class WriterProcess:
    """The process, as the thread sees it, which alone may call it."""

    def __init__(self, url: str, sender: str, observer: StoreObserver) -> None:
        self._start_message = Start(url, sender)
        self._observer = observer
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: PipeEnd | None = None
        self._is_ready = False
        self._started_at = float("-inf")

    def is_ready(self, *, starts: bool) -> bool:
        """Whether the process can append; if it does not run, start it on demand."""
        if self._pipe is None:
            if not starts or time.monotonic() < self._started_at + PAUSE_SECONDS:
                return False
            self._start()
        if self._pipe is not None and not self._is_ready:
            self._greet(self._pipe)
        return self._is_ready

    def write(self, appends: Sequence[Append]) -> list[bool]:
        """Append in one transaction; return which were accepted. Raises StoreError if the database refused, or it died.

        In the second case the appends may have been committed.
        """
        pipe = self._pipe
        assert pipe is not None
        try:
            pipe.send_bytes(encode(appends))
            if not pipe.poll(ANSWER_SECONDS):
                raise TimeoutError(f"it has not answered for {ANSWER_SECONDS:.0f} s")
            answer = decode_answer(pipe.recv_bytes())
        except FAILURES as error:
            raise self._failed(error) from None
        if answer.refusal:
            raise StoreError(answer.refusal)
        return answer.accepted

    def stop(self) -> None:
        """Close the pipe, and wait until the process has ended."""
        if self._pipe is not None:
            self._pipe.close()
        if self._process is not None:
            try:
                self._process.wait(ANSWER_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._process = self._pipe = None
        self._is_ready = False

    def _start(self) -> None:
        self._started_at = time.monotonic()
        file = sqlite_file(self._start_message.database)
        try:
            self._pipe, its_end = _new_pipe()
            with its_end:
                self._process = subprocess.Popen(
                    COMMAND,
                    stdin=its_end.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    pass_fds=held_lock(file) if file is not None else (),
                    start_new_session=True,  # the server decides what Ctrl-C means
                )
            self._pipe.send_bytes(encode(self._start_message))
        except OSError as error:
            self._failed(error)

    def _greet(self, pipe: PipeEnd) -> None:
        """Read that the process is ready, if it has said so."""
        try:
            if pipe.poll(READY_WAIT):
                if refusal := decode_answer(pipe.recv_bytes()).refusal:
                    raise OSError(refusal)
                self._is_ready = True
                self._observer.answered(WRITER_PROCESS, time.monotonic() - self._started_at)
            elif time.monotonic() > self._started_at + START_SECONDS:
                raise TimeoutError(f"it was not ready after {START_SECONDS:.0f} s")
        except FAILURES as error:
            self._failed(error)

    def _failed(self, error: Exception) -> StoreError:
        """Kill the process, so that it cannot write any more; report and return why."""
        if self._process is not None:
            self._process.kill()
        self.stop()
        self._started_at = time.monotonic()
        why = f"the process that writes has failed: {str(error) or type(error).__name__}"
        self._observer.failed(WRITER_PROCESS, why)
        return StoreError(why)


def _new_pipe() -> tuple[PipeEnd, PipeEnd]:
    """Return both ends of a pipe; sending into the first one fails if the second is not read for long."""
    own, other = socket.socketpair()
    own.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", int(ANSWER_SECONDS), 0))
    return PipeEnd(own.detach()), PipeEnd(other.detach())


def can_help(url: str) -> bool:
    """Whether a process can write to a database for this one: it is not in memory, and there is a core for it."""
    is_stored = is_postgresql(url) or sqlite_file(url) is not None
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return is_stored and sys.platform != "win32" and cores > 1
