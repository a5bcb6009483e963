"""Checks that several commands and new tables share; each raises `Refused`."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from tablee.core.errors import BadSetup
from tablee.core.game import Game, Setup, Value
from tablee.tables.commands import Actor
from tablee.tables.refusals import Refused
from tablee.tables.table import Table

MIN_CLOCK, MAX_CLOCK = 10, 86_400  # seconds per decision
MAX_REST = 3_600  # seconds


def own_seat(table: Table, actor: Actor) -> int:
    """Return the seat of who issues a command."""
    seat = table.seat_of(actor.person)
    if seat is None:
        raise Refused("not_seated")
    return seat


def check_seat(table: Table, seat: int) -> int:
    """Return the index of a seat."""
    if not 0 <= seat < len(table.seats):
        raise Refused("no_such_seat", seat=seat + 1)
    return seat


def check_bot(name: str, bots: Collection[str]) -> None:
    """Refuse a bot that is not among the known ones."""
    if name not in bots:
        raise Refused("unknown_bot", bot=name[:40])


def check_setup(
    game: Game, seats: int | None, options: Mapping[str, Value], clock: int | None, rest: int | None
) -> Setup:
    """Return the setup of a game, with all options; refuse what cannot be played."""
    if clock is not None and not MIN_CLOCK <= clock <= MAX_CLOCK:
        raise Refused("bad_setup", "bad_clock", least=MIN_CLOCK, most=MAX_CLOCK)
    if rest is not None and not 0 <= rest <= MAX_REST:
        raise Refused("bad_setup", "bad_rest", most=MAX_REST)
    try:
        return game.setup(seats, options)
    except BadSetup as why:
        raise Refused("bad_setup", why=why) from None
