"""Moves per second of every game, and of OpenSpiel's card games in the same run; prints one JSON line per figure.

    python benchmarks/speed.py [--seconds 2] [--game NAME ...]

OpenSpiel's moves include those of chance (the cards dealt) and Tablée's do not, so the comparison favours OpenSpiel.
Rates are per second of processor time, which a busy machine disturbs little; those of all cores are per second of
elapsed time. Exits 1 if a required ratio does not hold.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from json_lines import print_line
from machine import description
from tablee import all_games, find_game
from tablee.core.errors import TableeError
from tablee.core.game import Game
from tablee.simulation import speed

PEERS = ("hearts", "crazy_eights", "dou_dizhu")
COMPARED_GAME = "skyjo"
MIN_OVER_WHOLE_GAMES = 6  # times OpenSpiel's fastest game, whole games inside compiled code on both sides
MIN_OVER_STEPPING = 30  # times OpenSpiel's fastest game, stepped from Python as is usual


def main() -> None:
    """Measure everything, or with --interpreted one game in this process."""
    parser = argparse.ArgumentParser(description="moves per second, compared with OpenSpiel")
    parser.add_argument("--seconds", type=float, default=2.0, help="of measurement per figure, at least")
    parser.add_argument("--game", action="append", help="only this one (may be repeated)")
    parser.add_argument("--interpreted", metavar="GAME", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.interpreted:
        game = find_game(arguments.interpreted)
        print(speed.compiled_on_one_core(game, game.setup(), arguments.seconds))
        return
    print_line(run=datetime.now(UTC).isoformat(timespec="seconds"), command=" ".join(sys.argv), **description())
    ours = {name: dict(our_figures(name, arguments.seconds)) for name in arguments.game or usable_games()}
    peers = {name: dict(peer_figures(name, arguments.seconds)) for name in PEERS}
    if COMPARED_GAME in ours and not compare(ours[COMPARED_GAME]["whole games, compiled, one core"], peers):
        sys.exit(1)


def usable_games() -> list[str]:
    """Return the games whose rules can be loaded."""
    names = []
    for game in all_games():
        try:
            assert game.kernels
            names.append(game.name)
        except TableeError as why:
            print(f"left out: {why}", file=sys.stderr)
    return names


# Tablée


def our_figures(name: str, seconds: float) -> Iterator[tuple[str, float]]:
    """Measure a game with its usual number of seats, with every method."""
    game = find_game(name)
    setup = game.setup()
    methods = {
        "whole games, compiled, one core": lambda: speed.compiled_on_one_core(game, setup, seconds),
        "whole games, compiled, all cores": lambda: speed.compiled_on_all_cores(game, setup, seconds),
        "whole games, interpreted": lambda: interpreted(game, seconds),
        "kernels called from Python": lambda: speed.kernels_from_python(game, setup, seconds),
        "Match, every move checked": lambda: speed.match_from_python(game, setup, seconds),
    }
    for method, measure in methods.items():
        value = measure()
        print_line(system="tablee", game=name, seats=setup.seats, method=method, moves_per_second=round(value))
        yield method, value


def interpreted(game: Game, seconds: float) -> float:
    """Measure the rules as plain Python, in another process."""
    command = [sys.executable, __file__, "--interpreted", game.name, "--seconds", str(seconds)]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    return float(subprocess.run(command, env=environment, capture_output=True, check=True, text=True).stdout)


# OpenSpiel


def peer_figures(name: str, seconds: float) -> Iterator[tuple[str, float]]:
    """Measure one of OpenSpiel's games: whole games inside its C++, and stepped from Python."""
    import pyspiel

    game = pyspiel.load_game(name)
    bots = [pyspiel.make_uniform_random_bot(player, player + 1) for player in range(game.num_players())]

    def with_bots(games: int) -> int:
        moves = 0
        for seed in range(games):
            state = game.new_initial_state()
            pyspiel.evaluate_bots(state, bots, seed)
            moves += state.move_number()
        return moves

    methods = {
        "whole games in C++": with_bots,
        "stepped from Python": lambda games: sum(step_from_python(game, seed) for seed in range(games)),
    }
    for method, play in methods.items():
        value = speed.rate(play, seconds)
        print_line(
            system="OpenSpiel", game=name, seats=game.num_players(), method=method, moves_per_second=round(value)
        )
        yield method, value


def step_from_python(game: Any, seed: int) -> int:
    """Play a random game as OpenSpiel's examples do; return the number of moves."""
    chooser = random.Random(seed)
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(chooser.choices(outcomes, chances)[0])
        else:
            state.apply_action(chooser.choice(state.legal_actions()))
    return int(state.move_number())


# Comparison


def compare(ours: float, peers: dict[str, dict[str, float]]) -> bool:
    """Print the ratios to OpenSpiel's fastest games; return whether they are as required."""
    stepped = max(figures["stepped from Python"] for figures in peers.values())
    whole = max(figures["whole games in C++"] for figures in peers.values())
    requirements = [
        ("OpenSpiel's fastest whole games in C++", ours / whole, MIN_OVER_WHOLE_GAMES),
        ("OpenSpiel's fastest stepped from Python", ours / stepped, MIN_OVER_STEPPING),
    ]
    for over, ratio, least in requirements:
        print_line(
            ratio=round(ratio, 1),
            of=f"{COMPARED_GAME}, compiled, one core",
            over=over,
            at_least=least,
            holds=ratio >= least,
        )
    return all(ratio >= least for _, ratio, least in requirements)


if __name__ == "__main__":
    main()
