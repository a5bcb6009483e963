"""Checks that several commands and new tables share; each raises `Refused`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

from tablee.bots.roster import plays
from tablee.core.errors import BadSetup
from tablee.core.game import Game, Setup, Value
from tablee.core.registry import find_game
from tablee.tables.commands import Actor
from tablee.tables.refusals import Refused
from tablee.tables.table import Table

MIN_CLOCK, MAX_CLOCK = 10, 86_400  # seconds per decision
MIN_BANK, MAX_BANK = 30, 30 * 86_400  # seconds per player
MAX_INCREMENT = 86_400  # seconds per move
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


def check_bot(name: str, bots: Collection[str], game: str) -> None:
    """Refuse a bot that is not among the known ones, or does not play the game."""
    if name not in bots:
        raise Refused("unknown_bot", bot=name[:40])
    if not plays(name, find_game(game)):
        raise Refused("unknown_bot", "untrained_bot", bot=name)


class Times(Protocol):
    """The clock of a table, per decision or as a time bank, and its rests; in seconds."""

    @property
    def clock(self) -> int | None:
        """Time per decision."""

    @property
    def bank(self) -> int | None:
        """Time per player for the whole game."""

    @property
    def increment(self) -> int:
        """What a move adds to the bank."""

    @property
    def rest(self) -> int | None:
        """Longest rest after a round; 0: no limit."""


def check_times(times: Times) -> None:
    """Refuse clocks and rests that are too short, too long, or both per decision and a bank."""
    if times.clock is not None and not MIN_CLOCK <= times.clock <= MAX_CLOCK:
        raise Refused("bad_setup", "bad_clock", least=MIN_CLOCK, most=MAX_CLOCK)
    if times.bank is not None and not MIN_BANK <= times.bank <= MAX_BANK:
        raise Refused("bad_setup", "bad_bank", least=MIN_BANK, most=MAX_BANK)
    if not 0 <= times.increment <= MAX_INCREMENT:
        raise Refused("bad_setup", "bad_increment", most=MAX_INCREMENT)
    if times.clock is not None and times.bank is not None:
        raise Refused("bad_setup", "two_clocks")
    if times.rest is not None and not 0 <= times.rest <= MAX_REST:
        raise Refused("bad_setup", "bad_rest", most=MAX_REST)


def check_setup(game: Game, seats: int | None, options: Mapping[str, Value]) -> Setup:
    """Return the setup of a game, with all options; refuse what cannot be played."""
    try:
        return game.setup(seats, options)
    except BadSetup as why:
        raise Refused("bad_setup", why=why) from None
