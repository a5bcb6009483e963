"""How much the suite tries: much where kernels are compiled, little where they are interpreted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tablee.core.compilation import is_interpreted
from tablee.core.game import Game, Setup


@dataclass(frozen=True)
class Budget:
    """How many setups, games and positions the checks go through."""

    all_combinations: bool  # of options, else each option's values one at a time
    games: int  # random games per setup
    usual_games: int  # random games at the usual setup
    record_stride: int  # positions from one to the next in which the record is checked
    stride: int  # positions from one to the next of which every viewer's knowledge is checked
    usual_stride: int  # the same at the usual setup
    picture_stride: int  # positions from one to the next that is drawn and told, in every language
    usual_picture_stride: int  # the same at the usual setup
    walked: int  # moves of a game in which every viewer's knowledge is checked; at the usual setup it is whole
    played: int | None  # moves of a game in which the record is checked, None: all; at the usual setup it is whole
    moves: int  # of a match that is played from Python; at the usual setup it is played to its end

    def setups(self, game: Game) -> Iterator[Setup]:
        """Yield the setups to try, the usual one first."""
        return _usual_first(game, game.setups() if self.all_combinations else one_by_one(game))

    def drawn_setups(self, game: Game) -> Iterator[Setup]:
        """Yield the setups at which matches are played from Python, drawn, told and saved, which is slow."""
        return _usual_first(game, one_by_one(game))

    def games_at(self, game: Game, setup: Setup) -> int:
        """Return how many random games to play at a setup."""
        return self.usual_games if setup == game.setup() else self.games

    def stride_at(self, game: Game, setup: Setup) -> int:
        """Return in every how manyth position viewers' knowledge is checked at a setup."""
        return self.usual_stride if setup == game.setup() else self.stride

    def picture_stride_at(self, game: Game, setup: Setup) -> int:
        """Return every how manyth position is drawn at a setup."""
        return self.usual_picture_stride if setup == game.setup() else self.picture_stride

    def walked_at(self, game: Game, setup: Setup) -> int:
        """Return after how many moves a game in which viewers' knowledge is checked is left."""
        return game.max_game_length if setup == game.setup() else self.walked

    def played_at(self, game: Game, setup: Setup) -> int:
        """Return after how many moves a game in which the record is checked is left."""
        return game.max_game_length if setup == game.setup() or self.played is None else self.played

    def moves_at(self, game: Game, setup: Setup) -> int:
        """Return after how many moves a match played from Python is left."""
        return game.max_game_length if setup == game.setup() else self.moves


def _usual_first(game: Game, setups: Iterator[Setup]) -> Iterator[Setup]:
    usual = game.setup()
    yield usual
    yield from (setup for setup in setups if setup != usual)


def one_by_one(game: Game) -> Iterator[Setup]:
    """Yield the setups that differ from the usual one in the number of seats or in one option."""
    usual = game.setup()
    for setup in game.setups():
        changed = [name for name, value in setup.options.items() if value != usual.options[name]]
        if len(changed) + (setup.seats != usual.seats) <= 1:
            yield setup


THOROUGH = Budget(
    all_combinations=True,
    games=1,
    usual_games=1000,
    record_stride=1,
    stride=1,
    usual_stride=1,
    picture_stride=97,
    usual_picture_stride=7,
    walked=1000,
    played=None,
    moves=200,
)
BRIEF = Budget(
    all_combinations=False,
    games=1,
    usual_games=1,
    record_stride=7,
    stride=101,
    usual_stride=23,
    picture_stride=97,
    usual_picture_stride=53,
    walked=100,
    played=100,
    moves=60,
)


def usual_budget() -> Budget:
    """Return the budget that fits the way kernels run in this process."""
    return BRIEF if is_interpreted() else THOROUGH
