"""The settings of a training run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from tablee.bots.networks import MAX_BYTES
from tablee.core.errors import BadSetup, did_you_mean

if TYPE_CHECKING:
    from tablee.core.game import Game


@dataclass(frozen=True)
class TrainingSettings:
    """What a run does; a checkpoint stores them, so that a resumed run does the same."""

    games: int = 10240  # played side by side
    groups: int = 5  # the games are divided into so many groups, each with one setup
    usual_groups: int = 4  # of these, how many play the usual setup; the others play one drawn at random
    pool_groups: int = 1  # of these, how many play some of their seats by an earlier network
    greedy_groups: int = 1  # of those with the usual setup, how many play all seats but one as the bot `greedy`
    pool_size: int = 3  # earlier networks that are kept
    steps: int = 64  # moves of each game per iteration
    iterations: int = 32  # per generation, after which all games are dealt again
    epochs: int = 2
    minibatch: int = 8192  # decisions
    learning_rate: float = 5e-4  # at the start; falls to zero
    entropy: float = 0.05  # weight of the entropy at the start; falls by the same factor in equal times
    last_entropy: float = 0.002  # at the end
    magnet: float = 0.0  # weight of the divergence from the network that the generation began with
    trace: float = 0.95  # lambda of the advantages; rewards are not discounted
    clip: float = 0.2
    value_weight: float = 0.5
    max_gradient: float = 0.5
    max_weights: int = 700_000  # of the network, which has the widest layers that this allows
    width: int = 512  # at most
    reduction: str = ""  # all groups play this small version of the game

    def __post_init__(self) -> None:
        """Raise BadSetup for a number with which no run is possible."""
        groups = dict.fromkeys(("usual_groups", "pool_groups"), (0, self.groups)) | {
            "games": (self.groups, MAX_COUNT),
            "greedy_groups": (0, self.usual_groups),
        }
        for name, (least, most) in (BOUNDS | groups).items():
            if not least <= getattr(self, name) <= most:
                raise BadSetup(
                    f"the setting {name} of training is from {least:,} to {most:,}, not {getattr(self, name):,}"
                )

    def entropy_weight(self, progress: float) -> float:
        """Return the weight of the entropy when a share of the training is done, from 0 to 1."""
        if min(self.entropy, self.last_entropy) <= 0:
            return self.entropy + (self.last_entropy - self.entropy) * progress
        return float(self.entropy ** (1 - progress) * self.last_entropy**progress)


MAX_COUNT, MAX_FACTOR = 10**9, 1000
BOUNDS: dict[str, tuple[float, float]] = {  # least and greatest values
    **dict.fromkeys(("groups", "iterations", "epochs", "minibatch", "width"), (1, MAX_COUNT)),
    "steps": (10, MAX_COUNT),  # with fewer, it may be that no seat decides twice, and there is nothing to learn from
    "pool_size": (0, 100),
    **dict.fromkeys(("entropy", "last_entropy", "magnet", "value_weight", "max_gradient"), (0, MAX_FACTOR)),
    **dict.fromkeys(("learning_rate", "trace", "clip"), (0, 1)),
    "max_weights": (1, MAX_BYTES // 2),  # of two bytes each in the file that bots read
}

MIXED_ENTROPY, MIXED_MAGNET = 0.01, 0.1  # at least, where good play is mixed: PPO alone goes round in circles there
DEMO = TrainingSettings(
    games=256,
    groups=2,
    usual_groups=2,
    pool_groups=1,
    greedy_groups=0,
    iterations=8,
    epochs=4,
    minibatch=2048,
    learning_rate=1e-3,
    entropy=0.1,
    last_entropy=0.01,
    max_weights=60_000,
    width=128,
)  # for two cores and few minutes


def settings_for(game: Game, settings: TrainingSettings | None = None) -> TrainingSettings:
    """Return the settings of a run in a game: more regularisation where its policy says that play is mixed."""
    from tablee.simulation.policies import mixed_moves

    first, stop = mixed_moves(game)
    chosen = settings or TrainingSettings()
    if stop == first:
        return chosen
    return replace(
        chosen, last_entropy=max(chosen.last_entropy, MIXED_ENTROPY), magnet=max(chosen.magnet, MIXED_MAGNET)
    )


def changed(settings: TrainingSettings, texts: Sequence[str]) -> TrainingSettings:
    """Return settings with some values changed, each written `name=value`; raise BadSetup for one that is none."""
    values: dict[str, Any] = {}
    for text in texts:
        name, _, value = text.partition("=")
        known = asdict(settings)
        if name not in known:
            raise BadSetup(f"there is no setting {name!r} of training; {did_you_mean(name, known)}")
        try:
            values[name] = type(known[name])(value)
        except ValueError:
            raise BadSetup(f"the setting {name} of training is a number, not {value!r}") from None
    return replace(settings, **values)
