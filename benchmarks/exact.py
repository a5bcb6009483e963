"""Sizes and values of all reductions: CFR+ on their whole trees, as the table of docs/reductions.md.

    python benchmarks/exact.py [GAME ...] [--iterations 200] [--reduction tiny] [--write]

Every position is checked on the way: it must be valid, and no game may be cut off. `--write` writes the table into
docs/reductions.md.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

from tablee import all_games, find_game
from tablee.core.game import Game, Setup
from tablee.simulation.equilibria import RegretSolver, exploitability, values
from tablee.simulation.trees import GameTree, TreeBuilder

PAGE = Path(__file__).parents[1] / "docs" / "reductions.md"
BEGIN, END = "<!-- benchmarks/exact.py -->", "<!-- end -->"


class Result(NamedTuple):
    """One row of the table."""

    game: str
    reduction: str
    seats: int
    deals: int
    histories: int
    information_states: int
    moves: int  # of the longest game
    value: float  # of the first seat
    uniform: float  # exploitability of the uniform policy
    learned: float  # exploitability after the iterations


def main() -> None:
    """Solve the reductions and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME")
    parser.add_argument("--reduction", help="only those of this name")
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    games = [find_game(name) for name in arguments.games] or all_games()
    rows = []
    for game in games:
        for setup in game.reduced_setups():
            if arguments.reduction in (None, setup.reduction):
                rows.append(row_of(solve(game, setup, arguments.iterations)))
                print(rows[-1], flush=True)
    if arguments.write:
        write_table([header(arguments.iterations), *rows])


def solve(game: Game, setup: Setup, iterations: int) -> Result:
    """Run CFR+ on a reduction."""
    tree = checked_tree(game, setup)
    solver = RegretSolver(tree)
    solver.run(iterations)
    policy = solver.average_policy()
    return Result(
        game.words("en").say("title"),
        setup.reduction,
        setup.seats,
        tree.deals,
        tree.histories,
        tree.info_states,
        tree.depth,
        float(values(tree, policy)[0]),
        exploitability(tree, tree.uniform_policy()),
        exploitability(tree, policy),
    )


def checked_tree(game: Game, setup: Setup) -> GameTree:
    """Build the tree of a reduction; every position must be valid, and every game must end by itself."""
    builder = TreeBuilder(game, setup)
    while len(builder.states):
        states = builder.states
        for state in states:
            assert game.kernels.problems(state) == 0, f"{game.name} {setup}"
        builder.add_level()
        assert ((builder.levels[-1].seats < 0) == (states["end_reason"] != 0)).all(), f"{game.name} {setup} is cut off"
    return builder.tree()


def header(iterations: int) -> str:
    """Return the head of the table."""
    columns = "game | reduction | seats | deals | histories | information states | longest game | value of seat 0"
    learning = f"uniform policy | CFR+, {iterations} iterations"
    aligned = "|---|---" + "|---:" * 8 + "|"
    return f"| {columns} | {learning} |\n{aligned}"


def row_of(result: Result) -> str:
    """Return a row of the table."""
    sizes = f"{result.seats} | {result.deals} | {result.histories:,} | {result.information_states:,} | {result.moves}"
    learning = f"{result.value:+.4f} | {result.uniform:.4f} | {result.learned:.5f}"
    return f"| {result.game} | `{result.reduction}` | {sizes} | {learning} |"


def write_table(lines: list[str]) -> None:
    """Replace the table on the page."""
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    PAGE.write_text("\n".join([f"{before}{BEGIN}", *lines, f"{END}{after}"]), encoding="utf-8")


if __name__ == "__main__":
    main()
