"""Positions that remember how they were reached, as far as information states need it."""

from __future__ import annotations

import hashlib
import pickle
import zlib
from array import array
from collections.abc import Iterator
from typing import Any

import numpy as np

from tablee.core.types import Numbers
from tablee.simulation.chance import ChanceModel, ChancePosition, Content
from tablee.simulation.chance_steps import CHANCE, REFUSED

DIGEST_SIZE = 12  # bytes
NO_DIGESTS: dict[int, bytes] = {}


class Trail:
    """A move, the state in which it was made, and the trail before: copies of a position share it."""

    __slots__ = ("digests", "move", "previous", "state")

    def __init__(self, previous: Trail | None, state: Content, move: int) -> None:
        self.previous = previous
        self.state = state
        self.move = move
        self.digests = NO_DIGESTS  # per seat: of everything it has seen, the move included if it may know it


class TrackedPosition(ChancePosition):
    """A position with its trail, which is made from the actions applied when an information state is asked for.

    A resampled position has a trail of its own, which is empty at first. The seat from which it was resampled,
    `viewer`, keeps the trail `seen` by which it came there, for itself alone: it has seen the same in both worlds.
    """

    __slots__ = ("_actions", "_observed", "_start", "_trail", "is_shared", "seen", "viewer")

    def __init__(self, model: ChanceModel, memory: bytearray, player: int) -> None:
        super().__init__(model, memory, player)
        self._trail: Trail | None = None
        self._start: tuple[bytes, int] | None = None  # memory and player where the trail ends; None: at the root
        self._actions: list[int] = []  # applied since
        self._observed: tuple[array[float], Numbers] | None = None  # room for an observation, and a view of it
        self.viewer: int | None = None
        self.seen: Trail | None = None
        self.is_shared = False  # whether it must be copied before an action is applied

    def copy(self) -> TrackedPosition:
        """Return an independent position."""
        twin = TrackedPosition(self.model, bytearray(self.memory), self.player)
        twin._trail, twin._start, twin._actions = self._trail, self._start, self._actions.copy()
        twin.viewer, twin.seen = self.viewer, self.seen
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> TrackedPosition:
        return self.copy()  # OpenSpiel clones a state by copying its attributes

    def apply(self, action: int) -> None:
        """Play a move, or apply an outcome; raise BadMove if it is not listed."""
        model = self.model
        if self.player == CHANCE and model.is_reduced:
            self._deal_reduction(action)
        else:
            player = model.advance(*(self._arrays or self.arrays), action)
            if player == REFUSED:
                raise self.refusal(action)
            self.player = player
        self._actions.append(action)

    @property
    def trail(self) -> Trail | None:
        """The moves played, since it was resampled or from the deal on."""
        if self._actions:
            memory, player = self._start or self.model.start
            replay = ChancePosition(self.model, bytearray(memory), player)
            for action in self._actions:
                if replay.player != CHANCE:
                    self._trail = Trail(self._trail, replay.state_bytes(), action)
                replay.apply(action)
            self._start, self._actions = (bytes(self.memory), self.player), []
        return self._trail

    def resampled(self, seat: int, world: Any) -> TrackedPosition:
        """Return the same position in a world that looks the same to a seat."""
        other = TrackedPosition(self.model, bytearray(self.memory), self.player)
        other.put(world)
        other._start = (bytes(other.memory), other.player)
        other.viewer, other.seen = seat, self.trail
        if seat == self.viewer and self.seen is not None:
            nodes = [*_chain(self.seen), *_chain(self.trail)]
            other.seen = _linked([(node.state, node.move) for node in nodes]) if self.trail else self.seen
        return other

    # What a seat sees, and has seen

    def observed(self, seat: int) -> array[float]:
        """Return what a seat observes: float32 numbers."""
        if self._observed is None:
            room = array("f", bytes(4 * self.model.observation_size))
            self._observed = room, np.frombuffer(room, np.float32)
        room, numbers = self._observed
        self.observe(seat, numbers)
        return room[:]

    def seen_by(self, seat: int) -> Iterator[Trail]:
        """Yield the moves of a seat's history, the last first, without one that waits for chance."""
        node = self.trail
        if node is not None and self.player == CHANCE:
            node = node.previous
        is_own = False
        while node is not None or not is_own:
            if node is None:
                node, is_own = (self.seen if seat == self.viewer else None), True
                continue
            yield node
            node = node.previous

    def digest(self, seat: int) -> bytes:
        """Return a digest of everything that a seat has seen (-1: a spectator): its sights, the moves it may know."""
        if not self.is_dealt:
            return b""
        missing: list[Trail] = []
        digest = b""
        for node in self.seen_by(seat):
            if seat in node.digests:
                digest = node.digests[seat]
                break
            missing.append(node)
        for node in reversed(missing):
            digest = _digest(digest, self.model.sight_bytes(node.state, seat))
            digest += b"%d" % node.move if self.model.sees_move(node.state, node.move, seat) else b"?"
            node.digests = {**node.digests, seat: digest}
        return _digest(digest, self.model.sight_bytes(self.state_bytes(), seat))

    # Pickling: states are alike, so they compress well

    def __reduce__(self) -> tuple[Any, ...]:
        trails = [[(node.state, node.move) for node in _chain(trail)] for trail in (self.trail, self.seen)]
        content = (bytes(self.memory), self.player, self.viewer, *trails)
        return restore, (self.model.name, zlib.compress(pickle.dumps(content), 1))


def restore(name: str, content: bytes) -> TrackedPosition:
    """Return a pickled position of the game with this name in OpenSpiel."""
    from tablee.adapters.openspiel.game import loaded_game

    memory, player, viewer, *trails = pickle.loads(zlib.decompress(content))
    position = TrackedPosition(loaded_game(name).model, bytearray(memory), player)
    position.viewer = viewer
    position._start = (bytes(memory), player)
    position._trail, position.seen = (_linked(trail) for trail in trails)
    return position


def _chain(trail: Trail | None) -> list[Trail]:
    nodes = []
    while trail is not None:
        nodes.append(trail)
        trail = trail.previous
    return nodes[::-1]


def _linked(content: list[tuple[Content, int]]) -> Trail | None:
    trail = None
    for state, move in content:
        trail = Trail(trail, state, move)
    return trail


def _digest(*parts: bytes) -> bytes:
    return hashlib.blake2b(b"".join(parts), digest_size=DIGEST_SIZE).digest()


class HistoryEncoding:
    """The history of a seat as numbers: its observation now, and each of the last moves with the observation before it.

    A move is one row: the relative seat that made it, whether the viewer may know it, then, if so, its features or else
    its number in binary, and the observation of the position in which it was made. The last move is the last row.
    """

    def __init__(self, model: ChanceModel, moves: int) -> None:
        self.model = model
        self.moves = moves
        self.code_size = model.feature_count or model.game.moves.bit_length()
        self.shape = (moves, model.setup.seats + 1 + self.code_size + model.game.kernels.observation.size)

    def write(self, position: TrackedPosition, seat: int, out: Numbers) -> None:
        """Write the rows of a seat's last moves into an array of `shape`."""
        out[:] = 0.0
        if not position.is_dealt:
            return
        for row, node in zip(range(self.moves - 1, -1, -1), position.seen_by(seat), strict=False):
            self._write_move(node, seat, out[row])

    def _write_move(self, node: Trail, seat: int, row: Numbers) -> None:
        model, seats = self.model, self.model.setup.seats
        mover = int(model.state(node.state).to_move)
        row[(mover - max(seat, 0)) % seats] = 1.0
        if model.sees_move(node.state, node.move, seat):
            row[seats] = 1.0
            row[seats + 1 : seats + 1 + self.code_size] = self._code(node.move)
        model.observe(node.state, seat, row[seats + 1 + self.code_size :])

    def _code(self, move: int) -> Numbers:
        if self.model.feature_count:
            return self.model.features([move]).ravel()
        return np.array([(move >> bit) & 1 for bit in range(self.code_size)], np.float32)
