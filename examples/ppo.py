"""PPO with action masks by self-play on two-player Skyjo, in one file: a batch of games, one network for both seats.

    python examples/ppo.py [--iterations 200] [--games 128] [--seconds 600] [--picture ppo.png]

Needs PyTorch (`pip install 'tablee[learn]'`). Every move of every game is a sample for the seat on turn, in a zero-sum
view of the game. The reward is that of a round, in which the mover was ahead by so many points (`reward="round"`). At
intervals the network plays whole games against random moves and against the game's policy, always with its most likely
move.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.distributions import Categorical

from tablee.simulation import Batch

SEATS = 2
STEPS = 64  # per game and iteration
EPOCHS, MINIBATCHES = 4, 8
CLIP, VALUE_WEIGHT = 0.2, 0.5
ENTROPY_WEIGHT = 0.1  # at the start; with a small one, play freezes early in a poor habit
LEARNING_RATE = 1e-3  # at the start
LAMBDA = 0.95  # of the advantages; rewards are not discounted
OPPONENTS = ("random", "policy")
MAX_LENGTH = 1500  # steps of an evaluated game


class Player(nn.Module):
    """A network with a policy head and a value head."""

    def __init__(self, numbers: int, moves: int, width: int = 192) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(numbers, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.policy = nn.Linear(width, moves)
        self.value = nn.Linear(width, 1)

    def forward(self, observations: Tensor, mask: Tensor) -> tuple[Categorical, Tensor]:
        """Return the distribution over legal moves, and the value for the seat on turn."""
        features = self.body(observations)
        return Categorical(logits=self.policy(features).masked_fill(~mask, -1e9)), self.value(features).squeeze(-1)


class Samples(NamedTuple):
    """The moves of an iteration."""

    observations: Tensor  # (steps, games, numbers)
    mask: Tensor  # (steps, games, moves)
    moves: Tensor  # (steps, games)
    log_probabilities: Tensor  # (steps, games): of the moves, when they were played
    values: Tensor  # (steps + 1, games)
    rewards: Tensor  # (steps, games)
    next_signs: Tensor  # (steps, games): 1 if the same seat moves next, -1 if the other does, 0 if the game ended


def main() -> None:
    """Train and evaluate, print the figures and draw them."""
    parser = argparse.ArgumentParser(description="PPO by self-play on Skyjo")
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument("--games", type=int, default=128)
    parser.add_argument("--evaluated", type=int, default=100, help="games per evaluation and opponent")
    parser.add_argument("--every", type=int, default=20, help="iterations between evaluations")
    parser.add_argument("--seconds", type=float, default=600.0, help="time limit")
    parser.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    torch.manual_seed(0)
    curve = train(arguments)
    if arguments.picture:
        draw(curve, arguments.picture)


def train(arguments: argparse.Namespace) -> list[dict[str, float]]:
    """Alternate between self-play and updates; return the evaluations."""
    batch = Batch("skyjo", arguments.games, seats=SEATS, reward="round")
    player = Player(batch.observations.shape[1], batch.mask.shape[1])
    optimizer = torch.optim.Adam(player.parameters(), lr=LEARNING_RATE, eps=1e-5)
    start, curve = time.perf_counter(), []
    for iteration in range(arguments.iterations + 1):
        is_last = iteration == arguments.iterations or time.perf_counter() - start > arguments.seconds
        if is_last or iteration % arguments.every == 0:
            figures = {"moves": iteration * STEPS * batch.size, "seconds": time.perf_counter() - start}
            for opponent in OPPONENTS:
                figures |= evaluate(player, opponent, arguments.evaluated)
            curve.append(figures)
            print({name: round(value, 2) for name, value in figures.items()}, flush=True)
        if is_last:
            break
        rate = 1 - 0.9 * iteration / arguments.iterations
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * rate
        update(player, optimizer, play(player, batch), ENTROPY_WEIGHT * rate)
    return curve


@torch.no_grad()
def play(player: Player, batch: Batch) -> Samples:
    """Play STEPS moves in every game, both seats by the same network."""
    rows: list[tuple[Tensor, ...]] = []
    values = []
    for _ in range(STEPS):
        observations, mask = torch.from_numpy(batch.observations.copy()), torch.from_numpy(batch.mask.copy())
        distribution, value = player(observations, mask)
        moves = distribution.sample()
        rewards, next_signs = step(batch, moves.numpy())
        rows.append((observations, mask, moves, distribution.log_prob(moves), rewards, next_signs))
        values.append(value)
    values.append(player(torch.from_numpy(batch.observations), torch.from_numpy(batch.mask))[1])
    observations, mask, moves, log_probabilities, rewards, next_signs = (
        torch.stack(column) for column in zip(*rows, strict=True)
    )
    return Samples(observations, mask, moves, log_probabilities, torch.stack(values), rewards, next_signs)


def step(batch: Batch, moves: np.ndarray) -> tuple[Tensor, Tensor]:
    """Play one move in each game; return the rewards of the movers, and the signs of the next movers."""
    movers = batch.to_move.copy()
    batch.step(moves)
    rewards = batch.rewards[np.arange(batch.size), movers]
    next_signs = np.where(batch.ended, 0, np.where(batch.to_move == movers, 1, -1))
    return torch.from_numpy(rewards.astype(np.float32)), torch.from_numpy(next_signs.astype(np.float32))


def advantages(samples: Samples) -> Tensor:
    """Return generalised advantage estimates; the value of the other seat's position counts negatively."""
    out = torch.zeros_like(samples.rewards)
    trace = torch.zeros(samples.rewards.shape[1])
    for now in range(STEPS - 1, -1, -1):
        expected = samples.rewards[now] + samples.next_signs[now] * samples.values[now + 1]
        trace = expected - samples.values[now] + LAMBDA * samples.next_signs[now] * trace
        out[now] = trace
    return out


def update(player: Player, optimizer: torch.optim.Optimizer, samples: Samples, entropy_weight: float) -> None:
    """Update the network by the clipped objective of PPO."""
    gains = advantages(samples)
    targets = (gains + samples.values[:-1]).flatten()
    flat = [part.flatten(0, 1) for part in samples[:4]]
    gains = gains.flatten()
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(gains)).chunk(MINIBATCHES):
            observations, mask, moves, log_probabilities = (part[rows] for part in flat)
            distribution, values = player(observations, mask)
            gain = (gains[rows] - gains[rows].mean()) / (gains[rows].std() + 1e-8)
            ratio = (distribution.log_prob(moves) - log_probabilities).exp()
            loss = -torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
            loss += VALUE_WEIGHT * (values - targets[rows]).square().mean()
            loss -= entropy_weight * distribution.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(player.parameters(), 0.5)
            optimizer.step()


@torch.no_grad()
def evaluate(player: Player, opponent: str, games: int) -> dict[str, float]:
    """Play whole games in seat 0; return the share of wins, ties counting half, and the mean points."""
    batch = Batch("skyjo", games, seats=SEATS, seed=1_000_003, auto_reset=False)
    batch.play_until(0, opponent)
    for _ in range(MAX_LENGTH):
        if (batch.to_move < 0).all():
            break
        observations, mask = torch.from_numpy(batch.observations), torch.from_numpy(batch.mask)
        batch.step(player(observations, mask)[0].logits.argmax(dim=1).numpy())
        batch.play_until(0, opponent)
    over = batch.to_move < 0
    ranks = batch.ranks[over]
    wins = np.where(ranks[:, 0] < ranks[:, 1], 1.0, np.where(ranks[:, 0] == ranks[:, 1], 0.5, 0.0))
    return {
        f"wins against {opponent}": float(wins.sum()) / games,
        f"points against {opponent}": float(batch.scores[over, 0].mean()) if over.any() else float("nan"),
    }


def draw(curve: list[dict[str, float]], path: Path) -> None:
    """Draw wins and points over the moves played."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (upper, lower) = pyplot.subplots(2, 1, figsize=(7, 6), sharex=True, layout="constrained")
    moves = [figures["moves"] for figures in curve]
    for opponent, label in zip(OPPONENTS, ("random moves", "the game's policy"), strict=True):
        wins = [figures[f"wins against {opponent}"] for figures in curve]
        upper.plot(moves, wins, marker="o", label=f"against {label}")
        lower.plot(moves, [figures[f"points against {opponent}"] for figures in curve], marker="o")
    upper.set(ylabel="share of wins", ylim=(0, 1), title="PPO by self-play, two-player Skyjo")
    upper.legend(frameon=False)
    lower.set(xlabel="moves played in training", ylabel="points per game (fewer are better)")
    figure.savefig(path)


if __name__ == "__main__":
    main()
