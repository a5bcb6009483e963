"""Regenerate the golden playthroughs, one random match per game and number of seats; then read the diff."""

from __future__ import annotations

import sys
from pathlib import Path

from tablee import all_games
from tablee.core.game import Game
from tablee.testing import playthrough

ROOT = Path(__file__).resolve().parents[1]
SEED = 1


def golden_path(game: Game, seats: int) -> Path:
    """Return the path of the golden text for a number of seats."""
    return game.folder / "tests" / f"playthrough-{seats}.txt"


def golden_text(game: Game, seats: int) -> str:
    """Play the match and return its golden text."""
    return playthrough(game, game.setup(seats), SEED)


def seat_counts(game: Game) -> list[int]:
    """Return the numbers of seats that the usual options allow."""
    usual = game.setup().options
    return [seats for seats in game.seats if game.refuses_setup(seats, usual) is None]


def main() -> None:
    """Write the golden texts of all games, or of those named, and print which changed."""
    for game in all_games():
        if len(sys.argv) > 1 and game.name not in sys.argv[1:]:
            continue
        for seats in seat_counts(game):
            path, text = golden_path(game, seats), golden_text(game, seats)
            old = path.read_text(encoding="utf-8") if path.is_file() else None
            if text != old:
                path.write_text(text, encoding="utf-8")
                print(f"{'changed' if old else 'new'}: {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
