"""docs/architecture.md names files, functions and classes that exist, class names are unique, tests are sorted."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "tablee"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`([\w/.-]+\.(?:py|js))(?:::([\w.]+))?`", PAGE)
CONTRACT_NAMES = {"EndReason", "Problem", "Refusal"}  # each game declares its own


def python_names(path):
    """Return the names a module defines: functions, classes, constants, and `Class.member`."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        found |= names_of(node)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{name}" for member in node.body for name in names_of(member)}
    return found


def names_of(node):
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return {name.id for target in targets if target for name in ast.walk(target) if isinstance(name, ast.Name)}


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_what_the_page_names_exists(file, name):
    path = PACKAGE / file
    assert path.is_file()
    if name and file.endswith(".py"):
        assert name in python_names(path)
    elif name:
        defined = rf"^(export )?(class|function|async function) {name}\b|^  (async )?#?{name}\(|^export const {name}\b"
        assert re.search(defined, path.read_text(encoding="utf-8"), re.MULTILINE)


def test_the_page_has_a_map_four_walks_and_every_folder():
    assert len(re.findall(r"^## Walk \d", PAGE, re.MULTILINE)) == 4
    assert len(NAMED) > 50
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and not path.name.startswith("_")}
    assert folders <= set(re.findall(r"^\| `(\w+)/", PAGE, re.MULTILINE))


def test_no_two_classes_share_a_name():
    homes = defaultdict(list)
    for path in PACKAGE.rglob("*.py"):
        if "tests" not in path.parts:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef) and node.name not in CONTRACT_NAMES:
                    homes[node.name].append(str(path.relative_to(PACKAGE)))
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}


def test_tests_with_servers_browsers_or_terminals_run_interpreted():
    """They would have to compile whole games first; conftest.py lists them."""
    listed = re.findall(r'"(test_\w+)"', (ROOT / "conftest.py").read_text(encoding="utf-8"))
    for path in sorted((ROOT / "tests").glob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if re.search(r"^from (browser|server_process|terminals) import", text, re.MULTILINE):
            assert path.stem in listed or "pytest.mark.surface" in text, f"{path.name} is not among SURFACES"
