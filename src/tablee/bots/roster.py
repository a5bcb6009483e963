"""The bots one can ask for by name, each with a version: a bot that plays differently gets a new one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tablee.bots.bot import Bot
from tablee.bots.search import SearchBot, Strength
from tablee.bots.simple import GreedyBot, RandomBot
from tablee.core.errors import TableeError, did_you_mean
from tablee.core.game import Game

SEARCHERS = {
    "novice": (1, Strength(iterations=40)),
    "club": (1, Strength(iterations=400)),
    "expert": (1, Strength(iterations=3000)),
}
NAMES = ("random", "greedy", *SEARCHERS)  # weakest first


def make_bot(name: str, game: Game, seed: int, seconds: float | None = None) -> Bot:
    """Make a bot of the roster for a game; `seconds` bounds the time of one decision."""
    if name == "random":
        return RandomBot(seed)
    if name == "greedy":
        return GreedyBot(seed)
    if name in SEARCHERS:
        version, strength = SEARCHERS[name]
        return SearchBot(name, version, replace(strength, **_wishes(game)), seed, seconds)
    raise TableeError(f"there is no bot {name!r}; {did_you_mean(name, NAMES)}")


def _wishes(game: Game) -> Mapping[str, Any]:
    """Return what a game's policy asks of a search (`SEARCH` in its policy.py), if it has one."""
    if not (game.folder / "policy.py").exists():
        return {}
    return getattr(game.module("policy"), "SEARCH", {})
