"""Which tests run interpreted."""

from __future__ import annotations

import pytest

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
    """Mark the tests of surfaces."""
    for item in items:
        if item.path.stem in SURFACES:
            item.add_marker(pytest.mark.surface)
