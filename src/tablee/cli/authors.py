"""Commands for authors of games: `new-game` and `check`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablee.cli.shared import (
    CHECK_FAILED,
    AnyGameName,
    Language,
    app,
    examples,
)
from tablee.core.errors import TableeError
from tablee.core.registry import all_games, find_game, scan
from tablee.core.words import common

if TYPE_CHECKING:
    from tablee.core.game import Game


@app.command("new-game", epilog=examples("tablee new-game GAME", "tablee new-game GAME --into FOLDER"))
def new_game(
    name: Annotated[str, typer.Argument(help="The new game's name: lower case letters, digits and underscores.")],
    language: Language,
    into: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="The parent folder; default: the games of this checkout.")
    ] = None,
) -> None:
    """Create a new game from the template; it conforms to the contract."""
    from tablee.testing.template import make_game

    parent = into or _games_folder()
    folder = make_game(name, parent)
    words = common(language)
    print(words.say("new_game.made", name=name, path=folder))
    if into is not None:
        print(words.say("new_game.elsewhere", parent=parent.resolve()))


def _games_folder() -> Path:
    """Return the folder of the built-in games if this is a writable checkout; else raise TableeError."""
    import tablee.games

    folder = Path(tablee.games.__path__[0])
    is_checkout = (folder.parents[2] / "pyproject.toml").is_file()
    if not is_checkout or not os.access(folder, os.W_OK):
        raise TableeError(
            "this is not a writable checkout: choose a folder with --into FOLDER and add it to TABLEE_GAMES"
        )
    return folder


@app.command(epilog=examples("tablee check", "tablee check GAME"))
def check(language: Language, game: AnyGameName = None) -> None:
    """Check that games conform to the contract (docs/contract.md); print every violation."""
    words = common(language)
    broken = scan().broken if game is None else {}
    for name, why in broken.items():
        print(words.say("games.broken", name=name, why=why), file=sys.stderr)
    conforming = [_conforms(chosen, language) for chosen in ([find_game(game)] if game else all_games())]
    raise typer.Exit(0 if all(conforming) and not broken else CHECK_FAILED)


def _conforms(game: Game, language: str) -> bool:
    """Run every check on a game and print the violations; return whether there are none."""
    from tablee.terminal.output import progress_bar
    from tablee.testing.conformance import CHECKS
    from tablee.testing.nonconformity import Nonconformity

    words = common(language)
    violations = []
    with progress_bar(words.say("check.running", title=game.name)) as progress:
        for done, requirement in enumerate(CHECKS):
            progress(done, len(CHECKS))
            try:
                requirement.run(game)
            except Nonconformity as found:
                violations.append(found)
    for violation in violations:
        print(words.say("check.wrong", title=game.name, why=violation))
    if not violations:
        print(words.say("check.right", title=game.name, n=len(CHECKS)))
    return not violations
