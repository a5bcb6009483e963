"""MaskablePPO of sb3-contrib against the bot `greedy` on two-player Skyjo, and its curve.

    pip install 'tablee[learn]'
    python examples/maskable_ppo.py --minutes 15 --picture maskable_ppo.png

The algorithm is used as it comes. Rewards are per round, the opponent plays inside compiled code, and the entropy bonus
falls from 0.1 to a tenth of it: with a small one, play freezes early in a poor habit.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from tablee.adapters.stable_baselines import BatchVecEnv
from tablee.adapters.vector import BatchVectorEnv

GAME, SEATS, OPPONENT = "skyjo", 2, "greedy"
LEARNING_RATE, ENTROPY = 7e-4, 0.1  # at the start; both fall with the time that is left


def main() -> None:
    """Train and evaluate, print the figures and draw them."""
    parser = argparse.ArgumentParser(description="MaskablePPO against greedy on two-player Skyjo")
    parser.add_argument("--minutes", type=float, default=15.0, help="time for training and evaluation")
    parser.add_argument("--games", type=int, default=256, help="played side by side")
    parser.add_argument("--steps", type=int, default=64, help="per game and iteration")
    parser.add_argument("--evaluated", type=int, default=400, help="games of an evaluation")
    parser.add_argument("--every", type=float, default=90.0, help="seconds between evaluations")
    parser.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    torch.set_num_threads(2)
    tables = BatchVecEnv(
        arguments.games, GAME, seats=SEATS, bots=OPPONENT, seat="rotate", reward="round", episode="round"
    )
    tables.seed(1)
    model = MaskablePPO(
        "MlpPolicy",
        tables,
        n_steps=arguments.steps,
        batch_size=4096,
        n_epochs=4,
        learning_rate=LEARNING_RATE,
        ent_coef=ENTROPY,
        gamma=1.0,
        gae_lambda=0.95,
        policy_kwargs={"net_arch": [256, 256], "activation_fn": torch.nn.ReLU},
        seed=1,
        device="cpu",
    )
    progress = Progress(arguments)
    model.learn(10**9, callback=progress)
    if arguments.picture:
        draw(progress.curve, arguments.picture)


class Progress(BaseCallback):
    """Ends training when its time is over, lets rates fall, and evaluates now and then."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        super().__init__()
        self.arguments = arguments
        self.start = self.last = time.perf_counter()
        self.curve: list[dict[str, float]] = []

    def _on_training_start(self) -> None:
        self._evaluate()

    def _on_rollout_start(self) -> None:
        now = time.perf_counter()
        left = max(0.0, 1.0 - (now - self.start) / (60 * self.arguments.minutes))
        self.model.ent_coef = ENTROPY * (0.1 + 0.9 * left)
        self.model.lr_schedule = lambda _: LEARNING_RATE * max(left, 0.02)
        if now - self.last > self.arguments.every or left == 0.0:
            self._evaluate()
            self.last = now
        self.is_over = left == 0.0

    def _on_step(self) -> bool:
        return not self.is_over

    def _evaluate(self) -> None:
        figures = {"moves": float(self.num_timesteps), "minutes": (time.perf_counter() - self.start) / 60}
        figures |= evaluate(self.model, self.arguments.evaluated)
        self.curve.append(figures)
        print({name: round(value, 3) for name, value in figures.items()}, flush=True)


def evaluate(model: Any, games: int) -> dict[str, float]:
    """Play whole games against the opponent, half of them in each seat; return the mean rewards with their errors."""
    tables = BatchVectorEnv(games, GAME, seats=SEATS, bots=OPPONENT, seat="rotate")
    seen, _ = tables.reset(seed=1_000_003)
    results, points = np.full(games, np.nan), np.full(games, np.nan)
    while np.isnan(results).any():
        moves, _ = model.predict(seen["observation"], action_masks=seen["action_mask"], deterministic=True)
        seen, rewards, ended, _, info = tables.step(moves)
        fresh = ended & np.isnan(results)
        if fresh.any():
            final, rows = info["final_info"], np.flatnonzero(fresh)
            scores, seats = final["scores"][rows], final["seat"][rows]
            results[rows] = rewards[rows]
            points[rows] = scores[np.arange(len(rows)), 1 - seats] - scores[np.arange(len(rows)), seats]
    error = 1.96 / np.sqrt(games)
    return {
        "share of wins": float((results.mean() + 1) / 2),
        "wins, plus or minus": float(results.std() / 2 * error),
        "points ahead": float(points.mean()),
        "points, plus or minus": float(points.std() * error),
    }


def draw(curve: list[dict[str, float]], path: Path) -> None:
    """Draw wins and points over the minutes of training."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (upper, lower) = pyplot.subplots(2, 1, figsize=(7, 6), sharex=True, layout="constrained")
    minutes = [figures["minutes"] for figures in curve]
    for axes, name, error in ((upper, "share of wins", "wins"), (lower, "points ahead", "points")):
        values = [figures[name] for figures in curve]
        axes.errorbar(minutes, values, [figures[f"{error}, plus or minus"] for figures in curve], marker="o", capsize=2)
        axes.set(ylabel=f"{name} of greedy" if name == "points ahead" else f"{name} against greedy")
    upper.axhline(0.5, color="grey", linewidth=0.8)
    lower.axhline(0.0, color="grey", linewidth=0.8)
    upper.set(title="MaskablePPO, two-player Skyjo", ylim=(0, 1))
    lower.set(xlabel="minutes on two cores")
    figure.savefig(path)


if __name__ == "__main__":
    main()
