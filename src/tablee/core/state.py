"""The state type of a game: its own fields, and a head that all games share."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tablee.core.compilation import kernel
from tablee.core.errors import BadGame
from tablee.core.fields import StateScalar, new_state, state_over, with_attributes
from tablee.core.randomness import GENERATOR, key_words, reseed
from tablee.core.types import Generator, Seat, SightState, State, States

if TYPE_CHECKING:
    from tablee.core.game import Game, Setup

TRUTH = -2  # `viewer` of a full state
SPECTATOR = -1  # `viewer` of what a spectator knows
NOBODY = -1  # `to_move` when the game is over

_owners: dict[np.dtype[Any], str] = {}


def state_type(game: Game, fields: Sequence[tuple[Any, ...]]) -> np.dtype[Any]:
    """Make the state type of a game, without padding between its fields, so that equal states are equal bytes.

    The head: `generator` (the source of all randomness), `options` (a code per option, in the order of the manifest),
    `viewer` (`TRUTH`, or the seat whose sight it is), `seats`, `to_move` (`NOBODY` when the game is over) and
    `end_reason` (0 until the game is over).
    """
    head: list[tuple[Any, ...]] = [
        ("generator", GENERATOR),
        ("options", "i4", (max(1, len(game.options)),)),
        ("viewer", "i4"),
        ("seats", "i4"),
        ("to_move", "i4"),
        ("end_reason", "i4"),
    ]
    for name, *_ in fields:
        if name in dir(np.recarray):
            raise BadGame(f"{game.name}: a field cannot be named {name!r}: NumPy arrays have a method of that name")
    ordered = sorted([*head, *fields], key=lambda f: -np.dtype(f[1]).alignment)
    size = np.dtype(ordered, align=False).itemsize
    if size % 8:
        ordered.append(("padding", "u1", (8 - size % 8,)))
    dtype = np.dtype(ordered, align=True)
    owner = _owners.setdefault(dtype, game.package)
    if owner == game.package:
        return dtype
    if owner.rpartition(".")[2] == game.package.rpartition(".")[2]:
        what = f"it is imported twice, as {owner} and as {game.package}"
        way_out = f"in tests, get modules by find_game({game.name!r}).module(NAME), not by imports"
        raise BadGame(f"{game.name}: {what}; {way_out}")
    raise BadGame(f"{game.name}: its state type equals that of {owner}; rename a field")


def new_states(dtype: np.dtype[Any], count: int) -> States:
    """Make an array of `count` zeroed states."""
    return np.zeros(count, dtype).view(np.recarray)


def blank_state(game: Game, setup: Setup, seed: int = 0, stream: int = 0) -> State:
    """Make a state that is ready for `deal`: seats, options and generator are set, everything else is zero."""
    state = new_state(game.kernels.state_type)
    state.viewer = TRUTH
    state.seats = setup.seats
    for index, option in enumerate(game.options):
        state.options[index] = option.code(setup.options[option.name])
    state.generator["key"] = key_words(seed)
    state.generator["stream"] = stream
    return state


def copy_state(state: State) -> State:
    """Copy one state."""
    if isinstance(state, StateScalar):
        return state_over(bytearray(state.data), state.dtype)
    return state_over(bytearray(state.tobytes()), with_attributes(state.dtype))


def state_digest(state: State) -> str:
    """Return sixteen hexadecimal digits that change with any byte of the state."""
    return hashlib.blake2b(state.tobytes(), digest_size=8).hexdigest()


@kernel
def next_seat(state: State, seat: Seat) -> Seat:
    """Return the seat to the left; without `%`, which would take longer than the rest of many moves."""
    return seat + 1 if seat + 1 < state.seats else 0


@kernel
def see_head(state: State, seat: Seat, out: SightState) -> None:
    """Write what every seat knows of the head: everything but the generator."""
    glimpse_head(state, seat, out)
    out.generator.stream = 0
    out.generator.counter = 0
    out.generator.left = 0
    for word in range(8):
        out.generator.key[word] = 0
    for word in range(16):
        out.generator.block[word] = 0


@kernel
def glimpse_head(state: State, seat: Seat, out: SightState) -> None:
    """Write the fields of the head that `observe` may read, and leave the generator as it is."""
    out.viewer = seat
    out.seats = state.seats
    out.to_move = state.to_move
    out.end_reason = state.end_reason
    for index in range(len(state.options)):
        out.options[index] = state.options[index]


@kernel
def imagine_head(state: SightState, generator: Generator) -> None:
    """Turn the head of a sight into that of a full state, with a generator seeded from `generator`."""
    state.viewer = TRUTH
    reseed(state.generator, generator)
