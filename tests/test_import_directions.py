"""The checks of import directions and of game names find what they should."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from game_names import findings

ROOT = Path(__file__).resolve().parents[1]


def lint_imports(folder):
    """Run import-linter on a copy of the package; return its exit code and what it printed."""
    command = [Path(sys.executable).parent / "lint-imports", "--no-cache"]
    path = {"PYTHONPATH": str(folder / "src")}
    ran = subprocess.run(command, cwd=folder, env=path, capture_output=True, text=True, check=False)
    return ran.returncode, ran.stdout + ran.stderr


@pytest.fixture
def copied(tmp_path):
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    skipped = shutil.ignore_patterns("web", "__pycache__", "playthrough*", "pictures")
    shutil.copytree(ROOT / "src" / "tablee", tmp_path / "src" / "tablee", ignore=skipped)
    return tmp_path


def test_the_package_keeps_the_import_directions():
    code, output = lint_imports(ROOT)
    assert code == 0, output


def test_every_forbidden_import_is_found(copied):
    for file, line in {
        "core/match.py": "from tablee.server import app",
        "tables/table.py": "from tablee.storage import Store",
        "terminal/app.py": "def f():\n    import tablee.server.app",
        "games/skyjo/rules.py": "from tablee.records import Record",
        "games/lexio/rules.py": "from tablee.games.skyjo.rules import play",
    }.items():
        with (copied / "src" / "tablee" / file).open("a") as module:
            module.write(f"\n{line}\n")
    code, output = lint_imports(copied)
    assert code == 1
    for broken in (
        "tablee.core.match -> tablee.server",
        "tablee.tables.table -> tablee.storage",
        "tablee.terminal.app -> tablee.server",
        "tablee.games.skyjo.rules -> tablee.records",
        "tablee.games.lexio.rules -> tablee.games.skyjo.rules",
    ):
        assert broken in output


@pytest.mark.parametrize(
    ("file", "source", "finding"),
    [("core/match.py", "CHAMPION = 'Chess'", "'Chess'"), ("server/app.css", ".chess { color: red }", "'chess'")],
)
def test_a_named_game_is_found(tmp_path, file, source, finding):
    for folder in ("core", "server", "games/chess"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "games" / "chess" / "__init__.py").write_text("NAME = 'chess'")
    assert list(findings(tmp_path)) == []
    (tmp_path / file).write_text(source)
    assert [f"names the game {finding}" in line for line in findings(tmp_path)] == [True]
