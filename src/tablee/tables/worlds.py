"""Memory for worlds (true states that fit a sight), and how kernels compare them."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from tablee.bots.simple import stream_of
from tablee.core.compilation import Kernel, direct_call, kernel
from tablee.core.game import Game
from tablee.core.kernels import see
from tablee.core.randomness import new_generator
from tablee.core.sight import Sight
from tablee.core.state import new_states
from tablee.core.twins import is_interpreting
from tablee.core.types import Index, Seat, States

WORLD, OTHER, SEEN, FIRST, AGREED = range(5)  # indices of the states, which are used again and again


class Worlds:
    """Memory in which the worlds of a game are imagined, again and again: what is in it means nothing."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.states = new_states(game.kernels.state_type, AGREED + 1)
        words = self.states.view(np.ndarray).view(np.int64).reshape(AGREED + 1, -1)
        self._memory = new_generator(0), self.states, words, np.zeros(game.max_legal_moves, np.int32)
        self._compiled: dict[Kernel, Kernel] = {}

    def ask(self, question: Kernel, sight: Sight, *others: Any) -> bool:
        """Ask a kernel about worlds that fit a sight; their random numbers depend on the sight alone.

        It gets the sight, the stream of these numbers, a generator, the states, these as rows of 64-bit words, by which
        they are compared, room for legal moves, and `others`.
        """
        arguments = sight.state, np.uint64(stream_of(sight)), *self._memory, *others
        return bool((self._compiled.get(question) or self._compile(question, arguments))(*arguments))

    def _compile(self, question: Kernel, arguments: tuple[Any, ...]) -> Kernel:
        """Return a kernel to be called without a look at the types of its arguments, which are always the same."""
        if is_interpreting():
            return question
        compiled = self._compiled[question] = direct_call(question, *arguments)
        return compiled


class _ThreadMemory(threading.local):
    def __init__(self) -> None:
        self.worlds: dict[str, Worlds] = {}  # by the game's package


_memory = _ThreadMemory()


def worlds_of(game: Game) -> Worlds:
    """Return this thread's worlds for a game."""
    worlds = _memory.worlds.get(game.package)
    if worlds is None or worlds.game is not game:
        worlds = _memory.worlds[game.package] = Worlds(game)
    return worlds


@kernel
def looks_alike(states: States, words: Any, world: Index, viewer: Seat, kept: Index, is_first: bool) -> bool:
    """Whether a world looks to a viewer like the first one did, whose sight is in `kept`."""
    see(states[world], viewer, states[SEEN])
    if is_first:
        states[kept] = states[SEEN]
    difference = np.int64(0)
    for index in range(words.shape[1]):
        difference |= words[SEEN, index] ^ words[kept, index]
    return difference == 0
