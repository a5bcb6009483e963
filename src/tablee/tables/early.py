"""Simultaneous choices: the engine plays them in seat order and hides them, a table lets a person give his early."""

from __future__ import annotations

from tablee.core.match import Match
from tablee.core.sight import Sight
from tablee.core.state import copy_state

MOST_AHEAD = 4  # choices per seat that are made at the same time
MOST_TRIED = 24  # moves of another seat that are compared; simultaneous choices have few


def own_choice_ahead(match: Match, seat: int) -> Match | None:
    """Return the match as it will look to a seat when its turn comes, if nothing it may learn happens before.

    What the others choose in between is made up: the seat cannot tell the difference. None if it has to wait.
    """
    if match.is_over or match.to_move == seat or not _is_blind(match, seat):
        return None
    ahead = match.copy()
    for _ in range(MOST_AHEAD * match.seats):
        ahead.play(ahead.legal_moves()[0])
        if ahead.to_move == seat:
            return ahead
        if ahead.is_over or not _is_blind(ahead, seat):
            return None
    return None


def _is_blind(match: Match, seat: int) -> bool:
    """Whether a seat learns nothing from the coming move: neither which it is, nor by what it brings about."""
    kernels = match.game.kernels
    moves = match.legal_moves()
    if any(kernels.sees_move(match.state, move, seat) for move in moves):
        return False
    sights = set()
    for move in moves[:: max(1, len(moves) // MOST_TRIED)]:
        state = copy_state(match.state)
        kernels.play(state, move)
        sights.add(Sight.of(match.game, state, seat).to_bytes())
    return len(sights) == 1
