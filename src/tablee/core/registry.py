"""Which games there are: a scan of `tablee/games`, and the entry points `tablee.games` of other packages."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import NamedTuple

from tablee.core.errors import BadGame, UnknownGame, did_you_mean
from tablee.core.game import Game

ENTRY_POINTS = "tablee.games"


class Scan(NamedTuple):
    """What a scan finds: the games by name, and the folders that could not be used, with the reason."""

    games: dict[str, Game]
    broken: dict[str, str]


def all_games() -> list[Game]:
    """Return every usable game, by name."""
    return [scan().games[name] for name in sorted(scan().games)]


def find_game(name: str) -> Game:
    """Return the game of that name."""
    found = scan()
    if name in found.games:
        return found.games[name]
    if name in found.broken:
        raise BadGame(f"the game {name!r} cannot be used: {found.broken[name]}")
    raise UnknownGame(f"there is no game {name!r}; {did_you_mean(name, found.games)}")


def game_folders() -> Iterator[Path]:
    """Yield the folder of every usable game."""
    for game in all_games():
        yield game.folder


@cache
def scan() -> Scan:
    """Look once; a game that cannot be used never stands in the way of the others."""
    found = Scan({}, {})
    for index, module in _candidates():
        try:
            game = importlib.import_module(module).GAME
            _admit(game, found.games)
        except Exception as why:  # a stranger's module may raise anything
            found.broken[index] = f"{type(why).__name__}: {why}"
    return found


def _candidates() -> Iterator[tuple[str, str]]:
    """Yield the name and the module of every candidate."""
    import tablee.games

    for info in pkgutil.iter_modules(tablee.games.__path__):
        if info.ispkg:
            yield info.name, f"tablee.games.{info.name}"
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name):
        yield point.name, point.module


def _admit(game: Game, games: dict[str, Game]) -> None:
    if not isinstance(game, Game):
        raise BadGame(f"GAME is a {type(game).__name__}, not a Game")
    if game.name in games:
        raise BadGame(f"the name {game.name!r} is taken by {games[game.name].package}")
    games[game.name] = game
