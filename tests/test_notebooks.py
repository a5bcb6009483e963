"""The notebooks run, each in a tiny version, and keep the outputs of a whole run."""

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

from notebooks import FOLDER, run_notebook  # noqa: E402

# What the test sets instead of the parameters of a notebook; those that need PyTorch are below.
SMALL = {
    "first_bot": {"DEALS": 2},
    "cfr": {"NAME": "tablee_xylo(reduction=tiny)", "ITERATIONS": 2},
    "data": {"GAME": "xe_queo", "GAMES": 4, "BOTS": "greedy,random"},
    "gpu": {"SIZE": 4, "STEPS": 2, "MOVES": 5, "COMPARED": 4, "DEVICE": "cpu"},
}
NEEDS_TORCH = {"ppo": {"GAMES": 8, "STEPS": 16, "ITERATIONS": 2, "EVERY": 1, "EVALUATED": 4}}


def printed(notebook):
    """Return everything that the cells of a notebook print."""
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", ())]
    return "".join(line for output in outputs for line in output.get("text", ()))


@pytest.fixture(autouse=True)
def without_screen(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")


@pytest.mark.parametrize("name", SMALL)
def test_a_notebook_runs(name):
    assert printed(run_notebook(FOLDER / f"{name}.ipynb", SMALL[name]))


@pytest.mark.skipif(find_spec("sb3_contrib") is None, reason="needs tablee[learn]")
@pytest.mark.parametrize("name", NEEDS_TORCH)
def test_a_notebook_with_pytorch_runs(name):
    assert printed(run_notebook(FOLDER / f"{name}.ipynb", NEEDS_TORCH[name]))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_keeps_the_outputs_of_a_whole_run(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert printed(notebook)
    assert path.stem in SMALL or path.stem in NEEDS_TORCH
