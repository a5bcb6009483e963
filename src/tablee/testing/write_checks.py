"""A check of how kernels write their results: on CUDA, `out` is no plain array and there is no memory to allocate."""

from __future__ import annotations

import dis
import importlib
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from types import CodeType, FrameType
from typing import Any

import numpy as np

from tablee.core.compilation import is_interpreted
from tablee.core.game import Game
from tablee.core.match import Match
from tablee.core.randomness import new_generator
from tablee.core.state import SPECTATOR, blank_state, copy_state, new_states
from tablee.testing.budget import Budget
from tablee.testing.elements import number_name
from tablee.testing.mode_checks import run_interpreted
from tablee.testing.nonconformity import Nonconformity
from tablee.testing.positions import random_positions

STRIDE = 7  # one position in this many is checked
MAX_MOVES = 100
ALLOCATING = {"array", "arange", "astype", "concatenate", "copy", "empty", "empty_like", "zeros", "sort", "where"}
CONTAINERS = {"BUILD_LIST": "a list", "BUILD_MAP": "a dictionary", "BUILD_SET": "a set"}  # by instruction of CPython


class KernelMisuse(Exception):
    """A kernel reads or writes an array in a way that the contract forbids."""


class WriteOnlyNumbers:
    """Stands for the `out` of a kernel: each number may be written once, and none may be read."""

    def __init__(self, size: int, name: Callable[[int], str]) -> None:
        self.indices = range(size)
        self.written = [False] * size
        self.name = name

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, key: Any) -> WriteOnlyNumbers:
        if not isinstance(key, slice):
            raise KernelMisuse(f"reads {self.name(self.indices[key])} of `out`")
        part = WriteOnlyNumbers.__new__(WriteOnlyNumbers)
        part.indices, part.written, part.name = self.indices[key], self.written, self.name
        return part

    def __setitem__(self, key: Any, value: Any) -> None:
        for index in self.indices[key] if isinstance(key, slice) else (self.indices[key],):
            if self.written[index]:
                raise KernelMisuse(f"writes {self.name(index)} of `out` twice")
            self.written[index] = True


def results_are_written_once(game: Game, budget: Budget) -> None:
    """Check that `observe` and `rate` write each number once and read none, and that kernels for CUDA do not allocate.

    It runs interpreted, in another process if this one has compiled kernels.
    """
    if is_interpreted():
        found = first_misuse(game, budget.seed)
    else:
        script = f"from {__name__} import print_misuse; print_misuse({game.package!r}, {budget.seed})"
        found = json.loads(run_interpreted(game, script))
    if found is not None:
        what, move = found
        raise Nonconformity(game, what, setup=game.setup(), seed=budget.seed, move=move)


def print_misuse(package: str, seed: int) -> None:
    """Print what the game in a package does wrong as JSON, null for nothing."""
    sys.stdout.write(json.dumps(first_misuse(importlib.import_module(package).GAME, seed)))


def first_misuse(game: Game, seed: int) -> tuple[str, int] | None:
    """Return what a kernel does wrong in a random game, and after how many moves; None for nothing."""
    for match in random_positions(game, seed=seed, max_moves=MAX_MOVES):
        if len(match.moves) % STRIDE and not match.is_over:
            continue
        for name, run in _runs(game, match):
            try:
                with allocations_forbidden(game):
                    run()
            except KernelMisuse as why:
                return f"`{name}` {why}", len(match.moves)
    return None


def _runs(game: Game, match: Match) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield calls of the kernels that must not allocate, each with its name."""
    kernels, state, layout = game.kernels, match.state, game.kernels.observation
    moves, points = np.array(match.legal_moves(), np.int32), np.zeros(match.seats, np.int64)
    yield "deal", partial(kernels.deal, blank_state(game, match.setup, 1, 1))
    yield "legal_moves", partial(kernels.legal_moves, state, np.zeros(game.max_legal_moves, np.int32))
    yield "scores", partial(kernels.scores, state, points)
    yield "ranks", partial(kernels.ranks, state, points)
    yield "finished_rounds", partial(kernels.finished_rounds, state)
    for move in moves[:1].tolist():
        memory = np.zeros(game.max_legal_moves, np.int32)
        yield "random_move", partial(kernels.random_move, state, new_generator(1), memory)
        yield "play_in_stage", partial(kernels.play_in_stage, copy_state(state), move)
        yield "refusal", partial(kernels.refusal, state, move)
        yield "play", partial(kernels.play, copy_state(state), move)
        ratings = WriteOnlyNumbers(len(moves), "number {}".format)
        yield "rate", partial(kernels.rate, match.sight(match.to_move).state, moves, len(moves), ratings)
    for seat in range(SPECTATOR, match.seats):
        yield "see", partial(kernels.see, state, seat, new_states(state.dtype, 1)[0])
        numbers = WriteOnlyNumbers(layout.size, partial(number_name, layout))
        yield "observe", partial(kernels.observe, match.sight(seat).state, seat, numbers)


@cache
def made_container(code: CodeType) -> str | None:
    """Return what a function makes that takes memory, with its name and line; None for nothing."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in CONTAINERS:
            line = instruction.positions.lineno if instruction.positions else code.co_firstlineno
            return f"{CONTAINERS[instruction.opname]} in `{code.co_name}`, line {line},"
    return None


@contextmanager
def allocations_forbidden(game: Game) -> Iterator[None]:
    """Raise KernelMisuse where code of a game makes a NumPy array, or is called that can make a list, dict or set."""
    folder = str(game.folder)

    def watch(frame: FrameType, event: str, called: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(folder):
            made = made_container(frame.f_code)
            if made is not None:
                raise KernelMisuse(f"makes {made} in {frame.f_code.co_filename.removeprefix(folder).lstrip('/')}")
        if event != "c_call" or getattr(called, "__name__", "") not in ALLOCATING:
            return
        caller: FrameType | None = frame
        while caller is not None and "numpy" in caller.f_code.co_filename:
            caller = caller.f_back
        if caller is not None and caller.f_code.co_filename.startswith(folder):
            line = f"{caller.f_code.co_filename.removeprefix(folder).lstrip('/')}, line {caller.f_lineno}"
            raise KernelMisuse(f"allocates an array: `{called.__name__}` in {line}")

    earlier = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(earlier)
