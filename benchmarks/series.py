"""Series of games, each to answer one question: all processes play single games of several series at once.

`play` begins with the earliest stage that is not settled, finishes deals that were begun, and then takes the series
that is expected to be settled first. It begins no game that is likely to run past the end, writes a line of JSON per
game (`journals.py`), and continues where it was stopped, on another machine too.
"""

from __future__ import annotations

import json
import math
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import journals
from machine import description
from tablee.arena.pool import Pool, processes
from tablee.core.game import Game
from tablee.core.registry import find_game

Key: TypeAlias = tuple[Any, ...]
FIRST_GUESS = 60.0  # seconds of a game before one has been played
SLACK = 1.1  # times the longest game so far: less time than that begins no game
SPARE_SECONDS = 4.0  # at the end, to stop in an orderly way


class Series(ABC):
    """Games that answer one question; a deal counts when all its games are played."""

    game: Game
    path: Path  # of the journal
    function: Callable[..., dict[str, Any]]  # plays the game of a key, in another process

    @abstractmethod
    def deals(self) -> Iterator[list[Key]]:
        """Yield the keys of the games of each deal, in the order in which they are played."""

    @abstractmethod
    def missing_deals(self) -> float:
        """Return how many more deals are expected to settle the question; 0 if it is settled."""

    def summary(self) -> dict[str, Any]:
        """Return what is known so far, for the log."""
        return {}


class Progress:
    """A series that is being played."""

    def __init__(self, series: Series) -> None:
        self.series = series
        self.pending = 0
        self._longest = 0.0
        self._seconds: list[float] = []
        self._given: set[Key] = set()
        for line in journals.read(series.path):
            self._given.add(tuple(line["key"]))
            self._count(line)
        self._deals = series.deals()
        self._deal: list[Key] = []  # games of the present deal that nobody plays yet
        self.has_begun_deal = False
        self.missing_deals = series.missing_deals()
        self._advance()

    def _count(self, line: dict[str, Any]) -> None:
        seconds = line.get("took", FIRST_GUESS)
        self._seconds.append(seconds)
        self._longest = max(self._longest, seconds)

    def _advance(self) -> None:
        """Go on to the next deal with games that nobody plays yet, if the present one has none."""
        while not self._deal:
            deal = next(self._deals, None)
            if deal is None:
                return
            self._games_per_deal = len(deal)
            self._deal = [key for key in deal if key not in self._given]
            self.has_begun_deal = 0 < len(self._deal) < len(deal)

    @property
    def is_open(self) -> bool:
        """Whether there is a game to play, and a reason to."""
        return bool(self._deal) and self.missing_deals > 0

    @property
    def longest(self) -> float:
        """Seconds of the longest game."""
        return self._longest or FIRST_GUESS

    @property
    def missing_games(self) -> float:
        """The number of games that are expected to settle the question, without those being played."""
        return math.ceil(self.missing_deals) * self._games_per_deal - self.pending

    @property
    def missing_seconds(self) -> float:
        """Seconds of one process that the missing games take."""
        mean = sum(self._seconds) / len(self._seconds) if self._seconds else FIRST_GUESS
        return self.missing_games * mean

    def take(self) -> Key:
        """Return the next game to play."""
        key = self._deal.pop(0)
        self._given.add(key)
        self.pending += 1
        self.has_begun_deal = bool(self._deal)
        self._advance()
        return key

    def add(self, line: dict[str, Any]) -> None:
        """Write the result of a game to the journal."""
        self.pending -= 1
        self._count(line)
        self.series.path.parent.mkdir(parents=True, exist_ok=True)
        with self.series.path.open("a") as file:
            file.write(json.dumps(line) + "\n")
        self.missing_deals = self.series.missing_deals()


def _note_machine(path: Path, about: dict[str, str]) -> None:
    """Add what plays now to those that have played games of these journals."""
    if about not in journals.read(path):
        with path.open("a") as file:
            file.write(json.dumps(about) + "\n")


def play(stages: Sequence[Sequence[Series]], folder: Path, jobs: int, end: float, commit: str | None = None) -> None:
    """Play the stages, in `jobs` processes (one: this one), until all are settled or the time is up.

    `commit` is for machines without git.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _note_machine(folder / "about.jsonl", {**description(), **({"commit": commit} if commit else {})})
    progress = [[Progress(series) for series in stage] for stage in stages]
    games = dict.fromkeys(series.game.name for stage in stages for series in stage)
    with workers(jobs) as pool:
        compiling = {pool.submit(compile_game, name): name for name in games} if jobs > 1 else {}
        playing: dict[Future[Any], Progress] = {}
        while True:
            while len(compiling) + len(playing) < jobs:
                chosen = choose(progress, set(compiling.values()), end - SPARE_SECONDS - time.monotonic())
                if chosen is None:
                    break
                playing[pool.submit(partial(timed, chosen.series.function), chosen.take())] = chosen
            if not compiling and not playing:
                return
            done, _ = wait([*compiling, *playing], max(0.0, end - time.monotonic()), FIRST_COMPLETED)
            if not done:
                return
            for future in done:
                finish(future, compiling, playing)


def finish(future: Future[Any], compiling: dict[Future[Any], str], playing: dict[Future[Any], Progress]) -> None:
    """Take in a compiled or a played game."""
    if future in compiling:
        print(json.dumps({"compiled": compiling.pop(future), "seconds": round(future.result(), 1)}), flush=True)
        return
    progress = playing.pop(future)
    progress.add(future.result())
    print(json.dumps({"series": progress.series.path.stem, **progress.series.summary()}), flush=True)


def choose(stages: Iterable[Iterable[Progress]], unready: set[str], seconds: float) -> Progress | None:
    """Return the series whose next game is to be played; None if there is none that would end in time."""
    candidates = [
        (progress.missing_games <= 0 and not progress.has_begun_deal, number, progress)
        for number, stage in enumerate(stages)
        for progress in stage
        if progress.is_open and progress.series.game.name not in unready and SLACK * progress.longest < seconds
    ]
    order = [(*found[:2], not found[2].has_begun_deal, found[2].missing_seconds) for found in candidates]
    return candidates[order.index(min(order))][2] if candidates else None


def timed(function: Callable[..., dict[str, Any]], key: Key) -> dict[str, Any]:
    """Play a game; return its line in the journal, with the seconds that it took."""
    start = time.monotonic()
    result = function(*key)
    return {"key": key, **result, "took": round(time.monotonic() - start, 2)}


@contextmanager
def workers(jobs: int) -> Iterator[Pool]:
    """Provide processes of one thread each that give way to others; with one job, this process."""
    if jobs == 1:
        journals.give_way()
        yield ThisProcess()
        return
    os.environ["NUMBA_NUM_THREADS"] = "1"
    journals.give_way()  # the processes inherit it
    with processes(jobs) as pool:
        yield pool


class ThisProcess:
    """A pool without processes: calls at once."""

    def submit(self, function: Callable[[Any], Any], argument: Any, /) -> Future[Any]:
        """Call a function; return its result as a future that is done."""
        future: Future[Any] = Future()
        future.set_result(function(argument))
        return future


def compile_game(name: str) -> float:
    """Compile what bots and the meter of luck need for a game, by playing a little; return the seconds."""
    from luck import LuckMeter
    from tablee.bots.roster import make_bot, names_in
    from tablee.core.match import Match

    start = time.monotonic()
    game = find_game(name)
    match = Match(game, seed=0)
    meter = LuckMeter(match, 0)
    for _ in range(4):
        for bot in names_in(game):
            make_bot(bot, game, 0, seconds=0.01).decide(match.sight(match.to_move), match.legal_moves())
        meter.play(match.legal_moves()[0])
    match.scores()
    return time.monotonic() - start
