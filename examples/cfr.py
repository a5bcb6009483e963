"""Counterfactual regret minimisation on a tiny Xe Queo! with OpenSpiel: exploitability decreases.

    python examples/cfr.py [--iterations 200] [--pawns 2] [--moves 2] [--picture cfr.png]

The game is the last round, at three rings each, after both players have chosen: a chance node draws the secret pawns
from the first few. Each player moves a pawn or accuses, in turn; a game without a winner after `--moves` is a draw. The
tree is built once through the adapter, and given to OpenSpiel's solver as an extensive-form game.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel

from tablee import Match, find_game
from tablee.adapters.openspiel import TableGame, TableState

POINTS = 20  # of the curve


def main() -> None:
    """Run CFR, print the exploitability of the average policy, and draw the curve."""
    parser = argparse.ArgumentParser(description="CFR on a tiny Xe Queo!")
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument("--pawns", type=int, default=2, help="number of pawns from which secret ones are drawn")
    parser.add_argument("--moves", type=int, default=2, help="moves after which a game is a draw")
    parser.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    last_round = LastRound({"players": 2, "deals": arguments.pawns**2, "max_moves": arguments.moves})
    curve = learn(pyspiel.load_efg_game(ExtensiveForm().write(last_round)), arguments.iterations)
    assert curve[-1][1] < curve[0][1]
    if arguments.picture:
        draw(curve, arguments.picture)


class LastRound(TableGame):
    """The game from its last round on; the deal determines the secret pawns."""

    game = find_game("xe_queo")

    def deal(self, number: int) -> Match:
        """Return the match in which the pawns of this number are chosen."""
        match = position_at_three_rings()
        pawns = round(self.deals**0.5)
        for choice in (number % pawns, number // pawns):
            match.play(match.legal_moves()[choice])
        match.moves.clear()
        return match


def position_at_three_rings() -> Match:
    """Play at random until both have three rings and are about to choose; always the same position."""
    chooser = np.random.default_rng(0)
    for stream in range(10_000):
        match = Match(LastRound.game, seed=0, stream=stream)
        while not match.is_over:
            if match.state.rings.tolist() == [3, 3] and len(match.legal_moves()) == len(match.state.pawns):
                return match
            match.play(int(chooser.choice(match.legal_moves())))
    raise LookupError("no game reached three rings each")


class ExtensiveForm:
    """Writes a game in the extensive-form file format; information sets are numbered in order of appearance."""

    def __init__(self) -> None:
        self.sets: list[dict[str, int]] = [{}, {}]
        self.outcomes = 0

    def write(self, game: TableGame) -> str:
        """Return the file."""
        return "\n".join(['EFG 2 R "last round" { "first" "second" }', *self.nodes(game.new_initial_state())])

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


def draw(curve: list[tuple[int, float]], path: Path) -> None:
    """Draw the curve."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    axes.plot(*zip(*curve, strict=True), marker="o")
    axes.set(
        xlabel="iterations of CFR", ylabel="exploitability", yscale="log", title="The last round of Xe Queo!, two moves"
    )
    figure.savefig(path)


if __name__ == "__main__":
    main()
