"""The command `train`: networks that learn by self-play (docs/learning.md)."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablee.cli.shared import INTERRUPTED, GameName, Language, app, compile_for, examples, game_title
from tablee.core.errors import TableeError
from tablee.core.folders import data_folder
from tablee.core.registry import find_game
from tablee.core.words import common

if TYPE_CHECKING:
    from tablee.core.game import Game
    from tablee.core.words import Words
    from tablee.learning.training import Trainer

SPARKS = "▁▂▃▄▅▆▇█"
SPARK_WIDTH = 24


class Device(StrEnum):
    """Where a network is trained."""

    CPU = "cpu"
    CUDA = "cuda"


@app.command(
    epilog=examples(
        "tablee train GAME --device cuda --minutes 20",
        "tablee train GAME --device cuda --minutes 40 --resume FOLDER/checkpoint.pt",
        "tablee train GAME --device cuda --minutes 8 --begin-with FOLDER/checkpoint.pt --entropy 0.02",
        "tablee train GAME --small --reduction tiny --minutes 4",
        "tablee train GAME --evaluate --against greedy,club --deals 200",
    )
)
def train(
    game: GameName,
    *,
    language: Language,
    device: Annotated[Device, typer.Option(help="Where to train.")] = Device.CPU,
    minutes: Annotated[
        float, typer.Option(min=0.01, help="Time of training in all, a resumed checkpoint's included.")
    ] = 20.0,
    generations: Annotated[
        int,
        typer.Option(min=0, help="Train for so many generations instead: on a CPU, the same bits every time."),
    ] = 0,
    resume: Annotated[
        Path | None, typer.Option(metavar="FILE", exists=True, dir_okay=False, help="Go on from this checkpoint.")
    ] = None,
    begin_with: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            exists=True,
            dir_okay=False,
            help="Begin a new run with the network of this checkpoint or network.npz.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="The folder of the run; default: train-GAME in the data folder, or that of --resume."
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Of the network and of all games, or of an evaluation; default: 1.")
    ] = None,
    entropy: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            help="Weight of the entropy at the start, falling to a tenth; default: 0.05 to 0.002.",
        ),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Another setting (docs/learning.md); may be repeated."),
    ] = None,
    small: Annotated[bool, typer.Option("--small", help="A small network and few games, for a CPU.")] = False,
    reduction: Annotated[str, typer.Option(help="Train on a small version of the game (docs/reductions.md).")] = "",
    evaluate: Annotated[
        bool, typer.Option("--evaluate", help="Do not train: play the folder's network against bots.")
    ] = False,
    against: Annotated[str, typer.Option(metavar="NAME,…", help="The bots of an evaluation.")] = "greedy,club",
    deals: Annotated[int, typer.Option(min=2, help="Of an evaluation; each is played from every seat.")] = 100,
) -> None:
    """Train a network by self-play, or evaluate one; needs PyTorch: `pip install 'tablee[learn]'`."""
    chosen = find_game(game)
    if evaluate:
        if resume is not None or begin_with is not None or reduction:
            raise typer.BadParameter(
                "--evaluate plays the network of the folder --out in the whole game: "
                "leave out --resume, --begin-with and --reduction"
            )
        opponents = [name.strip() for name in against.split(",")]
        _evaluate(chosen, out, opponents, deals, 1 if seed is None else seed, language)
        return
    if find_spec("torch") is None:
        raise TableeError("training needs PyTorch: pip install 'tablee[learn]'")
    from tablee.learning.training import CHECKPOINT

    if resume is not None and begin_with is not None:
        raise typer.BadParameter("--resume goes on with a run, --begin-with begins a new one: choose one of them")
    if resume is not None and (seed is not None or small or reduction):
        raise typer.BadParameter("--resume goes on with the seed, the reduction and the settings of the run")
    folder = out or (_default_folder(chosen) if resume is None else resume.parent)
    if resume is None and (folder / CHECKPOINT).exists():
        raise TableeError(
            f"{folder} has the checkpoint of a run: go on with it by --resume {folder / CHECKPOINT}, "
            f"or name another folder by --out"
        )
    trainer = _make_trainer(
        chosen, device, resume, begin_with, 1 if seed is None else seed, small, reduction, entropy, changes or []
    )
    try:
        _train(trainer, minutes, generations, folder, language)
    except KeyboardInterrupt:
        ending = "interrupted" if (folder / CHECKPOINT).exists() else "stopped"
        print(common(language).say(f"train.{ending}", path=folder), file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None


def _default_folder(game: Game) -> Path:
    """Return where runs of a game are unless `--out` says so."""
    return data_folder() / f"train-{game.name}"


def _make_trainer(
    game: Game,
    device: Device,
    resume: Path | None,
    begin_with: Path | None,
    seed: int,
    small: bool,
    reduction: str,
    entropy: float | None,
    changes: list[str],
) -> Trainer:
    """Return a trainer of a new run, or of the one that a checkpoint stores."""
    import torch

    from tablee.learning.checkpoints import commits_with, read_checkpoint
    from tablee.learning.export import read_start
    from tablee.learning.settings import DEMO, TrainingSettings, changed, settings_for
    from tablee.learning.training import Trainer, new_run, new_stage
    from tablee.simulation.random_play import usable_threads

    if device is Device.CUDA and not torch.cuda.is_available():
        raise TableeError("PyTorch finds no CUDA device here: train with --device cpu, or install a build for CUDA")
    # Threads of PyTorch wait for each other by spinning: beside those of the batch, more than half the cores slow both.
    torch.set_num_threads(max(1, usable_threads() // 2))
    if resume is not None:
        start = read_checkpoint(resume, game)
        start.commit = commits_with(start.commit)
    else:
        game.setup(reduction=reduction)  # raises if there is none of that name
        settings = settings_for(game, replace(DEMO if small else TrainingSettings(), reduction=reduction))
        start = new_run(game, settings, seed)
        if begin_with is not None:
            start = new_stage(read_start(begin_with, game), settings, seed)
    if entropy is not None:
        start.settings = replace(start.settings, entropy=entropy, last_entropy=entropy / 10)
    start.settings = changed(start.settings, changes)
    return Trainer(game, start, device)


def _train(trainer: Trainer, minutes: float, generations: int, folder: Path, language: str) -> None:
    """Train, then write the network, the curves and, for a reduction, how it does against `greedy`."""
    from tablee.learning.curves import draw_curves, read_log
    from tablee.learning.evaluation import evaluate
    from tablee.learning.export import export
    from tablee.learning.training import LOG, TrainingBudget

    game, words, state = trainer.game, common(language), trainer.state
    title = game_title(game, language)
    budget = TrainingBudget(generations, minutes)
    if budget.progress(state.generation, state.seconds) == 1:
        raise TableeError(
            f"the run has had {state.generation} generations in {state.seconds / 60:.1f} minutes already: "
            f"ask for more of them in all by --generations or --minutes"
        )
    goal = "" if generations else f" / {_clock(60 * minutes)}"
    with _display(words.say("train.training", title=title), goal, words) as show:
        trainer.run(budget, folder, show)
    export(game, trainer.checkpoint(), folder / "network.npz")
    if find_spec("matplotlib") is not None:
        draw_curves(read_log(folder / LOG), title, folder / "curves.png")
    print(words.say("train.kept", path=folder), file=sys.stderr)
    if trainer.settings.reduction:
        setup = game.setup(reduction=trainer.settings.reduction)
        played = evaluate(trainer.network.cpu(), game, setup, "greedy", deals=500)
        figures = (played.lead, played.lead_error, played.wins, played.wins_error)
        print(_verdict(words, "greedy", setup.seats, played.deals, *figures))


@contextmanager
def _display(label: str, goal: str, words: Words) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Yield a function that shows the figures of an iteration: one picture on a terminal, some lines in a pipe."""
    if not sys.stderr.isatty():
        yield lambda figures: None if figures["iteration"] else print(_line(figures, words), file=sys.stderr)
        return
    from rich.console import Console
    from rich.live import Live

    history: list[dict[str, Any]] = []
    with Live(console=Console(stderr=True), refresh_per_second=4) as live:

        def show(figures: dict[str, Any]) -> None:
            history.append(figures)
            live.update(_panel(label, history, goal, words))

        yield show


def _line(figures: dict[str, Any], words: Words) -> str:
    """Return the figures of an iteration as a line."""
    return words.say(
        "train.line",
        share=f"{100 * figures['progress']:.0f}",
        moves=f"{figures['moves'] / 1e6:.1f}",
        entropy=f"{figures['entropy']:.2f}",
        lead="–" if figures["lead"] is None else f"{figures['lead']:+.3f}",
    )


def _panel(label: str, history: list[dict[str, Any]], goal: str, words: Words) -> Any:
    """Return what a terminal shows: a bar, the speed, and the course of the figures so far."""
    from rich.panel import Panel
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    last, first = history[-1], history[max(0, len(history) - 32)]
    grid = Table.grid(padding=(0, 2))
    seconds = last["seconds"] - (first["seconds"] if first is not last else 0)
    speed = (last["moves"] - (first["moves"] if first is not last else 0)) / max(seconds, 1e-9)
    grid.add_row(
        words.say("train.time"),
        _clock(last["seconds"]) + goal,
        ProgressBar(1.0, last["progress"], 24),
    )
    grid.add_row(
        words.say("train.moves"), f"{last['moves'] / 1e6:,.1f} M", words.say("train.speed", speed=f"{speed:,.0f}")
    )
    for name in ("lead", "greedy_lead", "entropy", "explained"):
        values = [figures[name] for figures in history if figures[name] is not None]
        if values:
            number = f"{values[-1]:{'+' if name.endswith('lead') else ''}.3f}"
            grid.add_row(words.say(f"train.{name}"), number, sparkline(values))
    return Panel(grid, title=label, subtitle=words.say("train.generation", number=last["generation"] + 1), expand=False)


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def sparkline(values: list[float]) -> str:
    """Return the course of some values as a line of blocks, each the mean of an equal part of them."""
    if not values:
        return ""
    width = min(SPARK_WIDTH, len(values))
    bounds = [len(values) * index // width for index in range(width + 1)]
    means = [sum(values[a:b]) / (b - a) for a, b in pairwise(bounds)]
    low, high = min(means), max(means)
    return "".join(SPARKS[int((len(SPARKS) - 1) * (mean - low) / ((high - low) or 1.0))] for mean in means)


def _evaluate(game: Game, out: Path | None, opponents: list[str], deals: int, seed: int, language: str) -> None:
    """Play the network of a run, or the game's own if there was none, against bots of the roster."""
    from tablee.bots.network_files import FILE, SETTING
    from tablee.bots.networks import network_of, read_network
    from tablee.learning.contests import compare
    from tablee.simulation.random_play import usable_threads

    folder = out or _default_folder(game)
    if (folder / FILE).is_file():
        trained = read_network(folder / FILE, game).card.run.get("settings", {})
        if trained.get("reduction"):
            raise TableeError(
                f"the network of {folder} plays the reduction {trained['reduction']!r}: its training has said how well"
            )
        os.environ[SETTING] = str(folder)
    elif out is not None:
        raise TableeError(f"{out} has no {FILE}: `tablee train {game.name} --out {out}` makes one")
    else:
        network_of(game)  # raises if there is none that fits
    words, setup = common(language), game.setup()
    compile_for(game, "tablee.arena.pool", "CONTESTING", language)
    for opponent in opponents:
        played = compare(game, setup, "prodigy", opponent, deals=deals, seed=seed, workers=usable_threads())
        if played.lead is not None and played.wins is not None:
            lead, wins = played.lead, played.wins
            figures = (lead.value, lead.high - lead.value, wins.value, (wins.high - wins.low) / 2)
            print(_verdict(words, opponent, setup.seats, lead.deals, *figures), flush=True)


def _verdict(
    words: Words, opponent: str, seats: int, deals: int, lead: float, lead_error: float, wins: float, wins_error: float
) -> str:
    """Return how a network did against one kind of bot, as a sentence."""
    return words.say(
        "train.verdict",
        others=seats - 1,
        opponent=opponent,
        deals=deals,
        lead=f"{lead:+.2f}",
        lead_error=f"{lead_error:.2f}",
        wins=f"{100 * wins:.1f}",
        wins_error=f"{100 * wins_error:.1f}",
        equal=f"{100 / seats:.0f}",
    )
