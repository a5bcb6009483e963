"""The record of a match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import tablee
from tablee.core import randomness
from tablee.core.errors import BadRecord
from tablee.core.game import show
from tablee.core.state import copy_state, state_digest
from tablee.records.header import Deal, Header, Player, Position, current_date
from tablee.records.moves import RecordedMove, digest_points
from tablee.records.record import Record

if TYPE_CHECKING:
    from tablee.core.match import Match


def record_match(
    match: Match, kinds: Sequence[str] | None, date: str | None, software: str | None, notes: Mapping[str, str]
) -> Record:
    """Return the record of a match from its beginning to now."""
    header = Header(
        game=match.game.name,
        game_version=match.game.version,
        seats=match.seats,
        options=tuple((name, show(value)) for name, value in match.setup.options.items()),
        generator=randomness.VERSION,
        origin=_origin(match),
        players=_players(match, kinds),
        date=date or current_date(),
        software=software or f"tablee {tablee.__version__}",
        notes=tuple(notes.items()),
        reduction=match.setup.reduction if match.seed is not None else "",
    )
    moves, digests = _replay_moves(match)
    return Record(header, moves, digests, match.outcome)


def _origin(match: Match) -> Deal | Position:
    if match.seed is None:
        return Position(bytes(match.first_state.tobytes()))
    return Deal(match.seed, match.stream)


def _players(match: Match, kinds: Sequence[str] | None) -> tuple[Player, ...]:
    if kinds is None:
        return tuple(Player(name) for name in match.players or ())
    if len(kinds) != match.seats:
        raise BadRecord(f"{len(kinds)} kinds of players for {match.seats} seats")
    names = match.players or match.names()
    return tuple(Player(name, kind) for name, kind in zip(names, kinds, strict=True))


def _replay_moves(match: Match) -> tuple[tuple[RecordedMove, ...], tuple[str, ...]]:
    """Play the moves again; return them with their seats, and the digests at the digest points."""
    points = set(digest_points(len(match.moves)))
    state = copy_state(match.first_state)
    moves: list[RecordedMove] = []
    digests = [state_digest(state)]
    for number, move in enumerate(match.moves, 1):
        moves.append(RecordedMove(int(state.to_move), match.text(move)))
        match.game.kernels.play(state, move)
        if number in points:
            digests.append(state_digest(state))
    if digests[-1] != match.digest():
        raise BadRecord("the state of the match does not follow from its moves: something else has changed it")
    return tuple(moves), tuple(digests)
