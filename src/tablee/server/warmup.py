"""Compilation of the kernels that a server needs.

Compiling in the server process would block all its tables, so another process compiles (`tablee prepare`) while the
server already runs, and a game can be played when it is ready.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tablee.bots.roster import NAMES, make_bot
from tablee.core.game import Game
from tablee.core.match import Match
from tablee.core.warmup import PLAYING, Warmup, is_warm
from tablee.tables.early_choices import position_at_own_turn
from tablee.tables.undo import reveals_nothing


def exercise_serving(game: Game, bots: Sequence[str] = NAMES) -> Iterator[None]:
    """Call everything that a table calls on a match, and let each bot decide once; yield after each step."""
    yield from PLAYING.run(game)
    match = Match(game, seed=0)
    position_at_own_turn(match, match.sight((match.to_move + 1) % match.seats))
    yield
    reveals_nothing(match.sight(match.to_move), match.legal_moves()[0])
    yield
    for name in bots:
        bot = make_bot(name, game, 0, seconds=0.01)
        bot.decide(match.sight(match.to_move), match.legal_moves())
        yield


SERVING = Warmup("serve", PLAYING.steps + 2 + len(NAMES), exercise_serving)


def is_ready(game: Game) -> bool:
    """Whether a table of this game can be played without compiling anything."""
    return is_warm(game, SERVING)
