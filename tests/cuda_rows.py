"""Each way in which CUDA writes rows, forced upon a game and compared with the CPU.

`tests/test_adapter_suites.py` runs this script under the CUDA simulator.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np

from tablee.core.game import Game
from tablee.core.registry import find_game
from tablee.simulation import cuda
from tablee.simulation.batch import Batch
from tablee.simulation.cuda_rows import BitRow

SIZE = 41  # two blocks, the second not full; the masks end within a word of eight bytes
STEPS = 3
VARIANTS = (  # a game, and changed constants
    ("xylo", {"MAX_OTHERS": 2}),  # more numbers than the list can hold
    ("xylo", {"WIDE_ROW": 10**6}),
    ("skyjo", {"WIDE_ROW": 1}),
    ("xe_queo", {"WIDE_MASK": 1}),
)


def compare(game: Game) -> None:
    """Play the same moves on both devices; everything that a step writes must be the same bytes."""
    cuda.kernels_of.cache_clear()
    on_cpu, on_cuda = Batch(game, SIZE, seed=3), Batch(game, SIZE, seed=3, device="cuda")
    for _ in range(STEPS):
        moves = on_cpu.random_moves()
        overwrite_mask(on_cuda)
        for batch in (on_cpu, on_cuda):
            batch.step(moves)
        for name in ("states", "mask", "observations", "rewards"):
            written = {np.asarray(batch.on_host(getattr(batch, name))).tobytes() for batch in (on_cpu, on_cuda)}
            assert len(written) == 1, f"{game.name}: {name} differ"


def overwrite_mask(batch: Batch) -> None:
    """Mark every move, where a step is to clear whole rows."""
    if cuda.clears_mask(batch.game):
        batch.mask.copy_to_device(np.ones(batch.mask.shape, bool))


def fill_a_bit_row() -> None:
    """Write one number more than the list of a BitRow can hold: it is counted but not listed."""
    size = cuda.MAX_OTHERS
    bits, indices, values = np.zeros((2, 1), np.uint32), np.full(size, -1), np.zeros(size)
    row = BitRow(bits, 0, indices, values, np.zeros(1, np.int32), 0)
    row[40] = 1.0
    for index in range(size + 1):
        row[1:][index] = 0.5
    assert indices.tolist() == list(range(1, size + 1))
    assert values.tolist() == [0.5] * size
    assert (bits.tolist(), row.count.tolist()) == ([[0], [1 << 8]], [size + 1])


def main() -> None:
    """Compare all variants."""
    fill_a_bit_row()
    for name, changes in VARIANTS:
        original = {constant: getattr(cuda, constant) for constant in changes}
        vars(cuda).update(changes)
        compare(find_game(name))
        vars(cuda).update(original)
    game = find_game("skyjo")
    vars(game)["kernels"] = replace(game.kernels, glimpse=game.kernels.see)  # a game without its own `glimpse`
    compare(game)
    sys.stdout.write(f"{len(VARIANTS) + 1} variants agree\n")


if __name__ == "__main__":
    main()
