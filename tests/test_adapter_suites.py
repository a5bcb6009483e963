"""Every interface reports the same of the same position, for every game and number of players."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from adapter_suites import compare_interfaces
from tablee import all_games

INTERFACES, ROWS = (Path(__file__).parent / name for name in ("adapter_suites.py", "cuda_rows.py"))
SIMULATED_STEPS = 5  # a step under the simulator takes a tenth of a second
MAX_STEPS = 600
GAMES = [game.name for game in all_games()]


def simulated(script: Path, *arguments: str) -> str:
    """Run a script under the CUDA simulator; return its output."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "NUMBA_ENABLE_CUDASIM": "1"}
    command = [sys.executable, str(script), *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", GAMES)
def test_all_interfaces_agree_under_the_cuda_simulator(name: str) -> None:
    """In a process of its own: the simulator must be enabled before Numba is imported."""
    output = simulated(INTERFACES, name, str(SIMULATED_STEPS), "cpu", "cuda")
    assert set(output.strip("[]\n").split(", ")) == {str(SIMULATED_STEPS)}


@pytest.mark.parametrize("name", GAMES)
def test_all_interfaces_agree_to_the_end(name: str) -> None:
    """Compiled, and long enough that games end."""
    assert min(compare_interfaces(name, MAX_STEPS, ["cpu"])) > SIMULATED_STEPS


def test_all_ways_to_write_rows_agree_under_the_cuda_simulator_as_with_skyjo() -> None:
    """Also the ways that no game of ours uses. The Makefile selects tests by game: this one runs with Skyjo."""
    assert simulated(ROWS) == "5 variants agree\n"
