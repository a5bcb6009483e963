"""Tablée: five tabletop games to play and to study, from one set of rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from tablee.core.match import Match
    from tablee.core.registry import all_games, find_game
    from tablee.records import Record

_homes = {
    "Match": "tablee.core.match",
    "Record": "tablee.records",
    "all_games": "tablee.core.registry",
    "find_game": "tablee.core.registry",
}

__all__ = ["Match", "Record", "__version__", "all_games", "find_game"]


def __getattr__(name: str) -> Any:
    """Import a name on first use, so that `import tablee` is quick."""
    if name not in _homes:
        raise AttributeError(f"module 'tablee' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_homes[name]), name)
