"""The bot that searches: information-set Monte Carlo tree search at a given strength."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tablee.bots import tree
from tablee.bots.bot import Candidate, Decision, demand_own_turn
from tablee.bots.simple import draw, generator_for
from tablee.core.game import Game
from tablee.core.sight import Sight
from tablee.core.state import new_states

MAX_EDGES = 1 << 20
CHUNK = 64  # iterations between two looks at the clock
MIXED_FROM = 0.6  # share of the best move's visits from which on a move is played where play is mixed


@dataclass(frozen=True)
class Strength:
    """How a search is done. Two searches with the same strength, seed and sight choose the same move."""

    iterations: int  # worlds imagined per decision
    exploration: float = 1.5  # weight of what was tried little
    first_loss: float = 0.2  # how much worse than its node's mean an untried move is taken for, in spreads
    temperature: float = 1.0  # of the policy's shares: above 1 trusts it less
    rollout_noise: float = 0.5  # of the policy in simulated games: 0 is greedy play
    rollout_moves: int = 2000  # a simulated stage is cut off after so many
    nodes_by_mover: bool = True  # a node is what the mover knows; else what the searching seat knows
    outside_worlds: int = 0  # every so manyth world is what a spectator imagines: what others do is learnt there alone
    mixed_moves: range = range(0)  # where the best move is one of these, it is drawn in proportion to the visits


class SearchBot:
    """Plays what the search visited most; where a predictable player would lose, something as good as any."""

    def __init__(self, name: str, version: int, strength: Strength, seed: int, seconds: float | None = None) -> None:
        self.name = name
        self.version = version
        self.strength = strength
        self.seed = seed
        self.seconds = seconds  # a guard for tables: stop looking after so long
        self._room: SearchBuffers | None = None

    def decide(self, sight: Sight, moves: Sequence[int]) -> Decision:
        """Search, then choose."""
        demand_own_turn(sight, moves)
        if len(moves) == 1:
            return Decision(moves[0])
        room = self._room_for(sight.game, sight.seats)
        generator = generator_for(self.seed, sight)
        worlds = room.search(sight, self.strength, generator, self.seconds)
        candidates = room.root_moves()
        shares = self.shares(candidates)
        chosen = list(shares)[draw(generator, list(shares.values()))]
        return Decision(chosen, candidates, worlds, {"nodes": float(room.tree.counts[tree.NODES])})

    def shares(self, candidates: Sequence[Candidate]) -> dict[int, float]:
        """Return with which chance each move is played, from what a search found (most visited first).

        Where play is mixed, what was tried much less than the best was tried to learn, and is not played.
        """
        best = candidates[0]
        if best.move not in self.strength.mixed_moves:
            return {best.move: 1.0}
        visits = {c.move: c.visits for c in candidates if c.move in self.strength.mixed_moves}
        visits = {move: count for move, count in visits.items() if count >= MIXED_FROM * best.visits}
        return {move: count / sum(visits.values()) for move, count in visits.items()}

    def _room_for(self, game: Game, seats: int) -> SearchBuffers:
        if self._room is None or self._room.game is not game:
            self._room = SearchBuffers(game, self.strength.iterations)
        return self._room


class SearchBuffers:
    """The arrays that a search works in, made once and used again."""

    def __init__(self, game: Game, iterations: int) -> None:
        self.game = game
        states = new_states(game.kernels.state_type, 4)
        edges = min(MAX_EDGES, (iterations + 1) * min(game.max_legal_moves, 256))
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

    def search(self, sight: Sight, strength: Strength, generator: Any, seconds: float | None) -> int:
        """Grow a fresh tree; return how many worlds it took: fewer than it may where more would not change the move."""
        self.tree.states[tree.SIGHT] = sight.state
        self.tree.counts[:] = 0
        self.tree.tally[:] = 0
        self.tree.table[:] = tree.NONE
        deadline = None if seconds is None else time.monotonic() + seconds
        step = strength.iterations if deadline is None else CHUNK
        is_settled = False
        while not is_settled and (deadline is None or self.worlds == 0 or time.monotonic() < deadline):
            plan = _plan(strength, min(step, strength.iterations - self.worlds))
            before = self.worlds
            with np.errstate(over="ignore"):  # the hash multiplies modulo 2**64, also interpreted
                tree.grow(self.tree, sight.seat, plan, generator)
            is_settled = self.worlds - before < step or self.worlds == strength.iterations
        return self.worlds

    @property
    def worlds(self) -> int:
        """How many worlds were imagined."""
        return int(self.tree.counts[tree.ITERATIONS])

    def root_moves(self) -> tuple[Candidate, ...]:
        """Return the root's moves, most visited first."""
        candidates = []
        edge = self.tree.nodes[0].first
        while edge != tree.NONE:
            entry = self.tree.edges[edge]
            value = float(entry.total / entry.visits) if entry.visits else 0.0
            candidates.append(Candidate(int(entry.move), int(entry.visits), value))
            edge = entry.next
        return tuple(sorted(candidates, key=lambda c: (-c.visits, -c.value, c.move)))


def _plan(strength: Strength, iterations: int) -> Any:
    """Return a strength as the record that the kernels read."""
    plan = np.zeros(1, tree.PLAN).view(np.recarray)[0]
    for name in tree.PLAN.names or ():
        plan[name] = getattr(strength, name, 0)
    plan["iterations"] = iterations
    plan["most"] = strength.iterations
    plan["settles"] = not strength.mixed_moves  # where play is mixed, all visits matter
    return plan
