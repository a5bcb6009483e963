"""The installed games: folders of `tablee/games`, and the entry points `tablee.games` of other packages."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib.metadata import entry_points
from typing import NamedTuple

from tablee.core.errors import BadGame, UnknownGame, did_you_mean
from tablee.core.game import Game

ENTRY_POINTS = "tablee.games"


class Scan(NamedTuple):
    """The usable games by name, and why the others cannot be used."""

    games: dict[str, Game]
    broken: dict[str, str]


def all_games() -> list[Game]:
    """Return every usable game, sorted by name."""
    return [scan().games[name] for name in sorted(scan().games)]


def find_game(name: str) -> Game:
    """Return the game of that name; raise UnknownGame or, if it cannot be used, BadGame."""
    found = scan()
    if name in found.games:
        return found.games[name]
    if name in found.broken:
        raise BadGame(f"the game {name!r} cannot be used: {found.broken[name]}")
    raise UnknownGame(f"there is no game {name!r}; {did_you_mean(name, found.games)}")


@cache
def scan() -> Scan:
    """Look for games, once per process; one that cannot be used does not affect the others."""
    found = Scan({}, {})
    for name, module in _candidates():
        try:
            game = importlib.import_module(module).GAME
            _add(game, found.games)
        except Exception as why:  # a third-party module may raise anything
            found.broken[name] = f"{type(why).__name__}: {why}"
    return found


def _candidates() -> Iterator[tuple[str, str]]:
    """Yield the name and the module of everything that may be a game."""
    import tablee.games

    for info in pkgutil.iter_modules(tablee.games.__path__):
        if info.ispkg:
            yield info.name, f"tablee.games.{info.name}"
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name):
        yield point.name, point.module


def _add(game: Game, games: dict[str, Game]) -> None:
    if not isinstance(game, Game):
        raise BadGame(f"GAME is a {type(game).__name__}, not a Game")
    if game.name in games:
        raise BadGame(f"the name {game.name!r} is taken by {games[game.name].package}")
    games[game.name] = game
