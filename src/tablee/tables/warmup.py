"""Compilation of the kernels that a table needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tablee.bots.roster import dismiss, make_bot, plays
from tablee.core.game import Game
from tablee.core.match import Match
from tablee.core.warmup import PLAYING
from tablee.tables.early_choices import position_at_own_turn
from tablee.tables.undo import reveals_nothing

TABLE_STEPS = PLAYING.steps + 2  # of `exercise_table`, without bots


def exercise_table(game: Game, bots: Sequence[str]) -> Iterator[None]:
    """Call everything that a table calls on a match, and let each bot decide once; yield after each step."""
    yield from PLAYING.run(game)
    match = Match(game, seed=0)
    match.finished_rounds()
    position_at_own_turn(match, match.sight((match.to_move + 1) % match.seats))
    yield
    reveals_nothing(match.sight(match.to_move), match.legal_moves()[0])
    yield
    for name in bots:
        if plays(name, game):
            bot = make_bot(name, game, 0, seconds=0.01)
            bot.decide(match.sight(match.to_move), match.legal_moves())
            dismiss(bot)
        yield
