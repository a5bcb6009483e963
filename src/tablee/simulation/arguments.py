"""Checks of what callers of a batch pass: numbers, names, seeds, moves and seats. Each refusal is a sentence."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tablee.core.errors import BadMove, BadSetup, did_you_mean
from tablee.core.game import Game
from tablee.core.randomness import KEY_BITS
from tablee.core.registry import find_game


def checked_game(game: Any) -> Game:
    """Return a game, which may be given by its name."""
    if isinstance(game, Game):
        return game
    if not isinstance(game, str):
        raise BadSetup(f"a game is given by its name or its manifest, not by {game!r}")
    return find_game(game)


def whole_number(what: str, value: Any, least: int, most: int | None = None) -> int:
    """Return a whole number within bounds, which are included; NumPy's integers are fine, True and 3.0 are not."""
    try:
        number = None if isinstance(value, bool | np.bool_) else operator.index(value)
    except TypeError:
        number = None
    if number is None or number < least or (most is not None and number > most):
        bounds = f"from {least} on" if most is None else f"from {least} to {most}"
        raise BadSetup(f"{what} is a whole number {bounds}, not {_shown(value)}")
    return number


def flag(what: str, value: Any) -> bool:
    """Return True or False."""
    if not isinstance(value, bool | np.bool_):
        raise BadSetup(f"{what} is True or False, not {_shown(value)}")
    return bool(value)


def one_of(what: str, name: Any, known: Iterable[str]) -> str:
    """Return a name that is known."""
    known = list(known)
    if not isinstance(name, str) or name not in known:
        raise BadSetup(f"there is no {what} {_shown(name)}; {did_you_mean(str(name), known)}")
    return name


def checked_seeds(seed: Any, size: int) -> tuple[list[int], bool]:
    """Return one seed for all games, or one per game; and whether it is the latter."""
    most = (1 << KEY_BITS) - 1
    if is_row(seed):
        if len(seed) != size:
            raise BadSetup(f"{len(seed)} seeds for {size} games")
        return [whole_number("a seed", one, 0, most) for one in seed], True
    return [whole_number("a seed", seed, 0, most)], False


def require_memory(needed: int) -> None:
    """Raise MemoryError for more bytes than this machine has, before the system ends the process for them."""
    installed = _installed_memory()
    if needed > installed:
        raise MemoryError(
            f"a batch of this size needs {needed / 2**30:,.1f} GiB, and this machine has {installed / 2**30:,.1f}"
        )


def _installed_memory() -> int:
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
        return 1 << 63
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def is_row(value: Any) -> bool:
    """Return whether a value has several elements, one per game, rather than being one number for all."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def integer_row(what: str, array: Any, size: int) -> np.ndarray:
    """Return a (size,) array of integers from anything like one; raise BadMove for other shapes and types."""
    try:
        row = np.asarray(array)
    except (TypeError, ValueError, RuntimeError) as why:
        raise BadMove(f"{what} are {size} integers, not {_shown(array)}: {why}") from None
    check_row(what, row, size)
    return row


def check_row(what: str, row: Any, size: int) -> None:
    """Check the shape and the type of an array, on whatever device."""
    if tuple(row.shape) != (size,):
        raise BadMove(f"{what} have the shape ({size},), one per game, not {tuple(row.shape)}")
    if np.dtype(row.dtype).kind not in "iu":
        raise BadMove(f"{what} are integers, not {row.dtype}")


def _shown(value: Any) -> str:
    """Return a short repr."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
