"""Commands for a server: `serve`, `prepare`, `doctor`, `backup`, `restore` and `export`."""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablee.cli.shared import (
    CHECK_FAILED,
    INTERRUPTED,
    AsJson,
    Language,
    app,
    examples,
    find_game_or_folder,
    game_names,
    game_title,
    usable_games,
)
from tablee.core.errors import BadSetup
from tablee.core.folders import default_database
from tablee.core.game import Game
from tablee.core.registry import all_games, restrict_to
from tablee.core.words import Words, common

if TYPE_CHECKING:
    from tablee.server.settings import Settings

GamesOrFolders = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="GAME|FOLDER", autocompletion=game_names, help="Names or folders of games; default: all games."
    ),
]
Database = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|URL",
        help="A SQLite file or a PostgreSQL URL (postgresql://…); "
        "default: TABLEE_DATABASE, the content of TABLEE_DATABASE_FILE, or tablee.db in the current folder if it is "
        "there, else in the data folder.",
    ),
]
Port = Annotated[int, typer.Option(min=1, max=65_535, help="The port to listen on.")]
PRIVATE_UMASK = 0o077  # what is written is for the owner: databases and exports hold seeds, invites and names


@app.command(
    epilog=examples(
        "tablee serve",
        "tablee serve GAME FOLDER",
        "tablee serve --local",
        "tablee serve --workers 4 --database postgresql://tablee@db/tablee",
    )
)
def serve(
    *,
    language: Language,
    games: GamesOrFolders = None,
    host: Annotated[
        str | None,
        typer.Option(help="The interface; default: all of them, or with --local or --address this machine only."),
    ] = None,
    local: Annotated[bool, typer.Option("--local", help="Let nobody but this machine connect.")] = False,
    port: Port = 8000,
    database: Database = None,
    address: Annotated[
        str | None,
        typer.Option(help="The public URL, if the server is behind a proxy; default: TABLEE_ADDRESS."),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Number of processes; more than one requires PostgreSQL.")] = 1,
) -> None:
    """Start a server for browsers and terminals; all tables are stored in the database.

    With names or folders of games it serves these only, and compiles no others.
    """
    try:
        from tablee.core.compilation import is_interpreted
        from tablee.server import launcher, reach, warmup
        from tablee.server.settings import BACKGROUND
        from tablee.storage.database import database_url, is_postgresql
    except ModuleNotFoundError as missing:
        raise BadSetup(
            f"`tablee serve` requires {missing.name}; install it with pip install 'tablee[server]'"
        ) from None

    names = _restrict_to(games or [])
    words = common(language)
    is_compiled = all(warmup.is_compiled(game) for game in all_games())
    settings = _settings(database=database, address=address, compiler=None if is_interpreted() else BACKGROUND)
    host = host or (reach.LOOPBACK if local or settings.address else reach.EVERY_INTERFACE)
    network = reach.network_address(host, port)
    settings = replace(settings, network=network if "://" in network else "")
    compilers: list[subprocess.Popen[bytes]] = []

    def announce() -> None:
        own = reach.LOOPBACK if host == reach.EVERY_INTERFACE else host
        print(words.say("serve.open", url=settings.address or f"{reach.local_url(own, port)}/"), flush=True)
        if not settings.address:
            print(_reach_text(network, words), flush=True)
        if not is_postgresql(database_url(settings.database)):
            print(words.say("serve.stored", path=settings.database), flush=True)
        if not is_compiled:
            print(words.say("serve.preparing"), flush=True)
            compilers.append(_start_compiler(names, language))

    os.umask(PRIVATE_UMASK)
    try:
        launcher.serve(settings, host, port, workers, announce)
    finally:
        for compiler in compilers:
            compiler.terminate()
            compiler.wait()


def _reach_text(network: str, words: Words) -> str:
    """Say who can reach the server: `network` is its URL in the local network, or what is in the way."""
    from tablee.server.reach import qr_text

    if "://" not in network:
        return words.say(f"serve.only_here_{network}")
    code = qr_text(network, shutil.get_terminal_size().columns) if sys.stdout.isatty() else ""
    return "\n".join(filter(None, [words.say("serve.network", url=f"{network}/"), code]))


def _settings(**given: Any) -> Settings:
    """Return the settings of the environment, with those of the command line that are not None."""
    from tablee.server.settings import Settings

    if given.get("database") is None and not {"TABLEE_DATABASE", "TABLEE_DATABASE_FILE"} & os.environ.keys():
        given["database"] = str(default_database())
    return replace(Settings.from_environment(), **{name: text for name, text in given.items() if text is not None})


def _start_compiler(names: list[str], language: str) -> subprocess.Popen[bytes]:
    """Compile in another process; it ends with this one, however that ends, because its standard input then does."""
    command = [sys.executable, "-m", "tablee", "prepare", *names, "--lang", language, "--attached"]
    return subprocess.Popen(command, stdin=subprocess.PIPE)


def _exit_with_input() -> None:
    """End this process at the end of its standard input."""
    while os.read(sys.stdin.fileno(), 1024):
        pass
    os._exit(INTERRUPTED)


def _restrict_to(games: list[str]) -> list[str]:
    """Restrict this process and its children to games given by name or folder, if any; return their names."""
    names = [find_game_or_folder(game).name for game in games]
    if names:
        restrict_to(names)
    return names


@app.command(epilog=examples("tablee prepare", "tablee prepare GAME FOLDER"))
def prepare(
    *,
    language: Language,
    games: GamesOrFolders = None,
    attached: Annotated[bool, typer.Option("--attached", hidden=True, help="End when standard input ends.")] = False,
) -> None:
    """Compile games and bots in advance; otherwise `tablee serve` does so in the background."""
    if attached:
        Thread(target=_exit_with_input, daemon=True).start()
    from tablee.core.warmup import without_scipy
    from tablee.server.logs import log, write_logs_to_stderr
    from tablee.server.warmup import compile_games
    from tablee.terminal.output import progress_bar

    is_logged = attached and not sys.stderr.isatty()  # as the server's, whose standard error this is
    if is_logged:
        write_logs_to_stderr()
    names = _restrict_to(games or [])
    words = common(language)
    with suppress(OSError):
        os.nice(5)  # a server on the same machine takes precedence
    usable = usable_games(language)[0]

    def bar_for(game: Game) -> AbstractContextManager[Callable[[int, int], None]]:
        if is_logged:
            log("compiling", game=game.name)
            return nullcontext(lambda done, steps: None)
        return progress_bar(words.say("compiling.once", title=game_title(game, language)))

    ordered = sorted(usable, key=lambda game: names.index(game.name) if names else 0)
    with without_scipy():
        for game, error in compile_games(ordered, bar_for):
            if error and is_logged:
                log("not compiled", logging.ERROR, game=game.name, why=error)
            elif error:
                print(words.say("games.broken", name=game.name, why=error), file=sys.stderr)
            elif is_logged:
                log("compiled", game=game.name)
    print(words.say("serve.prepared"), flush=True)


@app.command(epilog=examples("tablee doctor", "tablee doctor --port 80 --json"))
def doctor(
    *,
    language: Language,
    host: Annotated[
        str | None, typer.Option(help="The interface; default: all of them, or with TABLEE_ADDRESS this machine only.")
    ] = None,
    port: Port = 8000,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Check whether a server could start here, and say what to do where it could not; nothing is changed.

    Checks settings, database, disk, clock, addresses, compile cache and permissions.
    """
    from tablee.server import doctor, reach

    words = common(language)
    try:
        settings = _settings(database=database)
        host = host or (reach.LOOPBACK if settings.address else reach.EVERY_INTERFACE)
        findings = [*doctor.examine(settings, host, port)]
    except BadSetup as error:
        findings = [doctor.finding("settings", doctor.FAILED, "error", why=error)]
    shown = [(each.check, each.state, words.say(f"doctor.{each.key}", **each.values)) for each in findings]
    failures = sum(each.state == doctor.FAILED for each in findings)
    if as_json:
        print(json.dumps([dict(zip(("check", "state", "text"), row, strict=True)) for row in shown], indent=2))
    else:
        width = max(len(words.say(f"doctor.{state}")) for state in (doctor.OK, doctor.WARNING, doctor.FAILED))
        for check, state, text in shown:
            print(f"{words.say(f'doctor.{state}'):<{width}}  {check:<12}{text}")
        print(words.say("doctor.ill", n=failures) if failures else words.say("doctor.well"))
    raise typer.Exit(CHECK_FAILED if failures else 0)


@app.command(epilog=examples("tablee backup FILE", "tablee backup FILE --database postgresql://tablee@db/tablee"))
def backup(
    file: Annotated[Path, typer.Argument(help="The file to write.")],
    language: Language,
    database: Database = None,
) -> None:
    """Write all tables to one file; a server may be running."""
    from tablee.storage.backup import back_up

    os.umask(PRIVATE_UMASK)
    count = back_up(_settings(database=database).database, file)
    print(common(language).say("serve.backed_up", n=count, path=file))


@app.command(epilog=examples("tablee restore FILE", "tablee restore FILE --database postgresql://tablee@db/tablee"))
def restore(
    file: Annotated[Path, typer.Argument(help="A backup file.")], language: Language, database: Database = None
) -> None:
    """Restore a backup into an empty database, SQLite or PostgreSQL."""
    from tablee.storage import backup

    os.umask(PRIVATE_UMASK)
    count = backup.restore(file, _settings(database=database).database)
    print(common(language).say("serve.restored", n=count, path=file))


@app.command(epilog=examples("tablee export FOLDER", "tablee export games.jsonl"))
def export(
    into: Annotated[Path, typer.Argument(help="A folder for record files, or a .jsonl file for one line per game.")],
    language: Language,
    database: Database = None,
) -> None:
    """Export the finished games."""
    from tablee.storage import export
    from tablee.storage.backup import check_exists
    from tablee.storage.store import Store

    os.umask(PRIVATE_UMASK)
    source = _settings(database=database).database
    check_exists(source)
    store = Store(source)
    store.open()
    if into.suffix == ".jsonl":
        with into.open("x", encoding="utf-8") as stream:
            count = export.export_lines(store, stream)
    else:
        count = export.export_records(store, into)
    store.close()
    print(common(language).say("serve.exported", n=count, path=into))
