"""A million random games, checked move by move; prints one JSON line per game, exits 1 if there was a fault.

    python benchmarks/million.py [--games 1000000]

After every move: no problem flag, legal moves ascending and in range, none exactly when the game is over. In one
position in `--every`, `refusal` is called for every move of the game: it must allow exactly the listed ones. A game
that is not over after `max_game_length` moves is a fault. The games are spread over all setups of seats and options.
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

NO_FAULT, PROBLEM, DISORDER, UNLISTED, REFUSED, ENDLESS = range(6)
FAULTS = ("", "a problem flag", "moves out of order", "an unlisted legal move", "a listed move refused", "no end")


@kernel
def check_games(states, chooser, first, count, moves, move_count, max_game_length, every):
    """Play random games of one setup; return the code of the first fault, its game, and the number of moves played."""
    total = 0
    for game in range(first, first + count):
        states[1] = states[0]
        state = states[1]
        start(state.generator, np.uint64(game))
        start(chooser, np.uint64(game))
        deal(state)
        length = 0
        while state.end_reason == 0:
            listed = legal_moves(state, moves)
            fault = find_fault(state, moves, listed, move_count, total % every == 0)
            if fault or length == max_game_length:
                return (fault if fault else ENDLESS), game, total
            play(state, moves[below(chooser, listed)])
            length += 1
            total += 1
        if problems(state) != 0 or legal_moves(state, moves) != 0:
            return PROBLEM, game, total
    return NO_FAULT, first + count, total


@kernel
def find_fault(state, moves, listed, move_count, checks_refusals):
    """Return the code of the fault of a position, NO_FAULT if there is none."""
    if problems(state) != 0:
        return PROBLEM
    if listed == 0 or moves[0] < 0 or moves[listed - 1] >= move_count:
        return DISORDER
    for index in range(1, listed):
        if moves[index] <= moves[index - 1]:
            return DISORDER
    if checks_refusals:
        index = 0
        for move in range(move_count):
            is_listed = index < listed and moves[index] == move
            if is_listed:
                index += 1
            if (refusal(state, move) == 0) != is_listed:
                return REFUSED if is_listed else UNLISTED
    return NO_FAULT


def check_game(game: Game, games: int, every: int) -> dict[str, object]:
    """Check random games of one game, spread over its setups; return the figures, or the fault."""
    setups = list(game.setups())
    chooser = new_generator(2026, 1)
    moves = np.zeros(game.max_legal_moves, np.int32)
    stride = every * max(1, game.moves // 100)
    played, total = 0, 0
    start_time = time.process_time()
    for number, setup in enumerate(setups):
        states = new_states(game.kernels.state_type, 2)
        states[0] = blank_state(game, setup, seed=2026)
        count = games * (number + 1) // len(setups) - played
        fault, at, length = check_games(states, chooser, played, count, moves, game.moves, game.max_game_length, stride)
        total += int(length)
        if fault:
            return {"game": game.name, "fault": FAULTS[fault], "setup": str(setup), "stream": int(at)}
        played += count
        if sys.stderr.isatty():
            print(f"\r{game.name}: {played} of {games} games", end="", file=sys.stderr)
    seconds = time.process_time() - start_time
    return {
        "game": game.name,
        "games": played,
        "setups": len(setups),
        "moves": total,
        "refusals checked in one position in": stride,
        "seconds": round(seconds, 1),
        "bytes per state": game.kernels.state_type.itemsize,
    }


def main() -> None:
    """Spread the games over all games and setups, and print the results."""
    parser = argparse.ArgumentParser(description="check random games move by move")
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument(
        "--every",
        type=int,
        default=10,
        help="check all refusals in one position in N; fewer for games with many moves",
    )
    arguments = parser.parse_args()
    print(json.dumps(description()))
    lengths = {game.name: mean_length(game) for game in all_games()}
    weights = {name: 1 / length for name, length in lengths.items()}  # about equally many moves of each
    results = []
    for game in all_games():
        share = weights[game.name] / sum(weights.values())
        results.append(check_game(game, max(1, round(arguments.games * share)), arguments.every))
        print(json.dumps(results[-1]), flush=True)
    print(json.dumps({"games": sum(int(str(result.get("games", 0))) for result in results)}))
    sys.exit(1 if any("fault" in result for result in results) else 0)


def mean_length(game: Game) -> float:
    """Return roughly the mean number of moves of a random game."""
    from tablee.simulation import random_games

    results = random_games(game, game.setup(), 50, 1)
    return results.moves / results.games


if __name__ == "__main__":
    main()
