"""The settings of a training run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablee.core.game import Game


@dataclass(frozen=True)
class TrainingSettings:
    """What a run does; a checkpoint stores them, so that a resumed run does the same."""

    games: int = 16384  # played side by side
    groups: int = 8  # the games are divided into so many groups, each with one setup
    usual_groups: int = 5  # of these, how many play the usual setup; the others play one drawn at random
    pool_groups: int = 2  # of these, how many play some of their seats by an earlier network
    pool_size: int = 3  # earlier networks that are kept
    steps: int = 64  # moves of each game per iteration
    iterations: int = 32  # per generation, after which all games are dealt again
    epochs: int = 2
    minibatch: int = 65536  # decisions
    learning_rate: float = 6e-4  # at the start; falls to zero
    entropy: float = 0.1  # weight of the entropy at the start; falls to `last_entropy`
    last_entropy: float = 0.01
    trace: float = 0.95  # lambda of the advantages; rewards are not discounted
    clip: float = 0.2
    value_weight: float = 0.5
    max_gradient: float = 0.5
    max_weights: int = 700_000  # of the network, which has the widest layers that this allows
    width: int = 512  # at most
    reduction: str = ""  # all groups play this small version of the game


MIXED_ENTROPY = 0.05  # `last_entropy` where good play is mixed: a policy without entropy there is exploitable
DEMO = TrainingSettings(
    games=256,
    groups=2,
    usual_groups=2,
    pool_groups=1,
    iterations=8,
    epochs=4,
    minibatch=2048,
    learning_rate=1e-3,
    max_weights=60_000,
    width=128,
)  # for two cores and few minutes


def settings_for(game: Game, settings: TrainingSettings | None = None) -> TrainingSettings:
    """Return the settings of a run in a game: more entropy where the game's policy says that play is mixed."""
    from tablee.simulation.policies import mixed_moves

    first, last = mixed_moves(game)
    chosen = settings or TrainingSettings()
    return replace(chosen, last_entropy=max(chosen.last_entropy, MIXED_ENTROPY)) if last > first else chosen
