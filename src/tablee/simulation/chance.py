"""One game with its chance apart: a position is a seat's decision, an outcome to be drawn, or the end.

`Match` and batches draw from the generator inside the state. Algorithms that expect chance nodes step a
`ChancePosition` instead. What a move turns up is listed with its probabilities where the game lists it (`chance.py` in
its folder). A deal or a shuffle takes a number, which seeds the generator, so that a position follows from its history.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from tablee.core.compilation import Kernel, direct_call
from tablee.core.deals import deal_number
from tablee.core.errors import BadMove, BadSetup, did_you_mean
from tablee.core.fields import single_state, with_attributes
from tablee.core.game import Game, Setup
from tablee.core.kernels import MAX_DRAWS
from tablee.core.notices import single_game_notice
from tablee.core.sight import Sight
from tablee.core.state import SPECTATOR, blank_state, state_digest
from tablee.core.types import Numbers, State
from tablee.simulation import chance_steps as steps
from tablee.simulation.chance_steps import CHANCE, DEAL, DRAW, OVER, REFUSED
from tablee.simulation.rewards import reward_rule

Content: TypeAlias = bytes | bytearray  # of a state

KINDS = ("draws", "deal")
MAX_NUMBER = 2**31 - 1
DEALS_COMPARED = 2
MAX_SHOWN = 20  # legal moves in a message


class ChanceModel:
    """How chance is drawn in a game, and everything else that its positions share.

    With `chance="draws"`, chance is drawn whenever a move turns up pieces that no seat knows, and at every shuffle;
    with "deal", once at the start, and everything later follows from it. A deal or a shuffle is seeded by `deal_nodes`
    numbers below `deals`, drawn one after the other. A reduction draws the number of one of its own deals, which
    decides everything. `max_moves` cuts a game off, 0 never.
    """

    def __init__(
        self,
        game: Game,
        setup: Setup,
        *,
        chance: str = "draws",
        deals: int = 1024,
        deal_nodes: int = 2,
        seed: int = 0,
        reward: str | None = None,
        episode: str = "game",
        max_moves: int = 0,
    ) -> None:
        if chance not in KINDS:
            raise BadSetup(f"there is no chance {chance!r}; {did_you_mean(chance, KINDS)}")
        if setup.reduction:
            chance, deals, deal_nodes = "deal", game.reduction(setup.reduction).deals, 1
        if deals < 1 or deal_nodes < 1 or deals**deal_nodes > MAX_NUMBER:
            raise BadSetup(f"deals**deal_nodes is a number from 1 to 2**31 - 1, not {deals}**{deal_nodes}")
        if not 0 <= max_moves <= MAX_NUMBER:
            raise BadSetup(f"max_moves is a number of moves below 2**31, or 0 for no limit, not {max_moves}")
        self.name = game.name  # under which an adapter can load the model again
        self.game = game
        self.setup = setup
        self.is_reduced = bool(setup.reduction)
        self.rule = reward_rule(game, reward, episode)
        self.deals = deals
        self.max_outcomes = max(deals, MAX_DRAWS)
        self.numbers = list(range(deals))  # the outcomes of a deal or a shuffle
        layout = game.kernels.move_feature_layout
        self.feature_count = 0 if layout is None else layout.size
        self.observation_size = game.kernels.observation.size
        self.draw_text = game.module("chance").draw_text if (game.folder / "chance.py").exists() else str
        self._measure()
        settings = {
            steps.LISTS_DRAWS: int(chance == "draws"),
            steps.MAX_MOVES: max_moves,
            steps.DEALS: deals,
            steps.DEAL_NODES: deal_nodes,
            steps.LISTED: max(game.max_legal_moves, MAX_DRAWS),
            steps.REWARD_KIND: self.rule.kind,
            steps.REWARD_SIGN: self.rule.sign,
            steps.REWARD_SCALE: self.rule.scale,
            steps.REWARD_PER_ROUND: self.rule.per_round,
        }
        self._root = ChancePosition(self, bytearray(self.size))
        self._root.states[0] = blank_state(game, setup, seed)
        numbers = self._root.arrays[-1]
        for index, value in settings.items():
            numbers[index] = value
        steps.ask_number(numbers, DEAL)
        if chance == "draws" and self._deal_shows_nothing():
            for _ in range(deal_nodes):
                self._root.apply(0)

    def _measure(self) -> None:
        """Lay out the memory of a position: two states, and the arrays that `chance_steps` explains."""
        game, seats = self.game, self.setup.seats
        self.state_type = with_attributes(game.kernels.state_type)
        self.state_size = self.state_type.itemsize
        self.ledger_size = 4 * seats + 1
        self.ledger_start = 2 * self.state_size
        self.gains_start = self.ledger_start + 8 * self.ledger_size
        self.numbers_start = self.gains_start + 8 * 2 * seats
        self.size = self.numbers_start + 4 * (steps.HEAD + max(game.max_legal_moves, MAX_DRAWS) + MAX_DRAWS)

    def _deal_shows_nothing(self) -> bool:
        """Whether all deals look the same to every seat, and later draws are listed: then a deal is not chance."""
        if not (self.game.folder / "chance.py").exists():
            return False
        deals = [self._root.copy() for _ in range(DEALS_COMPARED)]
        for number, position in enumerate(deals):
            while not position.is_dealt:
                position.apply(number % self.deals)
        seats = range(self.setup.seats)
        return all(len({self.sight_bytes(position.state_bytes(), seat) for position in deals}) == 1 for seat in seats)

    @cached_property
    def start(self) -> tuple[bytes, int]:
        """The memory and the player of the position before the deal."""
        return bytes(self._root.memory), self._root.player

    def root(self) -> ChancePosition:
        """Return the position before the deal."""
        return self._root.copy()

    # Kernels, compiled for the game when they are first needed

    @cached_property
    def advance(self) -> Kernel:
        """`chance_steps.advance`."""
        return self._compiled(steps.advance, *self._root.arrays, 0)

    @cached_property
    def begin(self) -> Kernel:
        """`chance_steps.begin`."""
        return self._compiled(steps.begin, *self._root.arrays)

    @cached_property
    def write_observation(self) -> Kernel:
        """`chance_steps.write_observation`."""
        return self._compiled(steps.write_observation, self._root.states, 0, np.zeros(1, np.float32))

    @cached_property
    def write_sight(self) -> Kernel:
        """`chance_steps.write_sight`."""
        return self._compiled(steps.write_sight, self._root.states, 0)

    @cached_property
    def _sees_move(self) -> Kernel:
        return self._compiled(self.game.kernels.sees_move, self.state(self._root.state_bytes()), 0, 0)

    @cached_property
    def _write_features(self) -> Kernel:
        assert self.game.kernels.move_features is not None
        return self._compiled(self.game.kernels.move_features, 0, np.zeros(1, np.float32))

    def _compiled(self, kernel: Kernel, *arguments: Any) -> Kernel:
        with single_game_notice(self.game):
            return direct_call(kernel, *arguments)

    def sight_bytes(self, state: Content, seat: int) -> bytes:
        """Return what a seat knows of a state (-1: a spectator), both as bytes."""
        memory = bytearray(state) + bytearray(self.state_size)
        self.write_sight(np.frombuffer(memory, self.state_type), seat)
        return bytes(memory[self.state_size :])

    def sees_move(self, state: Content, move: int, seat: int) -> bool:
        """Whether a seat may know a move that is made in a state, given as bytes."""
        return bool(self._sees_move(self.state(state), move, seat))

    def features(self, moves: list[int]) -> Numbers:
        """Return the features of each move: (moves, features) float32, with no columns for games without features."""
        out = np.zeros((len(moves), self.feature_count), np.float32)
        if self.feature_count:
            for row, move in enumerate(moves):
                self._write_features(move, out[row])
        return out

    def observe(self, state: Content, seat: int, out: Numbers) -> None:
        """Write what a seat observes of a state, given as bytes."""
        states = np.frombuffer(bytearray(state) + bytearray(self.state_size), self.state_type)
        self.write_observation(states, seat, out)

    def state(self, content: Content) -> State:
        """Return a state made from its bytes."""
        return single_state(np.frombuffer(bytearray(content), self.state_type))


class ChancePosition:
    """A position of a game: `player` is the seat on turn, CHANCE, or OVER. A copy takes a microsecond."""

    __slots__ = ("_arrays", "memory", "model", "player", "words")

    def __init__(self, model: ChanceModel, memory: bytearray, player: int = CHANCE) -> None:
        self.model = model
        self.memory = memory
        self.words = memoryview(memory)[model.numbers_start :].cast("i")  # what the kernels call `numbers`
        self.player = player
        self._arrays: tuple[np.ndarray, ...] | None = None

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """The memory as the kernels take it; made when it is first needed, which for many copies is never."""
        if self._arrays is None:
            model, memory = self.model, self.memory
            self._arrays = (
                np.frombuffer(memory, model.state_type, 2),
                np.frombuffer(memory, np.int64, model.ledger_size, model.ledger_start),
                np.frombuffer(memory, np.float64, 2 * model.setup.seats, model.gains_start),
                np.frombuffer(memory, np.int32, offset=model.numbers_start),
            )
        return self._arrays

    @property
    def states(self) -> np.ndarray:
        """The state, and room for another one."""
        return self.arrays[0]

    def copy(self) -> ChancePosition:
        """Return an independent position."""
        return ChancePosition(self.model, bytearray(self.memory), self.player)

    def apply(self, action: int) -> None:
        """Play a move, or apply an outcome; raise BadMove if it is not listed."""
        if self.player == CHANCE and self.model.is_reduced:
            self._deal_reduction(action)
            return
        player = self.model.advance(*self.arrays, action)
        if player == REFUSED:
            raise self.refusal(action)
        self.player = player

    def _deal_reduction(self, number: int) -> None:
        if not 0 <= number < self.model.deals:
            raise self.refusal(number)
        self.states[0] = deal_number(self.model.game, self.model.setup, number)
        self.player = self.model.begin(*self.arrays)

    def refusal(self, action: int) -> BadMove:
        """Return why an action is refused."""
        if self.player == OVER:
            return BadMove(f"illegal action {action!r}: the game is over")
        what = "outcome" if self.player == CHANCE else f"move for seat {self.player}"
        listed = self.listed()
        some = ", ".join(map(str, listed[:MAX_SHOWN])) + (", …" if len(listed) > MAX_SHOWN else "")
        return BadMove(f"illegal {what} after {self.played} moves: {action!r}; it is one of {some}")

    def listed(self) -> list[int]:
        """Return the legal moves or the outcomes, ascending."""
        words = self.words
        if self.player == CHANCE and words[steps.DRAWS] != DRAW:
            return self.model.numbers.copy()
        count = words[steps.COUNT]
        return words[steps.HEAD : steps.HEAD + count].tolist()

    def probabilities(self) -> list[float]:
        """Return the probability of each listed outcome."""
        words = self.words
        count = words[steps.COUNT]
        if words[steps.DRAWS] != DRAW:
            return [1.0 / count] * count
        first = steps.HEAD + words[steps.LISTED]
        weights = words[first : first + count].tolist()
        total = sum(weights)
        return [weight / total for weight in weights]

    def outcome_text(self, action: int) -> str:
        """Write what an outcome is."""
        draws = self.words[steps.DRAWS]
        if draws == DRAW:
            return f"draw {self.model.draw_text(action)}"
        return f"deal {action}" if draws == DEAL else f"shuffle {action}"

    @property
    def played(self) -> int:
        """The number of moves played."""
        return self.words[steps.PLAYED]

    @property
    def is_dealt(self) -> bool:
        """Whether the deal is done."""
        return self.player != CHANCE or self.words[steps.DRAWS] != DEAL

    def rewards(self) -> list[float]:
        """Return what each seat was rewarded for the last move."""
        return self._gains()[: self.model.setup.seats]

    def returns(self) -> list[float]:
        """Return the sum of each seat's rewards so far."""
        return self._gains()[self.model.setup.seats :]

    def _gains(self) -> list[float]:
        gains: Any = memoryview(self.memory)[self.model.gains_start : self.model.numbers_start].cast("d")
        return list(gains)

    # States and sights

    def state_bytes(self) -> bytes:
        """Return the bytes of the state."""
        return bytes(self.memory[: self.model.state_size])

    def state_digest(self) -> str:
        """Return sixteen hexadecimal digits that change with any byte of the state."""
        return state_digest(self.state())

    def state(self) -> State:
        """Return a copy of the state."""
        return self.model.state(self.state_bytes())

    def sight(self, seat: int) -> Sight:
        """Return what a seat knows (-1: a spectator)."""
        return Sight.of(self.model.game, self.state(), seat)

    def observe(self, seat: int, out: Numbers) -> None:
        """Write what a seat observes (-1: a spectator); zeros before the deal."""
        if self.player >= 0 or self.is_dealt:
            if not SPECTATOR <= seat < self.model.setup.seats:
                raise BadSetup(f"there is no seat {seat} at a table of {self.model.setup.seats}")
            self.model.write_observation((self._arrays or self.arrays)[0], seat, out)
        else:
            out[:] = 0.0

    def put(self, state: State) -> None:
        """Go on from another state, in which the same seat is on turn with the same legal moves."""
        self.states[0] = state
