"""The record type of a game: its own fields behind a head that every game shares."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tablee.core.compilation import kernel
from tablee.core.errors import BadGame
from tablee.core.fields import new_state, single_state, with_attributes
from tablee.core.randomness import GENERATOR, key_words, reseed

if TYPE_CHECKING:
    from tablee.core.game import Game, Setup

TRUTH = -2  # `viewer` of a true record
SPECTATOR = -1  # `viewer` of what someone without a seat knows
NOBODY = -1  # `to_move` when the game is over

_owners: dict[np.dtype[Any], str] = {}


def state_type(game: Game, fields: Sequence[tuple[Any, ...]]) -> np.dtype[Any]:
    """Make the record type of a game, without a hole between its fields, so that equal states are equal bytes.

    The head: `generator` (all chance comes from it), `options` (a code per option, in
    the manifest's order), `viewer` (`TRUTH`, or whose
    sight this is), `seats`, `to_move` (`NOBODY` once over) and `end_reason` (0 until the game is over).
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
            raise BadGame(f"{game.name}: a field cannot be called {name!r}: NumPy arrays have a method of that name")
    ordered = sorted([*head, *fields], key=lambda f: -np.dtype(f[1]).alignment)
    size = np.dtype(ordered, align=False).itemsize
    if size % 8:
        ordered.append(("padding", "u1", (8 - size % 8,)))
    dtype = np.dtype(ordered, align=True)
    owner = _owners.setdefault(dtype, game.package)
    if owner != game.package:
        raise BadGame(f"{game.name}: its record type equals that of {owner}; name a field differently")
    return dtype


def new_states(dtype: np.dtype[Any], count: int) -> Any:
    """Make zeroed records."""
    return np.zeros(count, dtype).view(np.recarray)


def blank_state(game: Game, setup: Setup, seed: int = 0, stream: int = 0) -> Any:
    """Make a record that is ready for `deal`: seats, options and generator are set, all else is zero."""
    state = new_state(game.kernels.state_type)
    state.viewer = TRUTH
    state.seats = setup.seats
    for index, option in enumerate(game.options):
        state.options[index] = option.code(setup.options[option.name])
    state.generator["key"] = key_words(seed)
    state.generator["stream"] = stream
    return state


def copy_state(state: Any) -> Any:
    """Copy one record."""
    copied = np.zeros(1, with_attributes(state.dtype))
    copied[0] = state
    return single_state(copied)


def state_digest(state: Any) -> str:
    """Return sixteen hexadecimal digits that change with any byte of the record."""
    return hashlib.blake2b(state.tobytes(), digest_size=8).hexdigest()


@kernel
def next_seat(state, seat):
    """Return the seat to the left; a division would take longer than the rest of many a move."""
    return seat + 1 if seat + 1 < state.seats else 0


@kernel
def see_head(state, seat, out):
    """Write what every seat knows of the head; the generator is never shown."""
    glimpse_head(state, seat, out)
    out.generator.stream = 0
    out.generator.counter = 0
    out.generator.left = 0
    for word in range(8):
        out.generator.key[word] = 0
    for word in range(16):
        out.generator.block[word] = 0


@kernel
def glimpse_head(state, seat, out):
    """Write all of the head that means anything to a viewer."""
    out.viewer = seat
    out.seats = state.seats
    out.to_move = state.to_move
    out.end_reason = state.end_reason
    for index in range(len(state.options)):
        out.options[index] = state.options[index]


@kernel
def imagine_head(state, generator):
    """Make a sight's head that of a true record whose chance to come is fresh."""
    state.viewer = TRUTH
    reseed(state.generator, generator)
