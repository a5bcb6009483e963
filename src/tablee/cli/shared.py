"""The application, and what several commands share: arguments, options, compiling with a bar, screens."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablee.core.errors import BadSetup, TableeError
from tablee.core.registry import all_games, scan
from tablee.core.words import LANGUAGES, common

if TYPE_CHECKING:
    from tablee.core.game import Game, Setup, Value
    from tablee.core.warmup import Warmup
    from tablee.terminal.lobby import LobbyScreen
    from tablee.terminal.replay_screen import ReplayScreen
    from tablee.terminal.table_screen import TableScreen


CHECK_FAILED, WRONG_USE, INTERRUPTED = 1, 2, 130
EXIT_CODES = (
    "Exit codes: 0 all is well; 1 what was asked about is not so (a record that does not verify, a game that does not "
    "conform); 2 wrong use or bad input; 130 interrupted."
)

app = typer.Typer(
    help="Tabletop games to play and to study, from one set of rules.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich" if sys.stdout.isatty() and sys.stderr.isatty() else None,  # no boxes in a pipe
)


def usual_language() -> str:
    """Return the language of the environment, English if there are no words in it."""
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if os.environ.get(variable):
            language = os.environ[variable][:2].lower()
            return language if language in LANGUAGES else "en"
    return "en"


def _known_language(language: str) -> str:
    if language not in LANGUAGES:
        raise typer.BadParameter(f"{language!r} is not one of {', '.join(LANGUAGES)}")
    return language


def game_names(incomplete: str) -> list[str]:
    """Return the games that a name may become, for the shell to complete it."""
    return [game.name for game in all_games() if game.name.startswith(incomplete)]


def examples(*lines: str) -> str:
    """Return what stands below the help of a command."""
    return "\n\n".join(["Examples:", *lines])


GameName = Annotated[str, typer.Argument(metavar="GAME", autocompletion=game_names, help="Which game: tablee games.")]
AnyGameName = Annotated[
    str | None, typer.Argument(metavar="GAME", autocompletion=game_names, help="Which game; all if left out.")
]
Language = Annotated[
    str,
    typer.Option(
        "--lang", default_factory=usual_language, callback=_known_language, help="en or fr; else as LANG says."
    ),
]
Seats = Annotated[int | None, typer.Option(help="How many play; as usual if left out.")]
Seed = Annotated[int | None, typer.Option(help="The same seed deals the same cards; a secret one if left out.")]
Options = Annotated[
    list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="A variant; may be repeated.")
]
Plain = Annotated[bool, typer.Option("--plain", help="Plain lines, for pipes and screen readers.")]
AsJson = Annotated[bool, typer.Option("--json", help="For programs.")]
RecordFile = Annotated[Path, typer.Argument(exists=True, dir_okay=False, readable=True, help="A saved game.")]
TrustStart = Annotated[
    bool, typer.Option(help="Accept a record that begins in a position; only if you know its maker.")
]


def setup_of(game: Game, seats: int | None, options: list[str] | None) -> Setup:
    """Return the setup that somebody asked for; raise BadSetup if there is no such."""
    chosen: dict[str, Value] = {}
    for text in options or ():
        name, equals, value = text.partition("=")
        if not equals:
            raise BadSetup(f"an option is written NAME=VALUE, not {text!r}")
        chosen[name.strip()] = game.option(name.strip()).parse(value)
    return game.setup(seats, chosen)


def title_of(game: Game, language: str) -> str:
    """Return what people call a game."""
    return game.words(language).say("title")


def usable_games(language: str) -> tuple[list[Game], dict[str, str]]:
    """Return the games one can play in a language, and why one cannot play the others."""
    usable, broken = [], dict(scan().broken)
    for game in all_games():
        try:
            game.words(language)
            usable.append(game)
        except TableeError as why:
            broken[game.name] = str(why)
    return usable, broken


def compile_for(game: Game, module: str, warmup_plan: str, language: str) -> None:
    """Compile what is needed, with a bar, if this is the first time."""
    compile_with(game, lambda: getattr(importlib.import_module(module), warmup_plan), language)


def compile_with(game: Game, warmup_plan: Callable[[], Warmup], language: str) -> None:
    """Compile what a warmup_plan needs, with a bar, if this is the first time."""
    from tablee.core.warmup import warm, without_scipy
    from tablee.terminal.output import progress_bar

    with (
        without_scipy(),
        progress_bar(common(language).say("compiling.once", title=title_of(game, language))) as progress,
    ):
        warm(game, warmup_plan(), progress)


def is_plain(plain: bool) -> bool:
    """Whether to speak in lines: if asked to, in a pipe, and where Textual is not installed."""
    return plain or not (sys.stdin.isatty() and sys.stdout.isatty()) or find_spec("textual") is None


def run_screen(first: TableScreen | LobbyScreen | ReplayScreen) -> None:
    """Run the application; what there is to say when its screen is gone is said."""
    from tablee.terminal.screens import application

    running = application(first)
    running.run()
    for farewell in running.farewells:
        print(farewell)
    raise typer.Exit(running.return_code or 0)
