"""Make a game, and check one."""

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
    name: Annotated[str, typer.Argument(help="Lower case letters, digits and underscores.")],
    language: Language,
    into: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Where its folder is put.")] = None,
) -> None:
    """Write the folder of a new game that fulfils the contract, to start from."""
    from tablee.testing.template import make_game

    parent = into or _games_folder()
    folder = make_game(name, parent)
    words = common(language)
    print(words.say("new_game.made", name=name, path=folder))
    if into is not None:
        print(words.say("new_game.elsewhere", parent=parent.resolve()))


def _games_folder() -> Path:
    """Return the folder of our own games, if this is a checkout that can be written to."""
    import tablee.games

    folder = Path(tablee.games.__path__[0])
    is_checkout = (folder.parents[2] / "pyproject.toml").is_file()
    if not is_checkout or not os.access(folder, os.W_OK):
        raise TableeError("say where to put the game with --into FOLDER, and name that folder in TABLEE_GAMES")
    return folder


@app.command(epilog=examples("tablee check", "tablee check GAME"))
def check(language: Language, game: AnyGameName = None) -> None:
    """Check that a game fulfils the contract (docs/contract.md); every breach is named."""
    words = common(language)
    broken = scan().broken if game is None else {}
    for name, why in broken.items():
        print(words.say("games.broken", name=name, why=why), file=sys.stderr)
    conforming = [_conforms(chosen, language) for chosen in ([find_game(game)] if game else all_games())]
    raise typer.Exit(0 if all(conforming) and not broken else CHECK_FAILED)


def _conforms(game: Game, language: str) -> bool:
    """Run every check and say what it finds."""
    from tablee.terminal.output import progress_bar
    from tablee.testing.conformance import CHECKS
    from tablee.testing.nonconformity import Nonconformity

    words = common(language)
    breaches = []
    with progress_bar(words.say("check.running", title=game.name)) as progress:
        for done, demand in enumerate(CHECKS):
            progress(done, len(CHECKS))
            try:
                demand.run(game)
            except Nonconformity as found:
                breaches.append(found)
    for breach in breaches:
        print(words.say("check.wrong", title=game.name, why=breach))
    if not breaches:
        print(words.say("check.right", title=game.name, n=len(CHECKS)))
    return not breaches
