"""The steps of the ladder: each bot of the roster against the next, with intervals; part of benchmarks/strength.md.

    python benchmarks/steps.py play FOLDER [--minutes 60] [--game NAME ...] [--step expert:master ...]
                                           [--players usual|other|all] [--jobs 2]
    python benchmarks/steps.py report FOLDER [FOLDER ...]

One seat of the stronger bot against the weaker one in all others, with the usual number of players or with the others;
every deal is played once for each seat, and is one observation. The first command plays the step that may be decided
first, until each is decided or the time is up; it writes a line of JSON per game (`series.py`) and continues where it
was stopped. A file belongs to the exact bots: one that has changed starts a new file. A step is
decided when the lead is three standard errors from zero, more than a 95 % interval asks for, because it is looked at
after every deal. The luck of what turned up is taken off the points (`luck.py`). The second writes the table.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import journals
from luck import LuckMeter
from series import Key, Series
from series import play as play_series
from strength import PAGE, STEPS_BLOCK, pin_line, setups
from tablee.arena.estimates import Estimate, mean_over_deals, share_over_deals, student_95
from tablee.arena.matches import bot_seed
from tablee.bots.roster import NAMES, make_bot, pin
from tablee.core.game import Game, Setup
from tablee.core.match import Match
from tablee.core.registry import all_games, find_game

SEED = 30
PAIRS = (*pairwise((*NAMES, "master")), ("club", "prodigy"))  # weaker and stronger
MIN_DEALS = 6  # before a step may be decided
DECIDED = 3.0  # standard errors of the lead


class Step(NamedTuple):
    """Two bots of the ladder in a game with so many players."""

    game: Game
    weaker: str
    stronger: str
    seats: int

    def path(self, folder: Path) -> Path:
        """Return the journal of the exact bots."""
        pins = repr([pin(name, self.game) for name in (self.weaker, self.stronger)])
        digest = hashlib.blake2b(pins.encode(), digest_size=4).hexdigest()
        return folder / f"{self.game.name}-{self.seats}-{self.weaker}-{self.stronger}-{digest}.jsonl"


class Standing(NamedTuple):
    """What the complete deals of a step say about the stronger bot."""

    deals: int
    lead: Estimate | None  # points ahead of the mean of the others, without the luck of what turned up
    plain_lead: Estimate | None  # with it
    wins: Estimate | None
    milliseconds: float  # of processor time per move of the stronger bot
    seconds: float  # of processor time in all

    @property
    def error(self) -> float:
        """The standard error of the lead; infinite if too few deals were played."""
        return (self.lead.high - self.lead.value) / student_95(self.deals - 1) if self.lead else math.inf

    @property
    def is_decided(self) -> bool:
        """Whether the lead is so many standard errors from zero that more deals are not needed."""
        return self.lead is not None and self.deals >= MIN_DEALS and abs(self.lead.value) > DECIDED * self.error


def main() -> None:
    """Play or report."""
    parser = argparse.ArgumentParser(description="each bot of the ladder against the next")
    parser.add_argument("command", choices=("play", "report"))
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--game", action="append", metavar="NAME", help="default: all; may be repeated")
    parser.add_argument("--step", action="append", metavar="WEAKER:STRONGER", help="default: all; may be repeated")
    parser.add_argument("--players", choices=("usual", "other", "all"), default="usual", help="how many play")
    parser.add_argument("--deals", type=int, default=400, help="per step, at most")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    arguments = parser.parse_args()
    games = [find_game(name) for name in arguments.game] if arguments.game else all_games()
    pairs = [text.split(":") for text in arguments.step] if arguments.step else PAIRS
    steps = [
        Step(game, weaker, stronger, setup.seats)
        for game in games
        for weaker, stronger in pairs
        for setup in setups(game)
        if arguments.players in ("all", "usual" if setup.seats == game.usual_seats else "other")
    ]
    if arguments.command == "play":
        play(steps, arguments.folders[0], arguments.deals, arguments.jobs, time.monotonic() + 60 * arguments.minutes)
    else:
        report(steps, arguments.folders)


# Play


class StepSeries(Series):
    """The deals of a step, up to so many, until it is decided."""

    def __init__(self, step: Step, folder: Path, max_deals: int) -> None:
        self.game = step.game
        self.path = step.path(folder)
        self.function = play_game
        self._step, self._folder, self._max_deals = step, folder, max_deals

    def deals(self) -> Iterator[list[Key]]:
        """Yield the games of each deal, one for each seat of the stronger bot."""
        names = (self._step.game.name, self._step.weaker, self._step.stronger, self._step.seats)
        for deal in range(self._max_deals):
            yield [(*names, deal, seat) for seat in range(self._step.seats)]

    def missing_deals(self) -> float:
        """Return how many more deals decide the step if the lead is one standard error larger than it seems."""
        found = standing_of(self._step, [self._folder])
        if found.lead is None or found.deals < MIN_DEALS:
            return MIN_DEALS - found.deals
        if found.is_decided:
            return 0
        needed = found.deals * (DECIDED * found.error / (abs(found.lead.value) + found.error)) ** 2
        return max(1.0, needed - found.deals)

    def summary(self) -> dict[str, Any]:
        """Return the standing."""
        return line_of(standing_of(self._step, [self._folder]))


def play(steps: Sequence[Step], folder: Path, max_deals: int, jobs: int, end: float) -> None:
    """Play deals of the steps that are open, the one that may be decided first, until the time is up."""
    play_series([[StepSeries(step, folder, max_deals) for step in steps]], folder, jobs, end)


def setup_for(game: Game, seats: int) -> Setup:
    """Return the setup with so many players."""
    return next(setup for setup in setups(game) if setup.seats == seats)


def play_game(name: str, weaker: str, stronger: str, seats: int, deal: int, own: int) -> dict[str, Any]:
    """Play a deal with the stronger bot in one seat; return what it brought that seat, and the time it took."""
    game = find_game(name)
    match = Match(game, seats=seats, options=setup_for(game, seats).options, seed=SEED, stream=deal)
    names = [stronger if seat == own else weaker for seat in range(match.seats)]
    bots = [make_bot(bot, game, bot_seed(SEED, deal, seat)) for seat, bot in enumerate(names)]
    meter = LuckMeter(match, bot_seed(SEED, deal, match.seats + own))
    thinking = [0.0] * match.seats
    decisions = [0] * match.seats
    while not match.is_over:
        seat, start = match.to_move, time.process_time()
        move = bots[seat].decide(match.sight(seat), match.legal_moves()).move
        thinking[seat] += time.process_time() - start
        decisions[seat] += 1
        meter.play(match.check(move))
    assert match.outcome is not None
    points = [score * (-1 if game.fewest_points_win else 1) for score in match.scores()]
    ranks = match.outcome.ranks
    return {
        "lead": points[own] - (sum(points) - points[own]) / (match.seats - 1),
        "luck": round(float(meter.luck[own]), 4),
        "win": (ranks[own] == 1) / ranks.count(1),
        "decisions": decisions[own],
        "thinking": round(thinking[own], 4),
        "seconds": round(sum(thinking), 3),
    }


def standing_of(step: Step, folders: Sequence[Path]) -> Standing:
    """Count the complete deals of a step."""
    games: dict[tuple[Path, int], list[dict[str, Any]]] = defaultdict(list)
    for folder in folders:
        for line in journals.read(step.path(folder)):
            games[folder, line["key"][4]].append(line)
    deals = [lines for lines in games.values() if len(lines) == step.seats]
    lines = [line for deal in deals for line in deal]
    leads, luck, wins = ([mean([line[name] for line in deal]) for deal in deals] for name in ("lead", "luck", "win"))
    return Standing(
        len(deals),
        mean_over_deals(without_luck(leads, luck)),
        mean_over_deals(leads),
        share_over_deals(wins),
        1000 * sum(line["thinking"] for line in lines) / max(1, sum(line["decisions"] for line in lines)),
        sum(line["seconds"] for line in lines),
    )


def without_luck(leads: Sequence[float], luck: Sequence[float]) -> list[float]:
    """Return the lead of each deal less its luck, times the factor that fits the other deals best.

    The factor of a deal does not depend on its own result, so the mean is not shifted. Where luck explains nothing of
    the leads, because the rotation of the seats has cancelled it, the factor is near 0.
    """
    if len(leads) < MIN_DEALS:
        return list(leads)
    values, chances = np.array(leads), np.array(luck)
    corrected = []
    for deal in range(len(leads)):
        others = np.arange(len(leads)) != deal
        spread = chances[others] - chances[others].mean()
        variance = float(spread @ spread)
        factor = float(spread @ values[others]) / variance if variance > 0 else 0.0
        corrected.append(float(values[deal] - factor * chances[deal]))
    return corrected


def mean(numbers: Sequence[float]) -> float:
    """Return the mean."""
    return sum(numbers) / len(numbers)


# Report


def report(steps: Sequence[Step], folders: Sequence[Path]) -> None:
    """Write the table into its block of the page."""
    about = [part for folder in folders for part in journals.read(folder / "about.jsonl")]
    machines = dict.fromkeys(f"- commit {part['commit']}, {part['machine']}, Python {part['python']}" for part in about)
    text = "\n".join([*machines, *tables(steps, folders), "", *pins(steps), ""])
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(STEPS_BLOCK.sub(lambda found: found[1] + text + found[3], page), encoding="utf-8")
    print(f"written: {PAGE}")


def pins(steps: Sequence[Step]) -> Iterator[str]:
    """Yield the exact identity of each bot."""
    bots = {(step.game, name) for step in steps for name in (step.weaker, step.stronger)}
    yield from sorted(pin_line(game, pin(name, game)) for game, name in bots)


def tables(steps: Sequence[Step], folders: Sequence[Path]) -> Iterator[str]:
    """Yield a table for each two bots."""
    by_bots: dict[tuple[str, str], list[Step]] = defaultdict(list)
    for step in steps:
        by_bots[step.stronger, step.weaker].append(step)
    for (stronger, weaker), of_both in by_bots.items():
        yield from ("", f"One `{stronger}` among `{weaker}` bots:", "", *table(of_both, folders))


def table(steps: Sequence[Step], folders: Sequence[Path]) -> Iterator[str]:
    """Yield a row per step; a step with the usual number of players that was not played says so."""
    yield "| game | players | deals | points ahead | before luck is taken off | wins | fair | ms per move | verdict |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for step in steps:
        found, is_usual = standing_of(step, folders), step.seats == step.game.usual_seats
        if not found.deals and not is_usual:
            continue
        cells = [step.game.words("en").say("title"), f"{step.seats} (usual)" if is_usual else step.seats, found.deals]
        cells += [interval(found.lead), interval(found.plain_lead), interval(found.wins, 100, " %")]
        cells += [f"{100 / step.seats:.1f} %", milliseconds(found), verdict(found)]
        yield f"| {' | '.join(map(str, cells))} |"


def milliseconds(found: Standing) -> str:
    """Write the time per move: of a bot that does not search, it is a fraction of a millisecond."""
    return f"{found.milliseconds:.{1 if found.milliseconds >= 1 else 2}f}" if found.deals else ""


def verdict(found: Standing) -> str:
    """Say what is known about a step."""
    if found.lead is None:
        return "not played"
    if found.lead.low > 0:
        return "clear"
    return "weaker" if found.lead.high < 0 else "open"


def interval(estimate: Estimate | None, factor: float = 1, unit: str = "") -> str:
    """Write an estimate with its interval."""
    if estimate is None:
        return ""
    low, value, high = (factor * number for number in (estimate.low, estimate.value, estimate.high))
    return f"{value:.1f}{unit} ({low:.1f} – {high:.1f})"


def line_of(found: Standing) -> dict[str, Any]:
    """Return a standing for the log."""
    shown = {"points": interval(found.lead), "plain": interval(found.plain_lead), "verdict": verdict(found)}
    return {"deals": found.deals, **shown, "ms": round(found.milliseconds, 1), "seconds": round(found.seconds)}


if __name__ == "__main__":
    main()
