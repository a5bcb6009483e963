"""What one viewer may know of a table, ready to be sent: the only way from a table to the outside.

Everything about the game comes from `Match.view` and `Match.events`, which are made from a sight.
"""

from __future__ import annotations

from typing import Any

import msgspec

from tablee.core.registry import find_game
from tablee.core.state import SPECTATOR
from tablee.core.view import Event, View
from tablee.core.words import common
from tablee.records import Record
from tablee.tables.decisions import can_undo
from tablee.tables.early_choices import position_at_own_turn
from tablee.tables.events import (
    AGREEMENT,
    Created,
    EndAnswered,
    Moved,
    Queued,
    TableEvent,
    Withdrawn,
    kind_of,
)
from tablee.tables.table import OVER, PLAYING, Table


class SeatShown(msgspec.Struct, frozen=True):
    """A seat, as everybody sees it."""

    seat: int
    kind: str
    name: str
    bot: str | None
    is_you: bool
    is_covered: bool


class SetupShown(msgspec.Struct, frozen=True):
    """How the game is set up."""

    seats: int
    options: dict[str, Any]


class ProposalShown(msgspec.Struct, frozen=True):
    """Somebody would rather stop."""

    seat: int
    agreed: tuple[int, ...]


class ResultShown(msgspec.Struct, frozen=True):
    """How it ended; without places if no rule ended it."""

    reason: str
    text: str
    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    winners: tuple[int, ...]


class TableShown(msgspec.Struct, frozen=True):
    """The whole of what one viewer may know now (docs/protocol.md)."""

    id: str
    number: int
    game: str
    title: str
    phase: str
    setup: SetupShown
    source: str
    is_open: bool
    seats: tuple[SeatShown, ...]
    viewer: int
    invite: str | None
    commitment: str
    seed: str | None
    clock: int | None
    deadline: float | None
    now: float
    view: View | None
    early: bool
    queued: str | None
    can_undo: bool
    proposal: ProposalShown | None
    result: ResultShown | None
    rematch: str | None


class EventShown(msgspec.Struct, frozen=True):
    """A fact, as far as the viewer may know it."""

    kind: str
    seat: int | None = None
    move: str | None = None


def table_shown(table: Table, viewer: int, language: str) -> TableShown:
    """Show a table to a seat (-1: a spectator)."""
    created = table.created
    view, is_early = _view(table, viewer, language)
    is_seated = viewer != SPECTATOR
    return TableShown(
        id=table.id,
        number=table.number,
        game=created.game,
        title=find_game(created.game).words(language).say("title"),
        phase=table.phase,
        setup=SetupShown(created.seats, created.options),
        source=created.source,
        is_open=created.is_open,
        seats=seats_shown(table, viewer),
        viewer=viewer,
        invite=created.invite if is_seated else None,
        commitment=table.commitment,
        seed=created.seed if table.phase == OVER else None,
        clock=created.clock,
        deadline=table.deadline,
        now=table.at,
        view=view,
        early=is_early,
        queued=table.queued.get(viewer),
        can_undo=is_seated and can_undo(table, viewer),
        proposal=None if table.proposal is None else ProposalShown(table.proposal.seat, table.proposal.agreed),
        result=_result(table, language),
        rematch=table.rematch if is_seated else None,
    )


def seats_shown(table: Table, viewer: int) -> tuple[SeatShown, ...]:
    """Show who sits where."""
    return tuple(
        SeatShown(index, seat.kind, seat.name, seat.bot, index == viewer, seat.is_covered)
        for index, seat in enumerate(table.seats)
    )


def _view(table: Table, viewer: int, language: str) -> tuple[View | None, bool]:
    """Return what the viewer sees, and whether its choices are for a turn to come."""
    if table.match is None:
        return None, False
    if viewer != SPECTATOR and table.phase == PLAYING:
        ahead = position_at_own_turn(table.match, table.sight(viewer))
        if ahead is not None:
            return ahead.view(viewer, language), True
    return table.match.drawn(table.sight(viewer), language), False


def _result(table: Table, language: str) -> ResultShown | None:
    if table.match is None or table.end is None:
        return None
    outcome = table.match.outcome
    if outcome is None:
        return ResultShown(AGREEMENT, common(language).say("table.agreement"), tuple(table.match.scores()), (), ())
    text = table.match.game.words(language).say(f"reasons.{outcome.reason}")
    return ResultShown(outcome.reason, text, outcome.scores, outcome.ranks, outcome.winners)


# What happened


def event_shown(table: Table, event: TableEvent, viewer: int) -> EventShown | None:
    """Show a fact that led to `table`; None if the viewer may not know of it."""
    seat = getattr(event, "seat", None)
    if isinstance(event, Queued | Withdrawn) and seat != viewer:
        return None
    if isinstance(event, Moved):
        return EventShown("moved", seat, event.move if _sees_last_move(table, viewer) else None)
    return EventShown(kind_of(event), seat, event.move if isinstance(event, Queued) else None)


def _sees_last_move(table: Table, viewer: int) -> bool:
    assert table.before is not None
    assert table.match is not None
    sees_move = table.match.game.kernels.sees_move
    return bool(sees_move(table.before.state, table.match.moves[-1], viewer))


def event_told(table: Table, event: TableEvent, shown: EventShown | None, viewer: int, language: str) -> list[Event]:
    """Tell in words what led to `table`, as far as the viewer may know it."""
    if shown is None or isinstance(event, Created):
        return []
    if isinstance(event, Moved):
        assert table.match is not None
        return table.match.told(table.sight_before(viewer), table.sight(viewer), language)
    name = table.seats[shown.seat].name if shown.seat is not None else ""
    key = shown.kind
    if isinstance(event, EndAnswered):
        key = "end_agreed" if event.agrees else "end_declined"
    text = common(language).say(f"table.{key}", name=name)
    return [Event(f"table.{shown.kind}", text, shown.seat)]


def is_reseating(event: TableEvent) -> bool:
    """Whether somebody may see differently after an event than before it."""
    return kind_of(event) in ("claimed", "left", "started")


# What remains


def table_record(table: Table, versions: dict[str, int]) -> Record:
    """Return the record of a table that is over; `versions` are those of the bots that are still known."""
    assert table.match is not None
    seated = [f"{seat.bot} {versions.get(seat.bot, '')}".strip() if seat.bot else seat.kind for seat in table.seats]
    kinds = [kind for _, kind in table.created.players] or seated
    return table.match.record(kinds=kinds, table=table.id, end=table.end or "")
