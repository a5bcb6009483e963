"""Checks of what a game tells bots: its policy judges by what can be seen, and in numbers that mean something."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tablee.core.game import Game
from tablee.core.kernels import believe_all
from tablee.core.match import Match
from tablee.core.randomness import new_generator
from tablee.core.state import SPECTATOR
from tablee.testing.budget import Budget
from tablee.testing.nonconformity import Nonconformity
from tablee.testing.positions import random_positions

SEED = 7
MAX_MOVES = 2000
CLOSE, STRIDE = 40, 50  # at the usual setup each of the first positions is looked at, then every so manyth
FEW = 5  # positions that are looked at in other setups


def ratings_are_honest(game: Game, budget: Budget) -> None:
    """Check that `rate` finds finite numbers, the same from what the seat on turn sees and from the true record."""
    for match in _positions(game, budget):
        moves = np.array(match.legal_moves(), np.int32)
        if len(moves) == 0:
            continue
        seen, true = np.full(len(moves), np.nan), np.full(len(moves), np.nan)
        game.kernels.rate(match.sight(match.to_move).state, moves, len(moves), seen)
        game.kernels.rate(match.state, moves, len(moves), true)
        if not np.isfinite(seen).all():
            move = int(moves[np.flatnonzero(~np.isfinite(seen))[0]])
            raise Nonconformity(game, f"`rate` finds no finite number for move {move}", **_where(match))
        if (seen != true).any():
            move = int(moves[np.flatnonzero(seen != true)[0]])
            raise Nonconformity(game, f"`rate` judges move {move} by what is hidden from its mover", **_where(match))


def evaluations_are_in_bounds(game: Game, budget: Budget) -> None:
    """Check that `evaluate` finds a number from 0 to 1 for each seat, and `stage` a whole one."""
    for match in _positions(game, budget):
        found = np.full(match.seats, np.nan)
        game.kernels.evaluate(match.state, found)
        if not ((found >= 0) & (found <= 1)).all():
            raise Nonconformity(game, f"`evaluate` finds {found.tolist()}, not numbers from 0 to 1", **_where(match))
        if int(game.kernels.stage(match.state)) != game.kernels.stage(match.state):
            raise Nonconformity(game, "`stage` is no whole number", **_where(match))


def beliefs_are_chances(game: Game, budget: Budget) -> None:
    """Check that `believe`, if a game brings one, finds a chance from 0 to 1 for worlds that fit, for every viewer."""
    if game.kernels.believe is believe_all:
        return
    generator = new_generator(SEED)
    for match in _positions(game, budget):
        for viewer in range(SPECTATOR, match.seats):
            chance = game.kernels.believe(match.sight(viewer).imagine(generator), viewer)
            if not 0 <= chance <= 1:
                raise Nonconformity(game, f"`believe` finds {chance}, which is no chance", **_where(match))


def _positions(game: Game, budget: Budget) -> Iterator[Match]:
    """Yield positions spread over a game at the usual setup, its last one included, and the first few of others."""
    for setup in budget.drawn_setups(game):
        most, close = (MAX_MOVES, CLOSE) if setup == game.setup() else (FEW, FEW)
        for match in random_positions(game, setup, SEED, most):
            if match.is_over or len(match.moves) < close or len(match.moves) % STRIDE == 0:
                yield match


def _where(match: Match) -> dict[str, Any]:
    return {"setup": match.setup, "seed": SEED, "move": len(match.moves)}
