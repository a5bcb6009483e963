"""Tables for everybody: serve, and look after what is stored."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablee.cli.shared import Language, app, compile_for, examples, usable_games
from tablee.core.errors import BadSetup, TableeError
from tablee.core.registry import all_games
from tablee.core.words import common

if TYPE_CHECKING:
    pass


Database = Annotated[
    str,
    typer.Option(envvar="TABLEE_DATABASE", metavar="FILE|URL", help="A SQLite file, or postgresql://… for PostgreSQL."),
]


@app.command(
    epilog=examples(
        "tablee serve",
        "tablee serve --host 0.0.0.0",
        "tablee serve --workers 4 --database postgresql://tablee@db/tablee",
    )
)
def serve(
    *,
    language: Language,
    host: Annotated[str, typer.Option(help="0.0.0.0 lets other machines in.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65_535)] = 8000,
    database: Database = "tablee.db",
    address: Annotated[str, typer.Option(envvar="TABLEE_ADDRESS", help="Where people reach it, behind a proxy.")] = "",
    workers: Annotated[int, typer.Option(min=1, help="Processes; more than one need PostgreSQL.")] = 1,
) -> None:
    """Serve tables to browsers: people and bots, everything is kept in the database."""
    try:
        from tablee.server import launcher, warmup
        from tablee.server.settings import Settings
    except ModuleNotFoundError as missing:
        raise BadSetup(f"serving needs {missing.name}, which comes with the extra `tablee[server]`") from None

    words = common(language)
    settings = replace(Settings.from_environment(), database=database, address=address)
    launcher.check(settings, host, port, workers)
    shown = "127.0.0.1" if host == "0.0.0.0" else host
    print(words.say("serve.open", url=address or f"http://{shown}:{port}/"), flush=True)
    preparing = None
    if not all(warmup.is_ready(game) for game in all_games()):
        print(words.say("serve.preparing"), flush=True)
        preparing = subprocess.Popen([sys.executable, "-m", "tablee", "prepare", "--lang", language])
    try:
        launcher.serve(settings, host, port, workers)
    finally:
        if preparing is not None:
            preparing.terminate()
            preparing.wait()


@app.command(epilog=examples("tablee prepare"))
def prepare(language: Language) -> None:
    """Compile the games and their bots ahead of the first `tablee serve`, which otherwise does so beside playing."""
    words = common(language)
    with suppress(OSError):
        os.nice(5)  # whoever plays meanwhile comes first
    for game in usable_games(language)[0]:
        try:
            compile_for(game, "tablee.server.warmup", "SERVING", language)
        except TableeError as why:
            print(words.say("games.broken", name=game.name, why=why), file=sys.stderr)
    print(words.say("serve.prepared"), flush=True)


@app.command(epilog=examples("tablee backup FILE", "tablee backup FILE --database postgresql://tablee@db/tablee"))
def backup(
    file: Annotated[Path, typer.Argument(help="The file to write.")],
    language: Language,
    database: Database = "tablee.db",
) -> None:
    """Write all tables into one file, also while a server runs."""
    from tablee.storage.backup import back_up

    print(common(language).say("serve.backed_up", n=back_up(database, file), path=file))


@app.command(epilog=examples("tablee restore FILE", "tablee restore FILE --database postgresql://tablee@db/tablee"))
def restore(
    file: Annotated[Path, typer.Argument(help="A backup.")], language: Language, database: Database = "tablee.db"
) -> None:
    """Fill an empty database from a backup; it may be of the other kind."""
    from tablee.storage import backup

    print(common(language).say("serve.restored", n=backup.restore(file, database), path=file))


@app.command(epilog=examples("tablee export FOLDER", "tablee export games.jsonl"))
def export(
    into: Annotated[Path, typer.Argument(help="A folder for records, or a file .jsonl for one line per game.")],
    language: Language,
    database: Database = "tablee.db",
) -> None:
    """Write the finished games, for study."""
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
