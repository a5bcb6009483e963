"""The conformance suite finds seeded faults, and docs/conformance.md lists them.

CI tries one fault in STRIDE, with another TABLEE_TEST_SEED another share; `make faults` tries all.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from seeded_faults import PAGE, all_trials, page
from seeds import BASE_SEED
from tablee.core.errors import TableeError
from tablee.testing import CHECKS
from tablee.testing.seeded import SeededFault

TOOL = Path(__file__).resolve().parents[1] / "tools" / "seeded_faults.py"
STRIDE = 8
MIN_FAULTS = 60


def test_there_are_many_faults_in_several_games_and_files():
    trials = all_trials()
    assert len(trials) >= MIN_FAULTS
    assert len({trial.game for trial in trials}) >= 3
    assert {trial.fault.file for trial in trials} >= {
        "__init__.py",
        "rules.py",
        "sight.py",
        "view.py",
        "words/fr.toml",
    }


def test_each_fault_is_for_a_check_and_described_once_per_game():
    trials = all_trials()
    assert {trial.fault.law for trial in trials} <= {check.name for check in CHECKS}
    assert len({(trial.game, trial.fault.what) for trial in trials}) == len(trials)


def test_the_page_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == page(), "run `make conformance`"


def test_a_fault_that_no_longer_fits_its_file_is_reported(tmp_path):
    (tmp_path / "rules.py").write_text("nothing\n")
    with pytest.raises(TableeError, match="no text 'something' in which to seed 'it is wrong'"):
        SeededFault("it is wrong", "rules.py", "something", "other", "nothing_leaks").seed_into(tmp_path)


def test_every_fault_fits_its_file():
    run("--seed-only")


def test_checks_find_seeded_faults():
    printed = run("--one-in", str(STRIDE), "--skip", str(BASE_SEED % STRIDE))
    assert "NOT FOUND" not in printed


def run(*arguments):
    """Run the tool interpreted; return what it prints."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, str(TOOL), *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
