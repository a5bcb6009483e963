"""How strong the bots are, in every game with every number of players; regenerates benchmarks/strength.md.

    PYTHONPATH=src python benchmarks/strength.py --into FOLDER [--minutes 10] [--processes 16] [--game NAME ...]
    python benchmarks/strength.py --report FOLDER ...
    python benchmarks/strength.py --check

The first plays, wherever there are NumPy and Numba: as long as it may, as many seconds for each game, and keeps a
line of JSON per game played. Started again with the same folder it goes on where it was. The second rates what was
played (openskill) and writes the page. The third says whether the page still is about the bots as they are, and exits
1 if not.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from machine import description
from tablee.arena.contest import Contest
from tablee.arena.estimates import Estimate
from tablee.arena.journal import Journal, complete_deals, deals_of, read_journal
from tablee.arena.lineups import balanced, one_against_the_rest
from tablee.arena.playing import GameResult, Task
from tablee.arena.running import CONTESTING, play_all, processes
from tablee.arena.standings import Deal, Standings, standings
from tablee.bots.roster import NAMES, Pin, pin
from tablee.core.game import Game, Setup
from tablee.core.registry import all_games, find_game
from tablee.core.warming import warm

PAGE = Path(__file__).with_name("strength.md")
STRONG, WEAK = "expert", "greedy"
LADDER, AMONG = "ladder", f"{STRONG}-among-{WEAK}"
SPARE = 3.0  # seconds left for ending in an orderly way


def main() -> None:
    """Play, report or check."""
    wanted = parse_arguments()
    if wanted.check:
        sys.exit(check())
    if wanted.report:
        wanted.output.write_text(page(wanted.report), encoding="utf-8")
        print(f"written: {wanted.output}")
    else:
        play(wanted)


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="how strong the bots are")
    parser.add_argument("--into", type=Path, metavar="FOLDER", help="play, and keep the games here")
    parser.add_argument("--minutes", type=float, default=10.0, help="in all, compiling included")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--game", action="append", metavar="NAME", help="all if left out; may be repeated")
    parser.add_argument("--seats", action="append", type=int, help="all if left out; may be repeated")
    parser.add_argument("--deals", type=int, default=10**6, help="per contest, at most")
    parser.add_argument("--seed", type=int, default=1, help="another one plays other deals")
    parser.add_argument("--bots", default=",".join(NAMES), help="the ladder, weakest first")
    parser.add_argument("--commit", help="where there is no git to say it")
    parser.add_argument("--report", type=Path, nargs="+", metavar="FOLDER", help="write the page from these games")
    parser.add_argument("--output", type=Path, default=PAGE)
    parser.add_argument("--check", action="store_true", help="is the page about the bots as they are?")
    wanted = parser.parse_args()
    if not (wanted.into or wanted.report or wanted.check):
        parser.error("say --into FOLDER to play, --report FOLDER to write the page, or --check")
    return wanted


# Play


class Course:
    """A contest on its way: what is to be played next, and what it has cost so far."""

    def __init__(self, contest: Contest, journal: Journal, deals: int) -> None:
        self.contest = contest
        self.journal = journal
        self.deals = deals
        self.is_open = False  # whether a deal is begun that needs more games
        self.has_ended = False
        self._coming = self._tasks()
        self._out: dict[tuple[int, int, int], float] = {}  # games being played, and when they began
        self._seconds = sum(game.seconds for game in journal.results.values())

    def _tasks(self) -> Iterator[Task]:
        for deal in range(self.deals):
            missing = [task for task in self.contest.tasks(deal) if task.key not in self.journal.results]
            for left, task in zip(range(len(missing) - 1, -1, -1), missing, strict=True):
                self.is_open = left > 0
                yield task

    @property
    def spent(self) -> float:
        """Seconds of a process, those to come in the games being played included."""
        now = time.monotonic()
        return self._seconds + sum(max(self.expected, now - begun) for begun in self._out.values())

    @property
    def expected(self) -> float:
        """Seconds that a game takes, as far as one knows."""
        return self._seconds / max(1, len(self.journal.results))

    @property
    def out(self) -> int:
        """How many games are being played."""
        return len(self._out)

    def next_task(self) -> Task | None:
        """Return a game to play, None if there is no more."""
        task = next(self._coming, None)
        if task is None:
            self.has_ended = True
        else:
            self._out[task.key] = time.monotonic()
        return task

    def add(self, result: GameResult) -> None:
        """Keep a game."""
        del self._out[result.key]
        self._seconds += result.seconds
        self.journal.add(result)


def play(wanted: argparse.Namespace) -> None:
    """Play until the time is up."""
    deadline = time.monotonic() + 60 * wanted.minutes - SPARE
    games = [find_game(name) for name in wanted.game] if wanted.game else all_games()
    about = {**description(), **({"commit": wanted.commit} if wanted.commit else {})}
    tell(seconds=round(compile_games(games, wanted.processes), 1), compiled=[game.name for game in games], **about)
    with ExitStack() as stack:
        courses = {}
        for contest in contests(games, wanted.seats, wanted.bots.split(","), wanted.seed):
            path = wanted.into / f"{contest.name}-seed{contest.seed}.jsonl"
            courses[contest.name] = Course(contest, stack.enter_context(Journal(path, contest, about)), wanted.deals)
        pool = stack.enter_context(processes(wanted.processes))
        for result, _ in play_all(pool, next_tasks(courses, deadline), wanted.processes, deadline):
            courses[result.contest].add(result)
        for course in courses.values():
            tell(**summary(course))


def compile_games(games: Sequence[Game], count: int) -> float:
    """Compile once for all processes, each game in one of its own; return how long it took."""
    begun = time.monotonic()
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(count, len(games)), context, max_tasks_per_child=1) as pool:
        list(pool.map(compile_game, [game.name for game in games]))
    return time.monotonic() - begun


def compile_game(name: str) -> None:
    """Compile what the bots need for a game."""
    warm(find_game(name), CONTESTING, lambda done, total: None)


def contests(games: Sequence[Game], seats: Sequence[int] | None, bots: Sequence[str], seed: int) -> Iterator[Contest]:
    """Yield what is to be played: the ladder, and one strong bot among weak ones, per game and number of players."""
    for game in games:
        for setup in setups(game):
            if seats and setup.seats not in seats:
                continue
            name = f"{game.name}-{setup.seats}"
            yield Contest(f"{name}-{LADDER}", game, setup, balanced(bots, setup.seats), seed)
            lineups = one_against_the_rest(STRONG, WEAK, setup.seats)
            yield Contest(f"{name}-{AMONG}", game, setup, lineups, seed)


def setups(game: Game) -> Iterator[Setup]:
    """Yield one setup for each number of players, with the options as they usually are where that is possible."""
    usual = game.setup().options
    for seats in game.seats:
        possible = [setup for setup in game.setups() if setup.seats == seats]
        yield min(possible, key=lambda setup: sum(setup.options[name] != value for name, value in usual.items()))


def next_tasks(courses: dict[str, Course], deadline: float) -> Iterator[Task]:
    """Yield what to play next: of the game that has had the least time, a deal that is begun before a new one."""
    while True:
        left = deadline - time.monotonic()
        able = [course for course in courses.values() if not course.has_ended and course.expected < left]
        if not able or left <= 0:
            return
        spent: dict[str, float] = {}
        for course in courses.values():
            name = course.contest.game.name
            spent[name] = spent.get(name, 0.0) + course.spent
        chosen = min(able, key=lambda c: (spent[c.contest.game.name], not c.is_open, c.spent, c.out))
        task = chosen.next_task()
        if task is not None:
            yield task


def summary(course: Course) -> dict[str, Any]:
    """Return how far a contest has come."""
    results = list(course.journal.results.values())
    return {
        "contest": course.contest.name,
        "games": len(results),
        "deals": len(complete_deals(course.contest.as_dict(), results)),
        "seconds": round(course.spent),
    }


def tell(**values: Any) -> None:
    """Print a line of JSON."""
    print(json.dumps(values, ensure_ascii=False), flush=True)


# Report


@dataclass
class Played:
    """A contest that was played, in one or several parts."""

    head: dict[str, Any]
    deals: list[Deal]
    about: list[dict[str, str]]

    @property
    def bots(self) -> list[str]:
        """Who played, strongest last."""
        return [bot["name"] for bot in self.head["bots"]]

    def standings(self) -> Standings:
        """Count it out."""
        game = find_game(self.head["game"])
        return standings(self.bots, self.head["seats"], self.deals, game.fewest_points_win)


def load(folders: Sequence[Path]) -> dict[str, Played]:
    """Read the journals in some folders; parts of one contest (with different seeds) are put together."""
    found: dict[str, Played] = {}
    for path in sorted(file for folder in folders for file in folder.glob("**/*.jsonl")):
        head, results = read_journal(path)
        about = head.pop("about")
        del head["seed"]
        known = found.setdefault(head["contest"], Played(head, [], []))
        if known.head != head:
            sys.exit(f"{path}: the bots, rules or line-ups of {head['contest']} differ from those in another file")
        known.deals += deals_of(results)
        known.about += [about] if about not in known.about else []
    return found


def page(folders: Sequence[Path]) -> str:
    """Return the page."""
    played = load(folders)
    about = list({json.dumps(part): part for contest in played.values() for part in contest.about}.values())
    games = sorted({contest.head["game"] for contest in played.values()})
    lines = [
        "# How strong the bots are",
        "",
        "Generated by `python benchmarks/strength.py --report`; not to be edited. Every deal is played once for each",
        "rotation of the seats (the last deal of a contest perhaps not for all; who sits where is drawn, so that favours",
        "nobody), and is one observation: all intervals (95 %) are over deals. A rating is the mean of openskill's",
        "Plackett-Luce model, 25 in the middle; it compares bots of one row only. A step is clear where the intervals of",
        "two neighbouring bots have nothing in common. A rating refers to the bot as it is pinned below its game: name,",
        "version, simulations per decision, digest of the game's policy.",
        "",
        *(
            f"- commit {part['commit']}, {part['machine']}, Python {part['python']}, Numba {part['numba']}, "
            f"NumPy {part['numpy']}"
            for part in about
        ),
    ]
    for name in games:
        lines += ["", *section(find_game(name), [c for c in played.values() if c.head["game"] == name])]
    return "\n".join(lines) + "\n"


def section(game: Game, played: Sequence[Played]) -> Iterator[str]:
    """Yield the lines about one game."""
    yield f"## {game.words('en').say('title')}"
    ladders = by_seats(played, LADDER)
    if ladders:
        yield ""
        yield from ladder_table(ladders)
    among = by_seats(played, AMONG)
    if among:
        yield ""
        yield from among_table(among)
    yield ""
    pins = {Pin(**bot) for contest in played for bot in contest.head["bots"]}
    yield from (pin_line(game, pinned) for pinned in sorted(pins, key=lambda pinned: NAMES.index(pinned.name)))


def by_seats(played: Sequence[Played], kind: str) -> list[Played]:
    """Return the contests of one kind of which there are two deals, fewest players first."""
    found = [contest for contest in played if contest.head["contest"].endswith(kind) and len(contest.deals) > 1]
    return sorted(found, key=lambda contest: contest.head["seats"])


def ladder_table(ladders: Sequence[Played]) -> Iterator[str]:
    """Yield the ratings per number of players."""
    from tablee.arena.ratings import ratings

    bots = ladders[0].bots
    yield f"| players | deals | games | {' | '.join(bots)} | steps that are clear |"
    yield "|---|---|---|" + "---|" * len(bots) + "---|"
    for contest in ladders:
        rated = ratings(bots, contest.deals)
        cells = [f"{rated[bot].value:.1f} ({rated[bot].low:.1f} – {rated[bot].high:.1f})" for bot in bots]
        clear = [f"{bots[i]} < {bots[i + 1]}" for i in range(len(bots) - 1) if is_step(rated, bots[i], bots[i + 1])]
        told = "all" if len(clear) == len(bots) - 1 else ", ".join(clear) or "none"
        games = sum(len(deal) for deal in contest.deals)
        yield f"| {contest.head['seats']} | {len(contest.deals)} | {games} | {' | '.join(cells)} | {told} |"


def is_step(rated: dict[str, Estimate], weaker: str, stronger: str) -> bool:
    """Say whether one bot is clearly above another."""
    return not rated[weaker].overlaps(rated[stronger]) and rated[weaker].value < rated[stronger].value


def among_table(contests: Sequence[Played]) -> Iterator[str]:
    """Yield how one strong bot does among weak ones."""
    yield f"One {STRONG} among {WEAK} bots:"
    yield ""
    yield "| players | deals | games | share of the victories | fair share | ratio to the fair share | points ahead |"
    yield "|---|---|---|---|---|---|---|"
    for contest in contests:
        counted = contest.standings()
        standing = next(standing for standing in counted.bots if standing.bot == STRONG)
        share, margin = standing.share, standing.margin
        assert share is not None
        ratio = [f"{value * counted.seats:.2f}" for value in (share.value, share.low, share.high)]
        points = f"{margin.value:.1f} ({margin.low:.1f} – {margin.high:.1f})" if margin else "none"
        yield (
            f"| {counted.seats} | {counted.deals} | {counted.games} | {share.value:.1%} | {counted.fair:.1%} | "
            f"{ratio[0]} ({ratio[1]} – {ratio[2]}) | {points} |"
        )


def pin_line(game: Game, pinned: Pin) -> str:
    """Return what a rating refers to."""
    budget = f", {pinned.budget} simulations" if pinned.budget else ""
    policy = f", policy {pinned.policy}" if pinned.policy else ""
    return f"- {pinned} in {game.name} {game.version}{budget}{policy}"


def check() -> int:
    """Say whether the page is about the bots as they are now."""
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    stale = [line for game in all_games() for name in NAMES if (line := pin_line(game, pin(name, game))) not in text]
    for line in stale:
        tell(stale=line)
    return 1 if stale else 0


if __name__ == "__main__":
    main()
