"""A template for new games: `make_game` copies the small card game in `game/` under another name."""

from __future__ import annotations

import keyword
import re
from pathlib import Path

from tablee.core.errors import BadGame
from tablee.core.registry import scan

SOURCE = Path(__file__).parent / "game"
NAME, TITLE = "new_game", "New Game"  # what the copy replaces
VALID_NAME = re.compile(r"[a-z][a-z0-9_]*")


def make_game(name: str, parent: Path) -> Path:
    """Write a complete game of that name into a folder of its own under `parent`; return the folder.

    The game is listed and playable if `parent` is the games folder or is named in `TABLEE_GAMES`; it passes the
    conformance suite. Raises BadGame if the name is invalid or taken, or if the folder exists.
    """
    _check_name(name)
    folder = parent / name
    if folder.exists():
        raise BadGame(f"{folder} exists already; choose another name or another folder")
    for source in sorted(SOURCE.rglob("*")):
        if source.is_file() and "__pycache__" not in source.parts:
            target = folder / source.relative_to(SOURCE)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(renamed(source.read_text(encoding="utf-8"), name), encoding="utf-8")
    return folder


def _check_name(name: str) -> None:
    if not VALID_NAME.fullmatch(name) or keyword.iskeyword(name):
        raise BadGame(f"{name!r} cannot be the name of a game: use lower case letters, digits and underscores")
    if name in scan().games or name in scan().broken:
        raise BadGame(f"there is a game {name!r} already; choose another name")


def renamed(text: str, name: str) -> str:
    """Return a text of the template with the name of a game instead of the template's."""
    return text.replace(NAME, name).replace(TITLE, name.replace("_", " ").title())
