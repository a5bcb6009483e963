"""Simulated games per second in search, ours and OpenSpiel's, on one core in one run; one JSON line per figure.

    python benchmarks/rollouts.py [--seconds 2] [--game NAME ...]

Ours: information-set search, in every iteration a fresh imagined world and a policy-guided rollout to the end of the
stage; a second figure is for rollouts whose moves are drawn at random. Beside it OpenSpiel's C++ information-set search
with one random rollout to the end of the game per simulation, on card games for which it can make worlds. Rates are per
second of processor time. What is not installed is named and left out.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import Any

from machine import description
from tablee.bots.search import SearchBot, Strength
from tablee.core.game import Game
from tablee.core.registry import all_games
from tablee.testing.positions import random_match

ITERATIONS = 400
OPENINGS = (0, 20, 60)  # moves played at random before the positions that are searched
RANDOM_ROLLOUTS = 1e9  # so much noise that ratings do not matter
PEERS = ("hearts", "gin_rummy")


def main() -> None:
    """Measure ours and OpenSpiel's."""
    parser = argparse.ArgumentParser(description="simulated games per second in search")
    parser.add_argument("--seconds", type=float, default=2.0, help="of measuring per figure, at least")
    parser.add_argument("--game", action="append", help="only this one of ours (may be repeated)")
    arguments = parser.parse_args()
    tell(run=datetime.now(UTC).isoformat(timespec="seconds"), **description())
    ours = {}
    for game in all_games():
        if arguments.game is None or game.name in arguments.game:
            ours[game.name] = our_rate(game, arguments.seconds)
    for name, value in peer_rates(arguments.seconds).items():
        tell(ratios_to=name, **{game: round(rate / value, 2) for game, rate in ours.items()})


def tell(**figure: Any) -> None:
    """Print a line for programs."""
    print(json.dumps(figure), flush=True)


def measured(once: Callable[[], int], seconds: float) -> float:
    """Return how many things are done per second of processor time; `once` says how many it did."""
    once()
    done, begin = 0, time.process_time()
    while time.process_time() - begin < seconds:
        done += once()
    return done / (time.process_time() - begin)


def our_rate(game: Game, seconds: float) -> float:
    """Measure search in some positions, with the policy and without; return the rate with it."""
    matches = [random_match(game, seed=1, most=most) for most in OPENINGS]
    matches = [match for match in matches if len(match.legal_moves()) > 1]
    guided = Strength(iterations=ITERATIONS)
    rates = {}
    for name, strength in (("guided", guided), ("random", replace(guided, rollout_noise=RANDOM_ROLLOUTS))):
        bot = SearchBot(name, 1, strength, 1)

        def once(bot: SearchBot = bot) -> int:
            return sum(bot.decide(match.sight(match.to_move), match.legal_moves()).worlds for match in matches)

        rates[name] = measured(once, seconds)
    tell(system="tablee", game=game.name, seats=game.usual_seats, **{name: round(rate) for name, rate in rates.items()})
    return rates["guided"]


def peer_rates(seconds: float) -> dict[str, float]:
    """Measure OpenSpiel's search, if it is installed."""
    if find_spec("pyspiel") is None:
        tell(system="OpenSpiel", left_out="not installed")
        return {}
    return {name: peer_rate(name, seconds) for name in PEERS}


def peer_rate(name: str, seconds: float) -> float:
    """Measure OpenSpiel's information-set search in the first position of a game in which somebody decides."""
    import pyspiel

    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    bot = pyspiel.ISMCTSBot(1, evaluator, 2.0, ITERATIONS)
    state = pyspiel.load_game(name).new_initial_state()
    chance = random.Random(1)
    while state.is_chance_node():
        state.apply_action(chance.choice(state.legal_actions()))

    def once() -> int:
        bot.step(state)
        return ITERATIONS

    value = measured(once, seconds)
    tell(system="OpenSpiel IS-MCTS", game=name, random=round(value))
    return value


if __name__ == "__main__":
    main()
