"""New tables out of the past: somebody plays on from a moment of a game that is over, or brings a record to look at."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from tablee.bots.roster import known_names
from tablee.core.match import Match
from tablee.core.randomness import new_generator
from tablee.records import Record
from tablee.tables.commands import Actor
from tablee.tables.creation import Secrets
from tablee.tables.decisions import bot_seated
from tablee.tables.events import AGREEMENT, FORK, RECORD, Claimed, Created, Ended, Started, TableEvent
from tablee.tables.refusals import Refused
from tablee.tables.replays import Replay
from tablee.tables.table import Table, evolve, opened


@dataclass(frozen=True)
class Fork:
    """Where somebody wants to play on, in which seat, against which bot; with the true cards or imagined ones."""

    moves: int
    seat: int
    bot: str
    is_imagined: bool


def fork_table(
    table_id: str, old: Table, fork: Fork, secrets: Secrets, maker: Actor, at: float
) -> tuple[list[TableEvent], Table]:
    """Return the first events of a table that goes on from a moment of another, and the table after them."""
    past = _moment(old, fork)
    created = msgspec.structs.replace(
        old.created, at=at, key=maker.key, is_open=False, clock=None, invite=secrets.invite, source=FORK, players=()
    )
    first = _imagined(created, past, fork.seat, secrets) if fork.is_imagined else _true(created, past)
    table, events = opened(table_id, first), [first]
    others: list[TableEvent] = []
    for seat in range(created.seats):
        if seat == fork.seat:
            event: TableEvent = Claimed(
                at, seat=seat, person=maker.person, name=maker.name, is_program=maker.is_program
            )
        else:
            event = bot_seated(table, seat, fork.bot, at)
        others.append(event)
        table = evolve(table, event)
    return [*events, *others, Started(at)], evolve(table, Started(at))


def _moment(old: Table, fork: Fork) -> Match:
    """Return where it goes on, or refuse."""
    if fork.bot not in known_names():
        raise Refused("unknown_bot", bot=fork.bot[:40])
    if not 0 <= fork.seat < len(old.seats):
        raise Refused("no_such_seat", seat=fork.seat + 1)
    if old.match is None or fork.moves > len(old.match.moves):
        raise Refused("not_found")
    past = Replay(old.match).at(fork.moves)
    if past.is_over:
        raise Refused("not_playing", "while_over")
    return past


def _true(created: Created, past: Match) -> Created:
    """Leave everything as it was, the chance to come included."""
    return msgspec.structs.replace(created, played=tuple(past.text(move) for move in past.moves))


def _imagined(created: Created, past: Match, seat: int, secrets: Secrets) -> Created:
    """Draw anew what the seat did not know, and all chance to come."""
    world = past.sight(seat).imagine(new_generator(secrets.seed))
    return msgspec.structs.replace(
        created, seed=f"{secrets.seed:064x}", stream=0, start=world.tobytes().hex(), played=()
    )


def recorded_table(
    table_id: str, record: Record, secrets: Secrets, maker: Actor, at: float
) -> tuple[list[TableEvent], Table]:
    """Return the events of a table that is over: somebody's record, replayed and checked (else `BadRecord`)."""
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
    table = opened(table_id, created)
    for event in events[1:]:
        table = evolve(table, event)
    return events, table


def _kinds(record: Record, seats: int) -> list[str]:
    return [player.kind for player in record.header.players] or [""] * seats
