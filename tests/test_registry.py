"""The installed games: folders of the package, folders listed in TABLEE_GAMES, and entry points of other packages."""

import json
import os
import re
import subprocess
import sys

import pytest

from tablee import all_games, find_game
from tablee.core.errors import BadGame, UnknownGame
from tablee.core.game import Game
from tablee.core.kernels import load
from tablee.core.registry import folder_of, scan
from tablee.core.state import state_type
from tablee.testing.template import make_game

MANIFEST = """
from tablee.core.game import Game

GAME = Game(
    name={name!r}, version=1, seats=range(2, 3), usual_seats=2, minutes=1, moves=1, max_legal_moves=1,
    max_game_length=1,
    score_bounds=(0, 1), fewest_points_win=False, package=__name__,
)
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Return a function that installs a package with the entry point `tablee.games`, as pip would."""
    monkeypatch.syspath_prepend(tmp_path)
    packages = []

    def installed(package, source, name=None):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text(source)
        described = tmp_path / f"{package}-1.0.dist-info"
        described.mkdir()
        (described / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (described / "entry_points.txt").write_text(f"[tablee.games]\n{name or package} = {package}\n")
        packages.append(package)
        scan.cache_clear()

    yield installed
    scan.cache_clear()
    for package in packages:
        for name in [name for name in sys.modules if name.partition(".")[0] == package]:
            del sys.modules[name]


def test_the_scan_finds_a_game_per_folder():
    games = all_games()
    names = [game.name for game in games]
    assert names == sorted(names)
    assert "skyjo" in names
    assert all(find_game(name).folder.name == name for name in names)


def test_a_game_can_come_from_another_package(install, tmp_path):
    install("far_game", MANIFEST.format(name="far_game"))
    assert find_game("far_game").folder == tmp_path / "far_game"
    assert find_game("far_game") in all_games()


def test_a_name_that_is_taken_is_refused_with_its_owner(install):
    install("rival", MANIFEST.format(name="skyjo"))
    assert scan().broken == {"rival": "BadGame: the name 'skyjo' is taken by tablee.games.skyjo"}
    assert find_game("skyjo").package == "tablee.games.skyjo"
    with pytest.raises(BadGame, match="the game 'rival' cannot be used: BadGame: the name 'skyjo' is taken by"):
        find_game("rival")


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("raise RuntimeError('out of cards')", "RuntimeError: out of cards"),
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("GAME = 7", "BadGame: GAME is a int, not a Game"),
        ("PLAY = 7", "AttributeError: "),
        ("def broken(:", "SyntaxError: "),
        (MANIFEST.format(name="Bad Name"), "BadGame: the name of a game is lower case letters"),
    ],
)
def test_a_broken_package_is_reported_and_does_not_affect_other_games(install, source, why):
    install("broken_game", source)
    assert scan().broken["broken_game"].startswith(why)
    with pytest.raises(BadGame, match="the game 'broken_game' cannot be used: "):
        find_game("broken_game")
    assert find_game("skyjo").name == "skyjo"
    assert "broken_game" not in [game.name for game in all_games()]


def test_an_entry_point_without_a_module_is_reported(install, tmp_path):
    install("gone_game", MANIFEST.format(name="gone_game"))
    (tmp_path / "gone_game" / "__init__.py").unlink()
    (tmp_path / "gone_game").rmdir()
    assert scan().broken["gone_game"] == "ModuleNotFoundError: No module named 'gone_game'"


def test_an_unknown_name_gets_a_hint():
    with pytest.raises(UnknownGame, match=r"there is no game 'skyjoo'; did you mean 'skyjo'\?"):
        find_game("skyjoo")
    with pytest.raises(UnknownGame, match=r"there is no game 'chess'; known are: .*skyjo"):
        find_game("chess")


# Folders of games, and processes with some games only

PRINT_NAMES = "from tablee import all_games; print(*(game.name for game in all_games()))"


@pytest.fixture
def folders(tmp_path):
    """Two games side by side, outside the package."""
    return make_game("one_more", tmp_path), make_game("another", tmp_path)


def listed(**environment):
    """Return the names of the games that a process finds, without those of the package."""
    done = subprocess.run(
        [sys.executable, "-c", PRINT_NAMES], env=os.environ | environment, capture_output=True, check=True
    )
    return set(done.stdout.decode().split()) - {game.name for game in all_games()}


def test_tablee_games_names_folders_of_games_or_games(folders):
    assert listed(TABLEE_GAMES=str(folders[0].parent)) == {"one_more", "another"}
    assert listed(TABLEE_GAMES=str(folders[0])) == {"one_more"}
    assert listed(TABLEE_GAMES=f"{folders[0]}:{folders[1]}") == {"one_more", "another"}
    assert listed(TABLEE_GAMES=f"{folders[0]}:{folders[1]}", TABLEE_ONLY="another,skyjo") == {"another"}


GAME_AT = """
import os, sys
from pathlib import Path
from tablee.core.errors import TableeError
from tablee.core.registry import folder_of, game_at
game = game_at(Path(sys.argv[1]))
assert game is game_at(Path(sys.argv[1]))
assert folder_of(game.name) == game.folder
print(game.name, os.environ["TABLEE_GAMES"])
try:
    game_at(Path(sys.argv[2]))
except TableeError as error:
    print(error)
"""


def test_a_game_is_loaded_from_its_folder(folders, tmp_path):
    namesake = make_game("one_more", tmp_path / "elsewhere")
    done = subprocess.run([sys.executable, "-c", GAME_AT, folders[0], namesake], capture_output=True, check=True)
    assert done.stdout.decode().splitlines() == [
        f"one_more {folders[0]}",
        f"the name 'one_more' is taken by {folders[0]}",
    ]


def test_the_folder_of_a_game_that_cannot_be_used_is_known(install, tmp_path):
    install("broken_game", "def broken(:")
    assert folder_of("broken_game") == tmp_path / "broken_game"
    with pytest.raises(UnknownGame):
        folder_of("chess")


# Loading kernels

MODULES = {
    "state.py": "STATE = Problem = problems = None\n",
    "rules.py": "Refusal = EndReason = deal = legal_moves = refusal = play = scores = ranks = finished_rounds = None\n",
    "sight.py": "OBSERVATION = see = sees_move = imagine = disguise = observe = None\n",
    "policy.py": "rate = evaluate = stage = None\n",
}


@pytest.mark.parametrize(
    ("file", "member"),
    [(file, member) for file, source in MODULES.items() for member in source.removesuffix(" = None\n").split(" = ")],
)
def test_a_missing_member_is_reported_with_its_file(install, tmp_path, file, member):
    install("lacking", MANIFEST.format(name="lacking"))
    for name, source in MODULES.items():
        names = [other for other in source.removesuffix(" = None\n").split(" = ") if (name, other) != (file, member)]
        (tmp_path / "lacking" / name).write_text(" = ".join([*names, "None\n"]))
    path = re.escape(str(tmp_path / "lacking" / file))
    with pytest.raises(BadGame, match=f"^lacking: the contract requires '{member}' in {path}$"):
        load(find_game("lacking"))


def test_a_missing_module_is_reported(install, tmp_path):
    install("lacking", MANIFEST.format(name="lacking"))
    with pytest.raises(BadGame, match=f"^lacking: the contract requires {re.escape(str(tmp_path))}/lacking/state.py$"):
        load(find_game("lacking"))


# State types


def manifest(name, package):
    """Return a small manifest."""
    return Game(
        name=name,
        version=1,
        seats=range(2, 3),
        usual_seats=2,
        minutes=1,
        moves=1,
        max_legal_moves=1,
        max_game_length=1,
        score_bounds=(0, 1),
        fewest_points_win=False,
        package=package,
    )


def test_two_games_with_the_same_state_type_are_refused():
    fields = [("cards_of_the_first_game", "i4")]
    dtype = state_type(manifest("first", "first_package"), fields)
    assert state_type(manifest("first", "first_package"), fields) == dtype, "the same game may be loaded again"
    with pytest.raises(BadGame, match="second: its state type equals that of first_package; rename a field"):
        state_type(manifest("second", "second_package"), fields)
    assert state_type(manifest("second", "second_package"), [("cards_of_the_second_game", "i4")]) != dtype


def test_a_field_cannot_have_the_name_of_an_array_method():
    with pytest.raises(BadGame, match="a field cannot be named 'max'"):
        state_type(manifest("third", "third_package"), [("max", "i4")])


def run(code, **settings):
    """Run code in a new process; return what it prints as JSON."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], env={**os.environ, **settings}, check=True, capture_output=True
    )
    return json.loads(done.stdout)


LIST = "import json, tablee; print(json.dumps([game.name for game in tablee.all_games()]))"


def test_folders_can_be_named_in_the_environment(tmp_path):
    for parent, name in (("here", "near_game"), ("there", "other_game")):
        folder = tmp_path / parent / name
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text(MANIFEST.format(name=name))
    (tmp_path / "there" / "notes").mkdir()
    parents = os.pathsep.join([str(tmp_path / "here"), str(tmp_path / "there")])
    assert run(LIST, TABLEE_GAMES=parents) == sorted([*run(LIST, TABLEE_GAMES=""), "near_game", "other_game"])


@pytest.mark.parametrize("line", ["pass", "tablee.all_games()", "tablee.find_game('skyjo').setup(4)"])
def test_importing_and_listing_games_imports_no_large_package(line):
    code = f"import json, sys, tablee; {line}; print(json.dumps(sorted(sys.modules)))"
    loaded = run(code)
    assert "tablee" in loaded
    assert not {"numpy", "numba", "scipy", "typer", "rich"} & set(loaded)


def test_an_unknown_attribute_of_the_package_raises_an_attribute_error():
    import tablee

    with pytest.raises(AttributeError, match="module 'tablee' has no attribute 'Mach'"):
        tablee.Mach  # noqa: B018
