"""Commands for datasets: `dataset`."""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablee.cli.shared import (
    INTERRUPTED,
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
from tablee.core.registry import find_game
from tablee.core.words import common

if TYPE_CHECKING:
    from tablee.arena.contest import Contest
    from tablee.core.game import Game, Setup

DEFAULT_GAMES = 1000


@app.command(
    epilog=examples(
        "tablee dataset GAME --bots club,greedy --games 10000 --into FOLDER",
        "tablee dataset GAME --from ARENA_FOLDER --into FOLDER --reward points",
        "tablee dataset GAME --from tablee.db --into FOLDER --minari GAME/server-v0",
    )
)
def dataset(
    game: GameName,
    *,
    language: Language,
    into: Annotated[Path, typer.Option(metavar="FOLDER", help="The folder of the dataset; continued if it exists.")],
    bots: Annotated[
        str | None, typer.Option(metavar="NAME,…", help="Bots that play the games; each seat draws one of them.")
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="SOURCE",
            help="Games that were played: a folder of records or of an arena, a record, or a server's database.",
        ),
    ] = None,
    games: Annotated[int | None, typer.Option(min=1, help="Number of games; default: 1000, or all of SOURCE.")] = None,
    seats: Seats = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed plays the same games.")] = 1,
    option: Options = None,
    external: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=COMMAND", help="An external bot (docs/bots.md); may be repeated."),
    ] = None,
    reward: Annotated[str, typer.Option(help="ranks, points, round or potential (docs/research.md).")] = "round",
    observations: Annotated[bool, typer.Option(help="Include what the mover observes.")] = True,
    per_shard: Annotated[int, typer.Option(min=1, help="Games per Parquet file.")] = 1000,
    count: Annotated[
        int | None, typer.Option("--processes", min=1, help="Number of processes; default: all cores.")
    ] = None,
    minari: Annotated[
        str | None, typer.Option(metavar="NAME", help="Also write a Minari dataset, such as GAME/club-v0.")
    ] = None,
) -> None:
    """Write games as Parquet, one row per move; after an interruption the same command continues."""
    if (bots is None) == (source is None):
        raise typer.BadParameter("give either --bots or --from")
    if source is not None and (seats is not None or option or external):
        raise typer.BadParameter("--seats, --option and --external are for --bots, not for --from")
    chosen = find_game(game)
    if minari is not None:
        from tablee.datasets.minari import new_minari_path

        new_minari_path(minari)  # raises an error for a name that is taken before any game is played
    compile_for(chosen, "tablee.arena.pool", "CONTESTING", language)
    from tablee.simulation.rewards import reward_rule

    reward_rule(chosen, reward)  # raises an error for an unknown name before anything is written
    described = {"reward": reward, "observations": observations, "games_per_shard": per_shard}
    words = common(language)
    try:
        if source is not None:
            total = _write_recorded_games(into, chosen, source, games, described, language)
        else:
            assert bots is not None
            setup = parse_setup(chosen, seats, option)
            contest = _contest(chosen, setup, [name.strip() for name in bots.split(",")], seed, external or [])
            total = _write_bot_games(into, contest, games or DEFAULT_GAMES, described, count, language)
    except KeyboardInterrupt:
        print(words.say("dataset.interrupted", path=into), file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    print(words.say("dataset.written", n=total, path=into), file=sys.stderr)
    if minari is not None:
        from tablee.datasets.minari import export_to_minari

        export_to_minari(into, minari)
        print(words.say("dataset.exported", name=minari), file=sys.stderr)


def _contest(game: Game, setup: Setup, bots: list[str], seed: int, external: list[str]) -> Contest:
    """Return the contest that describes the bots; raise an error if one of them cannot play."""
    from tablee.arena.contest import Contest
    from tablee.arena.contest_run import require_playable
    from tablee.bots.roster import find_external_bots

    contest = Contest("dataset", game, setup, (tuple(bots),), seed, find_external_bots(bots, external))
    require_playable(contest)
    return contest


def _write_bot_games(
    into: Path, contest: Contest, games: int, described: dict[str, Any], count: int | None, language: str
) -> int:
    from tablee.arena.pool import processes
    from tablee.datasets.production import write_bot_games
    from tablee.datasets.shards import Dataset
    from tablee.datasets.sources import bot_tasks
    from tablee.simulation.random_play import usable_threads
    from tablee.terminal.output import progress_bar

    identity = contest.as_dict()
    source = {key: identity[key] for key in ("seats", "options", "seed", "bots")}
    target = Dataset.create(into, contest.game, **described, source=source)
    workers = count or usable_threads()
    label = common(language).say("dataset.playing", title=game_title(contest.game, language))
    with processes(workers) as pool, progress_bar(label) as show:
        tasks = list(bot_tasks(contest, games))
        return write_bot_games(
            target, tasks, described["games_per_shard"], pool, 2 * workers, lambda done: show(done, games)
        )


def _write_recorded_games(
    into: Path, game: Game, source: str, games: int | None, described: dict[str, Any], language: str
) -> int:
    from tablee.datasets.production import write_recorded_games
    from tablee.datasets.shards import Dataset
    from tablee.datasets.sources import recorded_games
    from tablee.terminal.output import progress_bar

    played = islice(recorded_games(source, game), games)
    target = Dataset.create(into, game, **described, source=source)
    with progress_bar(common(language).say("dataset.replaying", title=game_title(game, language))) as show:
        return write_recorded_games(
            target, played, described["games_per_shard"], lambda done: show(done, games or done + 1)
        )
