"""Moves per second of the different ways to play a game."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import numpy as np

from tablee.core.game import Game, Setup
from tablee.core.match import Match
from tablee.core.state import blank_state
from tablee.simulation.random_play import play_batch, random_games

SECONDS = 1.0  # of measurement, at least
RUNS = 5  # the best counts: other programs can only slow a run down


def rate(play: Callable[[int], int], seconds: float = SECONDS, clock: Callable[[], float] = time.process_time) -> float:
    """Return the moves per second of `play(games) -> moves`: the best of several runs that take long enough.

    Seconds are of processor time by default, which other programs disturb little.
    """
    games, best = 1, 0.0
    while True:
        start = clock()
        moves = play(games)
        elapsed = clock() - start
        if elapsed >= seconds / RUNS:
            break
        games = round(games * min(64.0, max(2.0, 1.2 * seconds / RUNS / max(elapsed, 1e-9))))
    for _ in range(RUNS):
        best = max(best, moves / max(elapsed, 1e-9))
        start = clock()
        moves = play(games)
        elapsed = clock() - start
    return best


def compiled_on_one_core(game: Game, setup: Setup, seconds: float = SECONDS) -> float:
    """Measure whole random games inside compiled code."""
    play_batch(game, setup, 0, 0, 1)
    return rate(lambda games: int(play_batch(game, setup, 0, 0, games).lengths.sum()), seconds)


def compiled_on_all_cores(game: Game, setup: Setup, seconds: float = SECONDS) -> float:
    """Measure a simulation as `simulate` runs it."""
    return rate(lambda games: random_games(game, setup, games, seed=0).moves, seconds, time.perf_counter)


def kernels_from_python(game: Game, setup: Setup, seconds: float = SECONDS) -> float:
    """Measure single kernels called from Python."""
    chooser = random.Random(0)
    kernels, out = game.kernels, np.zeros(game.max_legal_moves, np.int32)

    def play(games: int) -> int:
        moves = 0
        for stream in range(games):
            state = blank_state(game, setup, 0, stream)
            kernels.deal(state)
            while count := kernels.legal_moves(state, out):
                kernels.play(state, int(out[int(chooser.random() * count)]))
                moves += 1
        return moves

    play(1)
    return rate(play, seconds)


def match_from_python(game: Game, setup: Setup, seconds: float = SECONDS) -> float:
    """Measure `Match`, which checks every move."""
    chooser = random.Random(0)

    def play(games: int) -> int:
        moves = 0
        for stream in range(games):
            match = Match(game, seats=setup.seats, options=setup.options, seed=0, stream=stream)
            while not match.is_over:
                match.play(chooser.choice(match.legal_moves()))
            moves += len(match.moves)
        return moves

    play(1)
    return rate(play, seconds)
