"""Observations of all sights of every reduction, and of many random games: those that differ in what matters differ.

    PYTHONPATH=src python benchmarks/observations.py [--game NAME ...] [--states 200]

What matters is said by each game's `tests/relevance.py`, from the rules. Prints one JSON line per setup and fails at
the first two sights that have the same observation although something that matters is different.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from json_lines import print_line
from tablee import all_games, find_game
from tablee.core.game import Setup

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from observation_pairs import Observations, neighbouring_setups, reachable_states, states_of


def main() -> None:
    """Go through the reductions and the setups of each game."""
    parser = argparse.ArgumentParser(description="observations tell apart what matters")
    parser.add_argument("--game", action="append", help="only this one (may be repeated)")
    parser.add_argument("--states", type=int, default=200, help="of random games per setup")
    arguments = parser.parse_args()
    for name in arguments.game or [game.name for game in all_games()]:
        game = find_game(name)
        for setup in game.reduced_setups():
            numbers = range(game.reduction(setup.reduction).deals)
            compare(Observations(game), setup, reachable_states(game, setup, numbers))
        observations = Observations(game)  # of all setups together: options and seats must be told apart too
        for setup in neighbouring_setups(game):
            compare(observations, setup, states_of(game, setup, arguments.states, gap=20))


def compare(observations: Observations, setup: Setup, states: Iterable[Any]) -> None:
    """Add the sights of states and print how many there were; raise AssertionError for a fault."""
    before, count = observations.compared, 0
    for count, state in enumerate(states, start=1):
        observations.add(state, f"{setup}, state {count}")
    print_line(
        game=observations.game.name,
        setup=str(setup),
        states=count,
        sights=observations.compared - before,
        observations_of_all=len(observations.seen),
    )


if __name__ == "__main__":
    main()
