"""Commands to play: `play` against bots, `join` and `watch` on a server."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablee.bots.roster import USUAL_BOT
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
    game_title,
    is_plain,
    parse_setup,
    run_screen,
    usable_games,
)
from tablee.core.errors import BadSetup, TableeError
from tablee.core.registry import find_game
from tablee.core.words import common

if TYPE_CHECKING:
    from tablee.core.game import Game
    from tablee.terminal.hosts import Host
    from tablee.terminal.play_settings import PlaySettings


PROMPT = "> "


@app.command(epilog=examples("tablee play", "tablee play GAME --bots expert,club", "tablee play GAME --plain --seed 7"))
def play(
    game: Annotated[
        str | None,
        typer.Argument(metavar="GAME", autocompletion=game_names, help="The game's name; default: choose from a list."),
    ] = None,
    *,
    language: Language,
    seats: Seats = None,
    seat: Annotated[int, typer.Option(min=0, help="Your seat, counted from 0.")] = 0,
    seed: Seed = None,
    option: Options = None,
    bots: Annotated[
        str | None,
        typer.Option(metavar="NAME,…", help="Your opponents: random, greedy, novice, club, expert, prodigy, master."),
    ] = None,
    threads: Annotated[
        int, typer.Option(min=1, help="Cores for the search of a bot; it plays other moves than with one.")
    ] = 1,
    name: Annotated[str, typer.Option(help="Your name.")] = "",
    coach: Annotated[
        bool, typer.Option("--coach", help="With a coach: type hint, beliefs or warnings while you play.")
    ] = False,
    plain: Plain = False,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The file of the record; default: GAME-DATE-TIME.tablee in the data folder."),
    ] = None,
) -> None:
    """Play against bots; the record is saved, even if you leave early."""
    from tablee.terminal.play_settings import PlaySettings

    if save is not None and save.exists():
        raise TableeError(common(language).say("play.exists", path=save))
    use_plain = is_plain(plain)
    chosen = find_game(game) if game else _prompt_for_game(language) if use_plain else None
    is_scripted = use_plain and not sys.stdin.isatty()
    default_bot = "random" if is_scripted else USUAL_BOT
    games = usable_games(language)[0]
    shown = chosen or games[0]
    setup = parse_setup(shown, seats, option) if chosen else shown.setup()
    opponents = tuple(bot.strip() for bot in (bots or default_bot).split(","))
    settings = PlaySettings(shown, setup, language, seat, opponents, name, seed, threads, save, coach=coach)
    if chosen is not None or use_plain:
        play_locally(settings, plain)
    else:
        from tablee.terminal import screens

        run_screen(screens.open_lobby(games, settings))


def play_locally(settings: PlaySettings, plain: bool) -> None:
    """Play at a table in this process, on a board drawn in the terminal or in plain lines."""
    if is_plain(plain):
        _play_plain(settings)
    else:
        from tablee.terminal import screens

        run_screen(screens.open_table(settings))


def _play_plain(settings: PlaySettings) -> None:
    compile_with(settings.game, settings.warmup_plan, settings.language)
    from tablee.terminal.local_host import LocalHost

    rest = settings.rest if sys.stdin.isatty() else None  # scripted input is moves alone
    _run_plain(LocalHost(replace(settings, rest=rest), bot_pause=0.0))


@app.command(epilog=examples("tablee learn GAME", "tablee learn GAME --again"))
def learn(
    game: Annotated[str, typer.Argument(metavar="GAME", autocompletion=game_names, help="The game's name.")],
    *,
    language: Language,
    name: Annotated[str, typer.Option(help="Your name.")] = "",
    again: Annotated[bool, typer.Option("--again", help="Begin again, instead of going on where you left.")] = False,
    plain: Plain = False,
) -> None:
    """Learn a game in a guided first round; it can be left and continued."""
    from tablee.core.lessons import lesson_of
    from tablee.terminal.play_settings import PlaySettings

    chosen = find_game(game)
    if lesson_of(chosen) is None:
        raise TableeError(common(language).say("lesson.none", title=game_title(chosen, language)))
    settings = PlaySettings(chosen, chosen.setup(), language, bots=(), name=name, is_lesson=True)
    if again:
        settings.lesson_path.unlink(missing_ok=True)
    play_locally(settings, plain)


@app.command(epilog=examples("tablee join 'http://localhost:8000/t/ID#INVITE' --name Ana"))
def join(
    url: Annotated[str, typer.Argument(metavar="URL", help="The invite link of a table.")],
    language: Language,
    name: Annotated[str | None, typer.Option(help="Your name; default: you are asked for it.")] = None,
    seat: Annotated[int | None, typer.Option(min=0, help="Your seat, counted from 0; default: any free seat.")] = None,
    plain: Plain = False,
) -> None:
    """Take a seat at a table on a server, with players who use a browser or a terminal."""
    player = name or typer.prompt(common(language).say("terminal.your_name"))
    open_on_server(url, language, player, seat, plain)


@app.command(epilog=examples("tablee watch 'http://localhost:8000/t/ID'"))
def watch(
    url: Annotated[str, typer.Argument(metavar="URL", help="The address of a table.")],
    language: Language,
    plain: Plain = False,
) -> None:
    """Watch a table on a server."""
    open_on_server(url, language, None, None, plain)


def open_on_server(url: str, language: str, player: str | None, seat: int | None, plain: bool) -> None:
    """Show a table on a server, as a spectator if there is no player's name."""
    if find_spec("websockets") is None or find_spec("platformdirs") is None:
        raise TableeError("`tablee join` and `tablee watch` require pip install 'tablee[terminal]'")
    from tablee.terminal.addresses import Address

    address = Address.parse(url)
    if is_plain(plain):
        from tablee.terminal.server_host import connect_to_table

        _run_plain(connect_to_table(address, language, player, seat))
    else:
        from tablee.terminal import screens

        run_screen(screens.join_table(address, language, player, seat))


def _prompt_for_game(language: str) -> Game:
    """Ask for a game by name or number until the answer is one; raise BadSetup at the end of input."""
    words = common(language)
    known, _ = usable_games(language)
    for number, game in enumerate(known, start=1):
        print(f"  {number}. {game.name}: {game_title(game, language)}. {game.words(language).say('tagline')}")
    print(words.say("play.which"))
    while True:
        try:
            text = input(PROMPT).strip()
        except EOFError:
            raise BadSetup("no game was chosen") from None
        if text.isdecimal() and 1 <= int(text) <= len(known):
            return known[int(text) - 1]
        for game in known:
            if text.lower() in (game.name, game_title(game, language).lower()):
                return game
        print(words.say("play.no_game", text=text))


def _run_plain(host: Host) -> None:
    """Run a table in plain lines and exit, with code 130 after Ctrl-C."""
    from tablee.terminal.line_input import LineInput
    from tablee.terminal.plain import PlainFrontEnd

    with suppress(ImportError):
        import readline  # noqa: F401  (line editing, where there is a terminal)
    lines = LineInput(_read_line)
    front_end = PlainFrontEnd(host, lines.read, print, _print_prompt if sys.stdin.isatty() else None)
    try:
        lines.run(front_end.run)
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None


def _read_line() -> str:
    return input(PROMPT)


def _print_prompt() -> None:
    print(PROMPT, end="", flush=True)
