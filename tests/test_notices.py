"""The line that says that the compiler is at work."""

from __future__ import annotations

import time

import pytest

from tablee.core import compilation, notices
from tablee.core.notices import compile_notice


@pytest.fixture(autouse=True)
def compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that kernels are compiled, and that every second is over at once."""
    monkeypatch.setattr(notices, "is_interpreted", lambda: False)
    monkeypatch.setattr(notices, "PATIENCE", 0.0)
    monkeypatch.setattr(notices, "_written", set())
    monkeypatch.delenv("TABLEE_QUIET", raising=False)


def wait_for_line(capsys: pytest.CaptureFixture[str]) -> str:
    """Return what is written to stderr, as soon as it is."""
    while True:
        if written := capsys.readouterr().err:
            return written
        time.sleep(0.001)


def test_compiling_is_announced_once(capsys: pytest.CaptureFixture[str]) -> None:
    with compile_notice("a game"):
        compilation.announce_compilation()
        assert wait_for_line(capsys) == "compiling a game\n"
        compilation.announce_compilation()
    with compile_notice("a game", starts_now=True):
        pass
    with compile_notice("another", starts_now=True):
        assert wait_for_line(capsys) == "compiling another\n"


def test_nothing_is_written_where_nothing_is_compiled(capsys: pytest.CaptureFixture[str]) -> None:
    with compile_notice("a game"):
        pass
    assert capsys.readouterr().err == ""


def test_the_line_can_be_turned_off(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLEE_QUIET", "1")
    with compile_notice("a game", starts_now=True):
        compilation.announce_compilation()
    assert capsys.readouterr().err == ""
