"""Steps per second of processor time through the adapters for single games, beside OpenSpiel's own; JSON lines.

    python benchmarks/adapters.py [--seconds 2] [--game NAME ...]

Each adapter is stepped from Python with random legal moves, and asked for the observation of the seat on turn and its
legal moves at every step; OpenSpiel's `crazy_eights` in the same way, before and after each game of ours. In Gymnasium
a step is the move of the learner and those of its random opponents until its next turn. Exits 1 if a ratio is below 1.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable
from datetime import UTC, datetime

import pyspiel

import tablee.adapters.openspiel  # registers the games
from json_lines import print_line
from machine import description
from tablee.adapters.gymnasium import LearnerEnv
from tablee.adapters.pettingzoo import TableEnv
from tablee.core.registry import all_games
from tablee.simulation.speed import rate

assert tablee.adapters.openspiel

STEPS = 2000  # per call
PEER = "crazy_eights"


def main() -> None:
    """Measure all adapters and the peer in turns, and compare."""
    parser = argparse.ArgumentParser(description="steps per second through the adapters")
    parser.add_argument("--seconds", type=float, default=2.0, help="of measurement per figure, at least")
    parser.add_argument("--game", action="append", help="only this game (may be repeated)")
    arguments = parser.parse_args()
    print_line(run=datetime.now(UTC).isoformat(timespec="seconds"), command=" ".join(sys.argv), **description())
    failures = []
    for name in arguments.game or [game.name for game in all_games()]:
        for adapter, make in ADAPTERS.items():
            ours, peer = rate(make(name), arguments.seconds), rate(spiel_steps(PEER), arguments.seconds)
            ratio = ours / peer
            print_line(
                adapter=adapter,
                game=name,
                steps_per_second=round(ours),
                crazy_eights=round(peer),
                ratio=round(ratio, 2),
            )
            failures += [f"{adapter} in {name}"] if ratio < 1 else []
    print_line(failures=failures)
    sys.exit(1 if failures else 0)


def zoo_steps(name: str) -> Callable[[int], int]:
    """Return a function that makes steps in PettingZoo."""
    table, chooser = TableEnv(name), random.Random(1)
    table.reset(seed=1)

    def run(times: int) -> int:
        for _ in range(times * STEPS):
            _, _, ended, truncated, info = table.last()
            if ended or truncated:
                table.reset(seed=chooser.getrandbits(32))
                continue
            legal = info["legal_moves"]
            table.step(int(legal[int(chooser.random() * len(legal))]))
        return times * STEPS

    return run


def gym_steps(name: str) -> Callable[[int], int]:
    """Return a function that makes steps in Gymnasium."""
    table, chooser = LearnerEnv(name), random.Random(1)

    def run(times: int) -> int:
        _, info = table.reset(seed=1)
        for _ in range(times * STEPS):
            legal = info["legal_moves"]
            _, _, ended, truncated, info = table.step(int(legal[int(chooser.random() * len(legal))]))
            if ended or truncated:
                _, info = table.reset()
        return times * STEPS

    return run


def spiel_steps(name: str) -> Callable[[int], int]:
    """Return a function that makes steps in a game of OpenSpiel, of which chance nodes are no steps."""
    game, chooser = pyspiel.load_game(name), random.Random(1)

    def run(times: int) -> int:
        steps, state = 0, game.new_initial_state()
        while steps < times * STEPS:
            if state.is_terminal():
                state = game.new_initial_state()
            legal = state.legal_actions()
            if not state.is_chance_node():
                state.observation_tensor(state.current_player())
                steps += 1
            state.apply_action(legal[int(chooser.random() * len(legal))])
        return steps

    return run


ADAPTERS = {
    "PettingZoo": zoo_steps,
    "Gymnasium": gym_steps,
    "OpenSpiel": lambda name: spiel_steps(f"tablee_{name}"),
}


if __name__ == "__main__":
    main()
