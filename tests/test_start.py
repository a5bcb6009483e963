"""The first start compiles, the second finds everything in the cache; and starting loads nothing it does not need."""

import os
import re
import subprocess
import sys

import pytest

from tablee.core.compiling import is_interpreted

pytestmark = pytest.mark.skipif(is_interpreted(), reason="nothing is compiled")


def start(folder, *arguments):
    """Run a command on an empty stdin; return what it says."""
    environment = {**os.environ, "TABLEE_CACHE": str(folder / "cache"), "TABLEE_CACHE_REPORT": "1", "LANG": "en"}
    done = subprocess.run(
        [sys.executable, "-m", "tablee", *arguments],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    hits, misses = re.search(r"cache: (\d+) hits, (\d+) misses", done.stderr).groups()
    return done, int(hits), int(misses)


def test_the_second_start_compiles_nothing(tmp_path):
    first, _, misses = start(tmp_path, "play", "skyjo", "--seed", "1")
    assert misses > 0
    assert "Compiling Skyjo, once" in first.stderr
    second, hits, misses = start(tmp_path, "play", "skyjo", "--seed", "1")
    assert hits > 0
    assert misses == 0
    assert "Compiling" not in second.stderr
    asked = first.stdout.partition("The record")[0]
    assert asked == second.stdout.partition("The record")[0]
    assert "> " in asked


def test_a_simulation_finds_itself_in_the_cache(tmp_path):
    arguments = ("simulate", "skyjo", "--games", "3", "--json")
    assert start(tmp_path, *arguments)[2] > 0
    assert start(tmp_path, *arguments)[2] == 0


@pytest.mark.parametrize("command", ["play", "simulate"])
def test_neither_scipy_nor_matplotlib_is_loaded(tmp_path, command):
    arguments = {"play": ["play", "skyjo"], "simulate": ["simulate", "skyjo", "--games", "1"]}[command]
    script = (
        "import atexit, sys; import tablee.cli; "
        "atexit.register(lambda: print('loaded:', *{name.partition('.')[0] for name in sys.modules})); "
        f"sys.argv[1:] = {arguments!r}; tablee.cli.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = done.stdout.rpartition("loaded:")[2].split()
    assert "numba" in loaded
    assert not {"scipy", "matplotlib"} & set(loaded)
