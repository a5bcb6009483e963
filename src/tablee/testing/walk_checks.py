"""Checks made at every move of random games, in compiled code (walk.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from string import Formatter
from typing import Any

import numpy as np

from tablee.core.game import Game, Setup
from tablee.core.randomness import new_generator
from tablee.core.state import SPECTATOR, blank_state
from tablee.testing import walk
from tablee.testing.budget import Budget
from tablee.testing.buffers import WalkBuffers, new_buffers
from tablee.testing.elements import element_name, element_names, number_name
from tablee.testing.faults import Fault
from tablee.testing.feature_checks import check_blocks
from tablee.testing.nonconformity import Nonconformity, move_name, raised_by_game, viewer_name
from tablee.testing.positions import CHOOSER
from tablee.testing.walk import walk_positions, walk_viewers

# How the detail of a fault is written: the names that sentences of `Fault` use
DETAILS: dict[str, Callable[[Game, int], str]] = {
    "detail": lambda game, detail: str(detail),
    "element": lambda game, detail: element_name(game.kernels.state_type, detail),
    "number": lambda game, detail: number_name(game.kernels.observation, detail),
    "move": move_name,
    "problems": lambda game, detail: "; ".join(game.kernels.problem_flags.sentences(detail)) or f"bits {detail:#b}",
}


def random_play_ends(game: Game, budget: Budget) -> None:
    """Check that random play ends within `max_game_length` moves."""
    walk_all(game, budget, walk.LENGTH)


def invariants_hold(game: Game, budget: Budget) -> None:
    """Check that `problems` is 0 after every move."""
    walk_all(game, budget, walk.PROBLEMS)


def moves_are_in_order(game: Game, budget: Budget) -> None:
    """Check that legal moves are ascending, in range, at most `max_legal_moves`, and none exactly when over."""
    walk_all(game, budget, walk.LEGAL_MOVES)


def refusals_agree(game: Game, budget: Budget) -> None:
    """Check that `refusal` is 0 exactly for the listed moves, and else a code of `Refusal`."""
    walk_all(game, budget, walk.REFUSALS)


def turns_fit(game: Game, budget: Budget) -> None:
    """Check that `to_move` is a seat until the game is over, and then NOBODY."""
    walk_all(game, budget, walk.TURN)


def scores_are_in_bounds(game: Game, budget: Budget) -> None:
    """Check that scores are within `score_bounds`, and ranks one more than the number of better seats."""
    walk_all(game, budget, walk.SCORE_BOUNDS)


def ranks_follow_scores(game: Game, budget: Budget) -> None:
    """Check that seats with better ranks have better or equal scores, as `fewest_points_win` says."""
    walk_all(game, budget, walk.RANKING)


def rounds_advance(game: Game, budget: Budget) -> None:
    """Check that `finished_rounds` is 0 at the deal, not 0 at the end, and never decreases."""
    walk_all(game, budget, walk.ROUNDS)


def scores_follow_rounds(game: Game, budget: Budget) -> None:
    """Check that scores change only when `finished_rounds` changes."""
    walk_all(game, budget, walk.SCORE_CHANGES)


def rounds_are_public(game: Game, budget: Budget) -> None:
    """Check that `finished_rounds` is the same in sights, disguised states and imagined worlds: `play` changes it."""
    walk_all(game, budget, walk.PUBLIC_ROUNDS)


def movers_know_their_move(game: Game, budget: Budget) -> None:
    """Check that `sees_move` is true for the seat on turn and each of its legal moves."""
    walk_all(game, budget, walk.MOVER)


def sights_are_complete(game: Game, budget: Budget) -> None:
    """Check that `see` writes every byte, names the viewer and hides the generator."""
    walk_all(game, budget, walk.SIGHTS)


def nothing_leaks(game: Game, budget: Budget) -> None:
    """Check that two states that look alike to a viewer give the viewer the same sight and moves."""
    walk_all(game, budget, walk.LEAK)


def imagined_worlds_fit(game: Game, budget: Budget) -> None:
    """Check that `see(imagine(sight))` is the sight again, and the world is a valid state with the same moves."""
    walk_all(game, budget, walk.IMAGINE)


def observations_are_complete(game: Game, budget: Budget) -> None:
    """Check that `observe` writes finite numbers within its layout, and nothing behind it."""
    check_blocks(game, "OBSERVATION", game.kernels.observation)
    walk_all(game, budget, walk.OBSERVE)


def disguise_reaches_everything(game: Game, budget: Budget) -> None:
    """Check that `disguise` changes every byte that is ever hidden; otherwise `nothing_leaks` proves little."""
    buffers = walk_all(game, budget, walk.REACH)
    missed = np.flatnonzero(buffers.hidden & ~buffers.reached)
    if len(missed):
        names = element_names(game.kernels.state_type, missed)
        raise Nonconformity(game, f"`disguise` never changes {names}, which is hidden at times", seed=budget.seed)


def walk_all(game: Game, budget: Budget, law: int) -> WalkBuffers:
    """Check one law in random games at every setup; return the buffers with what was marked."""
    buffers = new_buffers(game)
    is_of_viewers = law in walk.VIEWER_LAWS
    walker = walk_viewers if is_of_viewers else walk_positions
    for setup in budget.setups(game):
        stride = budget.sight_stride_at(game, setup) if is_of_viewers else budget.state_stride
        max_moves = budget.sight_moves_at(game, setup) if is_of_viewers else budget.state_moves_at(game, setup)
        if law == walk.REACH:  # it may take long until each byte has been hidden
            max_moves = game.max_game_length
        viewers = setup.seats + 1 if is_of_viewers else 1
        first = buffers.limits[walk.FIRST_POSITIONS] = budget.first_positions_at(game, setup)
        positions_left = budget.max_positions
        for number in range(budget.games_at(game, setup)):
            stream = number + 1  # never 0, so that a forgotten stream of the generator shows
            where: dict[str, Any] = {"setup": setup, "seed": budget.seed, "stream": stream}
            try:
                deal_into(game, setup, buffers, budget.seed, stream)
                fault, moves = walker(buffers, law, stride, max_moves)
            except Exception as error:  # kernels of third parties may raise anything
                raise raised_by_game(game, error, move=int(buffers.found[walk.MOVE]), **where) from error
            if fault:
                raise Nonconformity(game, describe(game, buffers, Fault.of(fault)), move=int(moves), **where)
            positions = positions_checked(int(moves), stride, first)
            worlds = positions * viewers if law in walk.WORLD_LAWS else 0
            budget.tried.count(setup, games=1, positions=positions, worlds=worlds)
            positions_left -= int(moves) * viewers
            if positions_left < 0:
                break
    return buffers


def positions_checked(moves: int, stride: int, first: int) -> int:
    """Return how many positions a walk of so many moves checks: the first ones, one in `stride`, and the last."""
    later = -(-moves // stride) - -(-first // stride)
    return min(first, moves) + max(later, 0) + 1


def end_reasons(game: Game, budget: Budget) -> Iterator[tuple[Setup, int]]:
    """Yield every setup with the end reason of a random game at it, 0 if it was not played to its end."""
    buffers = new_buffers(game)
    for setup in budget.setups(game):
        try:
            deal_into(game, setup, buffers, budget.seed, stream=1)
            walk_positions(buffers, walk.LENGTH, budget.state_stride, budget.state_moves_at(game, setup))
        except Exception as error:  # kernels of third parties may raise anything
            where: dict[str, Any] = {"setup": setup, "seed": budget.seed, "stream": 1}
            raise raised_by_game(game, error, move=int(buffers.found[walk.MOVE]), **where) from error
        yield setup, int(buffers.states[walk.STATE].end_reason)


def deal_into(game: Game, setup: Setup, buffers: WalkBuffers, seed: int, stream: int) -> None:
    """Deal a game, and start the generators of the walk."""
    buffers.found[walk.MOVE] = 0
    buffers.states[walk.STATE] = blank_state(game, setup, seed, stream)
    game.kernels.deal(buffers.states[walk.STATE])
    for index in range(2):
        buffers.chance[index] = new_generator(seed, CHOOSER * (index + 1) + stream)


def describe(game: Game, buffers: WalkBuffers, fault: Fault) -> str:
    """Return what a walk has found, as a sentence, with the viewer that it concerns."""
    viewer, detail = int(buffers.found[walk.VIEWER]), int(buffers.found[walk.DETAIL])
    names = [name for _, name, _, _ in Formatter().parse(fault.sentence) if name]
    what = fault.sentence.format(**{name: DETAILS[name](game, detail) for name in names})
    return what + (f" (for {viewer_name(viewer)})" if viewer >= SPECTATOR else "")
