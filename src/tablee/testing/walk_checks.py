"""Checks made at every move of random games, inside compiled code (walk.py)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tablee.core.game import Game, Setup
from tablee.core.randomness import new_generator
from tablee.core.state import SPECTATOR, blank_state
from tablee.testing import walk
from tablee.testing.budget import Budget
from tablee.testing.nonconformity import Nonconformity, who
from tablee.testing.positions import CHOOSER
from tablee.testing.walk import WalkBuffers, bytes_of_field, new_buffers, say_fault, walk_positions, walk_viewers

SEED = 2026
MAX_POSITIONS = 300_000  # looked at in one setup, by each viewer: hundreds of games, or fewer longer ones


def random_play_ends(game: Game, budget: Budget) -> None:
    """Check that random play ends within `longest` moves."""
    walk_all(game, budget, walk.ENDS)


def nothing_is_broken(game: Game, budget: Budget) -> None:
    """Check that `problems` is 0 after every move."""
    walk_all(game, budget, walk.PROBLEMS)


def moves_are_in_order(game: Game, budget: Budget) -> None:
    """Check that legal moves are ascending, in range, at most `max_legal_moves`, none exactly when over."""
    walk_all(game, budget, walk.MOVES)


def refusals_agree(game: Game, budget: Budget) -> None:
    """Check that `refusal` is 0 exactly for the listed moves, and else one of `Refusal`."""
    walk_all(game, budget, walk.REFUSALS)


def turns_fit(game: Game, budget: Budget) -> None:
    """Check that `to_move` is a seat until the game is over and then NOBODY."""
    walk_all(game, budget, walk.TURN)


def scores_are_in_bounds(game: Game, budget: Budget) -> None:
    """Check that scores are within `score_bounds`, and places count who is better."""
    walk_all(game, budget, walk.SCORES)


def movers_know_their_move(game: Game, budget: Budget) -> None:
    """Check that `sees_move` holds for the mover and each of his legal moves."""
    walk_all(game, budget, walk.MOVER)


def sights_are_whole(game: Game, budget: Budget) -> None:
    """Check that `see` writes every byte, names the viewer and shows nothing of the generator."""
    walk_all(game, budget, walk.SIGHTS)


def nothing_leaks(game: Game, budget: Budget) -> None:
    """Check that records that look the same to a viewer give him the same sight and moves."""
    walk_all(game, budget, walk.LEAK)


def imagination_fits(game: Game, budget: Budget) -> None:
    """Check that `see(imagine(sight))` is the sight again, in a whole world with fresh chance and the same moves."""
    walk_all(game, budget, walk.IMAGINE)


def observations_are_whole(game: Game, budget: Budget) -> None:
    """Check that `observe` writes finite numbers within its layout, and nothing behind."""
    names = [block.name for block in game.kernels.observation]
    if len(set(names)) != len(names) or any(block.size < 1 or not block.meaning for block in game.kernels.observation):
        raise Nonconformity(game, f"the blocks of OBSERVATION need different names, sizes and meanings: {names}")
    walk_all(game, budget, walk.OBSERVE)


def disguise_reaches_everything(game: Game, budget: Budget) -> None:
    """Check that `disguise` changes every byte that is ever hidden: without that, the leak law proves little."""
    buffers = walk_all(game, budget, walk.REACH)
    missed = np.flatnonzero(buffers.hidden & ~buffers.reached)
    if len(missed):
        names = game.kernels.state_type.names or ()
        where = [name for name in names if bytes_of_field(game.kernels.state_type, name)[missed].any()]
        raise Nonconformity(game, f"`disguise` never changes what is hidden in {where}, bytes {missed.tolist()}")


def walk_all(game: Game, budget: Budget, law: int) -> WalkBuffers:
    """Look for faults against a law in random games at every setup; return the desk with what was marked."""
    buffers = new_buffers(game)
    is_of_viewers = law in walk.VIEWER_LAWS
    walker = walk_viewers if is_of_viewers else walk_positions
    for setup in budget.setups(game):
        stride = budget.stride_at(game, setup) if is_of_viewers else budget.record_stride
        most = budget.walked_at(game, setup) if is_of_viewers else budget.played_at(game, setup)
        if law == walk.REACH:  # it may take long before each byte has been hidden
            most = game.max_game_length
        viewers = setup.seats + 1 if is_of_viewers else 1
        left = MAX_POSITIONS
        for number in range(budget.games_at(game, setup)):
            stream = number + 1  # never 0, so that a generator's forgotten stream shows
            lay_out(game, setup, buffers, stream)
            fault, moves = walker(buffers, law, stride, most)
            if fault:
                raise Nonconformity(game, _say(buffers, fault), setup=setup, seed=SEED, stream=stream, move=int(moves))
            left -= int(moves) * viewers
            if left < 0:
                break
    return buffers


def end_reasons(game: Game, budget: Budget) -> Iterator[tuple[Setup, int]]:
    """Yield every setup with the reason why a random game at it ended, 0 if it was left before."""
    buffers = new_buffers(game)
    for setup in budget.setups(game):
        lay_out(game, setup, buffers, stream=1)
        walk_positions(buffers, walk.ENDS, budget.record_stride, budget.played_at(game, setup))
        yield setup, int(buffers.states[walk.STATE].end_reason)


def lay_out(game: Game, setup: Setup, buffers: WalkBuffers, stream: int) -> None:
    """Deal, and start the generators that serve the walk."""
    buffers.states[walk.STATE] = blank_state(game, setup, SEED, stream)
    game.kernels.deal(buffers.states[walk.STATE])
    for index in range(2):
        buffers.chance[index] = new_generator(SEED, CHOOSER * (index + 1) + stream)


def _say(buffers: WalkBuffers, fault: int) -> str:
    viewer, detail = int(buffers.found[walk.VIEWER]), int(buffers.found[walk.DETAIL])
    return say_fault(fault, detail) + (f" (for {who(viewer)})" if viewer >= SPECTATOR else "")
