"""The first state of a match: a deal of the whole game, or one of the numbered deals of a reduction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablee.core.errors import BadGame, BadSetup
from tablee.core.randomness import below, new_generator
from tablee.core.state import blank_state, new_states
from tablee.core.types import State, States

if TYPE_CHECKING:
    from tablee.core.compilation import Kernel
    from tablee.core.game import Game, Reduction, Setup


def deal_match(game: Game, setup: Setup, seed: int, stream: int = 0) -> State:
    """Return the first state of a match; of a reduction, the seed and the stream draw the number of the deal."""
    if setup.reduction:
        return deal_number(game, setup, draw_number(game.reduction(setup.reduction).deals, seed, stream))
    state = blank_state(game, setup, seed, stream)
    game.kernels.deal(state)
    return state


def draw_number(deals: int, seed: int, stream: int = 0) -> int:
    """Return the number of the deal that a seed and a stream draw, each of `deals` with the same probability."""
    return int(below(new_generator(seed, stream), deals))


def deal_number(game: Game, setup: Setup, number: int) -> State:
    """Return a deal of a reduction, a function of its number alone, the generator included."""
    reduction = game.reduction(setup.reduction)
    if not 0 <= number < reduction.deals:
        raise BadSetup(f"{game.name} {setup} has no deal {number}; they are numbered 0 to {reduction.deals - 1}")
    state = blank_state(game, setup, stream=number)
    _dealing_kernel(game, reduction)(state, number)
    return state


def all_deals(game: Game, setup: Setup) -> States:
    """Return every deal of a reduction, by number: an array of shape (deals,)."""
    states = new_states(game.kernels.state_type, game.reduction(setup.reduction).deals)
    for number in range(len(states)):
        states[number] = deal_number(game, setup, number)
    return states


def _dealing_kernel(game: Game, reduction: Reduction) -> Kernel:
    name = f"deal_{reduction.name}"
    kernel: Kernel | None = getattr(game.module("reductions"), name, None)
    if kernel is None:
        raise BadGame(f"{game.name}: the contract requires {name!r} in {game.folder / 'reductions'}.py")
    return kernel
