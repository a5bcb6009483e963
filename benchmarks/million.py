"""A million random games, all of them looked at move by move; one JSON line per game, exit 1 at the first fault.

    python benchmarks/million.py [--games 1000000]

After every move: no problem bit, legal moves ascending and in range, none exactly when the game is over. In every
`--every`-th position `refusal` is asked about every move there is: it must allow exactly the listed ones. A game that
is not over after `longest` moves is a fault. Setups are drawn from all that the game allows, seats and options alike.
"""

from __future__ import annotations

import argparse
import json
import sys
import time

import numpy as np

from machine import description
from tablee import all_games
from tablee.core.compilation import kernel
from tablee.core.game import Game
from tablee.core.kernels import deal, legal_moves, play, problems, refusal
from tablee.core.randomness import below, new_generator, start
from tablee.core.state import blank_state, new_states

FINE, PROBLEM, DISORDER, UNLISTED, REFUSED, ENDLESS = range(6)
FAULTS = ("", "a problem bit", "moves out of order", "an unlisted legal move", "a listed move refused", "no end")


@kernel
def watch_games(records, policy, first, count, moves, move_count, max_game_length, every):
    """Play games of one setup at random; return the code of the first fault, the game, and the moves played."""
    total = 0
    for game in range(first, first + count):
        records[1] = records[0]
        state = records[1]
        start(state.generator, np.uint64(game))
        start(policy, np.uint64(game))
        deal(state)
        length = 0
        while state.end_reason == 0:
            listed = legal_moves(state, moves)
            fault = fault_in(state, moves, listed, move_count, total % every == 0)
            if fault or length == max_game_length:
                return (fault if fault else ENDLESS), game, total
            play(state, moves[below(policy, listed)])
            length += 1
            total += 1
        if problems(state) != 0 or legal_moves(state, moves) != 0:
            return PROBLEM, game, total
    return FINE, first + count, total


@kernel
def fault_in(state, moves, listed, move_count, ask_all):
    """Return what is wrong with a position."""
    if problems(state) != 0:
        return PROBLEM
    if listed == 0 or moves[0] < 0 or moves[listed - 1] >= move_count:
        return DISORDER
    for index in range(1, listed):
        if moves[index] <= moves[index - 1]:
            return DISORDER
    if ask_all:
        index = 0
        for move in range(move_count):
            is_listed = index < listed and moves[index] == move
            if is_listed:
                index += 1
            if (refusal(state, move) == 0) != is_listed:
                return REFUSED if is_listed else UNLISTED
    return FINE


def watch(game: Game, games: int, every: int) -> dict[str, object]:
    """Play that many games of one kind, spread over its setups."""
    setups = list(game.setups())
    policy = new_generator(2026, 1)
    moves = np.zeros(game.max_legal_moves, np.int32)
    stride = every * max(1, game.moves // 100)
    played, total = 0, 0
    began = time.process_time()
    for number, setup in enumerate(setups):
        records = new_states(game.kernels.state_type, 2)
        records[0] = blank_state(game, setup, seed=2026)
        count = games * (number + 1) // len(setups) - played
        fault, at, length = watch_games(records, policy, played, count, moves, game.moves, game.max_game_length, stride)
        total += int(length)
        if fault:
            return {"game": game.name, "fault": FAULTS[fault], "setup": str(setup), "stream": int(at)}
        played += count
        if sys.stderr.isatty():
            print(f"\r{game.name}: {played} of {games} games", end="", file=sys.stderr)
    seconds = time.process_time() - began
    return {
        "game": game.name,
        "games": played,
        "setups": len(setups),
        "moves": total,
        "every move's refusal asked in every": stride,
        "seconds": round(seconds, 1),
        "bytes per state": game.kernels.state_type.itemsize,
    }


def main() -> None:
    """Share the games out and print what was found."""
    parser = argparse.ArgumentParser(description="random games without a fault")
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--every", type=int, default=10, help="positions from one full look to the next")
    wanted = parser.parse_args()
    print(json.dumps(description()))
    lengths = {game.name: mean_length(game) for game in all_games()}
    weights = {name: 1 / length for name, length in lengths.items()}  # as many moves of each
    results = []
    for game in all_games():
        share = weights[game.name] / sum(weights.values())
        results.append(watch(game, max(1, round(wanted.games * share)), wanted.every))
        print(json.dumps(results[-1]), flush=True)
    print(json.dumps({"games": sum(int(str(result.get("games", 0))) for result in results)}))
    sys.exit(1 if any("fault" in result for result in results) else 0)


def mean_length(game: Game) -> float:
    """Return roughly how many moves a random game takes."""
    from tablee.simulation import random_games

    results = random_games(game, game.setup(), 50, 1)
    return results.moves / results.games


if __name__ == "__main__":
    main()
