"""Commands for research: `simulate`, `bench` and `arena`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablee.cli.shared import (
    INTERRUPTED,
    AnyGameName,
    AsJson,
    GameName,
    Language,
    Options,
    Seats,
    app,
    compile_for,
    examples,
    game_title,
    parse_setup,
)
from tablee.core.folders import data_folder
from tablee.core.registry import all_games, find_game
from tablee.core.words import common

if TYPE_CHECKING:
    from tablee.arena.contest_run import ContestRun
    from tablee.core.game import Game
    from tablee.simulation import Results


BENCH_SECONDS = 1.0  # minimum duration of each measurement


class Backend(StrEnum):
    """Where the games of an arena run."""

    HERE = "here"
    RAY = "ray"


@app.command(
    epilog=examples("tablee simulate GAME --games 100000", "tablee simulate GAME --seats 3 --seed 1 --plot games.png")
)
def simulate(
    game: GameName,
    *,
    language: Language,
    games: Annotated[int, typer.Option(min=1, help="Number of games.")] = 10_000,
    seats: Seats = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed plays the same games.")] = 1,
    option: Options = None,
    as_json: AsJson = False,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a plot: .png, .svg or .pdf.")] = None,
) -> None:
    """Play many random games on all cores and print statistics."""
    chosen = find_game(game)
    setup = parse_setup(chosen, seats, option)
    compile_for(chosen, "tablee.simulation.random_play", "SIMULATING", language)
    from tablee.simulation import random_games
    from tablee.simulation.report import draw_picture
    from tablee.terminal.output import progress_bar

    words = common(language)
    with progress_bar(words.say("simulate.playing", title=game_title(chosen, language))) as show:
        done = 0

        def progress(more: int) -> None:
            nonlocal done
            done += more
            show(done, games)

        results = random_games(chosen, setup, games, seed, progress=progress)
    if as_json:
        print(json.dumps(results.as_dict(), ensure_ascii=False))
    else:
        _print_results(results, language)
    if plot is not None:
        draw_picture(results, plot, language)
        print(words.say("simulate.drawn", path=plot), file=sys.stderr)


def _print_results(results: Results, language: str) -> None:
    from tablee.simulation import report
    from tablee.terminal.output import print_table

    words = common(language)
    title = game_title(results.game, language)
    heading = words.say("simulate.heading", title=title, setup=results.setup, seed=results.seed)
    print_table(
        [words.say(f"simulate.{key}") for key in ("figure", "value")], report.figure_rows(results, language), heading
    )
    columns = ("seat", "score_mean", "score_sd", "score_min", "score_max", "win_share", "interval")
    print_table([words.say(f"simulate.{key}") for key in columns], report.seat_rows(results, language))
    print(report.advantage_line(results, language))
    heads = [words.say("simulate.ended"), words.say("simulate.games"), words.say("simulate.share")]
    print_table(heads, report.reason_rows(results, language))


@app.command(epilog=examples("tablee bench", "tablee bench GAME --json"))
def bench(language: Language, game: AnyGameName = None, as_json: AsJson = False) -> None:
    """Measure moves per second on this machine, with each game's usual number of players."""
    for chosen in [find_game(game)] if game else all_games():
        compile_for(chosen, "tablee.simulation.random_play", "SIMULATING", language)
        figures = dict(_figures(chosen))
        if as_json:
            for name, rate in figures.items():
                print(json.dumps({"game": chosen.name, "figure": name, "moves_per_second": round(rate)}))
        else:
            _print_figures(chosen, figures, language)


def _figures(game: Game) -> Iterator[tuple[str, float]]:
    from tablee.simulation import speed

    setup = game.setup()
    yield "one_core", speed.compiled_on_one_core(game, setup, BENCH_SECONDS)
    yield "all_cores", speed.compiled_on_all_cores(game, setup, BENCH_SECONDS)
    yield "kernels", speed.kernels_from_python(game, setup, BENCH_SECONDS)
    yield "match", speed.match_from_python(game, setup, BENCH_SECONDS)


def _print_figures(game: Game, figures: dict[str, float], language: str) -> None:
    from tablee.simulation.random_play import usable_threads
    from tablee.terminal.output import print_table

    words = common(language)
    rows = [[words.say(f"bench.{name}", threads=usable_threads()), f"{rate:,.0f}"] for name, rate in figures.items()]
    title = f"{game_title(game, language)} ({game.setup()})"
    print_table([words.say("bench.figure"), words.say("bench.rate")], rows, title)


@app.command(
    epilog=examples(
        "tablee arena GAME --bots expert,club,greedy,random --deals 500",
        "tablee arena GAME --bots club,mine --external 'mine=python3 my_bot.py' --into FOLDER",
        "tablee arena GAME --bots expert,club --seats 2 --on ray",
    )
)
def arena(
    game: GameName,
    *,
    language: Language,
    bots: Annotated[
        str, typer.Option(metavar="NAME,…", help="The bots, in the expected order from strongest to weakest.")
    ],
    seats: Seats = None,
    deals: Annotated[int, typer.Option(min=2, help="Maximum number of deals; each is played from every seat.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="The same seed plays the same games.")] = 1,
    option: Options = None,
    external: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=COMMAND", help="An external bot in any programming language (docs/bots.md); may be repeated."
        ),
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="The folder of the results; default: arena-GAME-SEATS-seedSEED in the data folder."
        ),
    ] = None,
    edge: Annotated[
        float, typer.Option(min=0.005, max=0.4, help="The smallest relevant difference, as a share of comparisons.")
    ] = 0.05,
    every_deal: Annotated[
        bool, typer.Option("--every-deal", help="Play all deals, even when the order is settled.")
    ] = False,
    count: Annotated[
        int | None, typer.Option("--processes", min=1, help="Number of processes; default: all cores.")
    ] = None,
    where: Annotated[
        Backend, typer.Option("--on", help="Run in processes of this machine or on a Ray cluster.")
    ] = Backend.HERE,
    address: Annotated[
        str | None, typer.Option(help="The address of a Ray cluster; default: start a local one.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Rate bots by duplicate deals against each other; after an interruption the same command continues."""
    from tablee.arena.contest import Contest
    from tablee.arena.contest_run import ContestRun, require_playable
    from tablee.arena.journal import ContestJournal
    from tablee.arena.lineups import balanced_lineups
    from tablee.arena.pool import processes, ray_cluster
    from tablee.arena.report import require_installed
    from tablee.bots.roster import find_external_bots
    from tablee.simulation.random_play import usable_threads
    from tablee.terminal.output import progress_bar

    chosen = find_game(game)
    setup = parse_setup(chosen, seats, option)
    names = [name.strip() for name in bots.split(",")]
    lineups = balanced_lineups(names, setup.seats)
    contest = Contest("arena", chosen, setup, lineups, seed, find_external_bots(names, external or ()))
    require_playable(contest)
    require_installed()
    compile_for(chosen, "tablee.arena.pool", "CONTESTING", language)
    folder = into or data_folder() / f"arena-{chosen.name}-{setup.seats}-seed{seed}"
    workers = count or usable_threads()
    pool = processes(workers) if where is Backend.HERE else ray_cluster(address, workers)
    with ContestJournal(folder / "games.jsonl", contest) as journal:
        run = ContestRun(contest, journal, deals, None if every_deal else edge)
        label = common(language).say("arena.playing", title=game_title(chosen, language))
        try:
            with pool as players, progress_bar(label) as progress:
                run.run(players, 2 * workers, progress)
        except KeyboardInterrupt:
            print(common(language).say("arena.interrupted", path=folder), file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from None
        _report_arena(run, folder, language, as_json)


def _report_arena(run: ContestRun, folder: Path, language: str, as_json: bool) -> None:
    """Compute the ratings; print them and write the report and the results."""
    from tablee.arena import report
    from tablee.arena.contest_run import results_as_dict
    from tablee.arena.ratings import rate_bots
    from tablee.terminal.output import print_table

    ratings = rate_bots(run.contest.bots, run.counted_deals)
    figures = json.dumps(results_as_dict(run, ratings), ensure_ascii=False, indent=2)
    (folder / "results.json").write_text(figures + "\n", encoding="utf-8")
    (folder / "report.html").write_text(report.page(run, ratings, language), encoding="utf-8")
    if as_json:
        print(figures)
    else:
        rows = report.bot_rows(run.standings(), ratings)
        print_table(report.bot_headings(language), rows, report.heading(run, language))
        print("\n".join(report.sentences(run, language)))
    print(common(language).say("arena.kept", path=folder), file=sys.stderr)
