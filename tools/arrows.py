"""Check the direction of imports, and that no game is named outside its folder.

`server -> tables -> records -> core`; `terminal -> tables`; `games/<x> -> core` and never another game; nothing but a
game's folder knows the game. Prints each offence with file and line; exits 1 if there is one.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "tablee"

# What each part may import from, besides itself and core.
MAY_IMPORT = {
    "core": {"records", "games"},  # lazily: Match.record makes a record, the registry scans the folder
    "games": set(),
    "records": set(),
    "bots": set(),
    "simulation": set(),
    "testing": {"records", "simulation"},
    "arena": {"bots", "records", "simulation"},
    "adapters": {"bots", "simulation"},
    "tables": {"records", "bots"},
    "storage": {"records", "tables", "bots"},
    "server": {"tables", "storage", "records", "bots"},
    "terminal": {"tables", "records", "bots", "server"},  # of the server its messages, as the web has
}
PUBLIC = {"Match", "Record", "__version__", "all_games", "find_game"}  # `tablee` itself hands these out
DOORS = {"cli", "__main__", "__init__"}  # the surface may use everything


def offences(package: Path = PACKAGE) -> Iterator[str]:
    """Yield what breaks the rules, one line each."""
    names = sorted(folder.name for folder in (package / "games").iterdir() if (folder / "__init__.py").exists())
    for path in sorted(package.rglob("*")):
        inside = path.relative_to(package)
        if path.suffix not in (".py", ".js", ".css", ".html", ".toml") or not path.is_file():
            continue
        if inside.parts[0] != "games":
            yield from _named_games(path, names)
        is_door = inside.parts[0].removesuffix(".py") in DOORS
        if path.suffix == ".py" and not is_door:
            yield from _wrong_imports(path, inside)


def _named_games(path: Path, names: list[str]) -> Iterator[str]:
    if not names:
        return
    pattern = re.compile(rf"\b({'|'.join(names)})\b", re.IGNORECASE)
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        for match in pattern.finditer(line):
            yield f"{path}:{number}: names the game {match[0]!r} outside its folder"


def _wrong_imports(path: Path, inside: Path) -> Iterator[str]:
    part = inside.parts[0].removesuffix(".py")
    for number, module in _imports(path):
        target = module.split(".")
        if target[0] != "tablee" or len(target) == 1:
            continue
        if part == "games":
            is_own = target[1] == "games" and target[2:3] == [inside.parts[1]]
            is_test = "tests" in inside.parts and target[1] in ("testing", "records", "simulation")
            if target[1] != "core" and not is_own and not is_test and inside.parts[1] != "__init__.py":
                yield f"{path}:{number}: a game imports {module}; it may import core and its own modules"
        elif target[1] not in {part, "core"} | MAY_IMPORT.get(part, set()):
            allowed = sorted(MAY_IMPORT.get(part, set()) | {"core"})
            yield f"{path}:{number}: {part} imports {module}; it may import {', '.join(allowed)}"
        elif target[1] == "games" and len(target) > 2:
            yield f"{path}:{number}: {part} imports the game {target[2]}; games are found through the registry"


def _imports(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.lineno, node.module
            if node.module in ("tablee", "tablee.games"):
                parts = (alias.name for alias in node.names if alias.name not in PUBLIC)
                yield from ((node.lineno, f"{node.module}.{name}") for name in parts)


if __name__ == "__main__":
    found = list(offences())
    print("\n".join(found) if found else "import directions: as designed")
    sys.exit(1 if found else 0)
