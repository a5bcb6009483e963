"""Why a move is not possible: asked with a move's text, or with what was touched. Nothing is played.

Front ends do not know the rules, so the move that a player meant by touching something is worked out here, from the
choices of the viewer's own view.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from tablee.core.match import Match
from tablee.core.state import SPECTATOR, copy_state
from tablee.core.view import View, Zone
from tablee.core.words import common
from tablee.tables.decisions import check_move, position_to_play
from tablee.tables.refusals import Refused
from tablee.tables.table import Table

MAX_EARLIER_TURNS = 20  # whose choices are searched for what a piece or zone was used for


class Reason(NamedTuple):
    """Why a move is not possible, and the clause of the rulebook."""

    text: str
    clause: str | None = None


def explain(table: Table, viewer: int, targets: Sequence[str], move: str, language: str) -> Reason:
    """Return why a viewer cannot play a move now: the one given as text, else the one meant by touching `targets`."""
    try:
        if viewer == SPECTATOR:
            raise Refused("not_seated")
        position = position_to_play(table, viewer)
    except Refused as refused:
        return Reason(refused.text(language), refused.clause)
    assert table.match is not None
    return explain_in(position, table.match, viewer, targets, move, language)


def explain_in(
    position: Match, history: Match, viewer: int, targets: Sequence[str], move: str, language: str
) -> Reason:
    """Return why the viewer, who is to move in `position`, cannot play a move; `history` has the earlier moves."""
    view = position.view(viewer, language)
    meant = position.game.move_words(language).canonical(move) if move else meant_move(view, targets)
    meant = meant or _earlier_move(history, viewer, targets)
    if not meant:
        return Reason(f"{common(language).say('explain.not_now')} {view.prompt}")
    try:
        check_move(position, meant)
    except Refused as refused:
        if refused.code == "bad_move" and not move:
            return Reason(f"{common(language).say('explain.not_now')} {view.prompt}")
        return Reason(refused.text(language), refused.clause)
    key = "possible" if move else "not_now"
    return Reason(f"{common(language).say(f'explain.{key}')} {view.prompt}")


def meant_move(view: View, targets: Sequence[str]) -> str | None:
    """Return the text of the move that touching these pieces or zones, in order, seems to mean.

    It is a choice's text with the last target's name in it: `flip a1` for `flip b2`. The result is rarely legal, and
    sometimes no move at all. None if nothing similar is possible.
    """
    if not targets:
        return None
    *picked, touched = targets
    zone = _zone_of(view, touched)
    for choice in view.choices:
        if list(choice.targets[: len(picked)]) == picked and len(choice.targets) > len(picked):
            similar = choice.targets[len(picked)]
            if _is_sibling(similar, touched, zone):
                return _with_name(choice.text, _local_name(similar), _local_name(touched))
    return None


def _zone_of(view: View, identity: str) -> Zone | None:
    """Return the zone in which the piece of that id lies."""
    return next((zone for zone in view.zones if any(piece.id == identity for piece in zone.pieces)), None)


def _is_sibling(similar: str, touched: str, zone: Zone | None) -> bool:
    """Whether both lie in one zone, whose pieces are named by where they lie (cards in a hand are not)."""
    if zone is None or zone.kind == "fan" or similar == touched:
        return False
    return any(piece.id == similar for piece in zone.pieces)


def _with_name(text: str, old: str, name: str) -> str | None:
    words = text.split(" ")
    return " ".join(name if word == old else word for word in words) if old in words else None


def _local_name(identity: str) -> str:
    return identity.rpartition(".")[2]


def _earlier_move(history: Match, viewer: int, targets: Sequence[str]) -> str | None:
    """Return the move that touching this one piece or zone was at one of the viewer's earlier turns, the latest."""
    if len(targets) != 1:
        return None
    match = Match.from_state(history.game, history.first_state, history.players)
    states = deque[object](maxlen=MAX_EARLIER_TURNS)
    for move in history.moves:
        if match.to_move == viewer:
            states.append(copy_state(match.state))
        match.push(move)
    for state in reversed(states):
        choices = Match.from_state(history.game, state, history.players).view(viewer).choices
        found = next((choice for choice in choices if choice.targets == (targets[0],)), None)
        if found is not None:
            return found.text
    return None
