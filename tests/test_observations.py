"""The documentation of observations is the layouts', not a memory of them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

TOOL = Path(__file__).resolve().parents[1] / "tools" / "observations.py"


def test_the_page_of_observations_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("observations", TOOL)
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert tool.PAGE.read_text(encoding="utf-8") == tool.page(), "say: python tools/observations.py"
