"""New tables: out of a wish, or out of a table that is over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tablee.bots.roster import known_names
from tablee.core.errors import BadSetup, UnknownGame
from tablee.core.game import Value
from tablee.core.registry import find_game
from tablee.tables.commands import Actor
from tablee.tables.decisions import bot_seated
from tablee.tables.events import BotSeated, Claimed, Created, Started, TableEvent
from tablee.tables.refusals import Refused
from tablee.tables.table import EMPTY, PROGRAM, Table, evolve, opened

MIN_CLOCK, MAX_CLOCK = 10, 86_400


@dataclass(frozen=True)
class TableRequest:
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


def new_table(
    table_id: str, request: TableRequest, secrets: Secrets, maker: Actor, at: float
) -> tuple[list[TableEvent], Table]:
    """Return the first events of a table, and the table after them."""
    created = _created(request, secrets, maker.key, at)
    if len(request.bots) + request.sits > created.seats:
        raise Refused("table_full")
    table, events = opened(table_id, created), [created]
    others: list[TableEvent] = []
    if request.sits:
        others.append(Claimed(at, seat=0, person=maker.person, name=maker.name, is_program=maker.is_program))
        table = evolve(table, others[-1])
    for seat, bot in enumerate(request.bots, start=created.seats - len(request.bots)):
        others.append(bot_seated(table, seat, bot, at))
        table = evolve(table, others[-1])
    return _started([*events, *others], table, at)


def _created(request: TableRequest, secrets: Secrets, key: str, at: float) -> Created:
    try:
        game = find_game(request.game)
    except UnknownGame:
        raise Refused("unknown_game", game=request.game[:40]) from None
    try:
        setup = game.setup(request.seats, request.options)
    except BadSetup as why:
        raise Refused("bad_setup", why=why) from None
    if request.clock is not None and not MIN_CLOCK <= request.clock <= MAX_CLOCK:
        raise Refused("bad_setup", "bad_clock", least=MIN_CLOCK, most=MAX_CLOCK)
    for bot in request.bots:
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
        is_open=request.is_open,
        clock=request.clock,
        invite=secrets.invite,
    )


def rematch_table(table_id: str, old: Table, secrets: Secrets, at: float) -> tuple[list[TableEvent], Table]:
    """Return the first events of a table with the same people, bots and options; each sits one seat further on."""
    created = old.created
    request = TableRequest(created.game, created.seats, created.options, created.is_open, created.clock)
    first = _created(request, secrets, "", at)
    table, events = opened(table_id, first), [first]
    moved_on: list[TableEvent] = []
    for index in range(created.seats):
        moved_on.append(_same_player(old, index, (index + 1) % created.seats, at))
        table = evolve(table, moved_on[-1])
    return _started([*events, *moved_on], table, at)


def _same_player(old: Table, index: int, new_seat: int, at: float) -> TableEvent:
    seat = old.seats[index]
    if not seat.is_persons:
        return BotSeated(at, seat=new_seat, bot=seat.bot or "", name=seat.name)
    return Claimed(at, seat=new_seat, person=seat.person, name=seat.name, is_program=seat.kind == PROGRAM)


def _started(events: list[TableEvent], table: Table, at: float) -> tuple[list[TableEvent], Table]:
    """Begin at once if nobody is missing."""
    if any(seat.kind == EMPTY for seat in table.seats):
        return events, table
    return [*events, Started(at)], evolve(table, Started(at))
