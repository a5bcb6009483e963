"""The compile cache: which kernels are compiled after an edit, and which are loaded."""

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tablee import all_games
from tablee.core import compilation
from tablee.core.compilation import is_interpreted
from tablee.core.warmup import kernel_sources

PACKAGE = Path(compilation.__file__).parents[1]

# Two games alike, and a generic module. `play` calls a kernel of another module, which uses a constant of a third.

MANIFEST = """
from tablee.core.game import Game

GAME = Game(
    name=__name__.rpartition(".")[2], version=1, seats=range(2, 3), usual_seats=2, minutes=1, moves=8,
    max_legal_moves=1, max_game_length=1, score_bounds=(0, 1), fewest_points_win=False, package=__name__,
)
"""
MOVES = """
FIRST = 10
UNUSED = 10
"""
STATE = """
import numpy as np
from tablee.games.{game} import GAME

STATE = np.dtype([("points_of_{game}", "i8"), ("seats", "i8")])
"""
STEPS = """
from tablee.core.codes import RefusalCode
from tablee.core.compilation import kernel
from tablee.games.{game} import GAME
from tablee.games.{game}.moves import FIRST

RANGE = GAME.moves
WEIGHTS = (1, 2)


class Refusal(RefusalCode):
    LATE = "R1"
    EARLY = "R2"


@kernel
def step(number):
    '''A docstring.'''
    return number + FIRST + 100 * RANGE + 10000 * Refusal.LATE + 100000 * WEIGHTS[0]
"""
RULES = """
from tablee.core.compilation import kernel
from tablee.core.state import next_seat
from tablee.games.{game}.steps import step


@kernel
def play(state, move):
    '''A docstring.'''
    state.points_of_{game} = step(move) + next_seat(state, 0)


@kernel
def unrelated(number):
    return number - 1
"""
VIEW = """
def draw(sight):
    return "a view"
"""
SOURCES = {"__init__": MANIFEST, "moves": MOVES, "state": STATE, "steps": STEPS, "rules": RULES, "view": VIEW}
GENERIC = """
from typing import Any, NamedTuple
from tablee.core.compilation import kernel
from tablee.core.kernels import play


class Slots(NamedTuple):
    first: Any
    second: Any


@kernel
def play_in(slots, move):
    play(slots.first[0], move)
    return slots.second[0]


@kernel
def double(number):
    return 2 * number
"""
RUN = """
import importlib, json
from types import SimpleNamespace
from tablee.core import compilation
from tablee.core.stubs import bind_stubs
from tablee.generic import Slots, double, play_in
import numpy as np

points = []
for game in ("one", "two"):
    rules, state, _ = (importlib.import_module(f"tablee.games.{game}.{name}") for name in ("rules", "state", "view"))
    bind_stubs(SimpleNamespace(state_type=state.STATE, play=rules.play))
    slots = Slots(np.zeros(1, state.STATE), np.zeros(1, state.STATE))
    slots.first["seats"] = slots.second["seats"] = 4
    play_in(slots, double(2))
    rules.unrelated(3)
    points.append([int(slot[0][f"points_of_{game}"]) for slot in slots])
compiled = [f"{d.__module__}.{d.__name__}" for d in compilation._compiled if d.stats.cache_misses]
print(json.dumps([points, sorted(name.removeprefix("tablee.") for name in compiled)]))
"""
POINTS = 4 + 10 + 800 + 10000 + 100000 + 1


class Project:
    """A copy of the core with a generic module, two games in a folder elsewhere, and a compile cache."""

    def __init__(self, folder):
        self.package, self.games = folder / "copy" / "tablee", folder / "tests" / "games"
        shutil.copytree(PACKAGE / "core", self.package / "core", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(PACKAGE / "__init__.py", self.package)
        (self.package / "games").mkdir()
        shutil.copy(PACKAGE / "games" / "__init__.py", self.package / "games")
        (self.package / "generic.py").write_text(GENERIC)
        for game in ("one", "two"):
            (self.games / game).mkdir(parents=True)
            for name, source in SOURCES.items():
                (self.games / game / f"{name}.py").write_text(source.replace("{game}", game))
        self.settings = {
            "PYTHONPATH": str(self.package.parent),
            "PYTHONDONTWRITEBYTECODE": "1",  # Python too would overlook an edit that changes neither size nor time
            "TABLEE_GAMES": str(self.games),
            "TABLEE_CACHE": str(folder / "cache"),
            "NUMBA_DISABLE_JIT": "0",
        }

    def run(self, **settings):
        """Return the points in both slots of both games, and the names of the kernels that were compiled."""
        environment = {**os.environ, **self.settings, **settings}
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", RUN], env=environment, check=True, capture_output=True, text=True
        )
        return tuple(json.loads(done.stdout))

    def edit(self, file, old, new):
        """Change a source without changing its size or time where the length allows, as a careless copy would."""
        path = (self.package if file.startswith(("core", "generic")) else self.games) / file
        times, source = path.stat(), path.read_text()
        assert source.count(old) == 1, f"{old!r} is not once in {file}"
        path.write_text(source.replace(old, new))
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project whose kernels are compiled."""
    if is_interpreted():
        pytest.skip("nothing is compiled")
    project = Project(tmp_path_factory.mktemp("project"))
    points, compiled = project.run()
    assert points == [[POINTS, 0], [POINTS, 0]]
    assert {"generic.play_in", "generic.double", *KERNELS["one"], *KERNELS["two"]} <= set(compiled)
    return project


@pytest.fixture
def edit(project):
    """Return a function that makes edits (file, old, new) for one test and runs the project."""
    undo = []

    def edit_and_run(*edits):
        for file, old, new in edits:
            project.edit(file, old, new)
            undo.insert(0, (file, new, old))
        return project.run()

    yield edit_and_run
    for change in undo:
        project.edit(*change)


KERNELS = {
    game: {f"games.{game}.steps.step", f"games.{game}.rules.play", f"games.{game}.rules.unrelated"}
    for game in ("one", "two")
}
DEPENDENT = ["games.one.rules.play", "games.one.steps.step", "generic.play_in"]


def test_the_second_process_compiles_nothing(project):
    assert project.run() == ([[POINTS, 0], [POINTS, 0]], [])


def test_what_cannot_change_machine_code_compiles_nothing(edit):
    assert edit(
        ("one/rules.py", "\n@kernel\ndef play", "\n# A comment.\n@kernel\ndef play"),
        ("one/rules.py", "= step(move)", "=  step(move)"),
        ("one/steps.py", "A docstring.", "Other words."),
        ("one/steps.py", "def step(number):", "def step(number: int) -> int:"),
        ("one/view.py", "a view", "another view"),
        ("one/moves.py", "UNUSED = 10", "UNUSED = 11"),
        ("generic.py", "@kernel\ndef double", "# A comment.\n@kernel\ndef double"),
        ("core/numba_internals.py", "# The compile cache\n", "# A comment.\n\n# The compile cache\n"),
        ("core/compilation.py", "Kernels: plain functions", "Kernels, plain functions"),
        ("core/errors.py", "did you mean", "you may mean"),
        ("core/match.py", "class Match:", "class Match:  # a comment"),
    ) == ([[POINTS, 0], [POINTS, 0]], [])


@pytest.mark.parametrize(
    ("file", "old", "new", "difference"),
    [
        ("one/moves.py", "FIRST = 10", "FIRST = 11", 1),
        ("one/steps.py", "100 *", "200 *", 800),
        ("one/steps.py", "(1, 2)", "(2, 2)", 100_000),
        ("one/__init__.py", "moves=8", "moves=9", 100),
        ("one/steps.py", '    LATE = "R1"\n    EARLY = "R2"\n', '    EARLY = "R2"\n    LATE = "R1"\n', 10_000),
    ],
)
def test_a_change_in_a_game_compiles_what_depends_on_it_and_nothing_of_another_game(edit, file, old, new, difference):
    assert edit((file, old, new)) == ([[POINTS + difference, 0], [POINTS, 0]], DEPENDENT)


def test_a_change_of_the_state_compiles_what_takes_states(edit):
    new = '("round", "i8"), ("points_of_one"'
    points, compiled = edit(("one/state.py", '("points_of_one"', new))
    assert points == [[POINTS, 0], [POINTS, 0]]
    assert compiled == ["core.state.next_seat", "games.one.rules.play", "generic.play_in"]


def test_a_changed_generic_kernel_is_compiled_for_every_game_and_no_game_with_it(edit):
    points, compiled = edit(("generic.py", "play(slots.first[0], move)", "play(slots.first[0], move + 1)"))
    assert points == [[POINTS + 1, 0], [POINTS + 1, 0]]
    assert compiled == ["generic.play_in"]


def test_fields_that_change_places_are_noticed(edit):
    """Both have the same type, and no kernel names another field than before."""
    points, compiled = edit(("generic.py", "first: Any\n    second: Any", "second: Any\n    first: Any"))
    assert points == [[0, POINTS], [0, POINTS]]
    assert compiled == ["generic.play_in"]


def test_a_changed_kernel_of_the_core_compiles_all_that_calls_it(edit):
    points, compiled = edit(("core/state.py", "return seat + 1 if seat + 1 <", "return seat + 3 if seat + 1 <"))
    assert points == [[POINTS + 2, 0], [POINTS + 2, 0]]
    assert compiled == ["core.state.next_seat", "games.one.rules.play", "games.two.rules.play", "generic.play_in"]


def test_another_decorator_is_noticed(edit):
    _, compiled = edit(("one/rules.py", "import kernel\n", "import lean_kernel as kernel\n"))
    assert compiled == ["games.one.rules.play", "games.one.rules.unrelated", "generic.play_in"]


def test_a_change_of_how_kernels_are_compiled_compiles_everything(edit):
    _, compiled = edit(("core/numba_internals.py", '"error_model": "numpy"', '"error_model": "python"'))
    assert {"generic.play_in", "generic.double", *KERNELS["one"], *KERNELS["two"]} <= set(compiled)


def test_earlier_sources_find_their_machine_code_again(project):
    project.run()
    project.edit("one/moves.py", "FIRST = 10", "FIRST = 12")
    assert project.run() == ([[POINTS + 2, 0], [POINTS, 0]], DEPENDENT)
    project.edit("one/moves.py", "FIRST = 12", "FIRST = 10")
    assert project.run() == ([[POINTS, 0], [POINTS, 0]], [])


def test_interpreted_kernels_are_plain_functions_and_numba_is_not_imported(tmp_path):
    project = Project(tmp_path)
    code = (
        "import sys; from tablee.games.one.steps import step; import tablee.core.kernels; "
        "print(type(step).__name__, step(4), 'numba' in sys.modules)"
    )
    environment = {**os.environ, **project.settings, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["function", str(POINTS - 1), "False"]
    assert not (tmp_path / "cache").exists()


def test_every_module_with_a_kernel_is_among_the_sources_of_a_warm_up():
    for game in all_games():
        sources = set(kernel_sources(game))
        modules = [*game.folder.glob("*.py"), *PACKAGE.glob("*/*.py")]
        with_kernels = {file for file in modules if "kernel\ndef " in file.read_text()}
        assert with_kernels <= sources
        assert len(with_kernels) > 10
        assert game.folder / "moves.py" in sources
        assert game.folder / "view.py" not in sources
        assert not any("tests" in file.relative_to(PACKAGE).parts for file in sources if PACKAGE in file.parents)


# Recursion


def calls_itself(function):
    called = (node.func for node in ast.walk(function) if isinstance(node, ast.Call))
    return any(isinstance(name, ast.Name) and name.id == function.name for name in called)


def test_no_kernel_calls_itself():
    """Machine code that calls itself crashes where it is loaded from the cache, and not where it was compiled."""
    functions = [
        node
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and any("kernel" in ast.unparse(mark) for mark in node.decorator_list)
    ]
    assert len(functions) > 100
    assert [function.name for function in functions if calls_itself(function)] == []
    (recursive,) = ast.parse("def fall(n):\n    fall(n - 1)").body
    assert calls_itself(recursive)
