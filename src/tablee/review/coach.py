"""A coach: answers about decisions and hidden pieces, from a process of its own, each computed once."""

from __future__ import annotations

import asyncio
import sys
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol

from tablee.core.errors import TableeError
from tablee.core.sight import Sight
from tablee.review.advice import Advice
from tablee.review.beliefs import Beliefs
from tablee.review.coach_tasks import AdviceTask, BeliefTask, CoachAnswer, CoachTask, Task, decode_answer, encode_line

MAX_LINE_BYTES = 4 * 1024 * 1024
MAX_KEPT = 256  # answers, the last ones used
MAX_SECONDS = 120.0  # for one answer, with compilation; after that the process is ended
IDLE_SECONDS = 600.0  # without a question, after which the process is ended
DEPTH = "usual"  # one of `advice.DEPTHS`
BELIEF_WORLDS = 300  # a standard error of at most 3 %


class CoachFailed(TableeError):
    """The process that thinks has failed, or took too long."""


class Thinker(Protocol):
    """Who answers tasks, one after another."""

    async def answer(self, task: Task) -> CoachAnswer:
        """Return the answer; raises CoachFailed."""
        ...

    async def close(self) -> None:
        """Stop."""
        ...


class CoachProcess:
    """A process that answers tasks; it starts with the first, and ends when it is not asked for a while."""

    def __init__(self, depth: str = "", max_seconds: float = MAX_SECONDS) -> None:
        self._depth = depth or DEPTH
        self._max_seconds = max_seconds
        self._process: asyncio.subprocess.Process | None = None
        self._asking = asyncio.Lock()
        self._idle: asyncio.TimerHandle | None = None

    async def answer(self, task: Task) -> CoachAnswer:
        """Ask the process; one that fails, takes too long or is not waited for any more is ended."""
        async with self._asking:
            self._wait_no_longer()
            try:
                answer = await asyncio.wait_for(self._ask(task), self._max_seconds)
            except (OSError, TimeoutError, ValueError) as error:
                await self._end()
                raise CoachFailed(f"the coach did not answer: {type(error).__name__}") from None
            except asyncio.CancelledError:
                await self._end()
                raise
            self._idle = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._kill)
        if answer.error:
            raise CoachFailed(answer.error)
        return answer

    async def close(self) -> None:
        """End the process."""
        self._wait_no_longer()
        await self._end()

    async def _ask(self, task: Task) -> CoachAnswer:
        process = self._process
        if process is None or process.returncode is not None:
            pipe = asyncio.subprocess.PIPE
            command = (sys.executable, "-m", "tablee.review.coach_worker", "--depth", self._depth)
            process = await asyncio.create_subprocess_exec(
                *command, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL, limit=MAX_LINE_BYTES
            )
            self._process = process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(encode_line(task))
        await process.stdin.drain()
        line = await process.stdout.readline()
        if not line:
            raise ChildProcessError("the process has ended")
        return decode_answer(line)

    def _wait_no_longer(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    def _kill(self) -> None:
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()

    async def _end(self) -> None:
        self._kill()
        if self._process is not None:
            await self._process.wait()
        self._process = None


class Coach:
    """Answers about sights; equal sights get equal answers, and the last ones are kept."""

    def __init__(self, thinker: Thinker | None = None) -> None:
        self._thinker: Thinker = thinker or CoachProcess()
        self._kept: OrderedDict[Task, CoachAnswer] = OrderedDict()  # least recently used first

    async def advise(self, sight: Sight, moves: Sequence[int]) -> Advice:
        """Compare the legal moves of the seat that is to move; raises CoachFailed."""
        advice = (await self._answer(AdviceTask(CoachTask.of(sight), tuple(moves)))).advice
        assert advice is not None
        return advice

    async def find_beliefs(self, sight: Sight, language: str, names: Sequence[str]) -> Beliefs:
        """Find out what hidden pieces can be; raises CoachFailed."""
        task = BeliefTask(CoachTask.of(sight), language, tuple(names), BELIEF_WORLDS)
        beliefs = (await self._answer(task)).beliefs
        assert beliefs is not None
        return beliefs

    async def close(self) -> None:
        """Stop thinking."""
        await self._thinker.close()

    async def _answer(self, task: Task) -> CoachAnswer:
        kept = self._kept.pop(task, None) or await self._thinker.answer(task)
        self._kept[task] = kept
        if len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
        return kept
