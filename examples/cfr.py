"""Counterfactual regret minimisation on a small version of a game with OpenSpiel: exploitability decreases.

    python examples/cfr.py [--game lexio] [--reduction tiny] [--iterations 200] [--picture cfr.png]

The tree is built once through the adapter, and given to OpenSpiel's solver as an extensive-form game, so that the
iterations run in C++. Reductions with their sizes and values are listed in docs/reductions.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyspiel

from tablee.adapters.openspiel import TableGame, TableState

POINTS = 20  # of the curve


def main() -> None:
    """Run CFR, print the exploitability of the average policy, and draw the curve."""
    parser = argparse.ArgumentParser(description="CFR on a small version of a game")
    parser.add_argument("--game", default="lexio")
    parser.add_argument("--reduction", default="tiny")
    parser.add_argument("--moves", type=int, default=0, help="cut games off after so many moves")
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    name = f"tablee_{arguments.game}(reduction={arguments.reduction},max_moves={arguments.moves})"
    tree = ExtensiveForm().write(pyspiel.load_game(name))
    curve = learn(pyspiel.load_efg_game(tree), arguments.iterations)
    assert curve[-1][1] < curve[0][1]
    if arguments.picture:
        draw(curve, f"{arguments.game}, {arguments.reduction}", arguments.picture)


class ExtensiveForm:
    """Writes a game in the extensive-form file format; information sets are numbered in order of appearance."""

    def __init__(self) -> None:
        self.sets: list[dict[str, int]] = [{}, {}]
        self.outcomes = 0

    def write(self, game: TableGame) -> str:
        """Return the file."""
        return "\n".join([f'EFG 2 R "{game}" {{ "first" "second" }}', *self.nodes(game.new_initial_state())])

    def nodes(self, state: TableState) -> Iterator[str]:
        """Yield a line per node of the subtree of a state, in preorder."""
        if state.is_terminal():
            self.outcomes += 1
            rewards = " ".join(map(str, state.returns()))
            yield f't "" {self.outcomes} "" {{ {rewards} }}'
            return
        if state.is_chance_node():
            deals = " ".join(f'"{deal}" {chance}' for deal, chance in state.chance_outcomes())
            yield f'c "" 1 "" {{ {deals} }} 0'
        else:
            yield self.decision(state, state.current_player())
        for action in state.legal_actions():
            yield from self.nodes(state.child(action))

    def decision(self, state: TableState, player: int) -> str:
        """Return the line of a player's node."""
        information = state.information_state_string(player)
        number = self.sets[player].setdefault(information, len(self.sets[player]) + 1)
        texts = " ".join(f'"{state.action_to_string(player, action)}"' for action in state.legal_actions())
        return f'p "" {player + 1} {number} "" {{ {texts} }} 0'


def learn(game: Any, iterations: int) -> list[tuple[int, float]]:
    """Run the solver; return pairs of iteration and exploitability of its average policy."""
    solver = pyspiel.CFRSolver(game)
    curve = []
    for iteration in range(1, iterations + 1):
        solver.evaluate_and_update_policy()
        if iteration == 1 or iteration % max(1, iterations // POINTS) == 0:
            curve.append((iteration, pyspiel.exploitability(game, solver.average_policy())))
            print(f"{iteration:6d}  {curve[-1][1]:.5f}", flush=True)
    return curve


def draw(curve: list[tuple[int, float]], title: str, path: Path) -> None:
    """Draw the curve."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    axes.plot(*zip(*curve, strict=True), marker="o")
    axes.set(xlabel="iterations of CFR", ylabel="exploitability", yscale="log", title=title)
    figure.savefig(path)


if __name__ == "__main__":
    main()
