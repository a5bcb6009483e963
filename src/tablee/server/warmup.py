"""What must be compiled before a game is played here: a compiler at work in a server would keep everybody waiting.

So the server opens at once, another process compiles (`tablee prepare`), and a game can be played when it is ready.
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
    """Do all that a table does with a match, and let each bot decide once."""
    yield from PLAYING.run(game)
    before = Match(game, seed=0)
    position_at_own_turn(before, before.sight((before.to_move + 1) % before.seats))
    yield
    reveals_nothing(before.sight(before.to_move), before.legal_moves()[0])
    yield
    for name in bots:
        bot = make_bot(name, game, 0, seconds=0.01)
        bot.decide(before.sight(before.to_move), before.legal_moves())
        yield


SERVING = Warmup("serve", PLAYING.steps + 2 + len(NAMES), exercise_serving)


def is_ready(game: Game) -> bool:
    """Return whether a table of this game can be played without compiling anything."""
    return is_warm(game, SERVING)
