"""The whole tree of a reduction, as arrays: every history of every deal, level by level, with its information states.

Chance is the deal, at the root. Two histories are in one information state of a seat exactly if the seat has seen the
same sights and the same moves in the same order, so recall is perfect. The number of moves played is public: all
histories of an information state are on one level.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from tablee.core.compilation import is_interpreted, kernel
from tablee.core.deals import all_deals
from tablee.core.errors import TableeError
from tablee.core.fields import with_attributes
from tablee.core.game import Game, Setup
from tablee.core.kernels import legal_moves, play, ranks, see, sees_move
from tablee.core.state import NOBODY, new_states
from tablee.core.types import Moves, Seat, States

Array: TypeAlias = npt.NDArray[Any]

MAX_HISTORIES = 20_000_000
UNSEEN_MOVE = -1


class Level(NamedTuple):
    """The histories with one number of moves; children follow one another in the order of their parents."""

    parents: Array  # (n,) index into the level above; at the root, the number of the deal
    choices: Array  # (n,) the choice that led here, an index into `GameTree.moves`; -1 at the root
    seats: Array  # (n,) seat on turn, NOBODY at the end
    info_states: Array  # (n,) information state of the seat on turn, -1 at the end
    rewards: Array  # (n, seats) zero except at the end


@dataclass(frozen=True)
class GameTree:
    """The tree of a reduction. A *choice* is an information state and one of its moves; a policy rates all choices."""

    game: Game
    setup: Setup
    levels: list[Level]
    owners: Array  # (info_states,) the seat on turn
    first_choices: Array  # (info_states + 1,) index of the first choice of each information state
    moves: Array  # (choices,) the move of each choice

    @property
    def histories(self) -> int:
        """The number of histories, finished ones included, the one before the deal left out."""
        return sum(len(level.seats) for level in self.levels)

    @property
    def depth(self) -> int:
        """The number of moves of the longest game."""
        return len(self.levels) - 1

    @property
    def info_states(self) -> int:
        """The number of information states in which a seat is on turn."""
        return len(self.owners)

    @property
    def deals(self) -> int:
        """The number of equally likely deals."""
        return len(self.levels[0].seats)

    def uniform_policy(self) -> Array:
        """Return the policy that plays every legal move with the same probability."""
        counts = np.diff(self.first_choices)
        return np.repeat(1.0 / counts, counts)


def build_tree(game: Game, setup: Setup) -> GameTree:
    """Play every move in every position of a reduction; raise TableeError if there are too many positions."""
    builder = TreeBuilder(game, setup)
    while len(builder.states):
        builder.add_level()
    return builder.tree()


class TreeBuilder:
    """A tree that grows by one level at a time; `states` are the positions of the level to add."""

    def __init__(self, game: Game, setup: Setup) -> None:
        self.game = game
        self.setup = setup
        self.max_moves = game.reduction(setup.reduction).max_moves
        self.states = _quick(all_deals(game, setup))
        self.parents = np.arange(len(self.states))
        self.choices = np.full(len(self.states), -1)
        self.seen = np.zeros((len(self.states), setup.seats), np.uint64)  # digest of what each seat has seen
        self._look(np.full(self.seen.shape, UNSEEN_MOVE))
        self.levels: list[Level] = []
        self.owners: list[Array] = []  # of the information states of each level
        self.moves: list[Array] = []  # of the choices of each level
        self.counts: list[Array] = []  # number of choices in each information state of each level
        self.histories = 0

    def tree(self) -> GameTree:
        """Return the tree, once no position is left."""
        first_choices = np.concatenate(([0], np.cumsum(np.concatenate(self.counts))))
        moves, owners = np.concatenate(self.moves), np.concatenate(self.owners)
        return GameTree(self.game, self.setup, self.levels, owners, first_choices, moves)

    def add_level(self) -> None:
        """Group the positions into information states, and go on to all positions after one more move."""
        self.histories += len(self.states)
        if self.histories > MAX_HISTORIES:
            raise TableeError(f"{self.game.name} {self.setup} has more than {MAX_HISTORIES} histories")
        counts, legal = self._list_moves()
        is_open = counts > 0
        seats = np.where(is_open, self.states["to_move"], NOBODY)
        first_info_state = sum(map(len, self.owners))
        members, groups = self._group(is_open, seats)
        self._check_groups(counts, legal, members, groups)
        info_states = np.full(len(self.states), -1)
        info_states[is_open] = first_info_state + groups
        self.levels.append(Level(self.parents, self.choices, seats, info_states, self._rewards(is_open)))
        first_choice = sum(map(len, self.moves))
        self.owners.append(seats[members])
        self.counts.append(counts[members])
        self.moves.append(legal[members][np.arange(legal.shape[1]) < counts[members, None]])
        starts = np.zeros(len(self.states), np.int64)  # first choice of each position
        starts[is_open] = (first_choice + np.cumsum(counts[members]) - counts[members])[groups]
        self._play(counts, legal, starts)

    def _list_moves(self) -> tuple[Array, Array]:
        """Return the number of legal moves of each position, and the moves; none where the game is cut off."""
        counts = np.zeros(len(self.states), np.int64)
        legal = np.zeros((len(self.states), self.game.max_legal_moves), np.int32)
        if len(self.levels) < self.max_moves:
            list_all_moves(self.states, counts, legal)
        return counts, legal[:, : max(1, counts.max())]

    def _group(self, is_open: Array, seats: Array) -> tuple[Array, Array]:
        """Return a position of each information state, and the information state of each open position."""
        (indices,) = np.nonzero(is_open)
        keys = self.seen[indices, seats[indices]] * 2**3 + seats[indices].astype(np.uint64)
        _, first, groups = np.unique(keys, return_index=True, return_inverse=True)
        return indices[first], groups

    def _check_groups(self, counts: Array, legal: Array, members: Array, groups: Array) -> None:
        """Check that positions which look alike to the seat on turn have the same legal moves."""
        is_open = counts > 0
        if (counts[members][groups] != counts[is_open]).any() or (legal[members][groups] != legal[is_open]).any():
            raise TableeError(f"{self.game.name} {self.setup}: positions that look alike have different legal moves")

    def _rewards(self, is_open: Array) -> Array:
        """Return the share of the other seats behind minus the share ahead; zero where the game goes on."""
        placing = np.zeros((len(self.states), self.setup.seats), np.int64)
        rank_all(self.states, placing)
        ahead = np.sign(placing[:, None, :] - placing[:, :, None]).sum(axis=2) / (self.setup.seats - 1)
        return np.where(is_open[:, None], 0.0, ahead)

    def _play(self, counts: Array, legal: Array, starts: Array) -> None:
        """Play every legal move of every position."""
        self.parents = np.repeat(np.arange(len(counts)), counts)
        ordinals = np.arange(len(self.parents)) - np.repeat(np.cumsum(counts) - counts, counts)
        self.choices = starts[self.parents] + ordinals
        children = _quick(new_states(self.game.kernels.state_type, len(self.parents)))
        shown = np.zeros((len(self.parents), self.setup.seats), np.int64)
        play_all(self.states, self.parents, legal[self.parents, ordinals], children, shown)
        self.states, self.seen = children, self.seen[self.parents]
        self._look(shown)

    def _look(self, shown: Array) -> None:
        """Add the move that was shown to each seat, and its sight, to what it has seen."""
        sights = _quick(new_states(self.game.kernels.state_type, len(self.states)))
        for seat in range(self.setup.seats):
            see_all(self.states, seat, sights)
            words = sights.view(np.uint64).reshape(len(sights), sights.itemsize // 8)
            digest = _mix(self.seen[:, seat], shown[:, seat].astype(np.uint64))
            for word in range(words.shape[1]):
                digest = _mix(digest, words[:, word])
            self.seen[:, seat] = digest


def _quick(states: States) -> States:
    """Return the same states as an array whose entries interpreted kernels read quickly."""
    return states.view(with_attributes(states.dtype), np.ndarray) if is_interpreted() else states


def _mix(digest: Array, words: Array) -> Array:
    """Add a 64-bit word to each digest (the finaliser of MurmurHash3)."""
    mixed = (digest ^ words) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    mixed = (mixed ^ (mixed >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return mixed ^ (mixed >> np.uint64(33))


# Kernels over arrays of states


@kernel
def list_all_moves(states: States, counts: Any, legal: Any) -> None:
    """Write the number of legal moves of each state, and the moves."""
    for index in range(len(states)):
        counts[index] = legal_moves(states[index], legal[index])


@kernel
def play_all(states: States, parents: Any, moves: Moves, children: States, shown: Any) -> None:
    """Play a move in a copy of each parent; write it for the seats that may know it, else UNSEEN_MOVE."""
    for index in range(len(parents)):
        parent = states[parents[index]]
        for seat in range(parent.seats):
            shown[index, seat] = moves[index] if sees_move(parent, moves[index], seat) else UNSEEN_MOVE
        children[index] = states[parents[index]]
        play(children[index], int(moves[index]))


@kernel
def see_all(states: States, seat: Seat, sights: States) -> None:
    """Write what a seat knows of each state."""
    for index in range(len(states)):
        see(states[index], seat, sights[index])


@kernel
def rank_all(states: States, out: Any) -> None:
    """Write the ranks in each state."""
    for index in range(len(states)):
        ranks(states[index], out[index])
