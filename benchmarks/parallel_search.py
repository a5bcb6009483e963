"""Searches in several threads: simulations per second over those of one thread, and strength per simulation.

    python benchmarks/parallel_search.py speed [--game NAME ...] [--threads 2] [--turns 9]
    python benchmarks/parallel_search.py play FOLDER [--game NAME ...] [--threads 2] [--deals 40]
                                                     [--minutes 30] [--jobs 2]
    python benchmarks/parallel_search.py report FOLDER [--game NAME ...] [--threads 2]

`speed` measures the same searches of an expert in one thread and in several, in turns, by elapsed time, on processors
of separate cores; it exits 1 if two threads make less than 1.7 times the simulations. `play` seats one expert that
searches in several threads among experts that search in one, all with the same number of worlds; every deal is played
once for each seat. It writes a line of JSON per game and continues where it was stopped; `report` prints the leads: the
interval of a search that is as strong per simulation holds 0.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import journals
from cores import separate_cores
from json_lines import print_line
from machine import description
from series import Key, Series, play
from tablee.arena.estimates import Estimate, mean_over_deals
from tablee.arena.matches import bot_seed
from tablee.bots.roster import find_kind, pin
from tablee.bots.search import SearchBot
from tablee.core.game import Game
from tablee.core.match import Match
from tablee.core.registry import all_games, find_game
from tablee.testing.positions import random_positions

SEED = 60
MIN_FOR_TWO = 1.7
SEPARATE = 1.9  # gain of additions on two processors, from which on they are cores
OPENINGS = (0, 10, 20)  # random moves at least before each position that is searched


def main() -> None:
    """Measure, play or report."""
    parser = argparse.ArgumentParser(description="searches in several threads")
    parser.add_argument("command", choices=("speed", "play", "report"))
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--game", action="append", metavar="NAME", help="default: all; may be repeated")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--deals", type=int, default=40)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    arguments = parser.parse_args()
    games = [find_game(name) for name in arguments.game] if arguments.game else all_games()
    if arguments.command == "speed":
        sys.exit(measure(games, arguments.threads, arguments.turns))
    if arguments.folder is None:
        parser.error("name a folder for the journals")
    series = [ThreadsSeries(game, arguments.folder, arguments.threads, arguments.deals) for game in games]
    if arguments.command == "play":
        play([series], arguments.folder, arguments.jobs, time.monotonic() + 60 * arguments.minutes)
    else:
        report(series)


def expert(game: Game, threads: int, seed: int) -> SearchBot:
    """Return an expert that searches in so many threads."""
    bot = find_kind("expert").make(game, seed)
    assert isinstance(bot, SearchBot)
    bot.threads = threads
    return bot


# Speed


def measure(games: list[Game], threads: int, turns: int) -> int:
    """Compare simulations per second of every game; return the exit status."""
    print_line(**description())
    (first, second), gain = separate_cores(os.sched_getaffinity(0))
    print_line(processors=[first, second], gain_of_additions=round(gain, 2))
    if threads == 2:
        os.sched_setaffinity(0, {first, second})
    failed = False
    for game in games:
        ratios, rate = speeds(game, threads, turns)
        ratio = statistics.median(ratios)
        failed |= threads == 2 and gain >= SEPARATE and ratio < MIN_FOR_TWO
        print_line(game=game.name, simulations_per_second=round(rate), threads=threads, ratio=round(ratio, 2))
    return int(failed)


def speeds(game: Game, threads: int, turns: int) -> tuple[list[float], float]:
    """Return the rates with threads over those with one, a number per turn, and the best rate with one."""
    matches = list(searched_positions(game))
    bots = {count: expert(game, count, SEED) for count in (1, threads)}
    for bot in bots.values():  # all worlds, also where the move is decided before
        bot.settings = replace(bot.settings, mixed_moves=range(game.moves))
        rate_of(bot, matches)  # loads machine code, starts threads
    ratios, best = [], 0.0
    for _ in range(turns):
        alone, together = (rate_of(bots[count], matches) for count in (1, threads))
        ratios.append(together / alone)
        best = max(best, alone)
    return ratios, best


def searched_positions(game: Game) -> Iterator[Match]:
    """Yield positions of a random game with several moves."""
    openings = list(OPENINGS)
    for match in random_positions(game, seed=SEED):
        if openings and len(match.moves) >= openings[0] and len(match.legal_moves()) > 1:
            openings.pop(0)
            yield match.copy()


def rate_of(bot: SearchBot, matches: list[Match]) -> float:
    """Return simulations per second of elapsed time."""
    start, worlds = time.perf_counter(), 0
    for match in matches:
        worlds += bot.decide(match.sight(match.to_move), match.legal_moves()).worlds
    return worlds / (time.perf_counter() - start)


# Strength


class ThreadsSeries(Series):
    """Deals of one game with a search in several threads in one seat."""

    def __init__(self, game: Game, folder: Path, threads: int, max_deals: int) -> None:
        self.game = game
        self.path = folder / f"{game.name}-{threads}-threads-{pin('expert', game).policy}.jsonl"
        self.function = play_game
        self._threads, self._max_deals = threads, max_deals

    def deals(self) -> Iterator[list[Key]]:
        """Yield the games of each deal, one for each seat of the search in threads."""
        for deal in range(self._max_deals):
            yield [(self.game.name, self._threads, deal, seat) for seat in range(self.game.usual_seats)]

    def missing_deals(self) -> float:
        """Return how many deals are left to play."""
        return self._max_deals - len(self.leads())

    def leads(self) -> list[float]:
        """Return the mean lead of each complete deal."""
        found: dict[int, list[float]] = defaultdict(list)
        for line in journals.read(self.path):
            found[line["key"][2]].append(line["lead"])
        return [sum(leads) / len(leads) for leads in found.values() if len(leads) == self.game.usual_seats]

    def estimate(self) -> Estimate | None:
        """Return the lead with its interval; None of fewer than two deals."""
        return mean_over_deals(self.leads())

    def summary(self) -> dict[str, Any]:
        """Return what is known so far."""
        return {"deals": len(self.leads()), "lead": interval(self.estimate())}


def play_game(name: str, threads: int, deal: int, own: int) -> dict[str, Any]:
    """Play a deal with a search in threads in one seat; return its lead."""
    game = find_game(name)
    match = Match(game, seed=SEED, stream=deal)
    bots = [expert(game, threads if seat == own else 1, bot_seed(SEED, deal, seat)) for seat in range(match.seats)]
    while not match.is_over:
        match.push(bots[match.to_move].decide(match.sight(match.to_move), match.legal_moves()).move)
    points = [score * (-1 if game.fewest_points_win else 1) for score in match.scores()]
    return {"lead": points[own] - (sum(points) - points[own]) / (match.seats - 1)}


def report(series: list[ThreadsSeries]) -> None:
    """Print the leads."""
    print("| game | deals | points ahead of a search in one thread |\n|---|---:|---|")
    for each in series:
        print(f"| {each.game.words('en').say('title')} | {len(each.leads())} | {interval(each.estimate())} |")


def interval(estimate: Estimate | None) -> str:
    """Write an estimate with its interval."""
    return "not played" if estimate is None else f"{estimate.value:+.1f} ({estimate.low:+.1f} to {estimate.high:+.1f})"


if __name__ == "__main__":
    main()
