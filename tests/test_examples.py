"""The examples run, each in a tiny version; PPO only where PyTorch is installed."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"

pytestmark = pytest.mark.surface


def run(monkeypatch: pytest.MonkeyPatch, name: str, *arguments: object) -> None:
    """Run an example as from the command line."""
    monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")


def test_a_dataset_is_written_and_studied(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "lengths.png"
    run(monkeypatch, "dataset.py", "--games", 4, "--game", "xe_queo", "--into", tmp_path / "d", "--picture", picture)
    printed = capsys.readouterr().out
    assert printed.startswith("4 games, ")
    assert "greedy" in printed
    assert "random" in printed
    assert picture.stat().st_size > 0


def test_cfr_reduces_exploitability(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    run(monkeypatch, "cfr.py", "--iterations", 3, "--moves", 3)
    exploitability = [float(line.split()[1]) for line in capsys.readouterr().out.splitlines()]
    assert exploitability[-1] < exploitability[0]


def test_ppo_runs_by_self_play(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    picture = tmp_path / "ppo.png"
    run(monkeypatch, "ppo.py", "--iterations", 1, "--games", 4, "--evaluated", 2, "--picture", picture)
    assert "'moves': 128" in capsys.readouterr().out
    assert picture.stat().st_size > 0
