"""Settings of a table in this process: the game, the player's seat, the bots at the others, the file of the record."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import datetime
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

from tablee.core.errors import BadSetup
from tablee.core.folders import data_folder
from tablee.core.game import Game, Setup
from tablee.core.words import common

if TYPE_CHECKING:
    from tablee.core.match import Match
    from tablee.core.warmup import Warmup
    from tablee.tables.creation import OpenedTable
    from tablee.tables.table import Table

TABLE_ID = "local"
PLAYER = "player"  # the id of the only person at a table in this process


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
    threads: int = 1  # of a bot's search
    save: Path | None = None
    rest: int | None = 0  # longest rest after a round in seconds; 0: until the player is ready; None: no rest
    coach: bool = False  # help on request
    is_lesson: bool = False  # the game's guided round, which decides the setup
    start: Match | None = field(default=None, compare=False)  # the position to play on from, if it is not dealt

    def __post_init__(self) -> None:
        if self.seat >= self.setup.seats:
            raise BadSetup(f"there is no seat {self.seat} at a table of {self.setup.seats}; the first is 0")

    @property
    def title(self) -> str:
        """The game's title."""
        return self.game.words(self.language).say("title")

    @property
    def names(self) -> list[str]:
        """All players' names: those of the position to play on from, or the player's own and numbered bots."""
        if self.start is not None:
            return self.start.names(self.language)
        words = common(self.language)
        bots = (words.say("bot", number=number) for number in range(1, self.setup.seats))
        own = self.name or words.say("seat", number=self.seat + 1)
        return [own if seat == self.seat else next(bots) for seat in range(self.setup.seats)]

    @property
    def player_name(self) -> str:
        """The player's own name."""
        return self.names[self.seat]

    def open_table(self) -> OpenedTable:
        """Return the table: dealt, or in the position to play on from; raises TableeError for an unknown bot."""
        if self.is_lesson:
            return self._open_lesson()
        from tablee.bots.roster import version_of
        from tablee.core.randomness import secret_seed
        from tablee.tables.commands import Actor
        from tablee.tables.creation import SeatedBot, Secrets
        from tablee.tables.forks import continue_match

        for bot in self.bots:
            version_of(bot)
        bots, names = cycle(self.bots), self.names
        players = [
            (seat, Actor(PLAYER, names[seat]) if seat == self.seat else SeatedBot(next(bots), names[seat]))
            for seat in range(self.setup.seats)
        ]
        secrets = Secrets(secret_seed(), invite="")
        coached = PLAYER if self.coach else ""
        return continue_match(TABLE_ID, self._first_match(), players, secrets, time.time(), self.rest, coached)

    def _open_lesson(self) -> OpenedTable:
        """Return the guided round where it was left, or at its beginning."""
        from tablee.core.randomness import secret_seed
        from tablee.tables.commands import Actor
        from tablee.tables.creation import OpenedTable, Secrets, lesson_table
        from tablee.tables.events import decode_event
        from tablee.tables.evolution import rebuild_table

        if self.lesson_path.is_file():
            events = [decode_event(line) for line in self.lesson_path.read_text(encoding="utf-8").splitlines()]
            table = rebuild_table(TABLE_ID, events)
            if table.progress() is not None:
                return OpenedTable(events, table)
        maker = Actor(PLAYER, self.name or common(self.language).say("seat", number=1))
        return lesson_table(TABLE_ID, self.game.name, Secrets(secret_seed(), invite=""), maker, time.time())

    @property
    def lesson_path(self) -> Path:
        """Where a guided round is kept that is not finished: its events, one per line."""
        return data_folder() / f"{self.game.name}-lesson.jsonl"

    def _first_match(self) -> Match:
        from tablee.core.match import Match

        if self.start is not None:
            return self.start
        return Match(self.game, seats=self.setup.seats, options=self.setup.options, seed=self.seed)

    def warmup_plan(self) -> Warmup:
        """Return what must be compiled: the game and its bots."""
        from tablee.core.warmup import Warmup
        from tablee.tables.warmup import TABLE_STEPS, exercise_table

        names = sorted({*self.bots})
        return Warmup("-".join(["table", *names]), TABLE_STEPS + len(names), lambda game: exercise_table(game, names))

    def save_record(self, table: Table) -> Path:
        """Save the record of a table and return its path."""
        from tablee.bots.roster import version_of

        assert table.match is not None
        path = self.save if self.save is not None and not self.save.exists() else unused_path(self.game.name)
        kinds = [f"{seat.bot} {version_of(seat.bot)}" if seat.bot else seat.kind for seat in table.seats]
        notes = {"end": table.end} if table.end is not None and table.match.outcome is None else {}
        table.match.record(kinds=kinds, **notes).save(path)
        return path


def unused_path(name: str) -> Path:
    """Return the path of a new file in the user's data folder, named after game and time."""
    folder = data_folder()
    stem = f"{name}-{datetime.now():%Y%m%d-%H%M%S}"
    path, number = folder / f"{stem}.tablee", 1
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}.tablee"
    return path
