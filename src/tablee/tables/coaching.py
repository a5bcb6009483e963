"""The coach of a table: who has agreed to it, who it may help, and with what.

A table has a coach from the beginning or not at all: with one, its result counts for no rating. The coach helps only
while all people who sit at the table agree, and each of them by what their own seat knows.
"""

from __future__ import annotations

from collections.abc import Callable

from tablee.core.state import SPECTATOR
from tablee.protocol.shown import CoachShown
from tablee.tables.commands import AcceptCoach, DeclineCoach
from tablee.tables.events import CoachAccepted, CoachDeclined, TableEvent
from tablee.tables.refusals import Refused
from tablee.tables.table import OVER, Table


def _accept(table: Table, seat: int, at: float) -> TableEvent:
    _check_has_coach(table)
    if table.seats[seat].accepts_coach:
        raise Refused("nothing_to_do", "coach_accepted")
    return CoachAccepted(at, seat=seat)


def _decline(table: Table, seat: int, at: float) -> TableEvent:
    _check_has_coach(table)
    if not table.seats[seat].accepts_coach:
        raise Refused("nothing_to_do", "coach_declined")
    return CoachDeclined(at, seat=seat)


COACH_DECISIONS: dict[type, Callable[[Table, int, float], TableEvent]] = {AcceptCoach: _accept, DeclineCoach: _decline}


def _check_has_coach(table: Table) -> None:
    if table.is_lesson:
        raise Refused("no_coach", "coach_of_lesson")
    if not table.created.coach:
        raise Refused("no_coach")
    if table.phase == OVER:
        raise Refused("not_playing", "while_over")


def check_coached(table: Table, viewer: int) -> None:
    """Refuse help to a viewer unless they sit at a table whose people have all agreed to the coach."""
    if viewer == SPECTATOR:
        raise Refused("not_seated")
    _check_has_coach(table)
    if not table.is_coached:
        waiting = ", ".join(table.seats[seat].name for seat in _not_agreed(table))
        raise Refused("no_coach", "coach_waits", names=waiting)
    if table.match is None:
        raise Refused("not_playing", "while_gathering")


def is_helped(table: Table, viewer: int) -> bool:
    """Whether the coach helps a viewer now."""
    if not table.created.coach:  # usually: sooner found than refused
        return False
    try:
        check_coached(table, viewer)
    except Refused:
        return False
    return True


def coach_shown(table: Table) -> CoachShown | None:
    """Show the coach of a table, to everybody: who sits down must know; None at tables without one."""
    if not table.created.coach or table.phase == OVER:
        return None
    agreed = tuple(index for index, seat in enumerate(table.seats) if seat.is_persons and seat.accepts_coach)
    return CoachShown(table.is_coached, agreed, tuple(_not_agreed(table)))


def _not_agreed(table: Table) -> list[int]:
    return [index for index in table.people() if not table.seats[index].accepts_coach]
