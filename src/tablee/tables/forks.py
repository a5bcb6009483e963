"""New tables from the past: continued from a position of a finished game, or an imported record."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import msgspec

from tablee.core.match import Match
from tablee.core.randomness import new_generator
from tablee.records import Record
from tablee.tables.checks import check_bot, check_seat
from tablee.tables.commands import Actor
from tablee.tables.creation import OpenedTable, SeatedBot, Secrets, seat_players
from tablee.tables.events import AGREEMENT, DEAL, FORK, RECORD, Created, Ended, Started, TableEvent
from tablee.tables.evolution import rebuild_table
from tablee.tables.refusals import Refused
from tablee.tables.replays import Replay
from tablee.tables.table import Table


@dataclass(frozen=True)
class Fork:
    """Where to continue, in which seat, against which bot; with the true cards or with imagined ones."""

    moves: int
    seat: int
    bot: str
    is_imagined: bool


def fork_table(
    table_id: str, old: Table, fork: Fork, secrets: Secrets, maker: Actor, at: float, bots: Collection[str]
) -> OpenedTable:
    """Return a new table that continues from a position of another; `bots` are the names of known bots."""
    check_bot(fork.bot, bots, old.created.game)
    past = _position(old, fork)
    created = msgspec.structs.replace(
        old.created,
        at=at,
        key=maker.key,
        is_open=False,
        clock=None,
        invite=secrets.invite,
        source=FORK,
        players=(),
        coach=True,
    )
    first = _imagined(created, past, fork.seat, secrets) if fork.is_imagined else _true(created, past)
    players = [(seat, maker if seat == fork.seat else SeatedBot(fork.bot)) for seat in range(created.seats)]
    return seat_players(table_id, first, players)


def _position(old: Table, fork: Fork) -> Match:
    """Return the match where it continues, or refuse."""
    check_seat(old, fork.seat)
    if old.match is None or fork.moves > len(old.match.moves):
        raise Refused("not_found")
    past = Replay(old.match).at(fork.moves)
    if past.is_over:
        raise Refused("not_playing", "while_over")
    return past


def _true(created: Created, past: Match) -> Created:
    """Keep the deal and all chance to come."""
    return msgspec.structs.replace(created, played=tuple(past.text(move) for move in past.moves))


def _imagined(created: Created, past: Match, seat: int, secrets: Secrets) -> Created:
    """Draw again what the seat did not know, and all chance to come."""
    world = past.sight(seat).imagine(new_generator(secrets.seed))
    return msgspec.structs.replace(
        created, seed=f"{secrets.seed:064x}", stream=0, start=world.tobytes().hex(), played=()
    )


def continue_match(
    table_id: str,
    match: Match,
    players: Iterable[tuple[int, Actor | SeatedBot]],
    secrets: Secrets,
    at: float,
    rest: int | None = None,
    coached: str = "",
) -> OpenedTable:
    """Return a new table that continues a match, which is not changed, with these players in its seats.

    A match that was dealt keeps its seed and with it all chance to come; `secrets.seed` is for one that began in a
    position. `rest` is as in a `TableRequest`; `coached` is the id of a person who wants the coach to help.
    """
    is_dealt = match.seed is not None
    created = Created(
        at,
        game=match.game.name,
        version=match.game.version,
        seats=match.seats,
        options=dict(match.setup.options),
        seed=f"{match.seed if match.seed is not None else secrets.seed:064x}",
        rest=rest,
        invite=secrets.invite,
        source=FORK if match.moves or not is_dealt else DEAL,
        stream=match.stream,
        start="" if is_dealt else match.first_state.tobytes().hex(),
        played=tuple(match.text(move) for move in match.moves),
        coach=bool(coached),
    )
    return seat_players(table_id, created, players, coached)


def recorded_table(table_id: str, record: Record, secrets: Secrets, maker: Actor, at: float) -> OpenedTable:
    """Return a finished table made from a record, which is replayed and checked; raises `BadRecord`."""
    match = record.replay()
    assert match.seed is not None  # a record that starts in a position is not replayed
    created = Created(
        at,
        maker.key,
        game=match.game.name,
        version=match.game.version,
        seats=match.seats,
        options=dict(match.setup.options),
        seed=f"{match.seed:064x}",
        invite=secrets.invite,
        source=RECORD,
        stream=match.stream,
        played=tuple(match.text(move) for move in match.moves),
        players=tuple(zip(match.names(), _kinds(record, match.seats), strict=True)),
    )
    outcome = match.outcome
    events: list[TableEvent] = [created, Started(at), Ended(at, reason=outcome.reason if outcome else AGREEMENT)]
    return OpenedTable(events, rebuild_table(table_id, events))


def _kinds(record: Record, seats: int) -> list[str]:
    return [player.kind for player in record.header.players] or [""] * seats
