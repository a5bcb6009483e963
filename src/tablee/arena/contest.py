"""The description of a contest: game, setup, line-ups, seed and external bots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from tablee.arena.lineups import Lineup, seatings
from tablee.arena.matches import Task
from tablee.bots.external import ExternalBotSpec
from tablee.bots.roster import Pin, pin
from tablee.core.game import Game, Setup, show


@dataclass(frozen=True)
class Contest:
    """A contest between bots; equal contests play the same games."""

    name: str
    game: Game
    setup: Setup
    lineups: tuple[Lineup, ...]
    seed: int
    external_bots: Mapping[str, ExternalBotSpec] = field(default_factory=dict)  # by name

    @property
    def bots(self) -> tuple[str, ...]:
        """The names of the bots, in the order of the line-ups."""
        return tuple(dict.fromkeys(name for lineup in self.lineups for name in lineup))

    def pins(self) -> tuple[Pin, ...]:
        """Return the exact identity of each bot; raise TableeError if one is unknown."""
        return tuple(pin(name, self.game, self.external_bots) for name in self.bots)

    def tasks(self, deal: int, keeps_records: bool = False) -> Iterator[Task]:
        """Yield the games of one deal, one per rotation of the seats."""
        for rotation, lineup in enumerate(seatings(self.lineups, self.seed, deal)):
            yield Task(
                self.name,
                self.game.name,
                self.setup.options,
                self.seed,
                deal,
                rotation,
                lineup,
                external_bots=self.external_bots,
                keeps_record=keeps_records,
            )

    def as_dict(self) -> dict[str, Any]:
        """Return everything that identifies the contest as plain values, ready for JSON."""
        return {
            "contest": self.name,
            "game": self.game.name,
            "version": self.game.version,
            "seats": self.setup.seats,
            "options": {name: show(value) for name, value in self.setup.options.items()},
            "lineups": [list(lineup) for lineup in self.lineups],
            "seed": self.seed,
            "bots": [asdict(pinned) for pinned in self.pins()],
        }
