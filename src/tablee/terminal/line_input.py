"""Typed lines for a front end that runs in an event loop.

The event loop runs in a second thread and the main thread reads: only there does Ctrl-C interrupt `input`, which then
restores the terminal.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any


class LineInput:
    """Reads lines in the main thread, one for each request of the event loop."""

    def __init__(self, read_line: Callable[[], str]) -> None:
        self._read_line = read_line
        self._requests: SimpleQueue[Future[str] | None] = SimpleQueue()  # None: the event loop has ended
        self._started = Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._error: BaseException | None = None

    async def read(self) -> str:
        """Return the next line; raises what `read_line` raises, EOFError at the end of input."""
        line: Future[str] = Future()
        self._requests.put(line)
        return await asyncio.wrap_future(line)

    def run(self, main: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run a coroutine to its end and read lines for it; raises its errors, and KeyboardInterrupt after Ctrl-C."""
        thread = Thread(target=self._run_loop, args=(main,), name="front end")
        thread.start()
        self._started.wait()
        try:
            self._serve()
        except KeyboardInterrupt:
            self._cancel()
            thread.join()
            raise
        thread.join()
        if self._error is not None:
            raise self._error

    def _serve(self) -> None:
        while (line := self._requests.get()) is not None:
            if not line.set_running_or_notify_cancel():
                continue
            try:
                line.set_result(self._read_line())
            except Exception as error:  # the front end decides what it means
                line.set_exception(error)

    def _cancel(self) -> None:
        if self._loop is not None and self._task is not None:
            self._loop.call_soon_threadsafe(self._task.cancel)

    def _run_loop(self, main: Callable[[], Coroutine[Any, Any, None]]) -> None:
        async def run() -> None:
            self._loop = asyncio.get_running_loop()
            self._task = asyncio.current_task()
            self._started.set()
            await main()

        try:
            asyncio.run(run())
        except BaseException as error:  # raised again in the main thread
            self._error = error
        finally:
            self._requests.put(None)
