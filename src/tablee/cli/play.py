"""Play: alone against bots, or at a server."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablee.cli.shared import (
    INTERRUPTED,
    Language,
    Options,
    Plain,
    Seats,
    Seed,
    app,
    compile_with,
    examples,
    game_names,
    is_plain,
    run_screen,
    setup_of,
    title_of,
    usable_games,
)
from tablee.core.errors import BadSetup, TableeError
from tablee.core.registry import find_game
from tablee.core.words import common

if TYPE_CHECKING:
    from tablee.core.game import Game
    from tablee.terminal.play_settings import PlaySettings


@app.command(epilog=examples("tablee play", "tablee play GAME --bots expert,club", "tablee play GAME --plain --seed 7"))
def play(
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", autocompletion=game_names, help="Which game; else you are asked.")
    ] = None,
    *,
    language: Language,
    seats: Seats = None,
    seat: Annotated[int, typer.Option(min=0, help="Where you sit, counted from 0.")] = 0,
    seed: Seed = None,
    option: Options = None,
    bots: Annotated[
        str | None, typer.Option(metavar="NAME,…", help="Who plays against you: random, greedy, novice, club, expert.")
    ] = None,
    name: Annotated[str, typer.Option(help="Your name.")] = "",
    plain: Plain = False,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Where the record of the game goes.")] = None,
) -> None:
    """Play against bots; the record of the game is saved, also if you leave early."""
    from tablee.terminal.play_settings import PlaySettings

    if save is not None and save.exists():
        raise TableeError(common(language).say("play.exists", path=save))
    in_lines = is_plain(plain)
    chosen = find_game(game) if game else _asked_game(language) if in_lines else None
    usual = "random" if in_lines else "club"
    known = usable_games(language)[0]
    wished = chosen or known[0]
    setup = setup_of(wished, seats, option) if chosen else wished.setup()
    opponents = tuple(bot.strip() for bot in (bots or usual).split(","))
    settings = PlaySettings(wished, setup, language, seat, opponents, name, seed, save)
    if in_lines:
        raise typer.Exit(_play_in_lines(settings))
    from tablee.terminal import screens

    run_screen(screens.table(settings) if chosen else screens.lobby(known, settings))


@app.command(epilog=examples("tablee join 'http://localhost:8000/#table/ID/INVITE' --name Ana"))
def join(
    url: Annotated[str, typer.Argument(metavar="URL", help="The invite link of a table.")],
    language: Language,
    name: Annotated[str | None, typer.Option(help="Your name; asked if left out.")] = None,
    seat: Annotated[int | None, typer.Option(min=0, help="Which seat, counted from 0; any free one else.")] = None,
) -> None:
    """Sit down at a table of a server, with the people who have it open in a browser."""
    from tablee.terminal import screens

    _demand_terminal()
    person = name or typer.prompt(common(language).say("terminal.your_name"))
    run_screen(screens.joined(url, language, person, sits=True, seat=seat))


@app.command(epilog=examples("tablee watch 'http://localhost:8000/#table/ID'"))
def watch(
    url: Annotated[str, typer.Argument(metavar="URL", help="The address of a table.")], language: Language
) -> None:
    """Look at a table of a server."""
    from tablee.terminal import screens

    _demand_terminal()
    run_screen(screens.joined(url, language, "", sits=False))


def _demand_terminal() -> None:
    if is_plain(False):
        raise TableeError("this needs a terminal, and pip install 'tablee[terminal]'")


def _asked_game(language: str) -> Game:
    """Ask which game, until there is one of that name or number."""
    words = common(language)
    known, _ = usable_games(language)
    for number, game in enumerate(known, start=1):
        print(f"  {number}. {game.name}: {title_of(game, language)}. {game.words(language).say('tagline')}")
    print(words.say("play.which"))
    while True:
        try:
            text = input("> ").strip()
        except EOFError:
            raise BadSetup("no game was chosen") from None
        if text.isdecimal() and 1 <= int(text) <= len(known):
            return known[int(text) - 1]
        for game in known:
            if text.lower() in (game.name, title_of(game, language).lower()):
                return game
        print(words.say("play.no_game", text=text))


def _play_in_lines(settings: PlaySettings) -> int:
    """Let the person play to the end, or leave; return the exit code."""
    compile_with(settings.game, settings.warmup_plan, settings.language)
    from tablee.terminal.plain import PlainTable

    with suppress(ImportError):
        import readline  # noqa: F401  (line editing, where there is a terminal)
    words, match, bots = common(settings.language), settings.begin(), settings.opponents()
    table = PlainTable(match, settings.seat, settings.language, read=_read_line, write=print, bots=bots)
    code = 0
    try:
        table.run()
    except EOFError:
        print()
    except KeyboardInterrupt:
        print()
        code = INTERRUPTED
    finally:
        if not match.is_over:
            print(words.say("play.interrupted"))
        print(words.say("play.saved", path=settings.keep(match, bots)))
    return code


def _read_line() -> str:
    return input("> ")
