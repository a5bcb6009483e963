"""The command `review`: mistakes and luck in a saved game."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablee.cli.shared import AsJson, Language, RecordFile, TrustStart, app, compile_for, examples
from tablee.core.errors import TableeError
from tablee.core.registry import find_game
from tablee.core.words import common

if TYPE_CHECKING:
    from tablee.review.report import Review
    from tablee.review.wording import ReviewedLine, Wording


class DepthName(StrEnum):
    """How carefully a game is reviewed."""

    QUICK = "quick"
    USUAL = "usual"
    DEEP = "deep"


@app.command(
    epilog=examples("tablee review FILE", "tablee review FILE --html review.html", "tablee review FILE --json > a.json")
)
def review(
    file: RecordFile,
    language: Language,
    as_json: AsJson = False,
    html: Annotated[Path | None, typer.Option(help="Write a page with the curve of each player's chances.")] = None,
    depth: Annotated[DepthName, typer.Option(help="How many worlds are imagined per position.")] = DepthName.USUAL,
    threads: Annotated[int | None, typer.Option(min=1, help="Default: one per core.")] = None,
    trust_start: TrustStart = False,
) -> None:
    """Review a finished game: mistakes with the better move, and luck apart from decisions."""
    from tablee.core.warmup import without_scipy

    with without_scipy():
        from tablee.records import Record
        from tablee.review import analysis, files
        from tablee.review.wording import Wording
    from tablee.terminal.output import progress_bar

    record = Record.load(file)
    compile_for(find_game(record.header.game), "tablee.review.warmup", "REVIEWING", language)
    match = record.replay(trust_start=trust_start)
    if not match.is_over:
        raise TableeError(f"{file}: the game is not over after {len(match.moves)} moves, so it cannot be reviewed")
    with progress_bar(common(language).say("review.running")) as show:
        found = analysis.review(match, analysis.DEPTHS[depth], threads or os.cpu_count() or 1, show)
    wording = Wording(found, match, language)
    if html is not None:
        from tablee.review.page import render_page

        html.write_text(render_page(wording), encoding="utf-8")
        print(wording.words.say("review.written", path=html), file=sys.stderr)
    if as_json:
        sys.stdout.write(files.encode(found, match).decode() + "\n")
    elif html is None:
        _print(found, wording)


def _print(found: Review, wording: Wording) -> None:
    """Print the review as tables and lines."""
    from tablee.terminal.output import print_table

    say = wording.words.say
    print_table(wording.headings, wording.seat_rows(), wording.title)
    print(say("review.measure") + " " + say("review.adds_up"))
    print(f"\n{say('review.mistakes_title')}")
    print(_lines(wording.largest_mistakes()) or f"  {say('review.no_mistakes')}")
    for title, lines in wording.mistakes_by_round():
        print(f"\n{title}\n{_lines(lines)}")
    print(f"\n{say('review.moments_title')}")
    print(_lines(wording.moments()) or f"  {say('review.no_moments')}")
    print()
    print_table(wording.round_headings, wording.round_rows(), say("review.rounds_title"))
    print(say("review.depth", depth=found.depth))


def _lines(lines: Iterable[ReviewedLine]) -> str:
    return "\n".join(f"  {line.text}" for line in lines)
