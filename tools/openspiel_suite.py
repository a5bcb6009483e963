"""OpenSpiel's own tests for every number of players and every reduction.

    python tools/openspiel_suite.py [GAME ...] [--simulations 100] [--moves 60]

Simulations with serialisation, playthroughs, and its API tests: on a sample of states, and on all states of reductions
that are small enough. Prints a line per setup with the seconds of processor time it took; stops at the first failure.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyspiel
from absl import flags
from open_spiel.python.algorithms import generate_playthrough

import tablee.adapters.openspiel  # registers the games
from tablee import all_games, find_game
from tablee.adapters.openspiel.parameters import parameter_of
from tablee.core.game import Game
from tablee.simulation.trees import GameTree, build_tree

assert tablee.adapters.openspiel

MAX_HISTORIES = 40_000  # of a reduction whose states are all tested: minutes


def main() -> None:
    """Run the tests."""
    parser = argparse.ArgumentParser(description="OpenSpiel's own tests for every setup")
    parser.add_argument("games", nargs="*", default=[game.name for game in all_games()])
    parser.add_argument("--simulations", type=int, default=100)
    parser.add_argument("--moves", type=int, default=60, help="after which games are cut off, 0: the game's default")
    arguments = parser.parse_args()
    flags.FLAGS(["suite"])  # OpenSpiel reads its flags from a parsed command line
    for name in arguments.games:
        for parameters in setups(find_game(name), arguments.moves):
            start = time.process_time()
            game = pyspiel.load_game(f"tablee_{name}", parameters)
            pyspiel.random_sim_test(game, num_sims=arguments.simulations, serialize=True, verbose=False)
            replay_playthrough(f"tablee_{name}", parameters)
            run_api_tests(game)
            if "reduction" in parameters:
                check_all_states(find_game(name), parameters["reduction"])
            print(f"{game}: {time.process_time() - start:.1f} s", flush=True)


def setups(game: Game, moves: int) -> Iterator[dict[str, Any]]:
    """Yield the parameters of each number of players, with as many default options as it allows, and each reduction."""
    defaults = {option.name: option.default for option in game.options}
    for seats in game.seats:
        possible = [setup.options for setup in game.setups() if setup.seats == seats]
        options = min(possible, key=lambda options: sum(options[name] != value for name, value in defaults.items()))
        own = {parameter_of(option): options[option.name] for option in game.options}
        yield {"players": seats, "max_moves": moves, **own}
    for reduction in game.reductions:
        yield {"reduction": reduction.name}


def replay_playthrough(name: str, parameters: dict[str, Any]) -> None:
    """Generate a short playthrough and replay it."""
    short = parameters if "reduction" in parameters else {**parameters, "max_moves": 4, "deals": 3}
    text = generate_playthrough.playthrough(str(pyspiel.load_game(name, short)), action_sequence=None, seed=5)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "playthrough.txt"
        file.write_text(text, encoding="utf-8")
        original, again = generate_playthrough.replay(str(file))
    assert original == again, "the playthrough differs when it is replayed"


def check_all_states(game: Game, reduction: str) -> None:
    """Run the API tests on all states of a reduction, with information states as tensors, unless it is too large."""
    tree = build_tree(game, game.setup(reduction=reduction))
    if tree.histories <= MAX_HISTORIES:
        history = {"reduction": reduction, "history": tree.depth}
        run_api_tests(pyspiel.load_game(f"tablee_{game.name}", history), tree)


def run_api_tests(game: Any, tree: GameTree | None = None) -> None:
    """Run OpenSpiel's API tests: on a sample of states, or on all of a tree, which must have the same nodes."""
    from open_spiel.integration_tests import api_test

    name = str(game)
    base = api_test.EnforceAPIOnPartialTreeBase
    if tree is not None:
        base = api_test.EnforceAPIOnFullTreeBase
        ends = sum(int((level.info_states < 0).sum()) for level in tree.levels)
        api_test.TOTAL_NUM_STATES[name] = (1, tree.histories - ends, ends)  # chance, decisions, ends
        api_test.PERFECT_RECALL_NUM_STATES[name] = tree.info_states
    case = type("APITest", (base,), {"game": game, "game_name": name})
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    assert result.testsRun > 4, "the API tests have other names"
    assert result.wasSuccessful(), "\n".join(text for _, text in (*result.failures, *result.errors))


if __name__ == "__main__":
    main()
