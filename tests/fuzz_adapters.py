"""Adapters called with right and wrong arguments: every call returns or raises an error that says why.

    python tests/fuzz_adapters.py CALLS [SEED]

`tests/test_adapters_fuzz.py` makes a few hundred calls.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from typing import Any

import numpy as np

from tablee.adapters.gymnasium import LearnerEnv
from tablee.adapters.pettingzoo import TableEnv
from tablee.adapters.vector import BatchVectorEnv
from tablee.core.errors import TableeError

EXPECTED = (TableeError, TypeError, ValueError)  # the errors that a caller may get for wrong arguments
ODD: tuple[Any, ...] = (
    *(None, True, -1, 0, 1, 2, 7, 2**31, 2**70, -(2**70), 1.5, float("nan"), "", "random", "greedy", "all", "é", b"x"),
    *((), [], [0], [0, 1], {}, {"stream": -1}, {"rows": "maybe"}, object(), np.int8(1), np.float32(2.0)),
    *(np.zeros(2, np.int64), np.zeros((2, 2)), np.array(["a"]), np.array(1), range(2), Ellipsis),
)
SETTINGS: dict[str, tuple[Any, ...]] = {
    "seats": (2, None),
    "options": (None, {}, {"rows": True}),
    "reduction": ("",),
    "reward": ("ranks", "points", "round", "potential", None),
    "episode": ("game", "round"),
    "max_moves": (None, 6),
    "illegal": ("raise", "lose"),
    "action_mask": (True, False),
    "move_list": (False, True),
}
OPPONENTS: dict[str, tuple[Any, ...]] = {"seat": (0, 1, "rotate", "random"), "bots": ("random", "greedy", "policy")}


class Fuzzer:
    """Makes calls with arguments of which some are wrong, and counts what came of them."""

    def __init__(self, seed: int, game: str = "skyjo") -> None:
        self.chooser = random.Random(seed)
        self.game = game
        self.outcomes: Counter[str] = Counter()

    def call(self, function: Any, *arguments: Any, **settings: Any) -> Any:
        """Call a function; return None after an expected error, which must have a message."""
        try:
            result = function(*arguments, **settings)
        except EXPECTED as error:
            if not str(error):
                raise AssertionError(f"{function} {arguments} {settings}: {error!r} has no message") from error
            self.outcomes[type(error).__name__] += 1
            return None
        self.outcomes["returned"] += 1
        return result

    def settings(self, known: dict[str, tuple[Any, ...]]) -> dict[str, Any]:
        """Return some settings, at most a few of them odd."""
        chosen = {name: self.chooser.choice(values) for name, values in known.items() if self.chooser.random() < 0.4}
        if self.chooser.random() < 0.5:
            chosen[self.chooser.choice(list(known))] = self.chooser.choice(ODD)
        return chosen

    def odd(self, right: Any) -> Any:
        """Return an argument that is mostly right."""
        return right if self.chooser.random() < 0.7 else self.chooser.choice(ODD)

    def play_zoo(self, steps: int) -> None:
        """Make and use a PettingZoo environment."""
        table = self.call(TableEnv, self.odd(self.game), **self.settings(SETTINGS))
        if table is None or self.call(table.reset, seed=self.odd(3), options=self.odd(None)) is None:
            if table is None or not hasattr(table, "agent_selection"):
                return
        for _ in range(steps):
            legal = table.infos.get(table.agent_selection, {}).get("legal_moves", [None])
            self.call(table.step, self.odd(self.chooser.choice(list(legal))))
            if not table.agents:
                return
            self.call(table.last)
            self.call(table.state)

    def play_gym(self, steps: int) -> None:
        """Make and use a Gymnasium environment."""
        table = self.call(LearnerEnv, self.odd(self.game), **self.settings({**SETTINGS, **OPPONENTS}))
        if table is None:
            return
        self.call(table.reset, seed=self.odd(3), options=self.odd(None))
        for _ in range(steps):
            self.call(table.step, self.odd(table.action_space.sample()))
            if table.stepper.is_over:
                self.call(table.reset)

    def play_vector(self, steps: int) -> None:
        """Make and use a vector environment."""
        known = {**SETTINGS, **OPPONENTS, "autoreset_mode": ("NextStep", "SameStep", "Disabled")}
        tables = self.call(BatchVectorEnv, self.odd(2), self.odd(self.game), **self.settings(known))
        if tables is None or tables.num_envs > 8:
            return
        self.call(tables.reset, seed=self.odd(3), options=self.odd(None))
        for _ in range(steps):
            self.call(tables.step, self.odd(tables.action_space.sample()))


def fuzz(calls: int, seed: int = 0) -> Counter[str]:
    """Make at least so many calls; return how often each outcome came."""
    fuzzer = Fuzzer(seed)
    while fuzzer.outcomes.total() < calls:
        fuzzer.chooser.choice((fuzzer.play_zoo, fuzzer.play_gym, fuzzer.play_vector))(12)
    return fuzzer.outcomes


if __name__ == "__main__":
    print(dict(fuzz(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)))  # noqa: T201
