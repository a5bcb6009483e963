"""Checks of a game's policy: it uses only what the seat on turn can see, and its numbers are in range."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tablee.core.game import Game
from tablee.core.kernels import believe_all, rank_shares
from tablee.core.match import Match
from tablee.core.randomness import new_generator
from tablee.core.state import SPECTATOR, copy_state
from tablee.testing.budget import Budget
from tablee.testing.nonconformity import Nonconformity, move_name
from tablee.testing.positions import random_positions

MAX_MOVES = 2000
FIRST_POSITIONS, STRIDE = 40, 50  # at the usual setup: the first positions, then one in STRIDE
MAX_OTHER_MOVES = 5  # at other setups
ROUNDING = 1e-9


def ratings_use_only_the_sight(game: Game, budget: Budget) -> None:
    """Check that `rate` gives finite numbers, the same for the state and for the sight of the seat on turn."""
    for match in _positions(game, budget):
        moves = np.array(match.legal_moves(), np.int32)
        if len(moves) == 0:
            continue
        seen, true = np.full(len(moves), np.nan), np.full(len(moves), np.nan)
        game.kernels.rate(match.sight(match.to_move).state, moves, len(moves), seen)
        game.kernels.rate(match.state, moves, len(moves), true)
        if not np.isfinite(seen).all():
            move = move_name(game, int(moves[np.flatnonzero(~np.isfinite(seen))[0]]))
            raise Nonconformity(game, f"`rate` gives no finite number for move {move}", **_where(match))
        if (seen != true).any():
            move = move_name(game, int(moves[np.flatnonzero(seen != true)[0]]))
            raise Nonconformity(
                game, f"`rate` of move {move} depends on what is hidden from the seat on turn", **_where(match)
            )


def evaluations_are_in_bounds(game: Game, budget: Budget) -> None:
    """Check that `evaluate`, `potential` and `shares` give a number from 0 to 1 for each seat, and `stage` an integer.

    The mean of `shares` is a half, and at the end they are what the ranks say.
    """
    for match in _positions(game, budget):
        for name in ("evaluate", "potential", "shares"):
            found = np.full(match.seats, np.nan)
            getattr(game.kernels, name)(match.state, found)
            if not ((found >= 0) & (found <= 1)).all():
                raise Nonconformity(game, f"`{name}` gives {found.tolist()}, not numbers from 0 to 1", **_where(match))
        _check_shares(game, match)
        if int(game.kernels.stage(match.state)) != game.kernels.stage(match.state):
            raise Nonconformity(game, "`stage` is not an integer", **_where(match))


def stages_end_alike(game: Game, budget: Budget) -> None:
    """Check that `play_in_stage` does what `play` does; where the stage ends, that the results are the same."""
    if game.kernels.play_in_stage is game.kernels.play:
        return
    for setup in budget.view_setups(game):
        for match in random_positions(game, setup, budget.seed, MAX_MOVES):
            if match.is_over:
                continue
            move = match.legal_moves()[len(match.moves) % len(match.legal_moves())]
            whole, part = copy_state(match.state), copy_state(match.state)
            game.kernels.play(whole, move)
            game.kernels.play_in_stage(part, move)
            is_same_stage = game.kernels.stage(whole) == game.kernels.stage(match.state)
            if (is_same_stage and whole.tobytes() != part.tobytes()) or _results(game, whole) != _results(game, part):
                what = f"`play_in_stage` of move {move_name(game, move)} has another result than `play`"
                raise Nonconformity(game, what, **_where(match))


def _results(game: Game, state: Any) -> tuple[Any, ...]:
    """Return what a simulated game can end with."""
    points, order = np.zeros(state.seats, np.int64), np.zeros(state.seats, np.int64)
    values, shares = np.zeros(state.seats), np.zeros(state.seats)
    game.kernels.scores(state, points)
    game.kernels.ranks(state, order)
    game.kernels.evaluate(state, values)
    game.kernels.shares(state, shares)
    results = (points.tolist(), order.tolist(), values.tolist(), shares.tolist())
    return (int(state.end_reason), int(game.kernels.stage(state)), *results)


def _check_shares(game: Game, match: Match) -> None:
    shares, by_rank = np.zeros(match.seats), np.zeros(match.seats)
    game.kernels.shares(match.state, shares)
    if abs(shares.mean() - 0.5) > ROUNDING:
        raise Nonconformity(game, f"`shares` gives {shares.tolist()}, with another mean than a half", **_where(match))
    rank_shares(match.state, by_rank)
    if match.is_over and abs(shares - by_rank).max() > ROUNDING:
        said = f"`shares` gives {shares.tolist()} at the end, and the ranks mean {by_rank.tolist()}"
        raise Nonconformity(game, said, **_where(match))


def beliefs_are_probabilities(game: Game, budget: Budget) -> None:
    """Check that `believe`, if a game has one, gives a probability for imagined worlds, for every viewer."""
    if game.kernels.believe is believe_all:
        return
    generator = new_generator(budget.seed)
    for match in _positions(game, budget):
        for viewer in range(SPECTATOR, match.seats):
            probability = game.kernels.believe(match.sight(viewer).imagine(generator), viewer)
            if not 0 <= probability <= 1:
                raise Nonconformity(game, f"`believe` gives {probability}, which is not a probability", **_where(match))


def _positions(game: Game, budget: Budget) -> Iterator[Match]:
    """Yield positions of a whole game at the usual setup, and the first ones at other setups."""
    for setup in budget.view_setups(game):
        max_moves = MAX_MOVES if setup == game.setup() else MAX_OTHER_MOVES
        for match in random_positions(game, setup, budget.seed, max_moves):
            if match.is_over or len(match.moves) < FIRST_POSITIONS or len(match.moves) % STRIDE == 0:
                budget.tried.count(setup, positions=1)
                yield match


def _where(match: Match) -> dict[str, Any]:
    return {"setup": match.setup, "seed": match.seed, "move": len(match.moves)}
