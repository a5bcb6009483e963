"""The bots one can ask for by name, each with a version: a bot that plays differently gets a new one."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from tablee.bots import external
from tablee.bots.bot import Bot
from tablee.bots.external import ExternalBot, ExternalBotSpec
from tablee.bots.search import SearchBot, Strength
from tablee.bots.simple import GreedyBot, RandomBot
from tablee.core.errors import BadGame, BadSetup, TableeError, did_you_mean
from tablee.core.game import Game

SEARCHERS = {
    "novice": (2, Strength(iterations=40)),
    "club": (2, Strength(iterations=200)),
    "expert": (2, Strength(iterations=3000)),
}
NAMES = ("random", "greedy", *SEARCHERS)  # weakest first


@dataclass(frozen=True)
class Pin:
    """What a rating refers to: a bot that differs in any of this is another bot."""

    name: str
    version: int
    budget: int = 0  # simulations per decision, 0 for a bot that does not search
    policy: str = ""  # digest of the game's policy and of how the bot uses it; of an outside bot's command

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


def make_bot(
    name: str, game: Game, seed: int, seconds: float | None = None, others: Mapping[str, ExternalBotSpec] | None = None
) -> Bot:
    """Make a bot of the roster for a game; `seconds` bounds the time of one decision, `others` are outside bots.

    Without `others` it is the settings that say which outside bots there are.
    """
    if name == "random":
        return RandomBot(seed)
    if name == "greedy":
        return GreedyBot(seed, _wishes(game).get("mixed_moves", range(0)))
    if name in SEARCHERS:
        return SearchBot(name, SEARCHERS[name][0], _strength(name, game), seed, seconds)
    return ExternalBot(_outside(name, others), seed, seconds)


def dismiss(bot: Bot) -> None:
    """End what a bot keeps running."""
    if isinstance(bot, ExternalBot):
        bot.close()


def known_names() -> tuple[str, ...]:
    """Return the names of all bots here, weakest first, outside bots last."""
    return (*NAMES, *external.listed())


def external_bots(names: Sequence[str], texts: Sequence[str]) -> dict[str, ExternalBotSpec]:
    """Return the outside bots among some names: from `NAME=COMMAND` texts, else from the settings."""
    given = {bot.name: bot for bot in map(external.parse_external, texts)}
    known = {**external.listed(), **given}
    for name in known:
        if name in NAMES:
            raise BadSetup(f"an outside bot cannot be called {name!r}: that is one of ours")
    for name in given:
        if name not in names:
            raise BadSetup(f"the outside bot {name!r} is not among those that play: {', '.join(names)}")
    return {name: known[name] for name in names if name in known}


def version_of(name: str, others: Mapping[str, ExternalBotSpec] | None = None) -> int:
    """Return the version of a bot."""
    simple = {bot.name: bot.version for bot in (RandomBot, GreedyBot)}
    if name in simple:
        return simple[name]
    return SEARCHERS[name][0] if name in SEARCHERS else _outside(name, others).version


def pin(name: str, game: Game, others: Mapping[str, ExternalBotSpec] | None = None) -> Pin:
    """Return what a rating of this bot in this game refers to."""
    version = version_of(name, others)
    if name in SEARCHERS:
        strength = _strength(name, game)
        how = sorted((key, value) for key, value in asdict(strength).items() if key != "iterations")
        return Pin(name, version, strength.iterations, _digest(_policy_source(game), repr(how).encode()))
    if name == "greedy":
        return Pin(name, version, policy=_digest(_policy_source(game)))
    if name == "random":
        return Pin(name, version)
    return Pin(name, version, policy=_digest(_outside(name, others).command.encode()))


def _outside(name: str, others: Mapping[str, ExternalBotSpec] | None) -> ExternalBotSpec:
    known = external.listed() if others is None else others
    if name not in known:
        raise TableeError(f"there is no bot {name!r}; {did_you_mean(name, [*NAMES, *known])}")
    return known[name]


def _policy_source(game: Game) -> bytes:
    path = game.folder / "policy.py"
    return path.read_bytes() if path.exists() else b""


def _digest(*parts: bytes) -> str:
    return hashlib.blake2b(b"\0".join(parts), digest_size=4).hexdigest()


def _strength(name: str, game: Game) -> Strength:
    """Return how a bot that searches does so in a game: as many worlds as make it that strong there (`BUDGETS`)."""
    budgets = _of_policy(game, "BUDGETS")
    if not budgets.keys() <= SEARCHERS.keys():
        raise BadGame(f"{game.name}: BUDGETS are of {', '.join(SEARCHERS)}, not of {', '.join(budgets)}")
    usual = SEARCHERS[name][1]
    return replace(usual, iterations=budgets.get(name, usual.iterations), **_wishes(game))


def _wishes(game: Game) -> Mapping[str, Any]:
    """Return what a game's policy asks of a search."""
    return _of_policy(game, "SEARCH")


def _of_policy(game: Game, name: str) -> Mapping[str, Any]:
    """Return one of the tables in a game's policy.py, if there is one."""
    if not (game.folder / "policy.py").exists():
        return {}
    found: Mapping[str, Any] = getattr(game.module("policy"), name, {})
    return found
