"""Clocks that tests move: time passes at once, and the wall clock is set back and forward."""

import asyncio
import time
from selectors import DefaultSelector


class MovableLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock can be moved on."""

    def __init__(self):
        self.passed = 0.0  # seconds
        super().__init__(DefaultSelector())

    def time(self):
        return super().time() + self.passed


class Clocks:
    """The wall clock and the event loop's."""

    def __init__(self, monkeypatch):
        self._wall = 0.0  # seconds by which it is ahead
        real = time.time
        monkeypatch.setattr(time, "time", lambda: real() + self._wall)

    def run(self, coroutine):
        """Run a coroutine in a loop whose clock can be moved."""
        with asyncio.Runner(loop_factory=MovableLoop) as runner:
            return runner.run(coroutine)

    def set_wall(self, seconds):
        """Set the wall clock forward, or back."""
        self._wall += seconds

    async def wait(self, seconds):
        """Let time pass at once, on both clocks."""
        self._wall += seconds
        asyncio.get_running_loop().passed += seconds
        await asyncio.sleep(0)

    async def until(self, is_true, seconds=1.0):
        """Let time pass until a condition holds, so many seconds at once; threads get real time to finish."""
        async with asyncio.timeout_at(asyncio.get_running_loop().time() + 1e6):
            for _ in range(2_000):
                if is_true():
                    return
                await self.wait(seconds)
                await asyncio.to_thread(time.sleep, 0.005)
        raise AssertionError("the condition never held")
