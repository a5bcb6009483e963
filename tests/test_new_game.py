"""A new game is one folder: `tablee new-game` writes one that is listed, playable, simulated, tested and conformant."""

import json
import os
import subprocess
import sys

import pytest

from tablee import all_games
from tablee.core.errors import BadGame
from tablee.testing.template import make_game

NAME = "high_card"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("games")
    run(folder, "-m", "tablee", "new-game", NAME, "--into", str(folder))
    return folder


def run(folder, *arguments, typed="", **environment):
    """Run Python interpreted, with the games of a folder; return what it prints."""
    environment = {
        **os.environ,
        "NUMBA_DISABLE_JIT": "1",
        "TABLEE_GAMES": str(folder),
        "LC_ALL": "C.UTF-8",
        **environment,
    }
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, env=environment, cwd=folder, input=typed, capture_output=True, text=True, check=False, encoding="utf-8"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_new_game_is_listed(folder):
    listed = json.loads(run(folder, "-m", "tablee", "games", "--json"))
    assert NAME in {game["name"] for game in listed}


def test_a_new_game_is_played_through_a_pipe(folder):
    cards = "".join(f"play {card}\n" for card in range(1, 21))
    command = (
        "-m",
        "tablee",
        "play",
        NAME,
        "--seats",
        "2",
        "--seed",
        "1",
        "--plain",
        "--lang",
        "en",
        "--save",
        "a.tablee",
    )
    printed = run(folder, *command, typed=cards * 3)
    assert "takes the trick" in printed
    assert "All cards are played." in printed
    assert (folder / "a.tablee").is_file()


def test_a_new_game_is_simulated(folder):
    results = json.loads(run(folder, "-m", "tablee", "simulate", NAME, "--games", "100", "--json"))
    assert results["games"] == 100
    assert results["moves"] == 900  # three seats with three cards each


def test_the_tests_of_a_new_game_pass(folder):
    printed = run(folder, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", str(folder / NAME))
    assert " passed" in printed


def test_a_new_game_is_the_same_compiled(folder, tmp_path):
    """Its own tests run the conformance suite interpreted; this compares interpreted and compiled kernels."""
    script = f"""
from tablee import find_game
from tablee.testing import CHECKS
next(check for check in CHECKS if check.name == "modes_agree").run(find_game({NAME!r}))
"""
    run(folder, "-c", script, NUMBA_DISABLE_JIT="0", TABLEE_CACHE=str(tmp_path))


def test_two_new_games_can_be_loaded_together(folder, tmp_path):
    first, second = make_game("one_more", tmp_path), make_game("another", tmp_path)
    assert first.name == "one_more"
    script = "from tablee import find_game; [find_game(name).kernels for name in ('one_more', 'another')]"
    run(tmp_path, "-c", script)
    assert "Another" in (second / "words" / "en.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["", "High", "high card", "1st", "a-b", "class", "../up", "é"])
def test_invalid_names_are_refused(name, tmp_path):
    with pytest.raises(BadGame, match="cannot be the name of a game"):
        make_game(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_taken_names_are_refused(tmp_path):
    with pytest.raises(BadGame, match="there is a game"):
        make_game(all_games()[0].name, tmp_path)


def test_an_existing_folder_is_not_overwritten(tmp_path):
    (tmp_path / "mine").mkdir()
    with pytest.raises(BadGame, match="exists already"):
        make_game("mine", tmp_path)
    assert list((tmp_path / "mine").iterdir()) == []


FIND_THE_FAULT = """
from dataclasses import replace
from tablee import find_game
from tablee.testing import Nonconformity
from tablee.testing.budget import USUAL
from tablee.testing.view_checks import round_views_are_valid, views_are_valid
game = find_game("short")
try:
    for check in (views_are_valid, round_views_are_valid):
        check(game, replace(USUAL, setup=game.setup(), seed=5))
except Nonconformity as found:
    print(found)
"""


def test_views_of_a_short_game_are_checked_in_several_games(tmp_path):
    """Only some of its games end in a tie, and a view that names one of the winners is wrong in those alone."""
    path = make_game("short", tmp_path) / "view.py"
    winners = "tuple(seat for seat in range(sight.seats) if points[seat] == max(points))"
    text = path.read_text(encoding="utf-8")
    assert winners in text
    path.write_text(text.replace(winners, "(points.index(max(points)),)"), encoding="utf-8")
    environment = {**os.environ, "TABLEE_GAMES": str(tmp_path), "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", FIND_THE_FAULT]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert "it names other winners" in done.stdout


def test_rounds_of_a_short_game_are_checked_in_several_games(tmp_path):
    """Few tricks have high cards alone, and the summary of such a round has a wrong number."""
    path = make_game("short", tmp_path) / "view.py"
    number = "RoundSummary(\n            number,"
    text = path.read_text(encoding="utf-8")
    assert number in text
    path.write_text(text.replace(number, number.replace("r,", "r + (min(cards) > 11),")), encoding="utf-8")
    environment = {**os.environ, "TABLEE_GAMES": str(tmp_path), "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", FIND_THE_FAULT]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert "the round view of" in done.stdout
