"""How fast a person is shown what bots do: changes wait in a queue and are shown a beat apart.

Only what is shown waits; the table goes on, and the player can skip to the present at any time.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import platformdirs

BEATS = {"fast": 0.0, "normal": 0.7, "slow": 2.0, "step": math.inf}  # seconds from one change to the next
FASTEST, USUAL_PACE = "fast", "normal"
Shown = TypeVar("Shown")


class PacedChange(NamedTuple, Generic[Shown]):
    """What is shown after an event."""

    shown: Shown
    is_paced: bool = False  # a bot has moved
    quiet_code: str = ""  # of an event that moves nothing, such as a pass; several of one code share a beat


class PacedQueue(Generic[Shown]):
    """Calls `show` with every change, in order, when its time has come."""

    def __init__(self, show: Callable[[Shown], None], pace: str = FASTEST) -> None:
        self._show = show
        self._waiting: deque[PacedChange[Shown]] = deque()
        self._next_beat = -math.inf  # time of the loop at which the next change may be shown
        self._quiet_code = ""  # of the change shown last
        self._timer: asyncio.TimerHandle | None = None
        self._pace = pace

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def pace(self) -> str:
        """One of `BEATS`."""
        return self._pace

    @pace.setter
    def pace(self, pace: str) -> None:
        self._pace, self._next_beat = pace, -math.inf
        self._show_due()

    def push(self, change: PacedChange[Shown]) -> None:
        """Show a change as soon as its time has come."""
        self._waiting.append(change)
        self._show_due()

    def advance(self) -> None:
        """Show the next change that waits now."""
        self._next_beat = -math.inf
        self._show_due()

    def catch_up(self) -> None:
        """Show everything now."""
        self._stop_timer()
        while self._waiting:
            self._show_first()

    def clear(self) -> None:
        """Forget what waits: the whole table has arrived."""
        self._stop_timer()
        self._waiting.clear()

    def _show_due(self) -> None:
        self._stop_timer()
        beat = BEATS[self._pace]
        while self._waiting:
            change = self._waiting[0]
            takes_beat = change.is_paced and not (change.quiet_code and change.quiet_code == self._quiet_code)
            now = asyncio.get_running_loop().time() if beat else 0.0
            if takes_beat and beat and now < self._next_beat:
                self._wait(self._next_beat)
                return
            if takes_beat:
                self._next_beat = now + beat
            self._show_first()

    def _show_first(self) -> None:
        change = self._waiting.popleft()
        self._quiet_code = change.quiet_code
        self._show(change.shown)

    def _wait(self, until: float) -> None:
        if until < math.inf:
            self._timer = asyncio.get_running_loop().call_at(until, self._show_due)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def next_pace(pace: str) -> str:
    """Return the pace after this one; the fastest after the slowest."""
    names = list(BEATS)
    return names[(names.index(pace) + 1) % len(names)]


def _file() -> Path:
    return platformdirs.user_config_path("tablee") / "terminal.json"


def stored_pace() -> str:
    """Return the pace that this person has chosen."""
    try:
        pace = json.loads(_file().read_text(encoding="utf-8"))["pace"]
    except (OSError, ValueError, KeyError, TypeError):
        return USUAL_PACE
    return pace if pace in BEATS else USUAL_PACE


def store_pace(pace: str) -> None:
    """Remember a person's pace; without a folder to write to, it holds until the end of the program."""
    with suppress(OSError):
        _file().parent.mkdir(parents=True, exist_ok=True)
        _file().write_text(json.dumps({"pace": pace}), encoding="utf-8")
