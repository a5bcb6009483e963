"""Where tests run together: what needs the same kernels goes to the same worker, so that each is compiled once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablee.core.game import Game

GAMES = Path(__file__).parent / "src" / "tablee" / "games"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Group tests by the game they are about, else by their file (`--dist loadgroup` keeps a group on one worker)."""
    for item in items:
        item.add_marker(pytest.mark.xdist_group(_group(item)))


def _group(item: pytest.Item) -> str:
    if GAMES in item.path.parents:
        return item.path.relative_to(GAMES).parts[0]
    values = getattr(item, "callspec", None)
    games = [value.name for value in values.params.values() if isinstance(value, Game)] if values else []
    return games[0] if games else item.path.stem
