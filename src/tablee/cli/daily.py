"""The command `daily`: the table of the day, on a server or without one."""

from __future__ import annotations

import time
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import typer

from tablee.cli.play import open_on_server, play_locally
from tablee.cli.shared import CHECK_FAILED, Language, Plain, app, examples, game_names
from tablee.core.errors import BadSetup, TableeError
from tablee.core.registry import find_game
from tablee.core.words import common

if TYPE_CHECKING:
    from tablee.terminal.daily import DailyServer

BOT = "club"  # in the other seats, without a server


@app.command(
    epilog=examples(
        "tablee daily GAME",
        "tablee daily --server https://tablee.example",
        "tablee daily GAME --server https://tablee.example --name Ana",
        "tablee daily --server https://tablee.example --verify 2026-11-15",
    )
)
def daily(
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", autocompletion=game_names, help="The game's name.")
    ] = None,
    *,
    language: Language,
    server: Annotated[str, typer.Option(metavar="URL", help="The server; default: without one.")] = "",
    name: Annotated[str, typer.Option(help="Your name.")] = "",
    verify: Annotated[str, typer.Option(metavar="DAY", help="Check the deals of a day that are opened.")] = "",
    commitment: Annotated[str | None, typer.Option(help="With --verify: what was published before the day.")] = None,
    plain: Plain = False,
) -> None:
    """Play the daily table: the same deal and bots for everybody. On a server, one try, and results are compared."""
    if not server:
        if game is None or verify:
            raise BadSetup("name a game to play without a server, or a server with --server URL")
        _play_public_deal(game, language, name, plain)
        return
    if find_spec("websockets") is None or find_spec("platformdirs") is None:
        raise TableeError("`tablee daily --server` requires pip install 'tablee[terminal]'")
    from tablee.terminal.daily import DailyServer, day_lines

    daily_server = DailyServer(server, language)
    if verify:
        _verify(daily_server, verify, game, commitment)
    elif game is None:
        print("\n".join(day_lines(daily_server.day(), language)))
    else:
        _play_on_server(daily_server, find_game(game).name, name, plain)


def _play_public_deal(name: str, language: str, player: str, plain: bool) -> None:
    """Play the deal that follows from the day alone: the same on every machine, known to all who want to know it."""
    from tablee.tables.daily import public_seed
    from tablee.tables.days import day_of
    from tablee.terminal.play_settings import PlaySettings

    game, day = find_game(name), day_of(time.time())
    print(common(language).say("daily.public", day=day))
    seed = public_seed(day, game.name)
    play_locally(PlaySettings(game, game.setup(), language, 0, (BOT,), player, seed), plain)


def _play_on_server(daily_server: DailyServer, game: str, name: str, plain: bool) -> None:
    from tablee.terminal.daily import day_lines

    if name or not daily_server.is_known:
        daily_server.client.set_name(name or typer.prompt(common(daily_server.language).say("terminal.your_name")))
    address = daily_server.begin(game)
    try:
        open_on_server(str(address), daily_server.language, None, None, plain)
    finally:
        print("\n".join(day_lines(daily_server.day(), daily_server.language)))


def _verify(daily_server: DailyServer, day: str, game: str | None, commitment: str | None) -> None:
    from tablee.terminal.daily import check_lines

    if commitment is not None and game is None:
        raise BadSetup("name the game whose commitment this is")
    lines, fits = check_lines(daily_server.day(day), game, commitment, daily_server.language)
    print("\n".join(lines))
    if not fits:
        raise typer.Exit(CHECK_FAILED)
