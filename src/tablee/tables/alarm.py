"""The alarm of a table: when its clock, its rest or its time to gather runs out, by the monotonic clock."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from tablee.tables.table import GATHERING_SECONDS, Table

EARLY_SECONDS = 0.01  # an event loop may call a little early


class Deadline(NamedTuple):
    """What a table waits for, and until when; the next turn is another deadline, even if it is at the same time."""

    at: float  # time of the table
    length: float  # seconds that the clock, the rest or the gathering lasts
    moves: int
    on_turn: int | None


def deadline_of(table: Table) -> Deadline | None:
    """Return when the clock of the seat on turn, the rest or the gathering runs out; None if nothing is limited."""
    if table.deadline is not None:
        return Deadline(table.deadline, table.turn_seconds or 0, table.moves, table.on_turn)
    if table.rest_deadline is not None:
        return Deadline(table.rest_deadline, table.created.rest or 0, table.moves, None)
    if table.gathering_deadline is not None:
        return Deadline(table.gathering_deadline, GATHERING_SECONDS, 0, None)
    return None


class Countdown(NamedTuple):
    """A deadline, and when it is due by the event loop's clock, which is monotonic."""

    deadline: Deadline
    due: float


class Alarm:
    """Rings at the deadline of a table; needs a running event loop.

    Deadlines are stored in wall time, which can be set back or forward at any moment. As long as a process knows the
    table, the time left is counted by the monotonic clock.
    """

    def __init__(self, countdown: Countdown | None = None) -> None:
        """Set nothing yet; `countdown` is the table's last one, if it was in memory before."""
        self.countdown = countdown
        self._timer: asyncio.TimerHandle | None = None

    def clear(self) -> None:
        """Do not ring, and count nothing down."""
        self.cancel()
        self.countdown = None

    def set(self, deadline: Deadline, now: float, ring: Callable[[], None]) -> None:
        """Ring at a deadline; one that is counted down already keeps its time.

        `now` is the time of the table, as its events have it.
        """
        self.cancel()
        loop = asyncio.get_running_loop()
        if self.countdown is None or self.countdown.deadline != deadline:
            left = min(max(0.0, deadline.at - now), deadline.length)
            self.countdown = Countdown(deadline, loop.time() + left)
        self._timer = loop.call_at(self.countdown.due, ring)

    @property
    def is_due(self) -> bool:
        """Whether the deadline has passed."""
        return self.countdown is not None and asyncio.get_running_loop().time() >= self.countdown.due - EARLY_SECONDS

    def cancel(self) -> None:
        """Do not ring; the countdown stays known."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
