"""The roster: every kind of bot that can be asked for by name, in one table."""

from __future__ import annotations

import ast
import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from tablee.bots import external
from tablee.bots.external import ExternalBot, ExternalBotSpec
from tablee.bots.network_files import network_digest, network_path
from tablee.bots.settings import SearchSettings
from tablee.core.errors import BadGame, BadSetup, TableeError, did_you_mean

if TYPE_CHECKING:
    from tablee.bots.bot import Bot
    from tablee.core.game import Game
    from tablee.core.words import Words

# The bots themselves are imported when one is made: they load NumPy and Numba, and menus only need the names.


@dataclass(frozen=True)
class Pin:
    """The exact identity of a bot in a game: a rating refers to it."""

    name: str
    version: int
    budget: int = 0  # iterations per decision, 0 for a bot that does not search
    policy: str = ""  # digest of the game's policy and of the search settings; of an external bot's command

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


@dataclass(frozen=True)
class BotKind(ABC):
    """A kind of bot; a subclass says how one is made for a game."""

    name: str  # its label is `roster.<name>` in the words
    version: int  # raised when the same seed and sight can give another move

    def plays(self, game: Game) -> bool:
        """Whether there is such a bot in a game."""
        return True

    @abstractmethod
    def make(self, game: Game, seed: int, seconds: float | None = None) -> Bot:
        """Make a bot; `seconds` limits the time of one decision."""

    def pin(self, game: Game) -> Pin:
        """Return the bot's identity in a game."""
        return Pin(self.name, self.version)


class RandomKind(BotKind):
    """Plays random legal moves."""

    def make(self, game: Game, seed: int, seconds: float | None = None) -> Bot:
        """Make a RandomBot."""
        from tablee.bots.simple import RandomBot

        return RandomBot(seed, self.version)


class GreedyKind(BotKind):
    """Plays the move that the game's policy rates best."""

    def make(self, game: Game, seed: int, seconds: float | None = None) -> Bot:
        """Make a GreedyBot."""
        from tablee.bots.simple import GreedyBot

        return GreedyBot(seed, _policy_table(game, "SEARCH").get("mixed_moves", range(0)), self.version)

    def pin(self, game: Game) -> Pin:
        """Return the identity, which includes the game's policy."""
        return Pin(self.name, self.version, policy=_digest(_policy_code(game)))


@dataclass(frozen=True)
class SearchKind(BotKind):
    """Searches with `iterations` per decision, or as many as the game's `BUDGETS` give for this name."""

    iterations: int

    def make(self, game: Game, seed: int, seconds: float | None = None) -> Bot:
        """Make a SearchBot."""
        from tablee.bots.search import SearchBot

        return SearchBot(self.name, self.version, self.settings(game), seed, seconds)

    def settings(self, game: Game) -> SearchSettings:
        """Return the settings of a search in a game; raise BadGame if `BUDGETS` name a bot that does not search."""
        budgets = _policy_table(game, "BUDGETS")
        names = [kind.name for kind in ROSTER if isinstance(kind, SearchKind)]
        if not budgets.keys() <= set(names):
            raise BadGame(f"{game.name}: BUDGETS are for {', '.join(names)}, not for {', '.join(budgets)}")
        iterations = budgets.get(self.name, self.iterations)
        return replace(SearchSettings(iterations), **_policy_table(game, "SEARCH"))

    def pin(self, game: Game) -> Pin:
        """Return the identity, which includes the game's policy and the settings of the search."""
        settings = asdict(self.settings(game))
        budget = settings.pop("iterations")
        digest = _digest(_policy_code(game), repr(sorted(settings.items())).encode())
        return Pin(self.name, self.version, budget, digest)


class NetworkKind(BotKind):
    """Plays by a trained network alone, in games that have one."""

    def make(self, game: Game, seed: int, seconds: float | None = None) -> Bot:
        """Make a NetworkBot; raise BadNetwork if the game has no network, or one that does not fit."""
        from tablee.bots.networks import network_of
        from tablee.bots.prodigy import NetworkBot

        mixed_moves = _policy_table(game, "SEARCH").get("mixed_moves", range(0))
        return NetworkBot(network_of(game), seed, mixed_moves, self.version, self.name)

    def plays(self, game: Game) -> bool:
        """Whether the game has a network."""
        return network_path(game) is not None

    def pin(self, game: Game) -> Pin:
        """Return the identity, which includes the network."""
        return Pin(self.name, self.version, policy=network_digest(game))


@dataclass(frozen=True)
class MasterKind(BotKind):
    """Searches like the bot `model`, but longer and with the help of a network, in games that have one.

    It imagines `iterations` worlds per decision, or as many as `MASTER_BUDGET` of the game's policy says, and
    trusts the network's choice as much as `MASTER_TRUST` says.
    """

    model: str
    iterations: int

    def make(self, game: Game, seed: int, seconds: float | None = None) -> Bot:
        """Make a MasterBot; raise BadNetwork if the game has no network, or one that does not fit."""
        from tablee.bots.master import MasterBot
        from tablee.bots.networks import network_of

        settings, trust = self.settings(game), self.trust(game)
        return MasterBot(self.name, self.version, settings, network_of(game), seed, seconds, trust)

    def settings(self, game: Game) -> SearchSettings:
        """Return the settings of a search in a game."""
        model = find_kind(self.model)
        assert isinstance(model, SearchKind)
        return replace(model.settings(game), iterations=_policy_value(game, MASTER_BUDGET, self.iterations))

    def trust(self, game: Game) -> float:
        """Return the weight of the network when a move is chosen."""
        return float(_policy_value(game, MASTER_TRUST, 0.0))

    def plays(self, game: Game) -> bool:
        """Whether the game has a network."""
        return network_path(game) is not None

    def pin(self, game: Game) -> Pin:
        """Return the identity, which includes the policy, the settings of the search and the network."""
        model = find_kind(self.model).pin(game)
        trust = [repr(self.trust(game)).encode()] if self.trust(game) else []
        digest = _digest(model.policy.encode(), network_digest(game).encode(), *trust)
        return Pin(self.name, self.version, self.settings(game).iterations, digest)


@dataclass(frozen=True)
class ExternalKind(BotKind):
    """Runs a program in any language."""

    spec: ExternalBotSpec

    def make(self, game: Game, seed: int, seconds: float | None = None) -> Bot:
        """Make an ExternalBot; its program starts with the first decision."""
        return ExternalBot(self.spec, seed, seconds)

    def pin(self, game: Game) -> Pin:
        """Return the identity, which includes the command."""
        return Pin(self.name, self.version, policy=_digest(self.spec.command.encode()))


ROSTER: tuple[BotKind, ...] = (  # weakest first
    RandomKind("random", 1),
    GreedyKind("greedy", 2),
    SearchKind("novice", 2, iterations=40),
    SearchKind("club", 2, iterations=200),
    SearchKind("expert", 2, iterations=3000),
)
NAMES = tuple(kind.name for kind in ROSTER)  # of the bots that play every game
TRAINED: tuple[BotKind, ...] = (  # bots of the games that have a network
    NetworkKind("prodigy", 2),
    MasterKind("master", 3, model="expert", iterations=15_000),
)
TRAINED_NAMES = tuple(kind.name for kind in TRAINED)
# In a game's policy.py, of the search with the network
MASTER_BUDGET = "MASTER_BUDGET"  # worlds per decision
MASTER_TRUST = "MASTER_TRUST"  # of the network when a move is chosen (bots/master.py)
FALLBACK_BOT = "prodigy"  # at once plays the move of a bot that failed or took too long, in games with a network
USUAL_BOT = "novice"  # for people who do not choose a level
FIRST_BOT = "greedy"  # for people who play a game for the first time


def known_names() -> tuple[str, ...]:
    """Return the names of all bots: the roster, those of games with a network, the external bots of the settings."""
    return (*NAMES, *TRAINED_NAMES, *external.listed())


def names_in(game: Game) -> tuple[str, ...]:
    """Return the names of the roster's bots that play a game: those of every game, then those of its network."""
    return tuple(name for name in (*NAMES, *TRAINED_NAMES) if plays(name, game))


def ladder_of(game: Game) -> tuple[str, ...]:
    """Return the names of the bots in a game that are each stronger than the one before."""
    return (*NAMES, "master") if plays("master", game) else NAMES


def plays(name: str, game: Game) -> bool:
    """Whether a known bot plays a game: all do, but for those that need a network where the game has none."""
    return all(kind.plays(game) for kind in TRAINED if kind.name == name)


def bot_label(name: str, words: Words) -> str:
    """Return what people call a bot: its word, or the name itself if there is none, as for external bots."""
    key = f"roster.{name}"
    return words.say(key) if key in words else name


def find_kind(name: str, external_bots: Mapping[str, ExternalBotSpec] | None = None) -> BotKind:
    """Return the kind of a bot; `external_bots` default to those of the settings. Raises TableeError if unknown."""
    for kind in (*ROSTER, *TRAINED):
        if kind.name == name:
            return kind
    known = external.listed() if external_bots is None else external_bots
    if name not in known:
        raise TableeError(f"there is no bot {name!r}; {did_you_mean(name, [*NAMES, *TRAINED_NAMES, *known])}")
    return ExternalKind(name, known[name].version, known[name])


def needs_machine_code(name: str) -> bool:
    """Whether a bot searches or computes a network, which takes too long in interpreted code."""
    return isinstance(find_kind(name), SearchKind | NetworkKind | MasterKind)


def make_bot(
    name: str,
    game: Game,
    seed: int,
    seconds: float | None = None,
    external_bots: Mapping[str, ExternalBotSpec] | None = None,
) -> Bot:
    """Make a bot for a game; `seconds` limits the time of one decision."""
    return find_kind(name, external_bots).make(game, seed, seconds)


def dismiss(bot: Bot) -> None:
    """End the program of an external bot; other bots hold no resources."""
    if isinstance(bot, ExternalBot):
        bot.close()


def version_of(name: str, external_bots: Mapping[str, ExternalBotSpec] | None = None) -> int:
    """Return the version of a bot."""
    return find_kind(name, external_bots).version


def pin(name: str, game: Game, external_bots: Mapping[str, ExternalBotSpec] | None = None) -> Pin:
    """Return the identity of a bot in a game."""
    return find_kind(name, external_bots).pin(game)


def find_external_bots(names: Sequence[str], texts: Sequence[str]) -> dict[str, ExternalBotSpec]:
    """Return the external bots among some names: from `NAME=COMMAND` texts, else from the settings."""
    given = {spec.name: spec for spec in map(external.parse_external, texts)}
    known = {**external.listed(), **given}
    for name in known:
        if name in (*NAMES, *TRAINED_NAMES):
            raise BadSetup(f"an external bot cannot be called {name!r}: the roster has a bot of that name")
    for name in given:
        if name not in names:
            raise BadSetup(f"the external bot {name!r} is not among the bots that play: {', '.join(names)}")
    return {name: known[name] for name in names if name in known}


def _policy_code(game: Game) -> bytes:
    """Return the code of a game's policy, without comments, docstrings and what is part of a master's pin only.

    None of these changes how other bots play, so their pins stay as they are.
    """
    from tablee.core.fingerprints import bare_syntax

    path = game.folder / "policy.py"
    if not path.exists():
        return b""
    code = bare_syntax(path)
    code.body = [node for node in code.body if not _assigns(node, MASTER_BUDGET, MASTER_TRUST)]
    return ast.unparse(code).encode()


def _assigns(node: ast.stmt, *names: str) -> bool:
    """Whether a statement gives a value to a variable of one of these names."""
    return isinstance(node, ast.Assign) and ", ".join(map(ast.unparse, node.targets)) in names


def _digest(*parts: bytes) -> str:
    return hashlib.blake2b(b"\0".join(parts), digest_size=4).hexdigest()


def _policy_table(game: Game, name: str) -> Mapping[str, Any]:
    """Return `SEARCH` or `BUDGETS` of a game's policy.py; empty if it has none."""
    table: Mapping[str, Any] = _policy_value(game, name, {})
    return table


def _policy_value(game: Game, name: str, default: Any) -> Any:
    """Return a variable of a game's policy.py, `default` if there is none."""
    return getattr(game.module("policy"), name, default) if (game.folder / "policy.py").exists() else default
