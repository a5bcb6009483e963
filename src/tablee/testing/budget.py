"""How much the conformance suite tries: brief, usual or thorough, with which random games, and what it has tried."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from tablee.core.compilation import is_interpreted
from tablee.core.game import Game, Setup

SEED = 2026


@dataclass
class Coverage:
    """What the checks have tried so far, all checks together."""

    setups: set[str] = field(default_factory=set)
    games: int = 0
    positions: int = 0
    worlds: int = 0  # imagined and disguised states

    def count(self, setup: Setup, *, games: int = 0, positions: int = 0, worlds: int = 0) -> None:
        """Add what was tried at a setup."""
        self.setups.add(str(setup))
        self.games += games
        self.positions += positions
        self.worlds += worlds


@dataclass(frozen=True)
class Budget:
    """How many setups, games and positions the checks try. A stride of N checks one position in N.

    Games at the usual setup are played to their end. Every check plays random games from `seed`, tries the setups that
    `setups` or `view_setups` yield, and counts what it has tried in `tried`. `replace` starts a new count.
    """

    all_combinations: bool  # of option values; otherwise one option at a time differs from the usual setup
    games: int  # random games per setup
    usual_games: int  # random games at the usual setup
    state_stride: int  # for checks of the state
    sight_stride: int  # for checks of what every viewer knows
    usual_sight_stride: int  # the same at the usual setup
    view_stride: int  # for checks of views and events, in every language
    usual_view_stride: int  # the same at the usual setup
    state_moves: int | None  # moves per game for checks of the state, None for all
    sight_moves: int  # moves per game for checks of what every viewer knows
    view_moves: int  # moves per match played from Python: views, events, saved games
    usual_first_positions: int = 0  # of each game at the usual setup, checked whatever the stride: games may be short
    max_positions: int = (
        300_000  # per setup and check, counted once per viewer: hundreds of games, or fewer longer ones
    )
    max_view_positions: int = 100  # per setup, whose views and events are checked
    max_view_games: int = 1  # at the usual setup, of which a short game needs several to reach so many positions
    pairs: int = 500  # random games per setup, of which one position is compared with an imagined one
    usual_pairs: int = 2000  # the same at the usual setup
    name: str = "custom"  # or the key in BUDGETS
    seed: int = SEED  # of the random games
    setup: Setup | None = None  # the only setup to try, None for all
    tried: Coverage = field(default_factory=Coverage, init=False, compare=False)

    def setups(self, game: Game) -> Iterator[Setup]:
        """Yield the setups to try, the usual one first."""
        if self.setup is not None:
            return iter((self.setup,))
        return _usual_first(game, game.setups() if self.all_combinations else one_by_one(game))

    def view_setups(self, game: Game) -> Iterator[Setup]:
        """Yield the setups for checks that play matches from Python, which is slow."""
        return iter((self.setup,)) if self.setup is not None else _usual_first(game, one_by_one(game))

    def games_at(self, game: Game, setup: Setup) -> int:
        """Return how many random games to play at a setup."""
        return self.usual_games if setup in (game.setup(), self.setup) else self.games

    def pairs_at(self, game: Game, setup: Setup) -> int:
        """Return in how many random games at a setup to compare a position with an imagined one."""
        return self.usual_pairs if setup in (game.setup(), self.setup) else self.pairs

    def sight_stride_at(self, game: Game, setup: Setup) -> int:
        """Return the stride at a setup for checks of what viewers know."""
        return self.usual_sight_stride if setup == game.setup() else self.sight_stride

    def first_positions_at(self, game: Game, setup: Setup) -> int:
        """Return how many of the first positions of a game to check at a setup, whatever the stride."""
        return self.usual_first_positions if setup in (game.setup(), self.setup) else 0

    def view_stride_at(self, game: Game, setup: Setup) -> int:
        """Return the stride at a setup for checks of views and events."""
        return self.usual_view_stride if setup == game.setup() else self.view_stride

    def view_games_at(self, game: Game, setup: Setup) -> int:
        """Return how many games to play at most at a setup for checks of views and events."""
        return self.max_view_games if setup == game.setup() else 1

    def state_moves_at(self, game: Game, setup: Setup) -> int:
        """Return how many moves to play at a setup for checks of the state."""
        return game.max_game_length if setup == game.setup() or self.state_moves is None else self.state_moves

    def sight_moves_at(self, game: Game, setup: Setup) -> int:
        """Return how many moves to play at a setup for checks of what viewers know."""
        return game.max_game_length if setup == game.setup() else self.sight_moves

    def view_moves_at(self, game: Game, setup: Setup) -> int:
        """Return how many moves to play at a setup in a match played from Python."""
        return game.max_game_length if setup == game.setup() else self.view_moves


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


BRIEF = Budget(
    name="brief",
    all_combinations=False,
    games=1,
    usual_games=1,
    state_stride=7,
    sight_stride=101,
    usual_sight_stride=23,
    view_stride=97,
    usual_view_stride=53,
    state_moves=100,
    sight_moves=100,
    view_moves=60,
    usual_first_positions=24,
    pairs=0,
    usual_pairs=80,
)
USUAL = Budget(
    name="usual",
    all_combinations=True,
    games=1,
    usual_games=1000,
    state_stride=1,
    sight_stride=1,
    usual_sight_stride=1,
    view_stride=97,
    usual_view_stride=7,
    state_moves=None,
    sight_moves=1000,
    view_moves=200,
    max_view_games=20,
)
THOROUGH = replace(
    USUAL,
    name="thorough",
    games=5,
    usual_games=5000,
    view_stride=23,
    usual_view_stride=2,
    sight_moves=5000,
    view_moves=500,
    max_positions=1_000_000,
    max_view_positions=300,
    max_view_games=60,
    pairs=5000,
    usual_pairs=20_000,
)
BUDGETS = {budget.name: budget for budget in (BRIEF, USUAL, THOROUGH)}


def usual_budget() -> Budget:
    """Return a budget for this process: USUAL with compiled kernels, BRIEF with interpreted ones."""
    return replace(BRIEF if is_interpreted() else USUAL)
