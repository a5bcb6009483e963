"""Random games on every core, with the same results however they are split into batches."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from tablee.core.compilation import is_interpreted
from tablee.core.deals import all_deals
from tablee.core.errors import BadSetup
from tablee.core.game import Game, Setup
from tablee.core.randomness import GENERATOR, new_generator, reseed
from tablee.core.state import blank_state, new_states
from tablee.core.warmup import RULES_STEPS, Warmup, exercise_rules
from tablee.simulation.playouts import PlayoutArrays, play_games
from tablee.simulation.results import Results

MAX_BATCH = 1024  # games; short enough for a smooth progress bar and a prompt interrupt
NO_LIMIT = 2**62  # of moves
MIN_BATCHES = 64  # if there are that many games
POLICY_STREAM = 2**64 - 1  # no game has this number, so moves and deals never share random numbers


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
    """Play random games numbered from `first`; call `progress` with the number of games of each finished batch."""
    if games < 1:
        raise BadSetup(f"a simulation has at least one game, not {games}")
    results = Results(game, setup, seed, first)
    play_batch(game, setup, seed, first, 1)  # the first call loads or compiles kernels, which is not playing time
    start = time.perf_counter()
    for batch in _batches(results, games, threads or usable_threads()):
        _count(batch, results)
        if progress is not None:
            progress(len(batch.lengths))
    results.seconds = time.perf_counter() - start
    return results


def usable_threads() -> int:
    """Return the number of cores on which kernels can run at once."""
    if is_interpreted():
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def play_batch(game: Game, setup: Setup, seed: int, first: int, games: int) -> PlayoutArrays:
    """Play random games in this thread; those of a reduction are cut off after its `max_moves`."""
    states, deals, max_moves = new_states(game.kernels.state_type, 2), new_states(game.kernels.state_type, 0), NO_LIMIT
    states[0] = blank_state(game, setup, seed)
    if setup.reduction:
        deals, max_moves = all_deals(game, setup), game.reduction(setup.reduction).max_moves
    batch = PlayoutArrays(
        lengths=np.zeros(games, np.int64),
        reasons=np.zeros(games, np.int64),
        points=np.zeros((games, setup.seats), np.int64),
        ranks=np.zeros((games, setup.seats), np.int64),
    )
    moves = np.zeros(game.max_legal_moves, np.int32)
    play_games(states, deals, max_moves, policy_generator(seed), first, moves, batch)
    return batch


def policy_generator(seed: int) -> Any:
    """Return the generator that chooses moves; its key is drawn from a stream of the seed that no game uses."""
    generator = np.zeros(1, GENERATOR).view(np.recarray)[0]
    reseed(generator, new_generator(seed, POLICY_STREAM))
    return generator


def _batches(results: Results, games: int, threads: int) -> Iterator[PlayoutArrays]:
    """Yield the batches in order, with two per thread in progress."""
    size = min(MAX_BATCH, -(-games // MIN_BATCHES))
    with ThreadPoolExecutor(threads) as pool:
        pending: list[Future[PlayoutArrays]] = []
        try:
            for first in range(0, games, size):
                count = min(size, games - first)
                pending.append(
                    pool.submit(play_batch, results.game, results.setup, results.seed, results.first + first, count)
                )
                if len(pending) > 2 * threads:
                    yield pending.pop(0).result()
            while pending:
                yield pending.pop(0).result()
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
    """Use the rules one by one, then play one whole game inside compiled code."""
    yield from exercise_rules(game)
    play_batch(game, game.setup(), seed=0, first=0, games=1)
    yield


SIMULATING = Warmup("simulate", RULES_STEPS + 1, _exercise)
