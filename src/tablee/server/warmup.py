"""Compilation of the kernels that a server needs.

Compiling in the server process would block all its tables, so another process compiles (`tablee prepare`) while the
server already runs, and a game can be played when it is ready.
"""

from __future__ import annotations

from tablee.bots.roster import NAMES
from tablee.core.game import Game
from tablee.core.warmup import Warmup, is_warm
from tablee.tables.warmup import TABLE_STEPS, exercise_table

SERVING = Warmup("serve", TABLE_STEPS + len(NAMES), lambda game: exercise_table(game, NAMES))


def is_ready(game: Game) -> bool:
    """Whether a table of this game can be played without compiling anything."""
    return is_warm(game, SERVING)
