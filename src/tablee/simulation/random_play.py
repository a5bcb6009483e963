"""Run a simulation: batches of games on every core, the same results however they are split."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from tablee.core.compilation import is_interpreted
from tablee.core.errors import BadSetup
from tablee.core.game import Game, Setup
from tablee.core.randomness import GENERATOR, new_generator, reseed
from tablee.core.state import blank_state, new_states
from tablee.core.warmup import RULES_STEPS, Warmup, exercise_rules
from tablee.simulation.playouts import PlayoutArrays, play_games
from tablee.simulation.results import Results

MAX_BATCH = 1024  # games; short enough that the progress moves and an interrupt is answered
BATCHES = 64  # at least, where there are that many games
POLICY_STREAM = 2**64 - 1  # no game has this number, so what chooses shares no number with what deals


def random_games(
    game: Game,
    setup: Setup,
    games: int,
    seed: int,
    first: int = 0,
    *,
    progress: Callable[[int], None] | None = None,
    threads: int | None = None,
) -> Results:
    """Play games at random, numbered from `first`; `progress` is told how many more are done."""
    if games < 1:
        raise BadSetup(f"at least one game must be played, not {games}")
    results = Results(game, setup, seed, first)
    play_batch(game, setup, seed, first, 1)  # a first call loads or compiles, which is not playing time
    begun = time.perf_counter()
    for batch in _batches(results, games, threads or usable_threads()):
        _count(batch, results)
        if progress is not None:
            progress(len(batch.lengths))
    results.seconds = time.perf_counter() - begun
    return results


def usable_threads() -> int:
    """Return on how many cores kernels can run at once."""
    if is_interpreted():
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def play_batch(game: Game, setup: Setup, seed: int, first: int, games: int) -> PlayoutArrays:
    """Play some games in this thread."""
    states = new_states(game.kernels.state_type, 2)
    states[0] = blank_state(game, setup, seed)
    batch = PlayoutArrays(
        lengths=np.zeros(games, np.int64),
        reasons=np.zeros(games, np.int64),
        points=np.zeros((games, setup.seats), np.int64),
        ranks=np.zeros((games, setup.seats), np.int64),
    )
    play_games(states, policy_generator(seed), first, np.zeros(game.max_legal_moves, np.int32), batch)
    return batch


def policy_generator(seed: int) -> Any:
    """Return the generator that chooses moves: its key is drawn from a stream of the seed that no game uses."""
    policy = np.zeros(1, GENERATOR).view(np.recarray)[0]
    reseed(policy, new_generator(seed, POLICY_STREAM))
    return policy


def _batches(wanted: Results, games: int, threads: int) -> Iterator[PlayoutArrays]:
    """Yield the batches in their order; a few are always being played ahead."""
    size = min(MAX_BATCH, -(-games // BATCHES))
    with ThreadPoolExecutor(threads) as pool:
        waiting: list[Future[PlayoutArrays]] = []
        try:
            for begin in range(0, games, size):
                count = min(size, games - begin)
                waiting.append(
                    pool.submit(play_batch, wanted.game, wanted.setup, wanted.seed, wanted.first + begin, count)
                )
                if len(waiting) > 2 * threads:
                    yield waiting.pop(0).result()
            while waiting:
                yield waiting.pop(0).result()
        finally:
            pool.shutdown(cancel_futures=True)


def _count(batch: PlayoutArrays, results: Results) -> None:
    results.lengths.add(_counted(batch.lengths))
    results.reasons.add(_counted(batch.reasons))
    winners = (batch.ranks == 1).sum(axis=1)
    for seat in range(results.setup.seats):
        results.scores[seat].add(_counted(batch.points[:, seat]))
        results.victories[seat].add(_counted(np.where(batch.ranks[:, seat] == 1, winners, 0)))


def _counted(numbers: np.ndarray) -> Iterator[tuple[int, int]]:
    values, counts = np.unique(numbers, return_counts=True)
    return zip(values.tolist(), counts.tolist(), strict=True)


def _exercise(game: Game) -> Iterator[None]:
    """Play one game inside compiled code, after the parts it is made of."""
    yield from exercise_rules(game)
    play_batch(game, game.setup(), seed=0, first=0, games=1)
    yield


SIMULATING = Warmup("simulate", RULES_STEPS + 1, _exercise)
