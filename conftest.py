"""Where tests run together: what needs the same kernels goes to the same worker, so that each is compiled once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablee.core.game import Game

GAMES = Path(__file__).parent / "src" / "tablee" / "games"

# Tests of what is around the kernels. They run interpreted, where nothing has to be compiled for them first; that both
# ways give the same is the suite's to prove (`modes_agree`).
SURFACES = {
    "test_adapters_gymnasium",
    "test_adapters_openspiel",
    "test_adapters_pettingzoo",
    "test_boards",
    "test_bots",
    "test_kill",
    "test_leaks_on_the_wire",
    "test_pages",
    "test_plain",
    "test_replays",
    "test_rulebooks",
    "test_server",
    "test_server_compose",
    "test_server_hostile",
    "test_server_processes",
    "test_statistics",
    "test_storage",
    "test_tables",
    "test_terminal",
    "test_terminal_app",
    "test_terminal_server",
    "test_web",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Group tests by the game they are about, else by their file (`--dist loadgroup` keeps a group on one worker)."""
    for item in items:
        item.add_marker(pytest.mark.xdist_group(_group(item)))
        if item.path.stem in SURFACES:
            item.add_marker(pytest.mark.surface)


def _group(item: pytest.Item) -> str:
    if GAMES in item.path.parents:
        return item.path.relative_to(GAMES).parts[0]
    values = getattr(item, "callspec", None)
    games = [value.name for value in values.params.values() if isinstance(value, Game)] if values else []
    return games[0] if games else item.path.stem
