"""Arguments of every kind, right and wrong, for fuzzing what Python programs call.

`Fuzzer.call` makes a call with them: it must return, or raise an error that says something. Used by
`tests/fuzz_batch.py` and `tests/fuzz_adapters.py`.
"""

from __future__ import annotations

import argparse
import faulthandler
import random
import signal
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from tablee.core.errors import TableeError
from tablee.core.registry import all_games

NUMBERS = (0, 1, 2, 3, 4, 5, 7, 8, 9, 26, 27, 255, 2**30, 2**31 - 1, 2**31, 2**63 - 1, 2**63, 2**64, 2**256, 2**300)
INTEGER_TYPES = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)
HANG_SECONDS = 120  # of processor time, after which a call counts as hung
WORDS = ("", "0", "random", "policy", "cpu", "tpu", "ranks", "places", "game", "round", "rows", "tiny", "\0", "é" * 300)


class Fuzzer:
    """Draws arguments from a seed, calls with them, and counts what came of it."""

    expected: tuple[type[Exception], ...] = (TableeError, MemoryError)  # what a call may raise, with a message

    def __init__(self, seed: int, games: list[str]) -> None:
        self.chooser = random.Random(seed)
        self.games = games
        self.outcomes: Counter[str] = Counter()

    @property
    def calls(self) -> int:
        """The number of calls so far."""
        return self.outcomes.total()

    def run(self, calls: int) -> None:
        """Go on until there are so many calls."""
        raise NotImplementedError

    # Calls

    def call(self, name: str, function: Callable[..., Any], *arguments: Any, **settings: Any) -> tuple[bool, Any]:
        """Call a function; return whether it returned, and what, or the error. Unexpected errors are passed on."""
        try:
            result = function(*arguments, **settings)
        except self.expected as error:
            if not self.says_why(error):
                raise AssertionError(f"{name}{arguments}: {error!r} does not say what is wrong") from error
            self.outcomes[f"{name}: {type(error).__name__}"] += 1
            return False, error
        except Exception as error:
            error.add_note(f"in {name} with {self.shown(arguments)} {self.shown(settings)}")
            raise
        self.outcomes[f"{name}: returned"] += 1
        return True, result

    def says_why(self, error: Exception) -> bool:
        """Return whether the message of an error is a sentence."""
        return len(str(error).split()) >= 3

    @staticmethod
    def shown(value: Any) -> str:
        """Return a short repr."""
        return repr(value)[:400]

    # Values

    def is_likely(self, probability: float) -> bool:
        """Return True with a probability."""
        return self.chooser.random() < probability

    def one_of(self, *makers: Callable[[], Any]) -> Any:
        """Return what one of several functions makes."""
        return self.chooser.choice(makers)()

    def integer(self) -> Any:
        """Return a whole number, of Python or NumPy, small or huge."""
        number = self.chooser.choice(NUMBERS) * self.chooser.choice((1, 1, 1, -1))
        if self.is_likely(0.3):
            kind = self.chooser.choice(INTEGER_TYPES)
            if np.iinfo(kind).min <= number <= np.iinfo(kind).max:
                return kind(number)
        return number

    def scalar(self) -> Any:
        """Return one value of any type."""
        return self.one_of(
            self.integer,
            lambda: self.chooser.choice((True, False, np.True_, None, ..., 3.7, 2.0, -0.0, 1e300, 1j, b"1", object())),
            lambda: self.chooser.choice((float("nan"), float("inf"), np.float32(1), np.datetime64("2026-01-01"))),
            lambda: self.chooser.choice(WORDS),
        )

    def array(self, size: int) -> Any:
        """Return something like an array, perhaps of the wrong shape or type; `size` is a length that may be right."""
        shape = self.chooser.choice(
            ((size,), (size,), (size - 1,), (size + 1,), (0,), (size, 1), (1, size), (), (2, 2))
        )
        kind = self.chooser.choice((*INTEGER_TYPES, np.float32, np.float64, np.bool_, object, "U3", "M8[s]", "V4"))
        return self.one_of(
            lambda: np.zeros(shape, kind),
            lambda: np.full(shape, int(self.integer()) % 2**31).astype(np.int64),
            lambda: np.arange(3 * size)[:: self.chooser.choice((1, 2, 3, -1))][:size],
            lambda: [self.scalar() for _ in range(size)],
            lambda: [0] * self.chooser.choice((0, 1, size - 1, size, size + 1)),
            lambda: [[0]] * size,
            lambda: [[0], [1, 2], *[[]] * size],
            lambda: range(self.chooser.choice((size, size + 1))),
            lambda: dict.fromkeys(range(size), 0),
            lambda: (number for number in range(size)),
            lambda: np.ma.zeros(size, np.int32),
            lambda: memoryview(bytes(size)),
        )

    def anything(self, size: int) -> Any:
        """Return a value or something like an array."""
        return self.scalar() if self.is_likely(0.5) else self.array(size)

    def mapping(self) -> Any:
        """Return something like a dict of options."""
        return self.one_of(
            lambda: {self.chooser.choice(WORDS): self.scalar()},
            lambda: {self.scalar() if self.is_likely(0.5) else 3: 1},
            self.scalar,
            lambda: [("rows", True)],
        )


def run_fuzzer(kind: type[Fuzzer]) -> None:
    """Fuzz as the command line says, and print what came of the calls."""
    parser = argparse.ArgumentParser(description="calls with right and wrong arguments")
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--game", action="append", help="only this one (may be repeated)")
    arguments = parser.parse_args()
    faulthandler.enable()
    faulthandler.register(signal.SIGVTALRM, chain=True)  # prints where, then the signal ends the process
    fuzzer = kind(arguments.seed, arguments.game or [game.name for game in all_games()])
    while fuzzer.calls < arguments.calls:
        signal.setitimer(signal.ITIMER_VIRTUAL, HANG_SECONDS)
        fuzzer.run(min(arguments.calls, fuzzer.calls + 100))
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    for outcome, count in sorted(fuzzer.outcomes.items()):
        sys.stdout.write(f"{count:8,} {outcome}\n")
    sys.stdout.write(f"{fuzzer.calls:8,} calls, 0 crashes, 0 hangs\n")
