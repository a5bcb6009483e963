"""The Typer application, and what several commands share: arguments, options, compilation, screens."""

from __future__ import annotations

import importlib
import os
import sys
import threading
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablee.core.errors import TableeError
from tablee.core.languages import DEFAULT, languages, supported
from tablee.core.registry import all_games, find_game, game_at, scan
from tablee.core.words import common

if TYPE_CHECKING:
    from tablee.core.game import Game, Setup
    from tablee.core.warmup import Warmup
    from tablee.terminal.lobby import LobbyScreen
    from tablee.terminal.replay_screen import ReplayScreen
    from tablee.terminal.table_screen import TableScreen


CHECK_FAILED, WRONG_USE, INTERRUPTED = 1, 2, 130
EXIT_CODES = (
    "Exit codes: 0 success; 1 a check failed (a record that does not verify, a game that does not conform); "
    "2 wrong usage or invalid input; 130 interrupted."
)

app = typer.Typer(
    help="Play tabletop games and study them with the same rules.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich" if sys.stdout.isatty() and sys.stderr.isatty() else None,  # plain help text in a pipe
)


def default_language() -> str:
    """Return the language of the environment, or English if it is not supported."""
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if os.environ.get(variable):
            return supported(os.environ[variable][:2].lower())
    return DEFAULT


def _known_language(language: str) -> str:
    if language not in languages():
        raise typer.BadParameter(f"{language!r} is not one of {', '.join(languages())}")
    return language


def _language_codes() -> str:
    """Return the languages for the help; if they cannot be read, the command says why."""
    try:
        return " or ".join(languages())
    except TableeError:
        return DEFAULT


def game_names(incomplete: str) -> list[str]:
    """Return the names of games that start with a text, for shell completion."""
    return [game.name for game in all_games() if game.name.startswith(incomplete)]


def examples(*lines: str) -> str:
    """Return the examples below the help of a command."""
    return "\n\n".join(["Examples:", *lines])


GameName = Annotated[
    str, typer.Argument(metavar="GAME", autocompletion=game_names, help="The game's name; `tablee games` lists them.")
]
AnyGameName = Annotated[
    str | None, typer.Argument(metavar="GAME", autocompletion=game_names, help="The game's name; default: all games.")
]
Language = Annotated[
    str,
    typer.Option(
        "--lang",
        default_factory=default_language,
        callback=_known_language,
        help=f"{_language_codes()}; taken from LANG by default.",
    ),
]
Seats = Annotated[int | None, typer.Option(help="Number of players; default: the game's usual number.")]
Seed = Annotated[int | None, typer.Option(help="The same seed deals the same cards; default: a secret random seed.")]
Options = Annotated[
    list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="Set an option of the game; may be repeated.")
]
Plain = Annotated[bool, typer.Option("--plain", help="Plain text lines, for pipes and screen readers.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
RecordFile = Annotated[Path, typer.Argument(exists=True, dir_okay=False, readable=True, help="A saved game.")]
TrustStart = Annotated[
    bool, typer.Option(help="Accept a record that starts from a stored position; only if you trust its author.")
]


def parse_setup(game: Game, seats: int | None, options: list[str] | None) -> Setup:
    """Return the setup given by command-line options; raise BadSetup if it is not valid."""
    return game.setup(seats, game.parse_options(options or ()))


def is_folder(text: str) -> bool:
    """Whether a text given for a game names a folder rather than a game."""
    return text not in scan().games and (os.sep in text or Path(text).is_dir())


def find_game_or_folder(text: str) -> Game:
    """Return the game of that name or in that folder; raise UnknownGame or BadGame."""
    return game_at(Path(text)) if is_folder(text) else find_game(text)


def game_title(game: Game, language: str) -> str:
    """Return the title of a game."""
    return game.words(language).say("title")


def usable_games(language: str) -> tuple[list[Game], dict[str, str]]:
    """Return the games available in a language, and the reason for each other game why it is not."""
    usable, broken = [], dict(scan().broken)
    for game in all_games():
        try:
            game.words(language)
            usable.append(game)
        except TableeError as error:
            broken[game.name] = str(error)
    return usable, broken


def compile_for(game: Game, module: str, warmup_plan: str, language: str) -> None:
    """Compile a warmup plan, given by module and name, unless it is in the cache; show a progress bar."""
    compile_with(game, lambda: getattr(importlib.import_module(module), warmup_plan), language)


def compile_with(game: Game, warmup_plan: Callable[[], Warmup], language: str) -> None:
    """Compile a warmup plan unless it is in the cache; show a progress bar."""
    from tablee.core.warmup import warm, without_scipy
    from tablee.terminal.output import progress_bar

    with (
        without_scipy(),
        progress_bar(common(language).say("compiling.once", title=game_title(game, language))) as progress,
    ):
        warm(game, warmup_plan(), progress)


def is_plain(plain: bool) -> bool:
    """Whether to use plain lines: on request, in a pipe, and if Textual is not installed."""
    return plain or not (sys.stdin.isatty() and sys.stdout.isatty()) or find_spec("textual") is None


def run_screen(screen: TableScreen | LobbyScreen | ReplayScreen) -> None:
    """Run the terminal application, print its exit messages and exit with its code."""
    from tablee.terminal.hosts import COMPILER
    from tablee.terminal.screens import make_app

    terminal_app = make_app(screen)
    terminal_app.run()
    for message in terminal_app.exit_messages:
        print(message)
    code = terminal_app.return_code or 0
    if any(thread.name == COMPILER for thread in threading.enumerate()):
        sys.stdout.flush()
        os._exit(code)  # compilation cannot be interrupted, and nobody waits for it any more
    raise typer.Exit(code)
