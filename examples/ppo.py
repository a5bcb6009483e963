"""PPO with masks by self-play on Skyjo for two, in one file: a batch of games, one network for both seats.

    python examples/ppo.py [--iterations 200] [--games 128] [--seconds 600] [--picture ppo.png]

Needs PyTorch (`pip install 'tablee[learn]'`). Every move of every game is a sample, from the viewpoint of the seat on
turn: what the other gains, it loses. A reward is by how much a move has changed the difference in points, cards on the
table included, with five for a hidden one (a potential: it changes how fast one learns, not what is best). Now and then
the network plays whole games against chance and against the game's own policy, always its favourite move.
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
STEPS = 32  # of each game in an iteration
EPOCHS, MINIBATCHES = 4, 8
CLIP, VALUE_SHARE, ENTROPY_SHARE = 0.2, 0.5, 0.01
RATE = 1e-3  # of learning, at first
TRACE = 0.7  # lambda of the advantages; nothing is discounted
POINTS = 10.0  # that count as a reward of 1
HIDDEN = 5  # points that a hidden card is taken for, near the mean of the deck
RIVALS = ("random", "policy")
MAX_LENGTH = 1500  # steps of an evaluated game


class Player(nn.Module):
    """One network for policy and value."""

    def __init__(self, numbers: int, moves: int, width: int = 192) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(numbers, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.policy = nn.Linear(width, moves)
        self.value = nn.Linear(width, 1)

    def forward(self, seen: Tensor, mask: Tensor) -> tuple[Categorical, Tensor]:
        """Return how legal moves are chosen, and what the seat on turn may expect."""
        thought = self.body(seen)
        return Categorical(logits=self.policy(thought).masked_fill(~mask, -1e9)), self.value(thought).squeeze(-1)


class Samples(NamedTuple):
    """What happened: rows are steps, columns games."""

    seen: Tensor  # (steps, games, numbers)
    mask: Tensor  # (steps, games, moves)
    moves: Tensor  # (steps, games)
    chances: Tensor  # (steps, games): logarithms, as they were then
    values: Tensor  # (steps + 1, games)
    rewards: Tensor  # (steps, games)
    follows: Tensor  # (steps, games): 1 where the same seat is on turn next, -1 the other, 0 where the game has ended


def main() -> None:
    """Learn, evaluate, print and draw."""
    parser = argparse.ArgumentParser(description="PPO by self-play on Skyjo")
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument("--games", type=int, default=128)
    parser.add_argument("--evaluated", type=int, default=100, help="games per evaluation and rival")
    parser.add_argument("--every", type=int, default=20, help="iterations between evaluations")
    parser.add_argument("--seconds", type=float, default=600.0, help="stop after so long")
    parser.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    torch.manual_seed(0)
    curve = learn(arguments)
    if arguments.picture:
        draw(curve, arguments.picture)


def learn(arguments: argparse.Namespace) -> list[dict[str, float]]:
    """Alternate between playing and learning; return the evaluations."""
    batch = Batch("skyjo", arguments.games, seats=SEATS)
    player = Player(batch.observations.shape[1], batch.mask.shape[1])
    optimizer = torch.optim.Adam(player.parameters(), lr=RATE, eps=1e-5)
    begun, curve = time.perf_counter(), []
    for iteration in range(arguments.iterations + 1):
        is_last = iteration == arguments.iterations or time.perf_counter() - begun > arguments.seconds
        if is_last or iteration % arguments.every == 0:
            figures = {"moves": iteration * STEPS * batch.size, "seconds": time.perf_counter() - begun}
            for rival in RIVALS:
                figures |= evaluate(player, rival, arguments.evaluated)
            curve.append(figures)
            print({name: round(value, 2) for name, value in figures.items()}, flush=True)
        if is_last:
            break
        optimizer.param_groups[0]["lr"] = RATE * (1 - 0.9 * iteration / arguments.iterations)
        improve(player, optimizer, play(player, batch))
    return curve


@torch.no_grad()
def play(player: Player, batch: Batch) -> Samples:
    """Play on in every game, both seats by the same network."""
    rows: list[tuple[Tensor, ...]] = []
    values = []
    for _ in range(STEPS):
        seen, mask = torch.from_numpy(batch.observations.copy()), torch.from_numpy(batch.mask.copy())
        choice, value = player(seen, mask)
        moves = choice.sample()
        rewards, follows = step(batch, moves.numpy())
        rows.append((seen, mask, moves, choice.log_prob(moves), rewards, follows))
        values.append(value)
    values.append(player(torch.from_numpy(batch.observations), torch.from_numpy(batch.mask))[1])
    seen, mask, moves, chances, rewards, follows = (torch.stack(column) for column in zip(*rows, strict=True))
    return Samples(seen, mask, moves, chances, torch.stack(values), rewards, follows)


def step(batch: Batch, moves: np.ndarray) -> tuple[Tensor, Tensor]:
    """Make one step; return the movers' rewards, and who follows."""
    games, movers = np.arange(batch.size), batch.to_move.copy()
    before = standing(batch)
    batch.step(moves)
    cost = np.where(batch.ended[:, None], batch.scores, standing(batch)) - before
    rewards = (cost[games, 1 - movers] - cost[games, movers]) / POINTS
    follows = np.where(batch.ended, 0, np.where(batch.to_move == movers, 1, -1))
    return torch.from_numpy(rewards.astype(np.float32)), torch.from_numpy(follows.astype(np.float32))


def standing(batch: Batch) -> np.ndarray:
    """Return the points of each seat so far, with those that lie before it."""
    states, cells = batch.states, np.arange(12)
    is_open, is_gone = ((bits[:, :SEATS, None] >> cells) & 1 == 1 for bits in (states.opened, states.gone))
    worth = np.where(is_open, states.grid[:, :SEATS], np.where(is_gone, 0, HIDDEN))
    return np.asarray(states.totals[:, :SEATS] + worth.sum(axis=2))


def advantages(samples: Samples) -> Tensor:
    """Return how much better than expected each move turned out; the other seat's fortune is one's misfortune."""
    out = torch.zeros_like(samples.rewards)
    trace = torch.zeros(samples.rewards.shape[1])
    for now in range(STEPS - 1, -1, -1):
        expected = samples.rewards[now] + samples.follows[now] * samples.values[now + 1]
        trace = expected - samples.values[now] + TRACE * samples.follows[now] * trace
        out[now] = trace
    return out


def improve(player: Player, optimizer: torch.optim.Optimizer, samples: Samples) -> None:
    """Make what turned out well likelier, but not by too much at once."""
    gained = advantages(samples)
    aims = (gained + samples.values[:-1]).flatten()
    flat = [part.flatten(0, 1) for part in samples[:4]]
    gained = gained.flatten()
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(gained)).chunk(MINIBATCHES):
            seen, mask, moves, chances = (part[rows] for part in flat)
            choice, values = player(seen, mask)
            gain = (gained[rows] - gained[rows].mean()) / (gained[rows].std() + 1e-8)
            ratio = (choice.log_prob(moves) - chances).exp()
            loss = -torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
            loss += VALUE_SHARE * (values - aims[rows]).square().mean()
            loss -= ENTROPY_SHARE * choice.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(player.parameters(), 0.5)
            optimizer.step()


@torch.no_grad()
def evaluate(player: Player, rival: str, games: int) -> dict[str, float]:
    """Play whole games in seat 0; return the share of victories, a tie being half of one, and the mean points."""
    batch = Batch("skyjo", games, seats=SEATS, seed=1_000_003, auto_reset=False)
    batch.play_until(0, rival)
    for _ in range(MAX_LENGTH):
        if (batch.to_move < 0).all():
            break
        seen, mask = torch.from_numpy(batch.observations), torch.from_numpy(batch.mask)
        batch.step(player(seen, mask)[0].logits.argmax(dim=1).numpy())
        batch.play_until(0, rival)
    over = batch.to_move < 0
    ranks = batch.ranks[over]
    victories = np.where(ranks[:, 0] < ranks[:, 1], 1.0, np.where(ranks[:, 0] == ranks[:, 1], 0.5, 0.0))
    return {
        f"victories over {rival}": float(victories.sum()) / games,
        f"points against {rival}": float(batch.scores[over, 0].mean()) if over.any() else float("nan"),
    }


def draw(curve: list[dict[str, float]], path: Path) -> None:
    """Draw victories and points over the moves played."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (upper, lower) = pyplot.subplots(2, 1, figsize=(7, 6), sharex=True, layout="constrained")
    moves = [figures["moves"] for figures in curve]
    for rival, label in zip(RIVALS, ("chance", "the game's own policy"), strict=True):
        upper.plot(moves, [figures[f"victories over {rival}"] for figures in curve], marker="o", label=f"over {label}")
        lower.plot(moves, [figures[f"points against {rival}"] for figures in curve], marker="o")
    upper.set(ylabel="share of victories", ylim=(0, 1), title="PPO by self-play, Skyjo for two")
    upper.legend(frameon=False)
    lower.set(xlabel="moves played in training", ylabel="points per game (few are good)")
    figure.savefig(path)


if __name__ == "__main__":
    main()
