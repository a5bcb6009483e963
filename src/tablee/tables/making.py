"""New tables: out of a wish, or out of a table that is over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tablee.bots.roster import known_names
from tablee.core.errors import BadSetup, UnknownGame
from tablee.core.game import Value
from tablee.core.registry import find_game
from tablee.tables.commands import Asker
from tablee.tables.decide import bot_seated
from tablee.tables.events import BotSeated, Claimed, Created, Started, TableEvent
from tablee.tables.refusing import Refused
from tablee.tables.table import EMPTY, PROGRAM, Table, evolve, opened

SHORTEST_CLOCK, LONGEST_CLOCK = 10, 86_400


@dataclass(frozen=True)
class Wish:
    """What somebody wants to play; bots sit in the last seats, the maker in the first."""

    game: str
    seats: int | None = None
    options: Mapping[str, Value] = field(default_factory=dict)
    is_open: bool = False
    clock: int | None = None
    bots: Sequence[str] = ()
    sits: bool = True


@dataclass(frozen=True)
class Secrets:
    """What nobody may guess: the seed of the deal, and the word that lets people in."""

    seed: int
    invite: str


def new_table(table_id: str, wish: Wish, secrets: Secrets, maker: Asker, at: float) -> tuple[list[TableEvent], Table]:
    """Return the first events of a table, and the table after them."""
    created = _created(wish, secrets, maker.key, at)
    if len(wish.bots) + wish.sits > created.seats:
        raise Refused("table_full")
    table, events = opened(table_id, created), [created]
    others: list[TableEvent] = []
    if wish.sits:
        others.append(Claimed(at, seat=0, person=maker.person, name=maker.name, is_program=maker.is_program))
        table = evolve(table, others[-1])
    for seat, bot in enumerate(wish.bots, start=created.seats - len(wish.bots)):
        others.append(bot_seated(table, seat, bot, at))
        table = evolve(table, others[-1])
    return _started([*events, *others], table, at)


def _created(wish: Wish, secrets: Secrets, key: str, at: float) -> Created:
    try:
        game = find_game(wish.game)
    except UnknownGame:
        raise Refused("unknown_game", game=wish.game[:40]) from None
    try:
        setup = game.setup(wish.seats, wish.options)
    except BadSetup as why:
        raise Refused("bad_setup", why=why) from None
    if wish.clock is not None and not SHORTEST_CLOCK <= wish.clock <= LONGEST_CLOCK:
        raise Refused("bad_setup", "bad_clock", least=SHORTEST_CLOCK, most=LONGEST_CLOCK)
    for bot in wish.bots:
        if bot not in known_names():
            raise Refused("unknown_bot", bot=bot[:40])
    return Created(
        at,
        key,
        game=game.name,
        version=game.version,
        seats=setup.seats,
        options=dict(setup.options),
        seed=f"{secrets.seed:064x}",
        is_open=wish.is_open,
        clock=wish.clock,
        invite=secrets.invite,
    )


def rematch_table(table_id: str, old: Table, secrets: Secrets, at: float) -> tuple[list[TableEvent], Table]:
    """Return the first events of a table with the same people, bots and options; each sits one seat further on."""
    created = old.created
    wish = Wish(created.game, created.seats, created.options, created.is_open, created.clock)
    first = _created(wish, secrets, "", at)
    table, events = opened(table_id, first), [first]
    moved_on: list[TableEvent] = []
    for place in range(created.seats):
        moved_on.append(_same_player(old, place, (place + 1) % created.seats, at))
        table = evolve(table, moved_on[-1])
    return _started([*events, *moved_on], table, at)


def _same_player(old: Table, place: int, new_place: int, at: float) -> TableEvent:
    seat = old.seats[place]
    if not seat.is_persons:
        return BotSeated(at, seat=new_place, bot=seat.bot or "", name=seat.name)
    return Claimed(at, seat=new_place, person=seat.person, name=seat.name, is_program=seat.kind == PROGRAM)


def _started(events: list[TableEvent], table: Table, at: float) -> tuple[list[TableEvent], Table]:
    """Begin at once if nobody is missing."""
    if any(seat.kind == EMPTY for seat in table.seats):
        return events, table
    return [*events, Started(at)], evolve(table, Started(at))
