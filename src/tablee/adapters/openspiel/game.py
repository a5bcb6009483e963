"""A game with its parameters, as OpenSpiel loads it."""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any

import pyspiel

from tablee.adapters.openspiel.observers import TableObserver
from tablee.adapters.openspiel.parameters import chosen_parameters, default_length, setup_of, specification
from tablee.adapters.openspiel.state import TableState
from tablee.adapters.openspiel.trail import TrackedPosition
from tablee.core.game import Game
from tablee.core.registry import all_games
from tablee.simulation.chance import ChanceModel
from tablee.simulation.rewards import POINTS, RANKS, is_zero_sum, reward_bounds, reward_rule

PERFECT_RECALL = pyspiel.IIGObservationType(perfect_recall=True)
CHANCE_NODES_PER_MOVE = 8  # a generous bound: a hand of cards drawn, and a shuffle


class TableGame(pyspiel.Game):  # type: ignore[misc]
    """A game with its parameters (`parameters.PARAMETERS`, and its own options)."""

    game: Game  # set in a subclass per game

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        game = self.game
        chosen = chosen_parameters(game, params or {})
        parameters = {**specification(game), **chosen}
        setup = setup_of(game, parameters)
        self.history: int = parameters["history"]
        if self.history < 0:
            raise ValueError(f"history is a number of moves, not {self.history}")
        self.max_moves: int = parameters["max_moves"] or default_length(game, setup)
        self.model = ChanceModel(
            game,
            setup,
            chance=parameters["chance"],
            deals=parameters["deals"],
            deal_nodes=parameters["deal_nodes"],
            seed=parameters["seed"],
            reward=parameters["reward"],
            episode=parameters["episode"],
            max_moves=self.max_moves,
        )
        root = self.model.root()
        self.root = TrackedPosition(self.model, root.memory, root.player)
        self.root.is_shared = True
        low, high = reward_bounds(game, self.model.rule)
        info = pyspiel.GameInfo(
            num_distinct_actions=game.moves,
            max_chance_outcomes=self.model.max_outcomes,
            num_players=setup.seats,
            min_utility=low,
            max_utility=high,
            utility_sum=0.0 if is_zero_sum(self.model.rule) else None,
            max_game_length=self.max_moves,
        )
        super().__init__(game_type(game, parameters), info, chosen)
        self.model.name = str(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> TableGame:
        return self  # all states of a game share it

    def __reduce__(self) -> tuple[Any, ...]:
        return loaded_game, (str(self),)

    def new_initial_state(self) -> TableState:
        """Return the state before the deal."""
        return TableState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return a bound of the number of chance nodes in a game."""
        return (self.max_moves + 1) * CHANCE_NODES_PER_MOVE

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> TableObserver:
        """Return an observer of states."""
        if isinstance(iig_obs_type, dict):  # OpenSpiel calls it with parameters alone if no type was asked for
            iig_obs_type, params = None, iig_obs_type
        return TableObserver(self, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)

    @cached_property
    def history_observer(self) -> TableObserver | None:
        """The observer of information-state tensors, None without `history`."""
        return TableObserver(self, PERFECT_RECALL, None) if self.history else None


def game_type(game: Game, parameters: dict[str, Any]) -> Any:
    """Return OpenSpiel's description of a game."""
    kinds = pyspiel.GameType
    rule = reward_rule(game, parameters["reward"], parameters["episode"])
    return kinds(
        short_name=f"tablee_{game.name}",
        long_name=game.words("en").say("title"),
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kinds.Information.IMPERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM if is_zero_sum(rule) else kinds.Utility.GENERAL_SUM,
        reward_model=kinds.RewardModel.TERMINAL if rule.kind in (RANKS, POINTS) else kinds.RewardModel.REWARDS,
        max_num_players=game.seats.stop - 1,
        min_num_players=game.seats.start,
        provides_information_state_string=True,
        provides_information_state_tensor=parameters["history"] > 0,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=specification(game),
    )


@cache
def loaded_game(name: str) -> TableGame:
    """Return the game with a name and parameters, loaded once."""
    game: TableGame = pyspiel.load_game(name)
    return game


@cache
def register_games() -> None:
    """Register every game with OpenSpiel."""
    registered = pyspiel.registered_names()
    for game in all_games():
        kind = game_type(game, specification(game))
        if kind.short_name not in registered:
            pyspiel.register_game(kind, type(f"Table_{game.name}", (TableGame,), {"game": game}))
