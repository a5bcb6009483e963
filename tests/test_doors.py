"""Equality of doors: every way to play a game says the same of the same position, for every game and player count."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from doors import compare_doors
from tablee import all_games

DOORS = Path(__file__).parent / "doors.py"
SIMULATED_STEPS = 5  # a step under the simulator takes a tenth of a second
MOST_STEPS = 600
GAMES = [game.name for game in all_games()]


@pytest.mark.parametrize("name", GAMES)
def test_all_doors_agree_under_the_cuda_simulator(name: str) -> None:
    """Interpreted, in a process of its own: the simulator cannot be switched on later."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "NUMBA_ENABLE_CUDASIM": "1"}
    command = [sys.executable, str(DOORS), name, str(SIMULATED_STEPS), "cpu", "cuda"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.strip("[]\n").split(", ")) == {str(SIMULATED_STEPS)}


@pytest.mark.parametrize("name", GAMES)
def test_all_doors_agree_to_the_end(name: str) -> None:
    """Compiled, and long enough that games end."""
    assert min(compare_doors(name, MOST_STEPS, ["cpu"])) > SIMULATED_STEPS
