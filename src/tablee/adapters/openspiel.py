"""Every game for OpenSpiel: `pyspiel.load_game("tablee_<game>", {"players": 3})`.

Chance is one node at the root that draws the number of the deal, uniformly below `deals`; later shuffles follow from
it. With few deals a game can be small enough to solve.
"""

from __future__ import annotations

import copyreg
import hashlib
from functools import cache
from typing import Any

import numpy as np
import pyspiel

from tablee.adapters.shared import reward_bounds, rewards
from tablee.core.game import Game
from tablee.core.match import Match
from tablee.core.randomness import new_generator
from tablee.core.registry import all_games, find_game
from tablee.core.state import SPECTATOR

DEFAULT_DEALS = 4096


def _game_type(game: Game) -> Any:
    """Return OpenSpiel's description of a game."""
    is_zero_sum = game.utility == "ranks"
    return pyspiel.GameType(
        short_name=f"tablee_{game.name}",
        long_name=game.words("en").say("title"),
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM if is_zero_sum else pyspiel.GameType.Utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=game.seats.stop - 1,
        min_num_players=game.seats.start,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={
            "players": game.usual_seats,
            "deals": DEFAULT_DEALS,
            "seed": 0,
            "options": "",
            "max_moves": 0,
        },
    )


class TableGame(pyspiel.Game):  # type: ignore[misc]
    """A game with its parameters: `players`, `deals` and their `seed`, `options` as `name=value` separated by spaces.

    With `max_moves`, a game that takes more moves ends there with rewards of 0.
    """

    game: Game  # set in a subclass per game

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        game = self.game
        parameters = {
            "players": game.usual_seats,
            "deals": DEFAULT_DEALS,
            "seed": 0,
            "options": "",
            "max_moves": 0,
            **(params or {}),
        }
        options = game.parse_options(parameters["options"].replace(";", " ").split())
        self.setup = game.setup(parameters["players"], options)
        self.deals = parameters["deals"]
        self.seed = parameters["seed"]
        self.max_moves = parameters["max_moves"] or game.max_game_length
        low, high = reward_bounds(game)
        info = pyspiel.GameInfo(
            num_distinct_actions=game.moves,
            max_chance_outcomes=self.deals,
            num_players=self.setup.seats,
            min_utility=min(low, 0.0),
            max_utility=max(high, 0.0),
            utility_sum=0.0 if game.utility == "ranks" else None,
            max_game_length=self.max_moves,
        )
        super().__init__(_game_type(game), info, params or {})

    def __deepcopy__(self, memo: dict[int, Any]) -> TableGame:
        return self  # cloning a state copies its attributes, but all states share one game

    def __reduce__(self) -> tuple[Any, ...]:
        return pyspiel.load_game, (str(self),)

    def new_initial_state(self) -> TableState:
        """Return the state before the deal."""
        return TableState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> TableObserver:
        """Return an observer of states."""
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        return TableObserver(self.game, kind, params)

    def deal(self, number: int) -> Match:
        """Return the match with the deal of this number."""
        setup = self.setup
        return Match(self.game, seats=setup.seats, options=setup.options, seed=self.seed, stream=number)


class TableState(pyspiel.State):  # type: ignore[misc]
    """A state: the match, None before the deal, and per seat a digest of everything it has seen."""

    def __init__(self, table: TableGame) -> None:
        super().__init__(table)
        self.table = table
        self.match: Match | None = None
        self.histories: list[str] = [""] * table.setup.seats

    def current_player(self) -> int:
        """Return the seat on turn, or OpenSpiel's id for chance or the end."""
        if self.match is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.is_terminal() else self.match.to_move

    def _legal_actions(self, player: int) -> list[int]:
        assert self.match is not None
        return self.match.legal_moves()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the deals with their probabilities."""
        return [(number, 1.0 / self.table.deals) for number in range(self.table.deals)]

    def _apply_action(self, action: int) -> None:
        if self.match is None:
            self.match = self.table.deal(action)
            self._update_histories(None, None)
            return
        before = self.match.copy()
        self.match.play(action)
        self._update_histories(before, action)

    def _update_histories(self, before: Match | None, move: int | None) -> None:
        """Add each seat's sight to its history, and the move if the seat may know it."""
        assert self.match is not None
        for seat in range(self.match.seats):
            digest = hashlib.blake2b(self.histories[seat].encode(), digest_size=12)
            digest.update(self.match.sight(seat).to_bytes())
            if before is not None and self.match.game.kernels.sees_move(before.state, move, seat):
                digest.update(str(move).encode())
            self.histories[seat] = digest.hexdigest()

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"deal {action}"
        return str(self.table.game.module("moves").move_text(action))

    def is_terminal(self) -> bool:
        """Whether the game is over or has reached `max_moves`."""
        return self.match is not None and (self.match.is_over or len(self.match.moves) >= self.table.max_moves)

    def returns(self) -> list[float]:
        """Return the reward of each seat."""
        return rewards(self.match) if self.match is not None else [0.0] * self.table.setup.seats

    def resample_from_infostate(self, player: int, sampler: Any) -> TableState:
        """Return a state that looks the same to a player, with the hidden part resampled by `sampler() -> [0, 1)`."""
        assert self.match is not None
        other: TableState = self.clone()
        generator = new_generator(int(sampler() * 2**53))
        imagined = self.match.sight(player).imagine(generator)
        moves = self.match.moves
        other.match = Match.from_state(self.match.game, imagined)
        other.match.moves = list(moves)
        return other

    def to_struct(self) -> dict[str, Any]:
        """Return the fields of the full state as plain values, by name."""
        if self.match is None:
            return {}
        state = self.match.state
        return {name: np.asarray(state[name]).tolist() for name in state.dtype.names if name != "generator"}

    def __str__(self) -> str:
        if self.match is None:
            return "before the deal"
        moves = " ".join(f"[{self.match.text(move)}]" for move in self.match.moves[-3:])
        return f"{self.table.game.name} {self.match.digest()} after {len(self.match.moves)} moves {moves}".rstrip()


class TableObserver:
    """An observer: the game's observation by block; with perfect recall, a digest of everything seen.

    Without private information it observes as a spectator. The private information of all players is not available.
    """

    def __init__(self, game: Game, kind: Any, params: Any) -> None:
        if params:
            raise ValueError(f"observers take no parameters, but got {params}")
        if kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise ValueError("observers see what one player or a spectator knows, never what all players know")
        self.is_spectator = kind.private_info == pyspiel.PrivateInfoType.NONE
        if self.is_spectator and kind.perfect_recall:
            raise ValueError("the history of a spectator is not kept; ask without perfect recall")
        self.has_perfect_recall = kind.perfect_recall
        self.layout = game.kernels.observation
        self.tensor = np.zeros(self.layout.size, np.float32)
        self.dict = {block.name: self.tensor[block.start : block.start + block.size] for block in self.layout}

    def set_from(self, state: TableState, player: int) -> None:
        """Write what a player or a spectator observes into `tensor`."""
        self.tensor[:] = 0.0 if state.match is None else state.match.sight(self._viewer(player)).observe()

    def _viewer(self, player: int) -> int:
        return SPECTATOR if self.is_spectator else player

    def string_from(self, state: TableState, player: int) -> str:
        """Return a text that is equal for two states exactly if they look the same."""
        if self.has_perfect_recall:
            return f"seat {player} {state.histories[player]}"
        if state.match is None:
            return f"seat {player} before the deal"
        seen = state.match.sight(self._viewer(player)).to_bytes()
        return f"seat {self._viewer(player)} {hashlib.blake2b(seen, digest_size=12).hexdigest()}"


@cache
def register_games() -> None:
    """Register every game with OpenSpiel."""
    registered = pyspiel.registered_names()
    for game in all_games():
        game_type = _game_type(game)
        if game_type.short_name not in registered:
            pyspiel.register_game(game_type, type(f"Table_{game.name}", (TableGame,), {"game": game}))


# OpenSpiel clones and serialises a state by copying and pickling its attributes.


def _reduce(match: Match) -> tuple[Any, ...]:
    history = (match.seed, match.stream, match.moves, match.first_state.tobytes())
    return _restore, (match.game.name, match.state.tobytes(), history)


def _restore(name: str, state: bytes, history: tuple[int | None, int, list[int], bytes]) -> Match:
    match = Match.from_state(name, _state_from_bytes(name, state))
    match.seed, match.stream, moves, first = history
    match.moves = list(moves)
    match.first_state = _state_from_bytes(name, first)
    return match


def _state_from_bytes(name: str, content: bytes) -> Any:
    return np.frombuffer(content, find_game(name).kernels.state_type).view(np.recarray)[0]


copyreg.pickle(Match, _reduce)
register_games()
