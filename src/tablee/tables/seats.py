"""Seats of a table: who sits where, and who is the host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from tablee.protocol.shown import SeatKind

EMPTY: Final = "empty"
PERSON: Final = "person"
PROGRAM: Final = "program"
BOT: Final = "bot"


class Seat(msgspec.Struct, frozen=True, gc=False):
    """Who sits in a seat; `bot` is the bot that plays there now (also where a player left during the game).

    An empty seat may be kept for a person, who needs no invite to sit down there: for who left during the game, and at
    a rematch for who played before. It is not reserved: others may take it first.
    """

    kind: SeatKind = EMPTY
    name: str = ""
    person: str = ""
    bot: str | None = None
    kept_for: str = ""  # id of a person
    accepts_coach: bool = False  # the person who sits there has agreed to the coach

    @property
    def is_persons(self) -> bool:
        """Whether the seat belongs to a person or a person's program, present or absent."""
        return self.kind in (PERSON, PROGRAM)

    @property
    def is_covered(self) -> bool:
        """Whether a bot plays for an absent person."""
        return self.is_persons and self.bot is not None


def next_host(seats: Sequence[Seat], host: int) -> int | None:
    """Return who has the host's role: its holder if they sit there, else the next person, else the next program."""
    following = [(host + step) % len(seats) for step in range(len(seats))]
    people = [index for index in following if seats[index].is_persons]
    if host in people:
        return host
    return min(people, key=lambda index: seats[index].kind != PERSON, default=None)


def seats_kept(seats: Sequence[Seat], count: int) -> list[int]:
    """Return which seats stay if a table is to have at most `count`: the last empty ones are taken away."""
    empty = [index for index, seat in enumerate(seats) if seat.kind == EMPTY]
    taken_away = empty[len(empty) - max(0, len(seats) - count) :]
    return [index for index in range(len(seats)) if index not in taken_away]
