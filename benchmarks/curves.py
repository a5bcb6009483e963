"""Strength over the number of simulations, with and without the network: docs/pictures/curves.png and a table.

    python benchmarks/curves.py play FOLDER [--game NAME ...] [--worlds 50,200,800] [--deals 12]
                                            [--minutes 60] [--jobs 2]
    python benchmarks/curves.py report FOLDER [--picture docs/pictures/curves.png]

One seat searches with so many worlds, with the network as `master` does or without as `expert` does, against `club` in
all other seats; every deal is played once for each seat. The first command writes a line of JSON per game and continues
where it was stopped; the second prints the table and draws the curves.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import journals
from series import Key, Series, play
from tablee.arena.estimates import Estimate, mean_over_deals
from tablee.arena.matches import bot_seed
from tablee.bots.bot import Bot
from tablee.bots.master import MasterBot
from tablee.bots.networks import network_of
from tablee.bots.roster import find_kind, make_bot, pin
from tablee.bots.search import SearchBot
from tablee.core.game import Game
from tablee.core.match import Match
from tablee.core.registry import all_games, find_game

SEED = 50
OPPONENT = "club"
KINDS = ("without network", "with network")
COLUMNS = 2  # of the picture


def main() -> None:
    """Play or report."""
    parser = argparse.ArgumentParser(description="strength over the number of simulations")
    parser.add_argument("command", choices=("play", "report"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--game", action="append", metavar="NAME", help="default: all; may be repeated")
    parser.add_argument("--worlds", default="50,200,800", help="per decision")
    parser.add_argument("--deals", type=int, default=12)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    games = [find_game(name) for name in arguments.game] if arguments.game else all_games()
    worlds = [int(text) for text in arguments.worlds.split(",")]
    if arguments.command == "play":
        series = [CurveSeries(game, arguments.folder, worlds, arguments.deals) for game in games]
        play([series], arguments.folder, arguments.jobs, time.monotonic() + 60 * arguments.minutes)
    else:
        report(games, arguments.folder, arguments.picture)


class CurveSeries(Series):
    """The games of both curves of a game: a deal after the other with all numbers of worlds."""

    def __init__(self, game: Game, folder: Path, worlds: Sequence[int], max_deals: int) -> None:
        self.game = game
        self.path = path_of(folder, game)
        self.function = play_game
        self._folder, self._worlds, self._max_deals = folder, worlds, max_deals

    def deals(self) -> Iterator[list[Key]]:
        """Yield the games of each deal with each number of worlds, with the network and without."""
        for deal in range(self._max_deals):
            for worlds in self._worlds:
                for kind in KINDS:
                    yield [(self.game.name, kind, worlds, deal, seat) for seat in range(self.game.usual_seats)]

    def missing_deals(self) -> float:
        """Return how many points of the curves have to be played."""
        played = leads_of(self._folder, self.game)
        done = sum(len(found) for (_, worlds), found in played.items() if worlds in self._worlds)
        return self._max_deals * len(self._worlds) * len(KINDS) - done

    def summary(self) -> dict[str, Any]:
        """Return how many deals of each point have been played."""
        return {f"{kind}, {worlds}": len(found) for (kind, worlds), found in leads_of(self._folder, self.game).items()}


def path_of(folder: Path, game: Game) -> Path:
    """Return the journal of a game, for the exact policy and network."""
    return folder / f"{game.name}-{pin('master', game).policy}.jsonl"


def play_game(name: str, kind: str, worlds: int, deal: int, own: int) -> dict[str, Any]:
    """Play a deal with the search in one seat; return its lead."""
    game = find_game(name)
    match = Match(game, seed=SEED, stream=deal)
    bots = [make_bot(OPPONENT, game, bot_seed(SEED, deal, seat)) for seat in range(match.seats)]
    bots[own] = search_bot(game, kind, worlds, bot_seed(SEED, deal, own))
    while not match.is_over:
        match.play(bots[match.to_move].decide(match.sight(match.to_move), match.legal_moves()).move)
    points = [score * (-1 if game.fewest_points_win else 1) for score in match.scores()]
    return {"lead": points[own] - (sum(points) - points[own]) / (match.seats - 1)}


def search_bot(game: Game, kind: str, worlds: int, seed: int) -> Bot:
    """Return a search with so many worlds per decision."""
    settings = replace(find_kind("expert").settings(game), iterations=worlds)  # type: ignore[attr-defined]
    if kind == KINDS[0]:
        return SearchBot("search", 1, settings, seed)
    trust = find_kind("master").trust(game)  # type: ignore[attr-defined]
    return MasterBot("search", 1, settings, network_of(game), seed, trust=trust)


def leads_of(folder: Path, game: Game) -> dict[tuple[str, int], list[float]]:
    """Return the lead of each complete deal by kind and number of worlds."""
    leads: dict[tuple[str, int, int], list[float]] = defaultdict(list)
    for line in journals.read(path_of(folder, game)):
        _, kind, worlds, deal, _ = line["key"]
        leads[kind, worlds, deal].append(line["lead"])
    by_curve: dict[tuple[str, int], list[float]] = defaultdict(list)
    for (kind, worlds, _), found in leads.items():
        if len(found) == game.usual_seats:
            by_curve[kind, worlds].append(sum(found) / len(found))
    return by_curve


def estimates(folder: Path, game: Game) -> dict[str, dict[int, Estimate]]:
    """Return the lead by kind and number of worlds, over complete deals."""
    curves: dict[str, dict[int, Estimate]] = {kind: {} for kind in KINDS}
    for (kind, worlds), means in sorted(leads_of(folder, game).items()):
        estimate = mean_over_deals(means)
        if estimate is not None:
            curves[kind][worlds] = estimate
    return curves


def report(games: Sequence[Game], folder: Path, picture: Path | None) -> None:
    """Print the table of the games that were played, and draw them."""
    found = {game: curves for game in games if any((curves := estimates(folder, game)).values())}
    print(f"| game | worlds | {' | '.join(KINDS)} | deals |\n|---|---:|---|---|---:|")
    for game, curves in found.items():
        for worlds in curves[KINDS[0]]:
            pair = [curves[kind].get(worlds) for kind in KINDS]
            cells = [f"{each.value:+.1f} ± {each.high - each.value:.1f}" if each else "not played" for each in pair]
            deals = min(each.deals if each else 0 for each in pair)
            print(f"| {game.words('en').say('title')} | {worlds:,} | {' | '.join(cells)} | {deals} |")
    if picture is not None:
        draw(found, picture)


def draw(found: dict[Game, dict[str, dict[int, Estimate]]], path: Path) -> None:
    """Draw a plot per game, two in a row."""
    from matplotlib.figure import Figure

    rows = -(-len(found) // COLUMNS)
    figure = Figure(figsize=(8, 2.7 * rows + 0.4), layout="constrained")
    plots = list(figure.subplots(rows, COLUMNS, squeeze=False).flat)
    for axes, (game, curves) in zip(plots, found.items(), strict=False):
        for kind, marker, side in zip(KINDS, "os", (-1, 1), strict=True):
            worlds, values = list(curves[kind]), list(curves[kind].values())
            errors = [each.high - each.value for each in values]
            beside = [number * (1 + 0.03 * side) for number in worlds]  # so that the intervals can be told apart
            axes.errorbar(beside, [each.value for each in values], errors, marker=marker, capsize=3, label=kind)
        axes.axhline(0, color="0.7", linewidth=0.8, zorder=0)
        axes.set(xscale="log", xlabel="simulations per decision", ylabel=f"points ahead of {OPPONENT}")
        ticks = sorted({worlds for curve in curves.values() for worlds in curve})
        axes.set_xticks(ticks, [f"{worlds:,}" for worlds in ticks])
        axes.set_xticks([], minor=True)
        axes.set_title(f"{game.words('en').say('title')}, {game.usual_seats} players")
        axes.spines[["top", "right"]].set_visible(False)
    for axes in plots[len(found) :]:
        axes.set_axis_off()
    if found:
        figure.legend(
            *plots[0].get_legend_handles_labels(), loc="outside upper center", ncols=len(KINDS), frameon=False
        )
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
