"""The game in examples/liars_dice: installed as a package, found by its entry point, tested, checked and played."""

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from browser import CHROMIUM

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "liars_dice"
NAME = "liars_dice"
BOARD_TESTS = (  # that take little time; the others are run by hand when the board changes (docs/web.md)
    "test_a_whole_game_by_mouse",
    "test_a_phone_shows_the_whole_table_at_every_number_of_players",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder into which pip has installed the example, without a network."""
    assert find_spec("hatchling"), "hatchling builds the example: pip install 'tablee[dev]'"
    folder = tmp_path_factory.mktemp("site")
    source = folder / "source"
    shutil.copytree(EXAMPLE, source, ignore=shutil.ignore_patterns("__pycache__"))
    offline = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check", "--quiet"]
    command = [sys.executable, "-m", "pip", "install", *offline, "--target", str(folder / "site"), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "site"


def run(site, *arguments):
    """Run Python interpreted, with what is installed in the folder; return what it prints."""
    path = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH", "")]))
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path, "LC_ALL": "C.UTF-8", "TABLEE_GAMES": ""}
    done = subprocess.run(
        [sys.executable, *arguments], env=environment, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_it_is_found_by_its_entry_point(site):
    games = {game["name"]: game for game in json.loads(run(site, "-m", "tablee", "games", "--json"))}
    assert games[NAME]["title"] == "Liar's Dice"
    package = run(site, "-c", f"from tablee import find_game; print(find_game({NAME!r}).package)")
    assert package.strip() == NAME


def test_its_tests_pass(site):
    """They include the conformance check; installed, as authors run them on their own package."""
    printed = run(site, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", str(site / NAME))
    assert " passed" in printed


def test_it_is_simulated(site):
    results = json.loads(run(site, "-m", "tablee", "simulate", NAME, "--games", "20", "--json"))
    assert results["games"] == 20


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: apt-get install chromium")
def test_its_board_is_played_in_a_browser(site):
    tests = [f"tests/test_boards.py::{test}[{NAME}]" for test in BOARD_TESTS]
    printed = run(site, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *tests)
    assert f"{len(tests)} passed" in printed
