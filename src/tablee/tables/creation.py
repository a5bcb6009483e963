"""New tables: from a request, or as the rematch of a finished table."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from tablee.core.errors import UnknownGame
from tablee.core.game import Value
from tablee.core.lessons import lesson_of
from tablee.core.registry import find_game
from tablee.tables.checks import check_bot, check_setup, check_times
from tablee.tables.commands import Actor
from tablee.tables.daily import DailyDeal
from tablee.tables.decisions import bot_seated
from tablee.tables.events import DAILY, FORK, LESSON, BotSeated, Claimed, CoachAccepted, Created, Started, TableEvent
from tablee.tables.evolution import evolve, open_table
from tablee.tables.refusals import Refused
from tablee.tables.seats import BOT, EMPTY, PERSON, PROGRAM, Seat
from tablee.tables.table import STAND_IN, Table


@dataclass(frozen=True)
class TableRequest:
    """The table a person wants; bots sit in the last seats, the maker in the first."""

    game: str
    seats: int | None = None
    options: Mapping[str, Value] = field(default_factory=dict)
    is_open: bool = False
    clock: int | None = None  # seconds per decision
    bank: int | None = None  # or seconds per player for the whole game
    increment: int = 0  # seconds that a move adds to a player's bank
    rest: int | None = None  # longest rest after a round in seconds; 0: until all people are ready; None: no rest
    bots: Sequence[str] = ()
    sits: bool = True
    coach: bool = False  # the coach may help once all people agree, as the maker does; the result counts for no rating


@dataclass(frozen=True)
class Secrets:
    """What must not be guessed: the seed of the deal, and the invite."""

    seed: int
    invite: str


class OpenedTable(NamedTuple):
    """The first events of a table, and the table after them."""

    events: list[TableEvent]
    table: Table


class SeatedBot(NamedTuple):
    """A bot for a new table; without a name it gets one."""

    bot: str
    name: str = ""


def new_table(
    table_id: str, request: TableRequest, secrets: Secrets, maker: Actor, at: float, bots: Collection[str] = ()
) -> OpenedTable:
    """Return a new table; `bots` are the names of known bots. Raises `Refused` if the request cannot be met."""
    created = _created(request, secrets, maker.key, at)
    for bot in request.bots:
        check_bot(bot, bots, created.game)
    if len(request.bots) + request.sits > created.seats:
        raise Refused("table_full")
    players: list[tuple[int, Actor | SeatedBot]] = [(0, maker)] if request.sits else []
    for seat, bot in enumerate(request.bots, start=created.seats - len(request.bots)):
        players.append((seat, SeatedBot(bot)))
    return seat_players(table_id, created, players, coached=maker.person)


def seat_players(
    table_id: str, created: Created, players: Iterable[tuple[int, Actor | SeatedBot]], coached: str = ""
) -> OpenedTable:
    """Return a new table at which these players sit; the game starts if no seat is empty.

    `coached`: the id of a person who agrees to the coach, if the table has one.
    """
    table, events, at = open_table(table_id, created), list[TableEvent]([created]), created.at
    for seat, player in players:
        events.append(_seated(table, seat, player, at))
        if created.coach and isinstance(player, Actor) and player.person == coached:
            events.append(CoachAccepted(at, seat=seat))
        for event in events[table.number :]:
            table = evolve(table, event)
    if all(seat.kind != EMPTY for seat in table.seats):
        events.append(Started(at))
        table = evolve(table, events[-1])
    return OpenedTable(events, table)


def _seated(table: Table, seat: int, player: Actor | SeatedBot, at: float) -> TableEvent:
    if isinstance(player, Actor):
        return Claimed(at, seat=seat, person=player.person, name=player.name, is_program=player.is_program)
    if player.name:
        return BotSeated(at, seat=seat, bot=player.bot, name=player.name)
    return bot_seated(table, seat, player.bot, at)


def _created(request: TableRequest, secrets: Secrets, key: str, at: float) -> Created:
    try:
        game = find_game(request.game)
    except UnknownGame:
        raise Refused("unknown_game", game=request.game[:40]) from None
    setup = check_setup(game, request.seats, request.options)
    check_times(request)
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
        bank=request.bank,
        increment=request.increment,
        rest=request.rest,
        invite=secrets.invite,
        coach=request.coach,
    )


def lesson_table(table_id: str, game: str, secrets: Secrets, maker: Actor, at: float) -> OpenedTable:
    """Return the table of a game's guided round, at which `maker` and bots sit; raises `Refused` if there is none."""
    lesson = lesson_of(find_game(game))
    if lesson is None:
        raise Refused("not_found", "no_lesson")
    request = TableRequest(game, lesson.seats, lesson.options, rest=0)
    created = msgspec.structs.replace(
        _created(request, secrets, maker.key, at), seed=f"{lesson.seed:064x}", source=LESSON, lesson=lesson.digest
    )
    players = [(seat, maker if seat == lesson.seat else SeatedBot(STAND_IN)) for seat in range(lesson.seats)]
    return seat_players(table_id, created, players)


def daily_table(table_id: str, deal: DailyDeal, secrets: Secrets, maker: Actor, at: float) -> OpenedTable:
    """Return the table of a person's try at the deal of a day, for which of `secrets` only the invite is used."""
    return _deal_of_day(table_id, deal, DAILY, secrets, maker, at)


def practice_table(table_id: str, deal: DailyDeal, secrets: Secrets, maker: Actor, at: float) -> OpenedTable:
    """Return a table for practice on the deal of a day, which counts for nothing."""
    return _deal_of_day(table_id, deal, FORK, secrets, maker, at)


def bots_table(table_id: str, deal: DailyDeal, bot: str) -> OpenedTable:
    """Return a table at which a bot has the seat that everybody has on the deal of a day."""
    return _deal_of_day(table_id, deal, DAILY, Secrets(deal.seed, ""), SeatedBot(bot), at=0.0)


def _deal_of_day(
    table_id: str, deal: DailyDeal, source: str, secrets: Secrets, first: Actor | SeatedBot, at: float
) -> OpenedTable:
    """Return a table on the deal of a day: a player in the first seat, the day's bots in the others."""
    request, key = TableRequest(deal.game, len(deal.bots) + 1, rest=0), first.key if isinstance(first, Actor) else ""
    created = msgspec.structs.replace(
        _created(request, secrets, key, at), seed=f"{deal.seed:064x}", source=source, day=deal.day
    )
    return seat_players(table_id, created, [(0, first), *enumerate(map(SeatedBot, deal.bots), start=1)])


def rematch_table(table_id: str, old: Table, secrets: Secrets, maker: str, at: float) -> OpenedTable:
    """Return a new table with the same options and bots, at which `maker`, a person's id, and all programs sit.

    The other people agree by sitting down: their seats are kept for them. Everybody's is one further on. The maker is
    the host.
    """
    past = old.created
    request = TableRequest(
        past.game,
        past.seats,
        past.options,
        past.is_open,
        clock=past.clock,
        bank=past.bank,
        increment=past.increment,
        rest=past.rest,
        coach=past.coach,
    )
    seats = (old.seats[-1], *old.seats[:-1])
    kept = tuple((seat.person, seat.name) if seat.kind == PERSON else ("", "") for seat in seats)
    created = msgspec.structs.replace(_created(request, secrets, "", at), kept=kept)
    seated = [index for index, seat in enumerate(seats) if seat.kind != PERSON or seat.person == maker]
    seated.sort(key=lambda index: seats[index].person != maker)
    coached = maker if any(seat.person == maker and seat.accepts_coach for seat in seats) else ""
    return seat_players(table_id, created, [(index, _same_player(seats[index])) for index in seated], coached)


def _same_player(seat: Seat) -> Actor | SeatedBot:
    if seat.is_persons:
        return Actor(seat.person, seat.name, seat.kind == PROGRAM)
    return SeatedBot(seat.bot or "", seat.name if seat.kind == BOT else "")
