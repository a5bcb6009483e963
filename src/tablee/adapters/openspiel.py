"""Every game for OpenSpiel: `pyspiel.load_game("tablee_<game>", {"players": 3})`.

All chance of a game comes from its deal: one chance node at the root draws its number, each of `deals` with the same
chance, and what is shuffled later follows from it. Few deals make a game small enough to be solved.
"""

from __future__ import annotations

import copyreg
import hashlib
from functools import cache
from typing import Any

import numpy as np
import pyspiel

from tablee.adapters.shared import parse_options, reward_bounds, rewards
from tablee.core.game import Game
from tablee.core.match import Match
from tablee.core.randomness import new_generator
from tablee.core.registry import all_games, find_game
from tablee.core.state import SPECTATOR

DEALS = 4096  # of which a game draws one, unless it is asked for more or fewer


def _type_of(game: Game) -> Any:
    """Return what OpenSpiel wants to know before it makes a game."""
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
        parameter_specification={"players": game.usual_seats, "deals": DEALS, "seed": 0, "options": "", "max_moves": 0},
    )


class TableGame(pyspiel.Game):  # type: ignore[misc]
    """A game with its setup: `players`, `deals`, the `seed` they come from, `options` as `name=value`.

    With `max_moves`, a game that takes more moves stops there, and nobody has gained anything.
    """

    game: Game  # each game has a class of its own

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        game = self.game
        wishes = {
            "players": game.usual_seats,
            "deals": DEALS,
            "seed": 0,
            "options": "",
            "max_moves": 0,
            **(params or {}),
        }
        self.setup = game.setup(wishes["players"], parse_options(game, wishes["options"]))
        self.deals = wishes["deals"]
        self.seed = wishes["seed"]
        self.max_moves = wishes["max_moves"] or game.max_game_length
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
        super().__init__(_type_of(game), info, params or {})

    def __deepcopy__(self, memo: dict[int, Any]) -> TableGame:
        return self  # a state is cloned by copying all it has, and all states have the same game

    def __reduce__(self) -> tuple[Any, ...]:
        return pyspiel.load_game, (str(self),)

    def new_initial_state(self) -> TableState:
        """Return the state before the deal."""
        return TableState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> TableObserver:
        """Return what looks at states."""
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        return TableObserver(self.game, kind, params)

    def deal(self, number: int) -> Match:
        """Return the match that a deal's number stands for."""
        setup = self.setup
        return Match(self.game, seats=setup.seats, options=setup.options, seed=self.seed, stream=number)


class TableState(pyspiel.State):  # type: ignore[misc]
    """A state: None before the deal, then a match, and per seat a digest of all it has seen."""

    def __init__(self, table: TableGame) -> None:
        super().__init__(table)
        self.table = table
        self.match: Match | None = None
        self.trails: list[str] = [""] * table.setup.seats

    def current_player(self) -> int:
        """Return the seat on turn, or what stands for chance and the end."""
        if self.match is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.is_terminal() else self.match.to_move

    def _legal_actions(self, player: int) -> list[int]:
        assert self.match is not None
        return self.match.legal_moves()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the deals."""
        return [(number, 1.0 / self.table.deals) for number in range(self.table.deals)]

    def _apply_action(self, action: int) -> None:
        if self.match is None:
            self.match = self.table.deal(action)
            self._remember(None, None)
            return
        before = self.match.copy()
        self.match.play(action)
        self._remember(before, action)

    def _remember(self, before: Match | None, move: int | None) -> None:
        """Add to each seat's trail what it sees now, and the move if it may know it."""
        assert self.match is not None
        for seat in range(self.match.seats):
            digest = hashlib.blake2b(self.trails[seat].encode(), digest_size=12)
            digest.update(self.match.sight(seat).to_bytes())
            if before is not None and self.match.game.kernels.sees_move(before.state, move, seat):
                digest.update(str(move).encode())
            self.trails[seat] = digest.hexdigest()

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"deal {action}"
        return str(self.table.game.module("moves").move_text(action))

    def is_terminal(self) -> bool:
        """Say whether the game is over, or has taken as many moves as it may."""
        return self.match is not None and (self.match.is_over or len(self.match.moves) >= self.table.max_moves)

    def returns(self) -> list[float]:
        """Return what each seat has gained."""
        return rewards(self.match) if self.match is not None else [0.0] * self.table.setup.seats

    def resample_from_infostate(self, player: int, sampler: Any) -> TableState:
        """Return a state that looks the same to a player, with the rest drawn anew; `sampler` gives numbers below 1."""
        assert self.match is not None
        twin: TableState = self.clone()
        generator = new_generator(int(sampler() * 2**53))
        imagined = self.match.sight(player).imagine(generator)
        moves = self.match.moves
        twin.match = Match.from_state(self.match.game, imagined)
        twin.match.moves = list(moves)
        return twin

    def to_struct(self) -> dict[str, Any]:
        """Return the true record as plain values, by the names of its fields."""
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
    """The numbers of the game's observation by block; with perfect recall, a digest of all that was seen.

    Without private information it looks as a spectator does. What all players know together is nobody's to observe.
    """

    def __init__(self, game: Game, kind: Any, params: Any) -> None:
        if params:
            raise ValueError(f"observers take no parameters, and got {params}")
        if kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise ValueError("observers see what one player knows, or a spectator; never what all of them know")
        self.is_spectator = kind.private_info == pyspiel.PrivateInfoType.NONE
        if self.is_spectator and kind.perfect_recall:
            raise ValueError("a spectator's past is not kept; ask without perfect recall")
        self.remembers = kind.perfect_recall
        self.layout = game.kernels.observation
        self.tensor = np.zeros(self.layout.size, np.float32)
        self.dict = {block.name: self.tensor[block.start : block.start + block.size] for block in self.layout}

    def set_from(self, state: TableState, player: int) -> None:
        """Write what a player observes, or a spectator."""
        self.tensor[:] = 0.0 if state.match is None else state.match.sight(self._viewer(player)).observe()

    def _viewer(self, player: int) -> int:
        return SPECTATOR if self.is_spectator else player

    def string_from(self, state: TableState, player: int) -> str:
        """Return a text that is the same exactly for states that look the same."""
        if self.remembers:
            return f"seat {player} {state.trails[player]}"
        if state.match is None:
            return f"seat {player} before the deal"
        seen = state.match.sight(self._viewer(player)).to_bytes()
        return f"seat {self._viewer(player)} {hashlib.blake2b(seen, digest_size=12).hexdigest()}"


@cache
def register_games() -> None:
    """Make every game known to OpenSpiel."""
    known = pyspiel.registered_names()
    for game in all_games():
        kind = _type_of(game)
        if kind.short_name not in known:
            pyspiel.register_game(kind, type(f"Table_{game.name}", (TableGame,), {"game": game}))


# OpenSpiel clones and stores a state by copying and pickling all it has.


def _pack(match: Match) -> tuple[Any, ...]:
    past = (match.seed, match.stream, match.moves, match.first_state.tobytes())
    return _unpack, (match.game.name, match.state.tobytes(), past)


def _unpack(name: str, state: bytes, past: tuple[int | None, int, list[int], bytes]) -> Match:
    match = Match.from_state(name, _record(name, state))
    match.seed, match.stream, moves, first = past
    match.moves = list(moves)
    match.first_state = _record(name, first)
    return match


def _record(name: str, content: bytes) -> Any:
    return np.frombuffer(content, find_game(name).kernels.state_type).view(np.recarray)[0]


copyreg.pickle(Match, _pack)
register_games()
