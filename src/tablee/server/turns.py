"""Turns at costly work, shared equally between those who want it."""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import ParamSpec, TypeVar

from tablee.tables.refusals import Refused

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class FairTurns:
    """Lets so many run `at_once`; the others wait, and those who asked under different keys take turns.

    Python runs one thread at a time: threads that compute would keep the event loop waiting, 5 ms for each.
    """

    def __init__(self, at_once: int, max_waiting: float = math.inf) -> None:
        self._free = at_once
        self._max_waiting = max_waiting  # per key
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()  # next to run first

    @asynccontextmanager
    async def turn(self, key: str) -> AsyncIterator[None]:
        """Wait for a turn; raise Refused (too_fast) if too many wait under this key."""
        await self._begin(key)
        try:
            yield
        finally:
            self._pass_on()

    async def run(
        self, key: str, function: Callable[Arguments, Result], *arguments: Arguments.args, **options: Arguments.kwargs
    ) -> Result:
        """Call a function in a thread, in turn; return its result."""
        async with self.turn(key):
            return await asyncio.to_thread(function, *arguments, **options)

    async def _begin(self, key: str) -> None:
        if self._free:
            self._free -= 1
            return
        queue = self._waiting.setdefault(key, deque())
        if len(queue) >= self._max_waiting:
            raise Refused("too_fast")
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Give the turn to the next key, which goes to the end of the line."""
        while self._waiting:
            key, queue = self._waiting.popitem(last=False)
            turn = queue.popleft()
            if queue:
                self._waiting[key] = queue
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1
