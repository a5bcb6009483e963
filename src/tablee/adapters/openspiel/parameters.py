"""The parameters of a game for OpenSpiel: its own options, each by its name, and those of this adapter."""

from __future__ import annotations

from typing import Any

from tablee.core.game import Game, Option, Setup

# Default values; a value of a parameter must have the type of its default.
PARAMETERS: dict[str, Any] = {
    "players": 0,  # number of seats; the usual number by default
    "reduction": "",  # name of a small version of the game, which decides seats and options
    "chance": "draws",  # "draws": at every deal, shuffle and draw; "deal": once, and everything follows from it
    "deals": 1024,  # a deal or a shuffle is seeded by `deal_nodes` numbers below `deals`
    "deal_nodes": 2,
    "seed": 0,  # another seed gives other deals
    "reward": "ranks",  # "ranks", "points", "round" or "potential"; the game's utility by default
    "episode": "game",  # "game" or "round"
    "max_moves": 0,  # cuts a game off, which is scored as it stands; 0: after `default_length` moves
    "history": 0,  # moves that information-state tensors hold; 0: there are none
}
MAX_LENGTH = 10_000  # moves after which a game is cut off by default; bots rarely need a tenth of it


def specification(game: Game) -> dict[str, Any]:
    """Return the parameters of a game with their default values."""
    own = {parameter_of(option): option.default for option in game.options}
    usual = {"players": game.usual_seats, "reward": "ranks" if game.utility == "ranks" else "points"}
    return {**PARAMETERS, **usual, **own}


def parameter_of(option: Option) -> str:
    """Return the name of an option's parameter: its own, unless the adapter has one of that name."""
    return f"option_{option.name}" if option.name in PARAMETERS else option.name


def chosen_parameters(game: Game, given: dict[str, Any]) -> dict[str, Any]:
    """Return the given parameters that differ from their defaults: what `str(game)` shows."""
    defaults = specification(game)
    return {name: value for name, value in given.items() if name not in defaults or defaults[name] != value}


def setup_of(game: Game, parameters: dict[str, Any]) -> Setup:
    """Return the setup that parameters ask for; a reduction decides seats and options that are not given."""
    given = chosen_parameters(game, parameters)
    options = {option.name: given[parameter_of(option)] for option in game.options if parameter_of(option) in given}
    return game.setup(given.get("players"), options, parameters["reduction"])


def default_length(game: Game, setup: Setup) -> int:
    """Return after how many moves a game is cut off by default."""
    if setup.reduction:
        return game.reduction(setup.reduction).max_moves
    return min(game.max_game_length, MAX_LENGTH)
