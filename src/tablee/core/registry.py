"""The installed games: folders of `tablee/games` and of `TABLEE_GAMES`, and entry points of other packages."""

from __future__ import annotations

import importlib
import os
import pkgutil
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, TypeVar

from tablee.core.errors import BadGame, UnknownGame, did_you_mean
from tablee.core.game import Game

ENTRY_POINTS = "tablee.games"
FOLDERS = "TABLEE_GAMES"  # folders of games, or the folder of a game itself, separated as in PATH
ONLY = "TABLEE_ONLY"  # names of games, separated by commas: the others are not looked for

T = TypeVar("T")


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


def game_at(folder: Path) -> Game:
    """Return the game in a folder, and add it to the games of this process and its children; raise BadGame.

    A game that is known already, as one of an installed package, is not loaded a second time.
    """
    folder = folder.resolve()
    if not _is_game(folder):
        raise BadGame(f"there is no game in {folder}: it has no __init__.py and rules.py (docs/contract.md)")
    known = [game for game in all_games() if game.folder.resolve() == folder]
    if known:
        return known[0]
    _add_folder(folder)
    game = find_game(folder.name)
    if game.folder.resolve() != folder:
        raise BadGame(f"the name {folder.name!r} is taken by {game.folder}")
    return game


def folder_of(name: str) -> Path:
    """Return the folder of a game, also of one that cannot be used; raise UnknownGame."""
    modules = dict(_candidates())
    spec = find_spec(modules[name]) if name in modules else None
    if spec is None or spec.origin is None:
        return find_game(name).folder
    return Path(spec.origin).parent


def restrict_to(names: Sequence[str]) -> None:
    """Forget all games but these, in this process and in its children."""
    os.environ[ONLY] = ",".join(names)
    scan.cache_clear()


@cache
def scan() -> Scan:
    """Look for games, once per process; one that cannot be used does not affect the others."""
    games: dict[str, Game] = {}
    broken: dict[str, str] = {}
    for name, module in _candidates():
        try:
            _add(importlib.import_module(module).GAME, games)
        except Exception as why:  # a third-party module may raise anything
            broken[name] = f"{type(why).__name__}: {why}"
    only = only_names()
    return Scan(_restricted(games, only), _restricted(broken, only))


def only_names() -> list[str]:
    """Return the names of `TABLEE_ONLY`; none if it restricts nothing."""
    return list(filter(None, os.environ.get(ONLY, "").split(",")))


def _restricted(found: dict[str, T], only: list[str]) -> dict[str, T]:
    return {name: each for name, each in found.items() if name in only or not only}


def search_path() -> list[str]:
    """Return the folders of `TABLEE_GAMES` in which Python looks for the packages of games."""
    return list(dict.fromkeys(str(folder.parent if _is_game(folder) else folder) for folder in _folders()))


def _folders() -> list[Path]:
    return [Path(folder).absolute() for folder in os.environ.get(FOLDERS, "").split(os.pathsep) if folder]


def _is_game(folder: Path) -> bool:
    return (folder / "__init__.py").is_file() and (folder / "rules.py").is_file()


def _add_folder(folder: Path) -> None:
    """Add the folder of a game to `TABLEE_GAMES`, and search it from now on."""
    import tablee.games

    os.environ[FOLDERS] = os.pathsep.join([*map(str, _folders()), str(folder)])
    if str(folder.parent) not in tablee.games.__path__:
        tablee.games.__path__.append(str(folder.parent))
    importlib.invalidate_caches()
    scan.cache_clear()


def _candidates() -> Iterator[tuple[str, str]]:
    """Yield the name and the module of everything that may be a game."""
    import tablee.games

    listed = _folders()
    parents = [tablee.games.__path__[0], *(str(folder) for folder in listed if not _is_game(folder))]
    names = [info.name for info in pkgutil.iter_modules(parents) if info.ispkg]
    names += [folder.name for folder in listed if _is_game(folder)]
    for name in dict.fromkeys(names):
        yield name, f"tablee.games.{name}"
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name):
        yield point.name, point.module


def _add(game: Game, games: dict[str, Game]) -> None:
    if not isinstance(game, Game):
        raise BadGame(f"GAME is a {type(game).__name__}, not a Game")
    if game.name in games:
        raise BadGame(f"the name {game.name!r} is taken by {games[game.name].package}")
    games[game.name] = game
