"""Counterfactual regret minimisation on a tiny Xe Queo! through OpenSpiel: exploitability goes down.

    python examples/cfr.py [--iterations 200] [--pawns 2] [--moves 2] [--picture cfr.png]

It is the last round, at three rings each, with both secret pawns chosen: chance draws which, out of the first few. One
player moves a pawn or accuses, then the other; a game that is not won by then is a draw. The tree is walked once
through our adapter, and OpenSpiel's own solver gets it as an extensive-form game.
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
    """Iterate, print how exploitable the average policy is, and draw the curve."""
    parser = argparse.ArgumentParser(description="CFR on a tiny Xe Queo!")
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument("--pawns", type=int, default=2, help="among how many pawns a secret one is drawn")
    parser.add_argument("--moves", type=int, default=2, help="after how many a game is cut off")
    parser.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    last_round = LastRound({"players": 2, "deals": arguments.pawns**2, "max_moves": arguments.moves})
    curve = learn(pyspiel.load_efg_game(Tree().write(last_round)), arguments.iterations)
    assert curve[-1][1] < curve[0][1]
    if arguments.picture:
        draw(curve, arguments.picture)


class LastRound(TableGame):
    """The game from its last round on; a deal says which pawns are whose."""

    game = find_game("xe_queo")

    def deal(self, number: int) -> Match:
        """Choose the pawns that the number stands for."""
        match = three_all()
        pawns = round(self.deals**0.5)
        for choice in (number % pawns, number // pawns):
            match.play(match.legal_moves()[choice])
        match.moves.clear()
        return match


def three_all() -> Match:
    """Play at random until both have three rings and choose their pawns; always the same position."""
    chooser = np.random.default_rng(0)
    for stream in range(10_000):
        match = Match(LastRound.game, seed=0, stream=stream)
        while not match.is_over:
            if match.state.rings.tolist() == [3, 3] and len(match.legal_moves()) == len(match.state.pawns):
                return match
            match.play(int(chooser.choice(match.legal_moves())))
    raise LookupError("no game came to three rings each")


class Tree:
    """Writes a game as an extensive-form file; information sets are numbered as they are met."""

    def __init__(self) -> None:
        self.sets: list[dict[str, int]] = [{}, {}]
        self.outcomes = 0

    def write(self, game: TableGame) -> str:
        """Return the file."""
        return "\n".join(['EFG 2 R "last round" { "first" "second" }', *self.nodes(game.new_initial_state())])

    def nodes(self, state: TableState) -> Iterator[str]:
        """Yield a line per node below a state, the state's own first."""
        if state.is_terminal():
            self.outcomes += 1
            gains = " ".join(str(gain) for gain in state.returns())
            yield f't "" {self.outcomes} "" {{ {gains} }}'
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
        seen = state.information_state_string(player)
        number = self.sets[player].setdefault(seen, len(self.sets[player]) + 1)
        texts = " ".join(f'"{state.action_to_string(player, action)}"' for action in state.legal_actions())
        return f'p "" {player + 1} {number} "" {{ {texts} }} 0'


def learn(game: Any, iterations: int) -> list[tuple[int, float]]:
    """Run the solver; return how exploitable its average policy is, at some of the iterations."""
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
