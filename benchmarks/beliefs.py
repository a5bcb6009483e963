"""Are beliefs right? What games count and what they imagine, against all deals of reduced games that look alike.

    python benchmarks/beliefs.py [--positions 40] [--reduction tiny] [--game NAME ...]

For positions of random games, each from one seat: every deal of the reduction is played with the same moves, and those
that look alike to the seat are its worlds, weighed by `believe`. What the game counts must have the same probabilities.
Imagined worlds are compared by a chi-square test of what lies on all hidden pieces together; layouts with fewer than
MIN_EXPECTED worlds to expect are taken together. FALSE_ALARM is shared among all tests (Bonferroni). Prints a line of
Markdown per reduction; ends with status 1 if anything differs.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from scipy.stats import chi2

from tablee.core.game import Game
from tablee.core.randomness import new_generator
from tablee.core.registry import all_games
from tablee.review.beliefs import Belief, count_beliefs, draw_likely_world

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from reduced_worlds import (
    Enumerated,
    hidden_pieces,
    layout,
    layouts,
    piece_probabilities,
    positions,
    zone_probabilities,
)

WORLDS_PER_LAYOUT = 40
MIN_EXPECTED = 10.0
FALSE_ALARM = 1e-4
ROUNDING = 1e-9


def main() -> None:
    """Compare all reductions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=40, help="per reduction")
    parser.add_argument("--reduction", help="only those of this name")
    parser.add_argument("--game", action="append", choices=[game.name for game in all_games()])
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    games = [game for game in all_games() if arguments.game is None or game.name in arguments.game]
    chosen = [
        (game, reduction.name)
        for game in games
        for reduction in game.reductions
        if arguments.reduction in (None, reduction.name)
    ]
    limit = FALSE_ALARM / (arguments.positions * len(chosen))
    print("| game | reduction | positions | largest error of what is counted | least p of imagined worlds | limit |")
    print("|---|---|---:|---:|---:|---:|")
    is_right = True
    for game, reduction in chosen:
        error, least = compare(game, reduction, arguments.positions, arguments.seed)
        is_right = is_right and error < ROUNDING and least > limit
        print(
            f"| {game.name} | {reduction} | {arguments.positions} | {error:.1g} | {least:.2g} | {limit:.1g} |",
            flush=True,
        )
    sys.exit(0 if is_right else 1)


def compare(game: Game, reduction: str, count: int, seed: int) -> tuple[float, float]:
    """Return the largest error of a counted probability, and the least p-value of the chi-square tests."""
    errors, values = [0.0], [1.0]
    for number, position in enumerate(positions(game, reduction, count, seed)):
        names = [str(seat) for seat in range(position.sight.seats)]
        counted = count_beliefs(position.sight, game.words("en"), names)
        if counted is not None:
            errors.append(largest_error(counted.pieces, piece_probabilities(position)))
            errors.append(largest_error(counted.zones, zone_probabilities(position)))
        values.append(chi_square(position, number))
    return max(errors), min(values)


def largest_error(found: tuple[Belief, ...], exact: dict[str, dict[object, float]]) -> float:
    """Return how far counted probabilities are from enumerated ones; 1 if they are about other pieces."""
    if {belief.id for belief in found} != exact.keys():
        return 1.0
    return max(
        (
            abs(each.probability - exact[belief.id].get(each.face, 0.0))
            for belief in found
            for each in belief.possibilities
        ),
        default=0.0,
    )


def chi_square(position: Enumerated, number: int) -> float:
    """Return the p-value of imagined worlds, 0 if one is impossible."""
    expected, hidden = layouts(position), hidden_pieces(position.sight)
    worlds, generator = WORLDS_PER_LAYOUT * len(expected), new_generator(1, number)
    imagined = (draw_likely_world(position.sight, generator) for _ in range(worlds))
    found = Counter(layout(position.sight, world, hidden) for world in imagined)
    if not found.keys() <= expected.keys():
        return 0.0
    cells = [(found[each], worlds * probability) for each, probability in expected.items()]
    rare = [cell for cell in cells if cell[1] < MIN_EXPECTED]
    cells = [cell for cell in cells if cell[1] >= MIN_EXPECTED]
    if sum(cell[1] for cell in rare) >= MIN_EXPECTED:
        cells.append((sum(cell[0] for cell in rare), sum(cell[1] for cell in rare)))
    if len(cells) < 2:
        return 1.0
    statistic = sum((count - mean) ** 2 / mean for count, mean in cells)
    return float(chi2.sf(statistic, len(cells) - 1))


if __name__ == "__main__":
    main()
