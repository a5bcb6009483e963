"""The first start of a command compiles, the second loads everything from the cache and imports no large package."""

import os
import re
import subprocess
import sys

import pytest

from tablee.core.compilation import is_interpreted

pytestmark = pytest.mark.skipif(is_interpreted(), reason="nothing is compiled")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder for an empty cache."""
    return tmp_path_factory.mktemp("start")


def run(folder, command):
    """Run a command with empty input and the cache in the folder."""
    environment = {**os.environ, "TABLEE_CACHE": str(folder / "cache"), "TABLEE_CACHE_REPORT": "1", "LC_ALL": "C"}
    pipes = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True}
    return subprocess.run([sys.executable, *command], cwd=folder, env=environment, check=True, **pipes)


def misses(done):
    """Return how many kernels a command reports to have compiled."""
    return int(re.search(r"cache: \d+ hits, (\d+) misses", done.stderr)[1])


PLAY = ("play", "skyjo", "--seed", "1")
SIMULATE = ("simulate", "skyjo", "--games", "3", "--json")


@pytest.fixture(scope="module")
def starts(folder):
    """The first and the second run of each command."""
    return {command: [run(folder, ["-m", "tablee", *command]) for _ in range(2)] for command in (PLAY, SIMULATE)}


@pytest.mark.parametrize("command", [PLAY, SIMULATE])
def test_the_second_start_compiles_nothing(starts, command):
    first, second = starts[command]
    assert misses(first) > 0
    assert "Compiling Skyjo" in first.stderr
    assert misses(second) == 0
    assert "Compiling" not in second.stderr


def test_both_starts_print_the_same_question(starts):
    questions = [done.stdout.partition("The game was saved")[0] for done in starts[PLAY]]
    assert questions[0] == questions[1]
    assert "> " in questions[0]


@pytest.mark.usefixtures("starts")
@pytest.mark.parametrize("command", [PLAY, SIMULATE])
def test_neither_scipy_nor_matplotlib_is_imported(folder, command):
    script = (
        "import atexit, sys; import tablee.cli; "
        "atexit.register(lambda: print('loaded:', *{name.partition('.')[0] for name in sys.modules})); "
        f"sys.argv[1:] = {list(command)!r}; tablee.cli.main()"
    )
    loaded = run(folder, ["-c", script]).stdout.rpartition("loaded:")[2].split()
    assert "numba" in loaded
    assert not {"scipy", "matplotlib"} & set(loaded)
