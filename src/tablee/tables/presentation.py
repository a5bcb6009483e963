"""What one viewer may know about a table: the only way from a table to the outside.

Everything about the game comes from `Match.view` and `Match.tell_events`, which are made from a sight.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import msgspec

from tablee.bots.roster import bot_label
from tablee.core.registry import find_game
from tablee.core.state import SPECTATOR
from tablee.core.view import View
from tablee.core.words import common
from tablee.protocol.shown import (
    EventKind,
    EventShown,
    ProposalShown,
    RestShown,
    ResultShown,
    SeatShown,
    SetupShown,
    Source,
    TableShown,
)
from tablee.records import Record
from tablee.tables.available_commands import available_commands
from tablee.tables.coaching import coach_shown
from tablee.tables.events import AGREEMENT, LESSON, Moved, Queued, TableEvent, Withdrawn, kind_of
from tablee.tables.lessons import lesson_shown, may_move
from tablee.tables.table import OVER, PLAYING, RESTING, Table


def table_shown(table: Table, viewer: int, language: str, former: str = "") -> TableShown:
    """Show a table to a seat (-1: a spectator); `former` is the id of a spectator who has given up a seat."""
    key = (viewer, language, former)
    steady = table.steady.shown.get(key)
    if steady is None:
        steady = table.steady.shown[key] = _steady_shown(table, viewer, language)
    view, is_early = view_shown(table, viewer, language)
    return msgspec.structs.replace(
        steady,
        number=table.number,
        seats=seats_shown(table, viewer, language) if table.time_left else steady.seats,
        deadline=table.deadline,
        now=table.at,
        moves=table.moves,
        view=view,
        round_view=_round_view(table, viewer, language),
        lesson=lesson_shown(table, language) if viewer != SPECTATOR else None,
        is_early=is_early,
        queued=table.queued.get(viewer),
        commands=available_commands(table, viewer, language, former),
        result=_result(table, language),
    )


def _steady_shown(table: Table, viewer: int, language: str) -> TableShown:
    """Show what no move changes."""
    created = table.created
    is_seated = viewer != SPECTATOR
    return TableShown(
        id=table.id,
        number=table.number,
        game=created.game,
        title=find_game(created.game).words(language).say("title"),
        phase=table.phase,
        setup=SetupShown(created.seats, created.options),
        seats=seats_shown(table, viewer, language),
        viewer=viewer,
        commitment=table.commitment,
        source=cast(Source, created.source),
        day=created.day,
        is_open=created.is_open,
        is_rated=table.is_rated,
        is_locked=table.is_locked,
        invite=created.invite if is_seated else None,
        seed=created.seed if table.phase == OVER else None,
        clock=created.clock,
        bank=created.bank,
        increment=created.increment,
        rest=created.rest,
        coach=coach_shown(table),
        resting=_resting(table),
        proposal=None if table.proposal is None else ProposalShown(table.proposal.seat, table.proposal.agreed),
        rematch=table.rematch if is_seated else None,
    )


def seats_shown(table: Table, viewer: int, language: str) -> tuple[SeatShown, ...]:
    """Show who sits where; during a game a seat without a name is called as in its log."""
    words = common(language)
    numbered = table.match.names(language) if table.match and not all(seat.name for seat in table.seats) else ()
    return tuple(
        SeatShown(
            seat=index,
            kind=seat.kind,
            name=seat.name or (numbered[index] if numbered else ""),
            bot=seat.bot,
            is_you=index == viewer,
            is_covered=seat.is_covered,
            level="" if seat.bot is None else bot_label(seat.bot, words),
            is_host=index == table.host,
            time_left=table.time_left[index] if table.time_left else None,
        )
        for index, seat in enumerate(table.seats)
    )


def view_shown(table: Table, viewer: int, language: str) -> tuple[View | None, bool]:
    """Return what the viewer sees, and whether its choices are early ones; there are none unless the game is on."""
    if table.match is None:
        return None, False
    if viewer != SPECTATOR and table.phase == PLAYING:
        early = table.early_position(viewer)
        if early is not None:
            return early.view(viewer, language), True
    view = table.match.draw_view(table.sight(viewer), language)
    return view if table.phase == PLAYING and may_move(table) else replace(view, choices=()), False


def _round_view(table: Table, viewer: int, language: str) -> View | None:
    """Return the end of the round that the last move has ended, while people look at it: at rest and after the game."""
    match = table.match
    if match is None or table.phase not in (RESTING, OVER):
        return None
    is_last = match.is_over or (table.end == LESSON and match.has_just_finished_round)
    return match.round_view(viewer, language) if table.phase == RESTING or is_last else None


def _resting(table: Table) -> RestShown | None:
    if table.rest is None or table.phase != RESTING:
        return None
    return RestShown(table.rest.round, table.rest.ready, tuple(table.not_ready()), table.rest_deadline)


def _result(table: Table, language: str) -> ResultShown | None:
    if table.end is None:
        return None
    if table.match is None:
        return ResultShown(table.end, common(language).say(f"table.{table.end}"), ())
    outcome = table.match.outcome
    if outcome is None:
        key = "lesson_over" if table.end == LESSON else AGREEMENT
        return ResultShown(table.end, common(language).say(f"table.{key}"), tuple(table.match.scores()))
    text = table.match.game.words(language).say(f"reasons.{outcome.reason}")
    return ResultShown(outcome.reason, text, outcome.scores, outcome.ranks, outcome.winners)


def event_shown(table: Table, event: TableEvent, viewer: int) -> EventShown | None:
    """Show an event that led to `table`; None if the viewer may not know of it."""
    if isinstance(event, Moved):
        assert table.match is not None
        return EventShown("moved", event.seat, event.move if table.match.sees_last_move(viewer) else None)
    seat = getattr(event, "seat", None)
    if isinstance(event, Queued | Withdrawn) and seat != viewer:
        return None
    return EventShown(cast(EventKind, kind_of(event)), seat, event.move if isinstance(event, Queued) else None)


def table_record(table: Table, versions: dict[str, int]) -> Record:
    """Return the record of a finished table; `versions` are those of the bots that are still known."""
    assert table.match is not None
    seated = [f"{seat.bot} {versions.get(seat.bot, '')}".strip() if seat.bot else seat.kind for seat in table.seats]
    kinds = [kind for _, kind in table.created.players] or seated
    return table.match.record(kinds=kinds, table=table.id, end=table.end or "")
