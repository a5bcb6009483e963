"""The README's example works as printed."""

import doctest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_the_example_of_the_readme_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert tried.failed == 0
    assert tried.attempted > 10
    assert (tmp_path / "game.tablee").stat().st_size > 0
