"""Pairs of sights for tests of observations: from random play, and from states in which something was exchanged.

What of a sight matters is said by each game's `tests/relevance.py`, from the rules: `relevant(sight, seat)` returns it
by name, and `NOT_OBSERVED` has the fields of a state that are left out, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from tablee.core.deals import deal_number
from tablee.core.game import Game, Setup
from tablee.core.sight import Sight
from tablee.core.state import SPECTATOR, copy_state
from tablee.testing.buffers import bytes_of_field
from tablee.testing.positions import random_positions

HEAD = ("generator", "options", "viewer", "seats", "padding")  # not changed, or no part of a sight


def relevance(game: Game) -> Any:
    """Return the module of a game that says what of a sight matters."""
    return game.module("tests.relevance")


def base_setups(game: Game) -> Iterator[Setup]:
    """Yield a setup for each number of seats: the usual options, or the nearest that the game allows."""
    usual = {option.name: option.default for option in game.options}
    for seats in game.seats:
        allowed = [setup for setup in game.setups() if setup.seats == seats]
        yield min(allowed, key=lambda setup: sum(setup.options[name] != usual[name] for name in usual))


def neighbouring_setups(game: Game) -> Iterator[Setup]:
    """Yield for each number of seats the base setup, and those that differ from it in one option."""
    for base in base_setups(game):
        for setup in game.setups():
            different = sum(setup.options[name] != base.options[name] for name in base.options)
            if setup.seats == base.seats and different <= 1:
                yield setup


def states_of(game: Game, setup: Setup, count: int, gap: int, seed: int = 0) -> Iterator[Any]:
    """Yield `count` states of random games, 1 to `gap` moves apart."""
    chance = np.random.default_rng(seed)
    while True:
        wait = 0
        for match in random_positions(game, setup, seed):
            if wait == 0:
                yield copy_state(match.state)
                count -= 1
                if count == 0:
                    return
                wait = int(chance.integers(1, gap + 1))
            wait -= 1
        seed += 1


def reachable_states(game: Game, setup: Setup, numbers: Iterable[int]) -> Iterator[Any]:
    """Yield every state that can be reached from deals of a reduction once, whatever the generator."""
    moves = np.zeros(game.max_legal_moves, np.int32)
    is_generator = bytes_of_field(game.kernels.state_type, "generator")
    front = [deal_number(game, setup, number) for number in numbers]
    seen: set[bytes] = set()
    for _ in range(game.reduction(setup.reduction).max_moves + 1):
        following = []
        for state in front:
            raw = np.frombuffer(state.tobytes(), np.uint8)[~is_generator].tobytes()
            if raw in seen:
                continue
            seen.add(raw)
            yield state
            for move in moves[: game.kernels.legal_moves(state, moves)].tolist():
                following.append(copy_state(state))
                game.kernels.play(following[-1], move)
        front = following


class Observations:
    """What of the sights with the same observation matters; two different answers are a fault."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.relevant = relevance(game).relevant
        self.seen: dict[tuple[bool, bytes], tuple[dict[str, Any], str]] = {}
        self.compared = 0

    def add(self, state: Any, where: str) -> None:
        """Add the sights of a state for all its seats and a spectator; raise AssertionError for a fault."""
        for seat in range(SPECTATOR, int(state.seats)):
            sight = Sight.of(self.game, state, seat)
            found, here = self.relevant(sight.state, seat), f"{where} for seat {seat}"
            key = (seat == SPECTATOR, sight.observe().tobytes())
            earlier, there = self.seen.setdefault(key, (found, here))
            self.compared += 1
            assert found == earlier, f"the same observation at {there} and {here}: {differences(earlier, found)}"


def differences(one: dict[str, Any], two: dict[str, Any]) -> str:
    """Return in words how two answers of `relevant` differ."""
    names = sorted(name for name in one.keys() | two.keys() if one.get(name) != two.get(name))
    return "; ".join(f"{name} is {one.get(name)} and {two.get(name)}" for name in names)


def exchanges(state: Any, other: Any, chance: np.random.Generator, count: int) -> Iterator[tuple[str, Any]]:
    """Yield the field and copies of a state in which something was changed: valid or not.

    Each field is taken from another state; then `count` times one element of a field is taken from there, or exchanged
    with another element of the same type, in the same field or another one.
    """
    fields = [name for name in state.dtype.names if name not in HEAD]
    for name in fields:
        if np.asarray(state[name] != other[name]).any():
            twin = copy_state(state)
            twin[name] = other[name]
            yield name, twin
    arrays = [name for name in fields if state.dtype[name].shape]
    for _ in range(count):
        name = arrays[chance.integers(len(arrays))]
        partners = [partner for partner in arrays if state.dtype[partner].base == state.dtype[name].base]
        twin = copy_state(state)
        partner = partners[chance.integers(len(partners))]
        here, there = twin[name].reshape(-1), twin[partner].reshape(-1)
        one, two = chance.integers(len(here)), chance.integers(len(there))
        if chance.integers(2):
            here[one] = other[name].reshape(-1)[one]
        elif there[two] in state[name] and here[one] in state[partner]:  # a value that the field may have
            here[one], there[two] = there[two], here[one]
        yield name, twin


def sight_of(game: Game, state: Any, seat: int) -> tuple[dict[str, Any], bytes] | None:
    """Return what matters of a sight and its observation; None if the state has problems, or any kernel fails on it."""
    try:
        if game.kernels.problems(state) != 0:
            return None
        sight = Sight.of(game, state, seat)
        return relevance(game).relevant(sight.state, seat), sight.observe().tobytes()
    except (IndexError, ValueError, OverflowError, ZeroDivisionError):
        return None
