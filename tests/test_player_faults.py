"""The list of faults that `tools/player_faults.py` brings back fits the sources and the table of docs/web.md."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FAULTS = tomllib.loads((Path(__file__).parent / "fixtures" / "player_faults.toml").read_text(encoding="utf-8"))["fault"]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"row {fault['row']}: {fault['file']}")
def test_the_line_and_the_tests_of_a_fault_exist(fault):
    assert fault["line"] in (ROOT / fault["file"]).read_text(encoding="utf-8")
    path, *selected = fault["tests"].split(" -k ")
    assert (ROOT / path).is_file()
    name = selected[0].partition("[")[0] if selected else ""
    assert name in (ROOT / path).read_text(encoding="utf-8")


def test_every_row_of_the_table_has_a_fault():
    rows = re.findall(r"^\| (\d+) \|", (ROOT / "docs" / "web.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert {fault["row"] for fault in FAULTS} == set(map(int, rows))
