"""Checks of the folder of a game: its manifest, and the tests of its clauses."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from tablee.core.game import Game
from tablee.testing.budget import Budget
from tablee.testing.nonconformity import Nonconformity
from tablee.testing.rulebook import tests_of, untested_clauses, wrongly_cited_clauses
from tablee.testing.template import SOURCE, renamed

HEAVY = ("numpy", "numba", "scipy", "torch", "pandas")
LIST_IMPORTS = """
import importlib, json, sys
import tablee.core.game, tablee.games
before = set(sys.modules)
importlib.import_module(sys.argv[1])
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules.keys() - before})))
"""


def manifest_is_light(game: Game, budget: Budget) -> None:
    """Check that the manifest imports neither NumPy nor Numba nor anything else that takes long."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", LIST_IMPORTS, game.package]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Nonconformity(game, f"its package cannot be imported by itself:\n{done.stderr}")
    heavy = [name for name in HEAVY if name in json.loads(done.stdout)]
    if heavy:
        raise Nonconformity(game, f"its __init__.py imports {', '.join(heavy)}; the list of games would wait for them")


def clauses_have_tests(game: Game, budget: Budget) -> None:
    """Check that every clause has a test named after it, and that tests cite no other clauses.

    An installed package may leave its tests out.
    """
    if not (game.folder / "tests").is_dir() and "site-packages" in game.folder.parts:
        return
    untested = untested_clauses(game)
    if untested:
        example = f"def test_{untested[0].lower()}_...()"
        raise Nonconformity(game, f"no test in tests/ is named after {', '.join(untested)}, like `{example}`")
    wrong = wrongly_cited_clauses(game)
    if wrong:
        raise Nonconformity(game, f"tests cite what is not a clause: {'; '.join(wrong)}")


def tests_are_own(game: Game, budget: Budget) -> None:
    """Check that a game with a rulebook of its own has not kept the template's tests."""
    if _is_template(game, "rules.en.md"):
        return
    files = sorted({f"tests/{file}" for file, _ in tests_of(game)})
    kept = [file for file in files if _is_template(game, file)]
    if kept:
        raise Nonconformity(game, f"{', '.join(kept)}: still as in the template, while rules.en.md is not")


def _is_template(game: Game, file: str) -> bool:
    """Whether a file of a game is the template's, but for the name of the game."""
    path = game.folder / file
    if not path.is_file() or not (SOURCE / file).is_file():
        return False
    return path.read_text(encoding="utf-8") == renamed((SOURCE / file).read_text(encoding="utf-8"), game.name)
