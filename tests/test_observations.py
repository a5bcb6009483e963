"""docs/observations.md is generated from the layouts and up to date."""

from __future__ import annotations

import importlib.util
from pathlib import Path

TOOL = Path(__file__).resolve().parents[1] / "tools" / "observations.py"


def test_docs_observations_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("observations", TOOL)
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert tool.PAGE.read_text(encoding="utf-8") == tool.page(), "run: python tools/observations.py"
