"""Commands for a server: `serve`, `prepare`, `backup`, `restore` and `export`."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from tablee.cli.shared import Language, app, compile_for, examples, find_game_or_folder, game_names, usable_games
from tablee.core.errors import BadSetup, TableeError
from tablee.core.registry import all_games, restrict_to
from tablee.core.words import common

GamesOrFolders = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="GAME|FOLDER", autocompletion=game_names, help="Names or folders of games; default: all games."
    ),
]
Database = Annotated[
    str,
    typer.Option(
        envvar="TABLEE_DATABASE", metavar="FILE|URL", help="A SQLite file or a PostgreSQL URL (postgresql://…)."
    ),
]


@app.command(
    epilog=examples(
        "tablee serve",
        "tablee serve GAME FOLDER",
        "tablee serve --host 0.0.0.0",
        "tablee serve --workers 4 --database postgresql://tablee@db/tablee",
    )
)
def serve(
    *,
    language: Language,
    games: GamesOrFolders = None,
    host: Annotated[str, typer.Option(help="The interface; 0.0.0.0 accepts other machines.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65_535, help="The port to listen on.")] = 8000,
    database: Database = "tablee.db",
    address: Annotated[
        str, typer.Option(envvar="TABLEE_ADDRESS", help="The public URL, if the server is behind a proxy.")
    ] = "",
    workers: Annotated[int, typer.Option(min=1, help="Number of processes; more than one requires PostgreSQL.")] = 1,
) -> None:
    """Start a server for browsers and terminals; all tables are stored in the database.

    With names or folders of games it serves these only, and compiles no others.
    """
    try:
        from tablee.server import launcher, warmup
        from tablee.server.settings import Settings
    except ModuleNotFoundError as missing:
        raise BadSetup(
            f"`tablee serve` requires {missing.name}; install it with pip install 'tablee[server]'"
        ) from None

    names = _restrict_to(games or [])
    words = common(language)
    settings = replace(Settings.from_environment(), database=database, address=address)
    launcher.check_setup(settings, host, port, workers)
    shown_host = "127.0.0.1" if host == "0.0.0.0" else host
    print(words.say("serve.open", url=address or f"http://{shown_host}:{port}/"), flush=True)
    compiler = None
    if not all(warmup.is_ready(game) for game in all_games()):
        print(words.say("serve.preparing"), flush=True)
        compiler = subprocess.Popen([sys.executable, "-m", "tablee", "prepare", *names, "--lang", language])
    try:
        launcher.serve(settings, host, port, workers)
    finally:
        if compiler is not None:
            compiler.terminate()
            compiler.wait()


def _restrict_to(games: list[str]) -> list[str]:
    """Restrict this process and its children to games given by name or folder, if any; return their names."""
    names = [find_game_or_folder(game).name for game in games]
    if names:
        restrict_to(names)
    return names


@app.command(epilog=examples("tablee prepare", "tablee prepare GAME FOLDER"))
def prepare(*, language: Language, games: GamesOrFolders = None) -> None:
    """Compile games and bots in advance; otherwise `tablee serve` does so in the background."""
    from tablee.server.warmup import requested_first

    names = _restrict_to(games or [])
    words = common(language)
    with suppress(OSError):
        os.nice(5)  # a server on the same machine takes precedence
    usable = usable_games(language)[0]
    for game in requested_first(sorted(usable, key=lambda game: names.index(game.name) if names else 0)):
        try:
            compile_for(game, "tablee.server.warmup", "SERVING", language)
        except TableeError as error:
            print(words.say("games.broken", name=game.name, why=error), file=sys.stderr)
    print(words.say("serve.prepared"), flush=True)


@app.command(epilog=examples("tablee backup FILE", "tablee backup FILE --database postgresql://tablee@db/tablee"))
def backup(
    file: Annotated[Path, typer.Argument(help="The file to write.")],
    language: Language,
    database: Database = "tablee.db",
) -> None:
    """Write all tables to one file; a server may be running."""
    from tablee.storage.backup import back_up

    print(common(language).say("serve.backed_up", n=back_up(database, file), path=file))


@app.command(epilog=examples("tablee restore FILE", "tablee restore FILE --database postgresql://tablee@db/tablee"))
def restore(
    file: Annotated[Path, typer.Argument(help="A backup file.")], language: Language, database: Database = "tablee.db"
) -> None:
    """Restore a backup into an empty database, SQLite or PostgreSQL."""
    from tablee.storage import backup

    print(common(language).say("serve.restored", n=backup.restore(file, database), path=file))


@app.command(epilog=examples("tablee export FOLDER", "tablee export games.jsonl"))
def export(
    into: Annotated[Path, typer.Argument(help="A folder for record files, or a .jsonl file for one line per game.")],
    language: Language,
    database: Database = "tablee.db",
) -> None:
    """Export the finished games."""
    from tablee.storage import export
    from tablee.storage.store import Store

    store = Store(database)
    store.open()
    if into.suffix == ".jsonl":
        with into.open("x", encoding="utf-8") as stream:
            count = export.export_lines(store, stream)
    else:
        count = export.export_records(store, into)
    store.close()
    print(common(language).say("serve.exported", n=count, path=into))
