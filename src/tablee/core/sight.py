"""What a seat knows: the only source of bots' decisions, views, hints and messages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tablee.core.errors import TableeError
from tablee.core.fields import StateScalar, plain_values, state_over, with_attributes
from tablee.core.state import SPECTATOR, TRUTH, copy_state

if TYPE_CHECKING:
    from tablee.core.game import Game
    from tablee.core.types import Generator, Numbers, Seat, SightState, State


@dataclass(frozen=True, eq=False)
class Sight:
    """The state as one seat knows it (seat -1: a spectator).

    Made by `Sight.of(game, state, seat)`. The full state itself is refused.
    """

    game: Game
    seat: Seat
    state: SightState

    def __post_init__(self) -> None:
        viewer = int(self.state.viewer)
        if viewer == TRUTH or viewer != self.seat:
            raise TableeError(f"this is not what seat {self.seat} knows, but a state seen by {self.state.viewer}")

    @classmethod
    def of(cls, game: Game, state: State, seat: Seat) -> Sight:
        """Return what a seat knows of a full state."""
        if not SPECTATOR <= seat < state.seats:
            raise TableeError(f"there is no seat {seat} at a table of {state.seats}")
        dtype = state.dtype if isinstance(state, StateScalar) else with_attributes(state.dtype)
        memory = bytearray(dtype.itemsize)
        game.kernels.see(state, seat, state_over(memory, dtype))
        return cls(game, seat, state_over(bytes(memory), dtype))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sight) and self.seat == other.seat and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash((self.seat, self.to_bytes()))

    @property
    def seats(self) -> int:
        """The number of seats."""
        seats: int = self.values.seats
        return seats

    @property
    def to_move(self) -> int:
        """The seat to move, -1 when the game is over."""
        seat: int = self.values.to_move
        return seat

    @cached_property
    def values(self) -> Any:
        """The fields of the state as a named tuple of Python's numbers and of arrays, for drawing: quick to read."""
        return plain_values(self.state if isinstance(self.state, StateScalar) else copy_state(self.state))

    def imagine(self, generator: Generator) -> State:
        """Return a world that is consistent with what this seat knows, drawn at random."""
        state = copy_state(self.state)
        self.game.kernels.imagine(state, self.seat, generator)
        return state

    def observe(self) -> Numbers:
        """Return the observation, float32 numbers for learning."""
        out = np.zeros(self.game.kernels.observation.size, np.float32)
        self.game.kernels.observe(self.state, self.seat, out)
        return out

    def to_bytes(self) -> bytes:
        """Return the bytes of the masked state."""
        return bytes(self.state.tobytes())
