"""Training: generations of self-play and updates, with a checkpoint after each."""

from __future__ import annotations

import copy
import json
import math
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from tablee.learning.checkpoints import BadCheckpoint, Checkpoint, current_commit, write_checkpoint
from tablee.learning.curves import read_log
from tablee.learning.networks import PolicyNetwork, make_network
from tablee.learning.rollouts import collect
from tablee.learning.settings import TrainingSettings
from tablee.learning.tables import draw_groups
from tablee.learning.updates import update

if TYPE_CHECKING:
    from tablee.core.game import Game

CHECKPOINT, LOG = "checkpoint.pt", "log.jsonl"


class TrainingBudget(NamedTuple):
    """How long to train: a number of generations, or minutes; those of a resumed checkpoint count."""

    generations: int = 0
    minutes: float = 0.0

    def progress(self, generations: float, seconds: float) -> float:
        """Return how much of the training is done, from 0 to 1."""
        return min(1.0, generations / self.generations if self.generations else seconds / (60 * self.minutes))


class Trainer:
    """A run: a network, its optimizer and the pool of earlier networks."""

    def __init__(self, game: Game, start: Checkpoint, device: str = "cpu") -> None:
        self.game = game
        self.state = start
        self.settings = start.settings
        self.device = device
        if device != "cpu":
            torch.set_float32_matmul_precision("high")  # TF32
        torch.manual_seed(start.seed)
        self.network = self._network(start.network)
        self.optimizer = torch.optim.Adam(
            self.network.parameters(), lr=self.settings.learning_rate, eps=1e-5, fused=device != "cpu"
        )
        if start.optimizer:
            self.optimizer.load_state_dict(start.optimizer)
        self.pool = [self._network(weights) for weights in start.pool]

    def _network(self, weights: dict[str, Any]) -> PolicyNetwork:
        network = make_network(self.game, self.settings.max_weights, self.settings.width)
        if weights:
            try:
                network.load_state_dict(weights)
            except RuntimeError:
                raise BadCheckpoint(
                    f"the network to begin with has other layers than one of {self.settings.max_weights:,} weights and "
                    f"{self.settings.width} of width: leave --small, max_weights and width as in its run"
                ) from None
        network.to(self.device)
        return network

    def run(
        self, budget: TrainingBudget, folder: Path, report: Callable[[dict[str, Any]], None] = lambda figures: None
    ) -> None:
        """Train until the budget is spent; write a checkpoint after every generation, and a line per iteration.

        Of a log that is there already, the lines of earlier generations stay: the others are played again.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self._compile()
        earlier = read_log(folder / LOG) if (folder / LOG).exists() else []
        with (folder / LOG).open("w", encoding="utf-8") as log:
            log.writelines(json.dumps(line) + "\n" for line in earlier if line["generation"] < self.state.generation)
            while budget.progress(self.state.generation, self.state.seconds) < 1:

                def write(figures: dict[str, Any]) -> None:
                    log.write(json.dumps(figures) + "\n")
                    log.flush()
                    report(figures)

                self.run_generation(budget, write)
                write_checkpoint(self.checkpoint(), folder / CHECKPOINT)

    def _compile(self) -> None:
        """Play a move that counts for nothing: the learning rate follows the clock, and compiling is no training."""
        generator = torch.Generator(self.device).manual_seed(0)
        groups = draw_groups(self.game, self.settings, self.pool, np.random.default_rng(0), self.device)
        collect(self.network, groups, 1, self.settings.trace, generator)

    def run_generation(self, budget: TrainingBudget, report: Callable[[dict[str, Any]], None]) -> None:
        """Deal all games, and play and learn for `settings.iterations`, or until the minutes of the budget are over."""
        state, settings = self.state, self.settings
        seeds = np.random.default_rng((state.seed, state.generation))
        generator = torch.Generator(self.device).manual_seed(int(seeds.integers(1 << 62)))
        groups = draw_groups(self.game, settings, self.pool, seeds, self.device)
        magnet = copy.deepcopy(self.network) if settings.magnet else None
        for iteration in range(settings.iterations):
            start = time.perf_counter()
            progress = budget.progress(state.generation + iteration / settings.iterations, state.seconds)
            if progress == 1:
                break
            self.optimizer.param_groups[0]["lr"] = settings.learning_rate * (1 - progress)
            samples = collect(self.network, groups, settings.steps, settings.trace, generator)
            weight = settings.entropy_weight(progress)
            figures = update(self.network, self.optimizer, samples, settings, weight, generator, magnet)
            state.moves += len(samples.moves)
            state.seconds += time.perf_counter() - start
            report(
                {
                    "generation": state.generation,
                    "iteration": iteration,
                    "progress": round(progress, 4),
                    "moves": state.moves,
                    "seconds": round(state.seconds, 2),
                    "rounds": samples.rounds,
                    "lead": _rounded(samples.lead),
                    "greedy_lead": _rounded(samples.greedy_lead),
                    **{name: round(value, 4) for name, value in figures.items()},
                }
            )
        state.generation += 1
        self._remember()

    def _remember(self) -> None:
        """Add the network to the pool, rounded to float16 as in a checkpoint; if it is full, an earlier one goes."""
        earlier = copy.deepcopy(self.network).half().float()
        self.pool = [*self.pool, earlier]
        if len(self.pool) > self.settings.pool_size:
            self.pool.pop(self.state.generation % (self.settings.pool_size - 1) if self.settings.pool_size > 1 else 0)

    def checkpoint(self) -> Checkpoint:
        """Return the state of the run."""
        self.state.network = {name: tensor.cpu() for name, tensor in self.network.state_dict().items()}
        self.state.optimizer = self.optimizer.state_dict()
        self.state.pool = [
            {name: tensor.half().cpu() for name, tensor in network.state_dict().items()} for network in self.pool
        ]
        return self.state


def _rounded(figure: float) -> float | None:
    return None if math.isnan(figure) else round(figure, 4)


def new_run(game: Game, settings: TrainingSettings, seed: int) -> Checkpoint:
    """Return the start of a run."""
    return Checkpoint(game.name, game.version, game.kernels.observation.digest, settings, seed, current_commit())


def new_stage(finished: Checkpoint, settings: TrainingSettings, seed: int) -> Checkpoint:
    """Return the start of a run with the networks of another: learning rate and entropy begin again."""
    return replace(finished, settings=settings, seed=seed, commit=current_commit(), seconds=0.0, optimizer={})
