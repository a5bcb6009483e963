"""Commands for saved games: `replay` and `verify`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablee.cli.shared import (
    CHECK_FAILED,
    Language,
    Plain,
    RecordFile,
    TrustStart,
    app,
    compile_for,
    examples,
    game_title,
    is_plain,
    run_screen,
)
from tablee.core.errors import BadRecord, BadSetup
from tablee.core.registry import find_game
from tablee.core.words import common

if TYPE_CHECKING:
    from tablee.records import Record


@app.command(
    epilog=examples("tablee replay FILE", "tablee replay FILE --seat 0 --lang fr", "tablee replay FILE --open")
)
def replay(
    file: RecordFile,
    language: Language,
    seat: Annotated[int | None, typer.Option(min=0, help="Show it as this seat saw it, counted from 0.")] = None,
    is_open: Annotated[bool, typer.Option("--open", help="Show each move as its player saw it.")] = False,
    plain: Plain = False,
    trust_start: TrustStart = False,
) -> None:
    """Show a saved game move by move; default: as a spectator saw it."""
    if is_open and seat is not None:
        raise typer.BadParameter("--seat and --open exclude each other")
    if not is_plain(plain):
        from tablee.terminal import replay_screen, screens

        viewer = replay_screen.ALL_SEATS if is_open else replay_screen.SPECTATOR if seat is None else seat
        run_screen(screens.open_replay(file, language, viewer, trust_start=trust_start))
    from tablee.terminal.transcript import transcript

    match = _loaded(file, language).replay(trust_start=trust_start)
    if seat is not None and seat >= match.seats:
        raise BadSetup(f"there is no seat {seat} at a table of {match.seats}; the first is 0")
    for line in transcript(match, None if is_open else -1 if seat is None else seat, language):
        print(line)


def _loaded(file: Path, language: str) -> Record:
    """Load a record and compile its game for replay."""
    from tablee.core.warmup import without_scipy

    with without_scipy():
        from tablee.records import Record

    record = Record.load(file)
    compile_for(find_game(record.header.game), "tablee.core.warmup", "PLAYING", language)
    return record


@app.command(epilog=examples("tablee verify FILE", "tablee verify FILE && echo valid"))
def verify(
    file: Annotated[Path, typer.Argument(exists=True, readable=True, help="A saved game, or the folder of a dataset.")],
    language: Language,
    commitment: Annotated[str | None, typer.Option(help="The hash that was published before the game.")] = None,
    trust_start: TrustStart = False,
) -> None:
    """Verify a saved game: checksum, deal, every move, state digests and result; or every row of a dataset."""
    words = common(language)
    if file.is_dir():
        _verify_dataset(file, language)
        return
    try:
        record = _loaded(file, language)
        checked = record.verify(shown=commitment, trust_start=trust_start)
    except BadRecord as error:
        print(words.say("verify.wrong", path=file, why=error))
        raise typer.Exit(CHECK_FAILED) from None
    title = game_title(find_game(record.header.game), language)
    print(words.say("verify.right", path=file, title=title, n=checked.moves))


def _verify_dataset(folder: Path, language: str) -> None:
    from tablee.datasets.shards import Dataset, DatasetMismatch, verify_dataset
    from tablee.terminal.output import progress_bar

    words = common(language)
    game = Dataset.open(folder).game
    compile_for(game, "tablee.core.warmup", "PLAYING", language)
    try:
        with progress_bar(words.say("dataset.replaying", title=game_title(game, language))) as show:
            games, moves = verify_dataset(folder, show)
    except DatasetMismatch as error:
        print(words.say("verify.wrong", path=folder, why=error))
        raise typer.Exit(CHECK_FAILED) from None
    print(words.say("dataset.verified", path=folder, games=games, moves=moves))
