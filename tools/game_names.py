"""Check that nothing outside a game's folder names the game.

Import directions are checked by import-linter (`[tool.importlinter]` in pyproject.toml); this finds names in scripts,
styles, texts and comments as well. Prints each finding with file and line; exits 1 if there is one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "tablee"
CHECKED = (".py", ".js", ".css", ".html", ".toml", ".json")


def findings(package: Path = PACKAGE) -> Iterator[str]:
    """Yield each line that names a game outside its folder."""
    names = sorted(folder.name for folder in (package / "games").iterdir() if (folder / "__init__.py").exists())
    pattern = re.compile(rf"\b({'|'.join(names)})\b", re.IGNORECASE)
    for path in sorted(package.rglob("*")):
        if path.suffix in CHECKED and path.is_file() and path.relative_to(package).parts[0] != "games":
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                for match in pattern.finditer(line):
                    yield f"{path}:{number}: names the game {match[0]!r} outside its folder"


if __name__ == "__main__":
    found = list(findings())
    print("\n".join(found) if found else "game names: none outside their folders")
    sys.exit(1 if found else 0)
