"""Compile the CUDA kernels of games to machine code without a device: by NVVM, then by ptxas.

    python tools/cuda_kernels.py [GAME ...] [--chip 9.0] [--kernel step ...]

Needs numba-cuda with NVIDIA's compilers (`pip install 'numba-cuda[cu12]'`), but neither a driver nor a device. Prints
what ptxas says of each kernel that depends on the game, per thread: registers, bytes of local memory (`stack`) and of
registers that did not fit (`spilled`). Exits 1 if a kernel cannot be compiled. What the kernels compute is not tried.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numba
import numpy as np

from tablee import all_games, find_game
from tablee.core.game import Game
from tablee.core.randomness import GENERATOR
from tablee.core.state import new_states
from tablee.simulation.batch import Batch
from tablee.simulation.cuda import flat_arrays, kernels_of
from tablee.simulation.cuda_memory import cuda
from tablee.simulation.policies import POLICIES

GAMES_IN_BATCH = 64
USAGE = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores.*?Used (\d+) registers", re.DOTALL)


def main() -> int:
    """Compile all kernels of the games that are named, or of all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("game", nargs="*", help="all unless named")
    parser.add_argument("--chip", default="9.0", help="compute capability, 9.0 for an H100 or H200")
    parser.add_argument("--kernel", action="append", help="only this one (may be repeated)")
    arguments = parser.parse_args()
    is_compiled = True
    for game in map(find_game, arguments.game) if arguments.game else all_games():
        for name, kernel, values in launches(game):
            if not arguments.kernel or name in arguments.kernel:
                is_compiled &= report(game, name, kernel, values, arguments.chip)
    return int(not is_compiled)


def launches(game: Game) -> Iterator[tuple[str, Any, tuple[Any, ...]]]:
    """Yield the kernels of a game by name, with arguments of the types that `CudaRunner` launches them with."""
    batch = Batch(game, GAMES_IN_BATCH)
    arrays = batch._arrays
    flat = flat_arrays(arrays)
    kernels = kernels_of(game, batch.rule, False, False)
    numbers = np.zeros(GAMES_IN_BATCH, np.int32)
    generators, faults = new_states(GENERATOR, GAMES_IN_BATCH), np.zeros(2, np.int32)
    seats = np.zeros((2, GAMES_IN_BATCH), np.int32)
    yield "reset", kernels.reset, (arrays, flat, False)
    yield "step", kernels.step, (arrays, flat, numbers, True, faults)
    yield "observe", kernels.observe, (arrays.states, numbers, arrays.observations, faults)
    final = (arrays.final_states, arrays.ended)
    yield "observe_final", kernels.observe_final, (*final, numbers, arrays.observations, faults)
    yield "list_final", kernels.list_final, (*final, arrays.legal, arrays.counts)
    yield "refuse", kernels.refuse, (arrays.states, numbers, numbers, faults)
    yield "play_until", kernels.play_until, (arrays, flat, generators, seats, 0, True, faults)
    for name, policy in POLICIES.items():
        yield f"roll_out {name}", kernels.roll_out[policy], (arrays, flat, generators, 1)


def report(game: Game, name: str, kernel: Any, values: tuple[Any, ...], chip: str) -> bool:
    """Compile a kernel for arguments like these and print what it needs; return whether that was possible."""
    started = time.monotonic()
    try:
        stack, spilled, registers = usage(kernel, values, chip)
    except Exception as error:
        print(f"{game.name} {name}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        return False
    seconds = time.monotonic() - started
    needs = f"{registers:4} registers {stack:6} stack {spilled:5} spilled"
    print(f"{game.name:8} {name:16} {needs} {seconds:6.1f} s", flush=True)
    return True


def usage(kernel: Any, values: tuple[Any, ...], chip: str) -> tuple[int, int, int]:
    """Return the bytes of local memory, of spilled registers, and the number of registers that a kernel needs."""
    capability = tuple(map(int, chip.split(".")))
    types = tuple(map(numba.typeof, values))
    with without_device(capability):
        assembly, _ = cuda.compile_ptx(kernel.py_func, types, cc=capability)
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        source.write_text(assembly)
        command = [ptxas(), "--verbose", f"--gpu-name=sm_{''.join(map(str, capability))}", f"--output-file={target}"]
        done = subprocess.run([*command, source], capture_output=True, text=True, check=False)
    found = USAGE.search(done.stderr)
    if done.returncode or found is None:
        raise RuntimeError(f"ptxas: {done.stderr}")
    stack, spilled, registers = map(int, found.groups())
    return stack, spilled, registers


def without_device(capability: tuple[int, ...]) -> Any:
    """Have device functions compiled for a capability: numba-cuda asks the current device for it, whatever is said."""
    device = SimpleNamespace(compute_capability=capability)
    return patch("numba.cuda.dispatcher.get_current_device", lambda: device)


def ptxas() -> Path:
    """Return the path of NVIDIA's assembler, which is installed beside NVVM."""
    import nvidia

    folders = (Path(folder) for folder in nvidia.__path__)
    return next(path for folder in folders for path in folder.glob("*/bin/ptxas"))


if __name__ == "__main__":
    sys.exit(main())
