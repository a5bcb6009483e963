"""The compile cache: one folder per build, so that stale machine code is never used."""

import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numba
import numpy as np
import pytest

from tablee.core import compilation
from tablee.core.compilation import (
    KEPT_CACHES,
    cache_folder,
    inlined_kernel,
    is_interpreted,
    kernel,
    kernel_sources,
    source_digest,
)

MANIFEST = """
from tablee.core.game import Game

GAME = Game(
    name="tiny", version=1, seats=range(2, 3), usual_seats=2, minutes=1, moves=1, max_legal_moves=1, max_game_length=1,
    score_bounds=(0, 1), fewest_points_win=False, package=__name__,
)
"""
CALLED = """
from tablee.core.compilation import kernel


@kernel
def step(number):
    return number + 1
"""
CALLER = """
from tablee.core.compilation import kernel
from tablee.games.tiny.called import step


@kernel
def answer(number):
    return step(number) * 10
"""
SHOW = """
import json
from tablee.core.compilation import cache_counts, cache_folder
from tablee.games.tiny.caller import answer
print(json.dumps([int(answer(1)), cache_folder().name, cache_counts()[1]]))
"""


@pytest.fixture(params=["games", "tests/games"])
def tiny(request, tmp_path):
    """Write a game whose kernels are spread over two modules; wherever it lies, it is a game."""
    folder = tmp_path / request.param / "tiny"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(MANIFEST)
    (folder / "called.py").write_text(CALLED)
    (folder / "caller.py").write_text(CALLER)
    return folder


@pytest.fixture
def call(tiny, tmp_path):
    """Return a function that calls the tiny game's kernel in a process of its own.

    It returns the answer, the cache's name and how much was compiled. The process imports a copy of the core, so that
    nothing else can change the digest meanwhile.
    """
    package = tmp_path / "copy" / "tablee"
    shutil.copytree(compilation.PACKAGE / "core", package / "core")
    for file in ("__init__.py", "games/__init__.py"):
        (package / file).parent.mkdir(exist_ok=True)
        shutil.copy(compilation.PACKAGE / file, package / file)
    settings = {
        "PYTHONPATH": str(package.parent),
        "TABLEE_GAMES": str(tiny.parent),
        "TABLEE_CACHE": str(tmp_path / "cache"),
        "NUMBA_DISABLE_JIT": "0",
    }

    def called():
        command = [sys.executable, "-W", "error", "-c", SHOW]
        done = subprocess.run(command, env={**os.environ, **settings}, check=True, capture_output=True)
        return tuple(json.loads(done.stdout))

    return called


def edit(file, old, new):
    """Change a source without changing its size or time, which is all that Numba looks at."""
    times = file.stat()
    assert len(old) == len(new)
    file.write_text(file.read_text().replace(old, new))
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))


@pytest.mark.skipif(is_interpreted(), reason="nothing is compiled")
def test_an_edit_in_an_imported_module_is_noticed(tiny, call):
    answer, name, compiled = call()
    assert answer == 20
    assert compiled > 0
    assert call() == (20, name, 0), "nothing to compile the second time"
    edit(tiny / "called.py", "number + 1", "number + 7")
    answer, other_name, _ = call()
    assert answer == 80
    assert other_name != name
    edit(tiny / "called.py", "number + 7", "number + 1")
    assert call() == (20, name, 0), "the build before is still there"


def test_interpreted_kernels_are_plain_functions(tiny, tmp_path):
    code = (
        "import sys; from tablee.games.tiny.caller import answer; "
        "print(type(answer).__name__, answer(1), 'numba' in sys.modules)"
    )
    settings = {"TABLEE_GAMES": str(tiny.parent), "TABLEE_CACHE": str(tmp_path / "cache"), "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **settings}, check=True, capture_output=True, text=True
    )
    assert done.stdout.split() == ["function", "20", "False"]
    assert not (tmp_path / "cache").exists()


def test_every_module_with_a_kernel_is_in_the_digest():
    sources = set(kernel_sources())
    package = Path(compilation.__file__).parents[1]
    with_kernels = {
        file
        for file in package.rglob("*.py")
        if "@kernel\n" in file.read_text() and not {"tests", "template"} & set(file.relative_to(package).parts)
    }
    assert with_kernels <= sources
    assert len(with_kernels) > 5
    assert not any("tests" in file.relative_to(package).parts for file in sources)


def test_the_digest_is_the_same_every_time():
    assert source_digest() == source_digest()


@pytest.fixture
def root(tmp_path, monkeypatch):
    """Return the root of the caches of a pretended build, whose digest is set by `build`."""
    monkeypatch.setenv("TABLEE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    return tmp_path / "cache" / "kernels"


def build(monkeypatch, digest):
    """Start a build: make its cache folder, as the first kernel does."""
    monkeypatch.setattr(compilation, "source_digest", lambda: digest)
    return cache_folder.__wrapped__()


def test_numba_is_pointed_at_the_folder(root, monkeypatch):
    folder = build(monkeypatch, "one")
    assert folder == root / "one"
    assert Path(numba.config.CACHE_DIR) == folder


def test_old_caches_are_forgotten(root, monkeypatch):
    for age, digest in enumerate(["first", "second", "third", "fourth", "fifth", "sixth"]):
        folder = build(monkeypatch, digest)
        (folder / "code").write_text("")
        os.utime(folder, (1000 + age, 1000 + age))
    assert KEPT_CACHES == 4
    assert {folder.name for folder in root.iterdir()} == {"third", "fourth", "fifth", "sixth"}


def test_a_cache_in_use_is_not_the_oldest(root, monkeypatch):
    for age, digest in enumerate(["first", "second", "third", "fourth"]):
        os.utime(build(monkeypatch, digest), (1000 + age, 1000 + age))
    build(monkeypatch, "first")
    build(monkeypatch, "fifth")
    assert {folder.name for folder in root.iterdir()} == {"first", "third", "fourth", "fifth"}


@pytest.fixture
def unwritable(tmp_path, monkeypatch):
    """Make the cache root unusable (a file stands in its way) and the temporary folder one of our own."""
    (tmp_path / "file").write_text("")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TABLEE_CACHE", str(tmp_path / "file"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    return tmp_path / "temporary"


def test_without_a_writable_root_a_temporary_one_serves(unwritable, monkeypatch):
    folder = build(monkeypatch, "one")
    assert folder.is_dir()
    assert folder.parent.parent == unwritable
    assert build(monkeypatch, "one") == folder, "the same for the next process"


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owner here")
def test_a_temporary_root_that_belongs_to_somebody_else_is_not_used(unwritable, monkeypatch):
    prepared = build(monkeypatch, "one").parent
    owner = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    prepared.rename(prepared.with_name(f"tablee-kernels-{owner + 1}"))
    folder = build(monkeypatch, "one")
    assert folder.is_dir()
    assert folder.parent != prepared.with_name(f"tablee-kernels-{owner + 1}")
    assert folder.parent.parent == unwritable


@kernel
def double(number):
    return number * 2


@inlined_kernel
def increase(number):
    return number + 1


@kernel
def combine(narrow, wide):
    return double(narrow) + double(wide) + double(5) + increase(7)


@pytest.mark.skipif(is_interpreted(), reason="nothing is compiled")
def test_a_kernel_is_compiled_once_whatever_the_numbers():
    assert combine(np.int8(100), 1 << 40) == 200 + (1 << 41) + 10 + 8
    assert double.signatures == [(numba.int64,)]
    assert increase.signatures == []


def calls_itself(function):
    called = (node.func for node in ast.walk(function) if isinstance(node, ast.Call))
    return any(isinstance(name, ast.Name) and name.id == function.name for name in called)


def test_no_kernel_calls_itself():
    """Machine code that calls itself crashes where it is loaded from the cache, and not where it was compiled."""
    functions = [
        node
        for path in kernel_sources()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and any("kernel" in ast.unparse(mark) for mark in node.decorator_list)
    ]
    assert len(functions) > 100
    assert [function.name for function in functions if calls_itself(function)] == []
    (recursive,) = ast.parse("def fall(n):\n    fall(n - 1)").body
    assert calls_itself(recursive)
