"""Settings of a table in this process: the game, the player's seat, the bots at the others, the file of the record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

from tablee.core.errors import BadSetup
from tablee.core.game import Game, Setup
from tablee.core.words import common

if TYPE_CHECKING:
    from tablee.bots.bot import Bot
    from tablee.core.match import Match
    from tablee.core.warmup import Warmup


@dataclass(frozen=True)
class PlaySettings:
    """A game to be played; nothing slow is imported before it starts."""

    game: Game
    setup: Setup
    language: str
    seat: int = 0
    bots: tuple[str, ...] = ("random",)  # names, repeated for the other seats
    name: str = ""
    seed: int | None = None
    save: Path | None = None
    start: Match | None = field(default=None, compare=False)  # the position to play on from, if it is not dealt

    def __post_init__(self) -> None:
        if self.seat >= self.setup.seats:
            raise BadSetup(f"there is no seat {self.seat} at a table of {self.setup.seats}; the first is 0")

    @property
    def title(self) -> str:
        """The game's title."""
        return self.game.words(self.language).say("title")

    @property
    def players(self) -> list[str]:
        """All players' names: the player's own, and numbered bots."""
        words = common(self.language)
        bots = (words.say("bot", number=number) for number in range(1, self.setup.seats))
        own = self.name or words.say("seat", number=self.seat + 1)
        return [own if seat == self.seat else next(bots) for seat in range(self.setup.seats)]

    def make_bots(self) -> dict[int, Bot]:
        """Make a bot for every other seat."""
        from tablee.bots.roster import make_bot
        from tablee.core.randomness import secret_seed

        names = cycle(self.bots)
        others = [seat for seat in range(self.setup.seats) if seat != self.seat]
        seeds = {seat: secret_seed() if self.seed is None else self.seed + seat for seat in others}
        return {seat: make_bot(next(names), self.game, seeds[seat]) for seat in others}

    def start_match(self) -> Match:
        """Return the match: dealt, or in the position to play on from."""
        from tablee.core.match import Match

        if self.start is not None:
            return self.start.copy()
        options = self.setup.options
        return Match(self.game, seats=self.setup.seats, options=options, seed=self.seed, players=self.players)

    def warmup_plan(self) -> Warmup:
        """Return what must be compiled: the game and its bots."""
        from tablee.core.warmup import PLAYING, Warmup

        names = sorted({*self.bots})

        def exercise(game: Game) -> Iterator[None]:
            from tablee.bots.roster import dismiss, make_bot
            from tablee.core.match import Match

            yield from PLAYING.run(game)
            match = Match(game, seed=0)
            for name in names:
                bot = make_bot(name, game, 0, seconds=0.01)
                bot.decide(match.sight(match.to_move), match.legal_moves())
                dismiss(bot)
                yield

        return Warmup("-".join([PLAYING.purpose, *names]), PLAYING.steps + len(names), exercise)

    def save_record(self, match: Match, bots: dict[int, Bot]) -> Path:
        """Save the record of the match and return its path."""
        path = self.save if self.save is not None and not self.save.exists() else unused_path(self.game.name)
        kinds = ["person" if seat == self.seat else _kind(bots[seat]) for seat in range(match.seats)]
        match.record(kinds=kinds).save(path)
        return path


def _kind(bot: Bot) -> str:
    return f"{bot.name} {bot.version}"


def unused_path(name: str) -> Path:
    """Return the path of a new file in the current folder, named after game and time."""
    stem = f"{name}-{datetime.now():%Y%m%d-%H%M%S}"
    path, number = Path(f"{stem}.tablee"), 1
    while path.exists():
        number += 1
        path = Path(f"{stem}-{number}.tablee")
    return path
