"""`benchmarks/gpu.py --baseline`: two trees, measured in turns on one device."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tablee

PROGRAM = Path(__file__).resolve().parents[1] / "benchmarks" / "gpu.py"
SMALL = ["--game", "skyjo", "--size", "2", "--length", "1", "--steps", "1", "--pairs", "2"]


def compare(folder):
    """Run the program under the CUDA simulator, which must be enabled before Numba is imported."""
    source = Path(tablee.__file__).parents[1]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": str(source)}
    command = [sys.executable, str(PROGRAM), "--baseline", str(folder), *SMALL]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_every_rate_is_measured_in_both_trees(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "tablee").symlink_to(Path(tablee.__file__).parent)
    done = compare(tmp_path)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["figure"] for line in lines if "ratio" in line] == ["rollout", "step"]
    assert all(len(line[tree]) == 2 for line in lines if "ratio" in line for tree in ("ours", "theirs"))


def test_another_package_than_that_of_the_folder_is_not_measured(tmp_path):
    (tmp_path / "src" / "tablee").mkdir(parents=True)  # without modules: Python finds the installed package
    done = compare(tmp_path)
    assert done.returncode == 1
    assert f"instead of the package in {tmp_path}" in done.stderr


def test_a_folder_without_a_package_is_refused(tmp_path):
    done = compare(tmp_path)
    assert done.returncode == 2
    assert "there is no src/tablee in" in done.stderr


@pytest.mark.parametrize(("ours", "fails"), [(0.5, True), (0.94, True), (0.96, False), (2.0, False)])
def test_trees_take_turns_and_the_slower_one_fails(ours, fails, monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(PROGRAM.parent))
    gpu = importlib.import_module("gpu")
    asked = []

    def ask(process, *question):
        asked.append(process)
        return {"this": 1e6 * ours, "other": 1e6}[process]

    monkeypatch.setattr(gpu, "ask", ask)
    assert gpu.compare(["this", "other"], ("skyjo", "step", 64, 1), 3, 0.95) == fails
    assert asked == ["this", "other", "other", "this", "this", "other"]
    assert json.loads(capsys.readouterr().out)["ratio"] == pytest.approx(ours)
