"""docs/security.md names tests and modules; all of them exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
TESTS = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").glob("test_*.py"))


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(test_\w+)`", PAGE))))
def test_every_named_test_exists(name):
    assert re.search(rf"^(async )?def {name}\(", TESTS, re.MULTILINE)


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:tests|tables)/\w+\.py)`", PAGE))))
def test_every_named_module_exists(path):
    assert (ROOT / path).is_file() or (ROOT / "src" / "tablee" / path).is_file()


def test_every_guarantee_names_a_test():
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| guarantee")]
    assert len(rows) > 10
    assert all("test" in row.split("|")[3] for row in rows)
