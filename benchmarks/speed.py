"""Moves per second of every game, and of OpenSpiel's card games in the same run; one JSON line per figure.

    python benchmarks/speed.py [--seconds 2] [--game NAME ...]

A peer's moves include the moves of chance (the cards dealt), which ours do not: the comparison favours the peer. Rates
are per second of processor time, so that a busy machine disturbs them little; those of all cores are per second of the
clock.
Exits 1 if a demanded ratio does not hold.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from machine import description
from tablee import all_games, find_game
from tablee.core.errors import TableeError
from tablee.core.game import Game
from tablee.simulation import speed

PEERS = ("hearts", "crazy_eights", "dou_dizhu")
YARDSTICK = "skyjo"
MIN_OVER_WHOLE_GAMES = 6  # times the peers' fastest, whole games inside compiled code on both sides
MIN_OVER_STEPPING = 30  # times the peers' fastest, stepped from Python as people usually do


def main() -> None:
    """Measure everything, or with --interpreted one game in this process."""
    parser = argparse.ArgumentParser(description="moves per second, beside OpenSpiel")
    parser.add_argument("--seconds", type=float, default=2.0, help="of measuring per figure, at least")
    parser.add_argument("--game", action="append", help="only this one (may be repeated)")
    parser.add_argument("--interpreted", metavar="GAME", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.interpreted:
        game = find_game(arguments.interpreted)
        print(speed.compiled_on_one_core(game, game.setup(), arguments.seconds))
        return
    tell(run=datetime.now(UTC).isoformat(timespec="seconds"), command=" ".join(sys.argv), **description())
    ours = {name: dict(our_figures(name, arguments.seconds)) for name in arguments.game or usable_games()}
    peers = {name: dict(peer_figures(name, arguments.seconds)) for name in PEERS}
    if YARDSTICK in ours and not holds(ours[YARDSTICK]["whole games, compiled, one core"], peers):
        sys.exit(1)


def tell(**figure: Any) -> None:
    """Print a line for programs."""
    print(json.dumps(figure), flush=True)


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


# Ours


def our_figures(name: str, seconds: float) -> Iterator[tuple[str, float]]:
    """Measure a game with its usual number of players by every way to play it."""
    game = find_game(name)
    setup = game.setup()
    ways = {
        "whole games, compiled, one core": lambda: speed.compiled_on_one_core(game, setup, seconds),
        "whole games, compiled, all cores": lambda: speed.compiled_on_all_cores(game, setup, seconds),
        "whole games, interpreted": lambda: interpreted(game, seconds),
        "kernels called from Python": lambda: speed.kernels_from_python(game, setup, seconds),
        "Match, every move checked": lambda: speed.match_from_python(game, setup, seconds),
    }
    for way, measure in ways.items():
        value = measure()
        tell(system="tablee", game=name, seats=setup.seats, way=way, moves_per_second=round(value))
        yield way, value


def interpreted(game: Game, seconds: float) -> float:
    """Measure the same rules as plain Python, in a process of their own."""
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

    ways = {
        "whole games in C++": with_bots,
        "stepped from Python": lambda games: sum(step_from_python(game, seed) for seed in range(games)),
    }
    for way, play in ways.items():
        value = speed.rate(play, seconds)
        tell(system="OpenSpiel", game=name, seats=game.num_players(), way=way, moves_per_second=round(value))
        yield way, value


def step_from_python(game: Any, seed: int) -> int:
    """Play a random game the way OpenSpiel's own examples do; return how many moves."""
    chooser = random.Random(seed)
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(chooser.choices(outcomes, chances)[0])
        else:
            state.apply_action(chooser.choice(state.legal_actions()))
    return int(state.move_number())


# Beside each other


def holds(ours: float, peers: dict[str, dict[str, float]]) -> bool:
    """Print our lead over the peers' fastest, and say whether it is what we demand."""
    stepped = max(figures["stepped from Python"] for figures in peers.values())
    whole = max(figures["whole games in C++"] for figures in peers.values())
    demands = [
        ("OpenSpiel's fastest whole games in C++", ours / whole, MIN_OVER_WHOLE_GAMES),
        ("OpenSpiel's fastest stepped from Python", ours / stepped, MIN_OVER_STEPPING),
    ]
    for over, ratio, least in demands:
        tell(
            ratio=round(ratio, 1),
            of=f"{YARDSTICK}, compiled, one core",
            over=over,
            at_least=least,
            holds=ratio >= least,
        )
    return all(ratio >= least for _, ratio, least in demands)


if __name__ == "__main__":
    main()
