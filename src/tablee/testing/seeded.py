"""Seeded faults: small changes of a game that break the contract, and the check that must find each.

The faults of a game are in `tests/faults.py` of its folder. They show what the conformance suite finds
(docs/conformance.md); `make faults` tries them all.
"""

from __future__ import annotations

import importlib
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from tablee.core.errors import TableeError
from tablee.core.game import Game
from tablee.testing.budget import BRIEF, Budget
from tablee.testing.conformance import CHECKS
from tablee.testing.nonconformity import Nonconformity

ACCIDENTS = ("NameError", "ImportError", "SyntaxError")  # of a change that does not even run: they prove nothing
IGNORED = shutil.ignore_patterns("__pycache__", "*.txt", "web")


@dataclass(frozen=True)
class SeededFault:
    """A text of a game's file that is replaced by another, and the check that finds it."""

    what: str  # what is wrong, in a few words
    file: str
    old: str
    new: str
    law: str  # name of the check
    setup: str = ""  # at which it is looked for; the usual one if empty
    pairs: int = 300  # random games in which imagined worlds are compared

    def seed_into(self, folder: Path) -> None:
        """Change the file in the folder of a game; raise TableeError if it does not have the text."""
        path = folder / self.file
        text = path.read_text(encoding="utf-8")
        if self.old not in text:
            raise TableeError(f"{self.file} has no text {self.old!r} in which to seed {self.what!r}")
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")

    def find(self, game: Game) -> Nonconformity | None:
        """Run the check on a game with the fault; return what it finds."""
        check = next(check for check in CHECKS if check.name == self.law)
        try:
            check.run(game, self._budget(game))
        except Nonconformity as found:
            return None if found.what.startswith(ACCIDENTS) else found
        return None

    def _budget(self, game: Game) -> Budget:
        return replace(
            BRIEF,
            setup=game.parse_setup(self.setup),
            usual_games=4,
            state_stride=1,
            usual_sight_stride=1,
            usual_view_stride=1,
            max_positions=2000,
            usual_pairs=self.pairs,
        )


def copy_game(game: Game, parent: Path, name: str) -> Path:
    """Copy the folder of a game of this package under another name, which its modules use too; return the folder."""
    folder = parent / name
    shutil.copytree(game.folder, folder, ignore=IGNORED)
    for file in folder.rglob("*.py"):
        text = file.read_text(encoding="utf-8").replace(game.package, f"tablee.games.{name}")
        file.write_text(text.replace(f'name="{game.name}"', f'name="{name}"'), encoding="utf-8")
    return folder


def load_copy(name: str) -> Game:
    """Return the game of a copied folder, whose parent is in TABLEE_GAMES."""
    game: Game = importlib.import_module(f"tablee.games.{name}").GAME
    return game
