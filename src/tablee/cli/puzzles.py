"""The commands `puzzles`, which finds puzzles, and `solve`, which sets them."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tablee.cli.shared import GameName, Language, app, compile_for, examples, find_game_or_folder, game_title
from tablee.core.errors import TableeError
from tablee.core.game import Game
from tablee.core.puzzles import PuzzleFile, puzzles_of
from tablee.core.words import common


class StrongBot(StrEnum):
    """Who plays the games in which puzzles are looked for."""

    CLUB = "club"
    EXPERT = "expert"


@app.command(
    epilog=examples("tablee puzzles GAME", "tablee puzzles GAME --count 20 --seed 7 --out puzzles.jsonl --seats 2")
)
def puzzles(
    game: GameName,
    language: Language,
    count: Annotated[int, typer.Option(min=1, help="How many puzzles to find.")] = 60,
    out: Annotated[Path, typer.Option(help="The file to write; what was found so far is kept beside it.")] = Path(
        "puzzles.jsonl"
    ),
    seed: Annotated[int, typer.Option(min=0, help="The same seed finds the same puzzles.")] = 1,
    bot: Annotated[StrongBot, typer.Option(help="Who plays the games.")] = StrongBot.EXPERT,
    seats: Annotated[
        list[int] | None, typer.Option(help="Number of players; may be repeated. Default: up to the usual number.")
    ] = None,
    min_gap: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="By how much the best move must beat the second.")
    ] = 0.02,
    verify: Annotated[bool, typer.Option("--verify", help="Verify the puzzles that the game has instead.")] = False,
) -> None:
    """Find puzzles: positions in which one move is clearly best, `greedy` misses it and `expert` finds it."""
    if verify:
        _verify(find_game_or_folder(game), language)
        return
    from tablee.core.puzzles import write_puzzles
    from tablee.core.warmup import without_scipy

    with without_scipy():
        from tablee.review.examination import Criteria
        from tablee.review.mining import MiningJournal, MiningSettings, mine, usual_seats
    from tablee.terminal.output import progress_bar

    found_game = find_game_or_folder(game)
    chosen = tuple(seats) if seats else usual_seats(found_game)
    for number in chosen:
        found_game.setup(number)
    settings = MiningSettings(
        found_game.name, found_game.version, chosen, seed, bot.value, criteria=Criteria(min_gap=min_gap)
    )
    journal = MiningJournal(out.with_suffix(".progress.jsonl"), settings)
    compile_for(found_game, "tablee.review.warmup", "REVIEWING", language)
    say = common(language).say
    with progress_bar(say("puzzles.mining", title=game_title(found_game, language))) as show:
        chosen_puzzles = mine(found_game, settings, count, journal, show)
    write_puzzles(out, settings.source(), chosen_puzzles)
    print(say("puzzles.written", n=len(chosen_puzzles), path=out, games=len(journal.games)))


def _verify(game: Game, language: str) -> None:
    """Verify the puzzles of a game, and say what does not hold; exit with status 1 if anything does not."""
    from tablee.core.warmup import without_scipy

    with without_scipy():
        from tablee.review.examination import Criteria, Examiner
    from tablee.terminal.output import progress_bar

    found, say = _puzzles_of(game, language), common(language).say
    compile_for(game, "tablee.review.warmup", "REVIEWING", language)
    examiner, wrong = Examiner(game, Criteria()), []
    with progress_bar(say("puzzles.verifying", title=game_title(game, language))) as show:
        for number, puzzle in enumerate(found.puzzles, start=1):
            failed = [name for name, holds in examiner.verify(puzzle).items() if not holds]
            wrong += [f"{puzzle.id}: {', '.join(failed)}"] if failed else []
            show(number, len(found.puzzles), puzzle.id)
    for line in wrong:
        print(say("puzzles.not_so", puzzle=line))
    print(say("puzzles.verified", n=len(found.puzzles) - len(wrong), of=len(found.puzzles)))
    if wrong:
        raise typer.Exit(1)


def _puzzles_of(game: Game, language: str) -> PuzzleFile:
    """Return the puzzles of a game; raise TableeError if it has none."""
    found = puzzles_of(game)
    if found is None or not found.puzzles:
        raise TableeError(common(language).say("puzzles.none", title=game_title(game, language)))
    return found


@app.command(epilog=examples("tablee solve GAME", "tablee solve GAME --number 20"))
def solve(
    game: GameName,
    language: Language,
    number: Annotated[int, typer.Option(min=1, help="The puzzle to begin with; the easiest is the first.")] = 1,
) -> None:
    """Solve puzzles: find the best move, and see why it is best."""
    from tablee.terminal.puzzles import PuzzleSession

    chosen = find_game_or_folder(game)
    found = _puzzles_of(chosen, language)
    if number > len(found.puzzles):
        raise TableeError(common(language).say("puzzles.no_number", number=number, n=len(found.puzzles)))
    PuzzleSession(chosen, found, language, lambda: input("> "), print).run(number)
