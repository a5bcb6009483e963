"""Equality of doors: every way to play a game says the same of the same position, for every game and player count."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from adapter_suites import compare_doors
from tablee import all_games

DOORS, ROWS = (Path(__file__).parent / name for name in ("adapter_suites.py", "cuda_rows.py"))
SIMULATED_STEPS = 5  # a step under the simulator takes a tenth of a second
MAX_STEPS = 600
GAMES = [game.name for game in all_games()]


def simulated(script: Path, *arguments: str) -> str:
    """Run a script under the CUDA simulator; return what it tells."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "NUMBA_ENABLE_CUDASIM": "1"}
    command = [sys.executable, str(script), *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", GAMES)
def test_all_doors_agree_under_the_cuda_simulator(name: str) -> None:
    """Interpreted, in a process of its own: the simulator cannot be switched on later."""
    told = simulated(DOORS, name, str(SIMULATED_STEPS), "cpu", "cuda")
    assert set(told.strip("[]\n").split(", ")) == {str(SIMULATED_STEPS)}


@pytest.mark.parametrize("name", GAMES)
def test_all_doors_agree_to_the_end(name: str) -> None:
    """Compiled, and long enough that games end."""
    assert min(compare_doors(name, MAX_STEPS, ["cpu"])) > SIMULATED_STEPS


def test_all_ways_to_write_rows_agree_under_the_cuda_simulator_as_with_skyjo() -> None:
    """Those ways as well that a game of ours does not take; the name says with which game the Makefile runs it."""
    assert simulated(ROWS) == "5 ways agree\n"
