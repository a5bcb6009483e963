"""The bot that searches: information-set Monte Carlo tree search with given settings."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tablee.bots import tree
from tablee.bots.bot import Candidate, Decision, require_own_turn
from tablee.bots.settings import SearchSettings
from tablee.bots.simple import draw, generator_for
from tablee.core.game import Game
from tablee.core.sight import Sight
from tablee.core.state import new_states
from tablee.core.types import Generator

MAX_EDGES = 1 << 20
MAX_EDGES_PER_NODE = 256  # on average, for the size of the buffers
CHUNK = 64  # iterations between two checks of the time
MAX_KEPT_BUFFERS = 4  # per thread
MIN_MIXED_SHARE = 0.6  # of the best move's visits: moves with fewer are not played where play is mixed


class SearchResult(NamedTuple):
    """What a search found out."""

    candidates: tuple[Candidate, ...]  # the root's moves, most visited first
    worlds: int
    nodes: int


class SearchBot:
    """Plays the move that a search visited most; where the game asks for it, draws among the most visited moves.

    With several `threads`, each grows a tree of its own with its share of the worlds, and the visits of the root's
    moves are added up (root parallelism). Another number of threads is another player, as another seed is.
    """

    threads = 1

    def __init__(
        self, name: str, version: int, settings: SearchSettings, seed: int, seconds: float | None = None
    ) -> None:
        self.name = name
        self.version = version
        self.settings = settings
        self.seed = seed
        self.seconds = seconds  # per decision, checked after every CHUNK of iterations; None: no limit

    def decide(self, sight: Sight, moves: Sequence[int]) -> Decision:
        """Search, then choose."""
        require_own_turn(sight, moves)
        if len(moves) == 1:
            return Decision(moves[0])
        generator = generator_for(self.seed, sight)
        priors = self.root_priors(sight, moves)
        found = self._search(sight, generator, priors)
        candidates = self.ranked(found.candidates, priors)
        probabilities = self.mixture(sight, candidates, generator)
        chosen = list(probabilities)[draw(generator, list(probabilities.values()))]
        return Decision(chosen, candidates, found.worlds, {"nodes": float(found.nodes)})

    def _search(self, sight: Sight, generator: Generator, priors: Mapping[int, float] | None) -> SearchResult:
        """Search in this thread, and in others with their own random numbers."""
        shares = [self.settings.iterations * (part + 1) // self.threads for part in range(self.threads)]
        own, *others = (
            replace(self.settings, iterations=max(1, last - first)) for first, last in pairwise((0, *shares))
        )
        found = [
            _threads().submit(search, sight, settings, generator_for(self.seed, sight, part), self.seconds, priors)
            for part, settings in enumerate(others, start=1)
        ]
        return add_up([search(sight, own, generator, self.seconds, priors), *(each.result() for each in found)])

    def root_priors(self, sight: Sight, moves: Sequence[int]) -> dict[int, float] | None:
        """Return the probability with which each move is tried first; None: as the game's policy says."""
        return None

    def ranked(self, candidates: tuple[Candidate, ...], priors: Mapping[int, float] | None) -> tuple[Candidate, ...]:
        """Return the root's moves, which come most visited first, best first."""
        return candidates

    def mixture(self, sight: Sight, candidates: Sequence[Candidate], generator: Generator) -> dict[int, float]:
        """Return the probability of each move that may be played, in a given position; by default as the visits say."""
        return self.probabilities(candidates)

    def probabilities(self, candidates: Sequence[Candidate]) -> dict[int, float]:
        """Return the probability of each move that may be played; `candidates` are best first.

        Where play is mixed, moves with far fewer visits than the best were only explored, and are not played.
        """
        best = candidates[0]
        if best.move not in self.settings.mixed_moves:
            return {best.move: 1.0}
        visits = {c.move: c.visits for c in candidates if c.move in self.settings.mixed_moves}
        visits = {move: count for move, count in visits.items() if count >= MIN_MIXED_SHARE * best.visits}
        return {move: count / sum(visits.values()) for move, count in visits.items()}


def search(
    sight: Sight,
    settings: SearchSettings,
    generator: Generator,
    seconds: float | None,
    priors: Mapping[int, float] | None,
) -> SearchResult:
    """Search in the present thread."""
    buffers = buffers_for(sight.game, settings.iterations)
    worlds = buffers.search(sight, settings, generator, seconds, priors)
    return SearchResult(buffers.root_moves(), worlds, int(buffers.tree.counts[tree.NODES]))


def add_up(found: Sequence[SearchResult]) -> SearchResult:
    """Return what several searches of the same position found out together."""
    if len(found) == 1:
        return found[0]
    visits: dict[int, int] = {}
    totals: dict[int, float] = {}
    for candidate in (each for result in found for each in result.candidates):
        visits[candidate.move] = visits.get(candidate.move, 0) + candidate.visits
        totals[candidate.move] = totals.get(candidate.move, 0.0) + candidate.visits * candidate.value
    together = (Candidate(move, count, totals[move] / count if count else 0.0) for move, count in visits.items())
    worlds, nodes = (sum(each) for each in zip(*((each.worlds, each.nodes) for each in found), strict=True))
    return SearchResult(best_first(together), worlds, nodes)


def best_first(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Return candidates in the order of their visits."""
    return tuple(sorted(candidates, key=lambda c: (-c.visits, -c.value, c.move)))


@cache
def _threads() -> ThreadPoolExecutor:
    """Return the threads of this process for searches beside those that ask for them; they keep their buffers."""
    return ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="search")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_threads.cache_clear)  # threads are not copied


class SearchBuffers:
    """The arrays for searches of up to `iterations`, allocated once and reused by one thread."""

    def __init__(self, game: Game, iterations: int) -> None:
        self.game = game
        self.max_iterations = iterations
        states = new_states(game.kernels.state_type, 4)
        edges = min(MAX_EDGES, (iterations + 1) * min(game.max_legal_moves, MAX_EDGES_PER_NODE))
        self.tree = tree.Tree(
            states=states,
            words=states.view(np.ndarray).view(np.uint64).reshape(4, -1),
            nodes=np.zeros(iterations + 1, tree.NODE).view(np.recarray),
            edges=np.zeros(edges, tree.EDGE).view(np.recarray),
            table=np.zeros(1 << (2 * iterations).bit_length(), np.int32),
            edge_of_move=np.full(game.moves, tree.NONE, np.int32),
            moves=np.zeros(game.max_legal_moves, np.int32),
            ratings=np.zeros(game.max_legal_moves),
            results=np.zeros(max(game.seats)),
            path=np.zeros((tree.MAX_DEPTH, 2), np.int64),
            counts=np.zeros(3, np.int64),
            tally=np.zeros(2),
        )

    def search(
        self,
        sight: Sight,
        settings: SearchSettings,
        generator: Generator,
        seconds: float | None,
        priors: Mapping[int, float] | None = None,
    ) -> int:
        """Grow a new tree; return the number of iterations, fewer than allowed if more could not change the move.

        With `priors`, by move, the root's are the means of these and the policy's, from the second iteration on.
        """
        self.tree.states[tree.SIGHT] = sight.state
        self.tree.counts[:] = 0
        self.tree.tally[:] = 0
        self.tree.table[:] = tree.NONE
        deadline = None if seconds is None else time.monotonic() + seconds
        chunk = settings.iterations if deadline is None else CHUNK
        is_finished = False
        if priors is not None:
            self._run(sight, make_plan(settings, 1), generator)
            self._mix_root_priors(priors)
        while not is_finished and (deadline is None or self.iterations == 0 or time.monotonic() < deadline):
            plan = make_plan(settings, min(chunk, settings.iterations - self.iterations))
            before = self.iterations
            self._run(sight, plan, generator)
            is_finished = self.iterations - before < chunk or self.iterations == settings.iterations
        return self.iterations

    def _run(self, sight: Sight, plan: tree.Plan, generator: Generator) -> None:
        with np.errstate(over="ignore"):  # the hash multiplies modulo 2**64, also interpreted
            tree.run_iterations(self.tree, sight.seat, plan, generator)

    def _mix_root_priors(self, priors: Mapping[int, float]) -> None:
        """Replace the priors of the root's moves by the means of both; nodes by mover keep theirs to the end."""
        index = self.tree.nodes[0].first
        while index != tree.NONE:
            edge = self.tree.edges[index]
            edge.prior = (edge.prior + priors[int(edge.move)]) / 2
            index = edge.next

    @property
    def iterations(self) -> int:
        """The iterations of the current search so far."""
        return int(self.tree.counts[tree.ITERATIONS])

    def root_moves(self) -> tuple[Candidate, ...]:
        """Return the root's moves, most visited first."""
        candidates = []
        index = self.tree.nodes[0].first
        while index != tree.NONE:
            total, _, move, index, visits, _ = self.tree.edges[index].tolist()
            candidates.append(Candidate(move, visits, total / visits if visits else 0.0))
        return best_first(candidates)


_kept = threading.local()  # `buffers`: of the present thread, last used last


def buffers_for(game: Game, iterations: int) -> SearchBuffers:
    """Return buffers that this thread may use until its next search; the last MAX_KEPT_BUFFERS are kept.

    A server makes a new bot for every decision, and new arrays take up to a quarter of the time of a search: the
    operating system clears every page that is touched for the first time.
    """
    kept: list[SearchBuffers] = getattr(_kept, "buffers", [])
    found = [buffers for buffers in kept if buffers.game is game and buffers.max_iterations == iterations]
    buffers = found[0] if found else SearchBuffers(game, iterations)
    _kept.buffers = [*(other for other in kept if other is not buffers), buffers][-MAX_KEPT_BUFFERS:]
    return buffers


def make_plan(settings: SearchSettings, iterations: int) -> tree.Plan:
    """Return the settings as the kernels read them, for a call that runs `iterations`."""
    plan = np.zeros(1, tree.PLAN).view(np.recarray)[0]
    for name in tree.PLAN.names or ():
        plan[name] = getattr(settings, name, 0)
    plan["iterations"] = iterations
    plan["max_iterations"] = settings.iterations
    plan["stops_early"] = not settings.mixed_moves  # where play is mixed, the visits of all moves matter
    return plan
