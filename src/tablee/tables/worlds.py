"""Memory for worlds (true states that fit a sight), and how kernels compare them."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np

from tablee.bots.simple import stream_of
from tablee.core.compilation import kernel
from tablee.core.game import Game
from tablee.core.kernels import see
from tablee.core.randomness import new_generator, start
from tablee.core.sight import Sight
from tablee.core.state import new_states
from tablee.core.types import Generator, Index, Moves, Seat, States

WORLD, OTHER, SEEN, FIRST, AGREED = range(5)  # indices of the states, which are used again and again


class Worlds(NamedTuple):
    """Memory in which the worlds of a game are imagined, again and again: what is in it means nothing."""

    game: Game
    states: States
    raw: Any  # the same memory as rows of bytes, by which states are compared
    moves: Moves
    generator: Generator


class _ThreadMemory(threading.local):
    def __init__(self) -> None:
        self.worlds: dict[str, Worlds] = {}  # by the game's package


_memory = _ThreadMemory()


def worlds_for(sight: Sight) -> Worlds:
    """Return this thread's worlds for the game of a sight; the random numbers depend on the sight alone."""
    game = sight.game
    worlds = _memory.worlds.get(game.package)
    if worlds is None or worlds.game is not game:
        worlds = _memory.worlds[game.package] = _new_worlds(game)
    start(worlds.generator, np.uint64(stream_of(sight)))
    return worlds


def _new_worlds(game: Game) -> Worlds:
    states = new_states(game.kernels.state_type, AGREED + 1)
    raw = states.view(np.ndarray).view(np.uint8).reshape(len(states), -1)
    return Worlds(game, states, raw, np.zeros(game.max_legal_moves, np.int32), new_generator(0))


@kernel
def looks_alike(states: States, raw: Any, world: Index, viewer: Seat, kept: Index, is_first: bool) -> bool:
    """Whether a world looks to a viewer like the first one did, whose sight is in `kept`."""
    see(states[world], viewer, states[SEEN])
    if is_first:
        states[kept] = states[SEEN]
    return np.array_equal(raw[SEEN], raw[kept])
