"""The line that says that the compiler is at work."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from tablee.core import compilation, notices
from tablee.core.game import Game, Setup
from tablee.core.notices import compile_notice
from tablee.core.registry import all_games
from tablee.simulation import chance, stepper
from tablee.simulation.chance import ChanceModel
from tablee.simulation.stepper import Stepper


@pytest.fixture(autouse=True)
def compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that kernels are compiled, and that every second is over at once."""
    monkeypatch.setattr(notices, "is_interpreted", lambda: False)
    monkeypatch.setattr(notices, "PATIENCE", 0.0)
    monkeypatch.setattr(notices, "_written", set())
    monkeypatch.delenv("TABLEE_QUIET", raising=False)


def wait_for_line(capsys: pytest.CaptureFixture[str]) -> str:
    """Return what is written to stderr, as soon as it is; nothing after five seconds."""
    for _ in range(5000):
        if written := capsys.readouterr().err:
            return written
        time.sleep(0.001)
    return ""


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


@pytest.mark.parametrize("make", [Stepper, ChanceModel])
def test_single_games_of_the_adapters_are_announced(
    make: Callable[[Game, Setup], object], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = []

    def slow(function: Callable[..., Any]) -> Callable[..., Any]:
        def compiled(*arguments: Any) -> Any:
            compilation.announce_compilation()
            lines.append(wait_for_line(capsys))
            return function(*arguments)

        return compiled

    monkeypatch.setattr(stepper, "begin", slow(stepper.begin))
    monkeypatch.setattr(chance, "direct_call", slow(chance.direct_call))
    game = all_games()[0]
    made = make(game, game.setup())
    if isinstance(made, ChanceModel):
        assert made.advance
    assert lines[0] == f"compiling {game.name} for single games, about 20 s the first time\n"
