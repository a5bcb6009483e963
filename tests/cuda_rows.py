"""The ways in which CUDA writes rows, each forced upon a game, beside the CPU; test_doors runs it, simulated."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np

from tablee.core.game import Game
from tablee.core.registry import find_game
from tablee.simulation import cuda
from tablee.simulation.batch import Batch

SIZE = 40  # two blocks, the second not full
STEPS = 3
POLICIES = (  # a game, and what is different for it
    ("xylo", {"NOTES": 2}),  # more numbers than can be noted
    ("xylo", {"WIDE_ROW": 10**6}),
    ("skyjo", {"WIDE_ROW": 1}),
    ("xe_queo", {"WIDE_MASK": 1}),
)


def compare(game: Game) -> None:
    """Play the same on both; everything that a step writes must be the same bytes."""
    cuda.kernels_of.cache_clear()
    here, there = Batch(game, SIZE, seed=3), Batch(game, SIZE, seed=3, device="cuda")
    for _ in range(STEPS):
        moves = here.random_moves()
        for batch in (here, there):
            batch.step(moves)
        for name in ("states", "mask", "observations", "rewards"):
            ours, theirs = (np.asarray(batch.on_host(getattr(batch, name))).tobytes() for batch in (here, there))
            assert ours == theirs, f"{game.name}: {name} differ"


def note_to_the_last() -> None:
    """Write as many numbers into a sheet as can be noted, then one more, which is counted and not noted."""
    bits, indices, values = np.zeros((2, 1), np.uint32), np.full(cuda.NOTES, -1), np.zeros(cuda.NOTES)
    sheet = cuda.Sheet(bits, 0, indices, values, np.zeros(1, np.int32), 0)
    sheet[40] = 1.0
    for index in range(cuda.NOTES + 1):
        sheet[1:][index] = 0.5
    assert indices.tolist() == list(range(1, cuda.NOTES + 1))
    assert values.tolist() == [0.5] * cuda.NOTES
    assert (bits.tolist(), sheet.count.tolist()) == ([[0], [1 << 8]], [cuda.NOTES + 1])


def main() -> None:
    """Compare them all."""
    note_to_the_last()
    for name, changes in POLICIES:
        usual = {constant: getattr(cuda, constant) for constant in changes}
        vars(cuda).update(changes)
        compare(find_game(name))
        vars(cuda).update(usual)
    game = find_game("skyjo")
    vars(game)["kernels"] = replace(game.kernels, glimpse=game.kernels.see)  # a game without a glimpse of its own
    compare(game)
    sys.stdout.write(f"{len(POLICIES) + 1} ways agree\n")


if __name__ == "__main__":
    main()
