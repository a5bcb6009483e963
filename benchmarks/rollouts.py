"""Simulated games per second in a search, Tablée's and OpenSpiel's, on one core in one run; one JSON line per figure.

    python benchmarks/rollouts.py [--seconds 2] [--game NAME ...]

Tablée: information-set search, with a newly imagined world and a rollout by the policy to the end of the stage in every
iteration; a second figure is for random rollouts. OpenSpiel: its information-set search in C++ with one random rollout
to the end of the game per simulation, on card games for which it can resample hidden information. Rates are per second
of processor time. OpenSpiel is left out, with a line that says so, if it is not installed.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from importlib.util import find_spec

from json_lines import print_line
from machine import description
from tablee.bots.search import SearchBot
from tablee.bots.settings import SearchSettings
from tablee.core.game import Game
from tablee.core.registry import all_games
from tablee.testing.positions import random_match

ITERATIONS = 400
OPENINGS = (0, 20, 60)  # random moves before each position that is searched
RANDOM_ROLLOUTS = 1e9  # so much noise that ratings do not matter
PEERS = ("hearts", "gin_rummy")


def main() -> None:
    """Measure Tablée's search and OpenSpiel's."""
    parser = argparse.ArgumentParser(description="simulated games per second in search")
    parser.add_argument("--seconds", type=float, default=2.0, help="of measurement per figure, at least")
    parser.add_argument("--game", action="append", help="only this game of Tablée (may be repeated)")
    arguments = parser.parse_args()
    print_line(run=datetime.now(UTC).isoformat(timespec="seconds"), **description())
    ours = {}
    for game in all_games():
        if arguments.game is None or game.name in arguments.game:
            ours[game.name] = our_rate(game, arguments.seconds)
    for name, value in peer_rates(arguments.seconds).items():
        print_line(ratios_to=name, **{game: round(rate / value, 2) for game, rate in ours.items()})


def measure_rate(once: Callable[[], int], seconds: float) -> float:
    """Return how much is done per second of processor time; `once` returns how much it did."""
    once()
    done, start = 0, time.process_time()
    while time.process_time() - start < seconds:
        done += once()
    return done / (time.process_time() - start)


def our_rate(game: Game, seconds: float) -> float:
    """Measure search in some positions, with rollouts by the policy and at random; return the first rate."""
    matches = [random_match(game, seed=1, max_moves=moves) for moves in OPENINGS]
    matches = [match for match in matches if len(match.legal_moves()) > 1]
    guided = SearchSettings(iterations=ITERATIONS)
    rates = {}
    for name, settings in (("guided", guided), ("random", replace(guided, rollout_noise=RANDOM_ROLLOUTS))):
        bot = SearchBot(name, 1, settings, 1)

        def once(bot: SearchBot = bot) -> int:
            return sum(bot.decide(match.sight(match.to_move), match.legal_moves()).worlds for match in matches)

        rates[name] = measure_rate(once, seconds)
    print_line(
        system="tablee", game=game.name, seats=game.usual_seats, **{name: round(rate) for name, rate in rates.items()}
    )
    return rates["guided"]


def peer_rates(seconds: float) -> dict[str, float]:
    """Measure OpenSpiel's search, if it is installed."""
    if find_spec("pyspiel") is None:
        print_line(system="OpenSpiel", left_out="not installed")
        return {}
    return {name: peer_rate(name, seconds) for name in PEERS}


def peer_rate(name: str, seconds: float) -> float:
    """Measure OpenSpiel's information-set search in the first position after the deal."""
    import pyspiel

    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    bot = pyspiel.ISMCTSBot(1, evaluator, 2.0, ITERATIONS)
    state = pyspiel.load_game(name).new_initial_state()
    chooser = random.Random(1)
    while state.is_chance_node():
        state.apply_action(chooser.choice(state.legal_actions()))

    def once() -> int:
        bot.step(state)
        return ITERATIONS

    value = measure_rate(once, seconds)
    print_line(system="OpenSpiel IS-MCTS", game=name, random=round(value))
    return value


if __name__ == "__main__":
    main()
