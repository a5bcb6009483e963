"""The constants of a game's `prospects.py`, fitted to what became of the positions at the end of rounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablee.core.compilation import is_interpreted
from tablee.core.errors import TableeError
from tablee.core.game import Game
from tablee.core.match import Match
from tablee.core.state import copy_state
from tablee.core.types import State

FACTORS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2, 1.3, 1.45, 1.6, 1.8, 2.0)
PASSES = 2  # over all constants of a game


class RoundEnd(NamedTuple):
    """A position after a round, and the shares at the end of its game."""

    game: int
    state: State
    results: NDArray[np.float64]


def fit_constants(game: Game, games: Sequence[Match]) -> Iterator[str]:
    """Yield a line per constant: its value, and the one with the least mean squared error of the shares.

    Raises TableeError if kernels are compiled: they would not notice another value.
    """
    if not is_interpreted():
        raise TableeError("constants can only be changed in interpreted kernels: set NUMBA_DISABLE_JIT=1")
    ends = [end for number, match in enumerate(games) for end in round_ends(number, match)]
    module = game.module("prospects")
    names = [name for name in dir(module) if name.isupper() and isinstance(getattr(module, name), float)]
    before = {name: getattr(module, name) for name in names}
    first = errors_of(game, ends, len(games))
    for _ in range(PASSES):
        for name in names:
            found = {}
            for factor in FACTORS:
                setattr(module, name, factor * before[name])
                found[factor] = errors_of(game, ends, len(games)).mean()
            setattr(module, name, before[name] * min(found, key=lambda factor: found[factor]))
    gains = first - errors_of(game, ends, len(games))
    noise = 2 * gains.std(ddof=1) / np.sqrt(len(gains))
    yield (
        f"{game.name}: {len(games)} games, {len(ends)} ends of rounds, mean squared error {first.mean():.5f}, "
        f"less {gains.mean():.5f} ± {noise:.5f} with"
    )
    for name in names:
        yield f"  {name} = {getattr(module, name):.4g} instead of {before[name]:.4g}"


def round_ends(number: int, match: Match) -> Iterator[RoundEnd]:
    """Yield the positions after all rounds of a game but the last."""
    results = np.zeros(match.seats)
    match.game.kernels.shares(match.state, results)
    again = Match.from_state(match.game, match.first_state)
    for move in match.moves:
        again.push(move)
        if again.has_just_finished_round and not again.is_over:
            yield RoundEnd(number, copy_state(again.state), results)


def errors_of(game: Game, ends: Sequence[RoundEnd], games: int) -> NDArray[np.float64]:
    """Return the mean squared error of the shares for each game with a round end."""
    sums, counts = np.zeros(games), np.zeros(games)
    for number, state, results in ends:
        out = np.zeros(len(results))
        game.kernels.shares(state, out)
        sums[number] += ((out - results) ** 2).sum()
        counts[number] += len(results)
    found: NDArray[np.float64] = sums[counts > 0] / counts[counts > 0]
    return found
