"""What a seat can expect, and what each of its moves is worth: means over imagined worlds.

A world is played on by the game's policy to the end of the round, where the game's `shares` gives the result of each
seat: the share of the others that it can expect to finish ahead of. Moves are compared in the same worlds with the same
random numbers, so that their difference is known far better than either value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablee.bots.search import make_plan
from tablee.bots.settings import SearchSettings
from tablee.bots.tree import SIGHT, WORLD, Plan, choose_by_policy, draw_world, roll_out
from tablee.core.compilation import kernel
from tablee.core.game import Game
from tablee.core.kernels import legal_moves, play, refusal, shares, stage
from tablee.core.randomness import GENERATOR, start
from tablee.core.sight import Sight
from tablee.core.state import new_states
from tablee.core.types import Generator, Move, Moves, Seat, State

TRIAL = 2  # index into `Workspace.states`, after SIGHT and WORLD
NEVER = -1  # instead of a move that follows
MAX_TIMES_COMPARED = 3  # that a move may be among those compared, each time with another one that follows


@dataclass(frozen=True)
class Comparison:
    """Moves compared in the same worlds; the first is the one that the others are compared with."""

    mover: Seat
    moves: tuple[int, ...]
    values: NDArray[np.float64]  # (moves, seats): mean results
    errors: NDArray[np.float64]  # (moves,): standard error of the mover's gain
    worlds: int

    @property
    def gains(self) -> NDArray[np.float64]:
        """What the mover gains with each move instead of the first."""
        gains: NDArray[np.float64] = self.values[:, self.mover] - self.values[0, self.mover]
        return gains

    def better(self, errors: float) -> int | None:
        """Return the best move if it gains more than so many standard errors, else None."""
        best = int(np.argmax(self.gains))
        return self.moves[best] if self.gains[best] > errors * self.errors[best] else None


class Workspace(NamedTuple):
    """Memory of the kernels."""

    states: Any  # (3,) states: SIGHT (of the seat whose knowledge counts), WORLD, TRIAL (a world with a move)
    trial_generator: Any  # (1,) GENERATOR: random numbers that all moves share in the same world
    moves: Any  # (max_legal_moves,) int32
    ratings: Any  # (max_legal_moves,) float64
    results: Any  # (seats,) float64
    sums: Any  # (rows, seats) float64: results of each move that is compared
    squares: Any  # (rows,) float64: squared gains of the mover


class Evaluator:
    """Evaluates positions of one game in one thread; of the settings, those for rollouts count."""

    def __init__(self, game: Game, settings: SearchSettings) -> None:
        self.game = game
        self._plan = make_plan(settings, 0)
        legal, seats = game.max_legal_moves, max(game.seats)
        rows = 1 + MAX_TIMES_COMPARED * legal
        self._workspace = Workspace(
            states=new_states(game.kernels.state_type, 3),
            trial_generator=np.zeros(1, GENERATOR).view(np.recarray),
            moves=np.zeros(legal, np.int32),
            ratings=np.zeros(legal),
            results=np.zeros(seats),
            sums=np.zeros((rows, seats)),
            squares=np.zeros(rows),
        )

    def expect(self, sight: Sight, worlds: int, generator: Generator) -> NDArray[np.float64]:
        """Return the mean result of each seat over worlds that fit what one seat, or a spectator, knows."""
        workspace = self._prepare(sight, 1)
        sum_results(workspace, sight.seat, worlds, self._plan, generator)
        means: NDArray[np.float64] = workspace.sums[0, : sight.seats] / worlds
        return means

    def compare(
        self, sight: Sight, moves: Sequence[int], worlds: int, generator: Generator, followed_by: Sequence[int] = ()
    ) -> Comparison:
        """Compare moves of the seat on turn with the first of them, over worlds that fit what it knows.

        After each move the policy plays on, until the seat can make the move of `followed_by` instead; NEVER for none.
        """
        workspace = self._prepare(sight, len(moves))
        workspace.trial_generator[0] = generator
        followers = np.array(followed_by or [NEVER] * len(moves), np.int32)
        sum_gains(workspace, sight.seat, np.array(moves, np.int32), followers, worlds, self._plan, generator)
        values = workspace.sums[: len(moves), : sight.seats] / worlds
        means = values[:, sight.seat] - values[0, sight.seat]
        variances = np.maximum(0.0, workspace.squares[: len(moves)] / worlds - means**2)
        return Comparison(sight.seat, tuple(moves), values, np.sqrt(variances / worlds), worlds)

    def follow(self, world: State, seat: Seat, move: int, root_stage: int, generator: Generator) -> None:
        """Play a world by the policy until a seat can make a move, and make it."""
        follow(self._workspace, world, seat, move, root_stage, self._plan, generator)

    def _prepare(self, sight: Sight, rows: int) -> Workspace:
        self._workspace.states[SIGHT] = sight.state
        self._workspace.sums[:rows] = 0
        self._workspace.squares[:rows] = 0
        return self._workspace


@kernel
def sum_results(workspace: Workspace, viewer: Seat, worlds: int, plan: Plan, generator: Generator) -> None:
    """Add up the results of each seat in `sums[0]`."""
    root_stage = stage(workspace.states[SIGHT])
    for _ in range(worlds):
        draw_world(workspace.states, viewer, SIGHT, generator)
        finish(workspace, workspace.states[WORLD], root_stage, plan, generator)
        for seat in range(workspace.states[SIGHT].seats):
            workspace.sums[0, seat] += workspace.results[seat]


@kernel
def sum_gains(
    workspace: Workspace, mover: Seat, moves: Moves, followers: Moves, worlds: int, plan: Plan, generator: Generator
) -> None:
    """Add up the results of each seat after each move, and the squares of the mover's gains over the first."""
    root_stage = stage(workspace.states[SIGHT])
    trial, trial_generator = workspace.states[TRIAL], workspace.trial_generator[0]
    for world in range(worlds):
        draw_world(workspace.states, mover, SIGHT, generator)
        first = 0.0
        for index in range(len(moves)):
            workspace.states[TRIAL] = workspace.states[WORLD]
            start(trial_generator, generator.stream ^ np.uint64(world + 1))
            play(trial, moves[index])
            if followers[index] != NEVER:
                follow(workspace, trial, mover, followers[index], root_stage, plan, trial_generator)
            finish(workspace, trial, root_stage, plan, trial_generator)
            for seat in range(workspace.states[SIGHT].seats):
                workspace.sums[index, seat] += workspace.results[seat]
            if index == 0:
                first = workspace.results[mover]
            workspace.squares[index] += (workspace.results[mover] - first) ** 2


@kernel
def follow(
    workspace: Workspace, world: State, mover: Seat, move: Move, root_stage: int, plan: Plan, generator: Generator
) -> None:
    """Play a world by the policy until a seat can make a move, and make it."""
    for _ in range(plan.rollout_moves):
        if world.end_reason != 0 or stage(world) != root_stage:
            return
        if world.to_move == mover and refusal(world, move) == 0:
            play(world, move)
            return
        count = legal_moves(world, workspace.moves)
        chosen = choose_by_policy(world, workspace.moves, count, workspace.ratings, plan.rollout_noise, generator)
        play(world, workspace.moves[chosen])


@kernel
def finish(workspace: Workspace, world: State, root_stage: int, plan: Plan, generator: Generator) -> None:
    """Play a world by the policy to the end of the stage, and write the result of each seat into `results`."""
    roll_out(world, workspace.moves, workspace.ratings, root_stage, plan, generator)
    shares(world, workspace.results)
