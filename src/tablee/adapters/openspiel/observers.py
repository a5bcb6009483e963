"""Observers of states for OpenSpiel: what a player or a spectator sees now, or has seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyspiel

from tablee.adapters.openspiel.trail import HistoryEncoding
from tablee.core.sight import Sight
from tablee.core.state import SPECTATOR

if TYPE_CHECKING:
    from tablee.adapters.openspiel.game import TableGame
    from tablee.adapters.openspiel.state import TableState

PARAMETERS = ("legal_moves",)


class TableObserver:
    """An observer: the game's observation by block; with perfect recall and the parameter `history`, the past as well.

    Without private information it observes as a spectator. The private information of all players is not available.
    With `params={"legal_moves": 50}`, the block `legal_moves` holds the features of the first 50 legal moves of the
    player, for games that declare features of moves.
    """

    def __init__(self, table: TableGame, kind: Any, params: Any) -> None:
        for name in params or {}:
            if name not in PARAMETERS:
                raise ValueError(f"observers have no parameter {name!r}, only {', '.join(PARAMETERS)}")
        if kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise ValueError("observers see what one player or a spectator knows, never what all players know")
        self.is_spectator = kind.private_info == pyspiel.PrivateInfoType.NONE
        self.has_perfect_recall = kind.perfect_recall
        self.listed = _listed_moves(table, (params or {}).get("legal_moves", 0))
        self.encoding = HistoryEncoding(table.model, table.history) if kind.perfect_recall and table.history else None
        self.size = table.game.kernels.observation.size
        self.tensor: np.ndarray | None = None
        self.dict: dict[str, np.ndarray] = {}
        if not kind.perfect_recall or self.encoding is not None:
            self._allocate(table)

    def _allocate(self, table: TableGame) -> None:
        """Make the tensor, and a view of each of its blocks."""
        blocks: dict[str, tuple[int, ...]] = {block.name: (block.size,) for block in table.game.kernels.observation}
        if self.encoding is not None:
            blocks["history"] = self.encoding.shape
        if self.listed:
            blocks["legal_moves"] = (self.listed, table.model.feature_count)
        self.tensor = np.zeros(sum(int(np.prod(shape)) for shape in blocks.values()), np.float32)
        start = 0
        for name, shape in blocks.items():
            end = start + int(np.prod(shape))
            self.dict[name] = self.tensor[start:end].reshape(shape)
            start = end

    def set_from(self, state: TableState, player: int) -> None:
        """Write what a player or a spectator observes into `tensor`."""
        if self.tensor is None:
            raise ValueError(NO_TENSOR)
        viewer = self._viewer(player)
        state.position.observe(viewer, self.tensor[: self.size])
        if self.encoding is not None:
            self.encoding.write(state.position, viewer, self.dict["history"])
        if self.listed:
            self._write_legal_moves(state, player)

    def _write_legal_moves(self, state: TableState, player: int) -> None:
        block = self.dict["legal_moves"]
        block[:] = 0.0
        if player == state.position.player:
            features = state.legal_move_features()[: self.listed]
            block[: len(features)] = features

    def string_from(self, state: TableState, player: int) -> str:
        """Return a text that is equal for two states exactly if they look the same."""
        viewer, position = self._viewer(player), state.position
        name = "spectator" if viewer == SPECTATOR else f"player {viewer}"
        if not position.is_dealt:
            return f"{name}, before the deal"
        if self.has_perfect_recall:
            return f"{name}, {position.played} moves, {position.digest(viewer).hex()}"
        return f"{name}: {describe(position.sight(viewer))}"

    def _viewer(self, player: int) -> int:
        return SPECTATOR if self.is_spectator else player


NO_TENSOR = (
    "this game has no information-state tensor: load it with a number of moves as `history`, or use the observation "
    "tensor or the information-state string"
)


def _listed_moves(table: TableGame, count: Any) -> int:
    if not isinstance(count, int) or count < 0:
        raise ValueError(f"legal_moves is a number of moves, not {count!r}")
    if count and not table.model.feature_count:
        raise ValueError(f"{table.game.name} declares no features of moves")
    return count


def describe(sight: Sight) -> str:
    """Write all fields of a sight; a value that is repeated is written once, with its number: `-9*12`."""
    fields = []
    for name in sight.state.dtype.names:
        if name not in ("generator", "viewer", "padding"):
            values = np.asarray(sight.state[name]).ravel().tolist()
            fields.append(f"{name}={','.join(_runs(values))}")
    return " ".join(fields)


def _runs(values: list[int]) -> list[str]:
    runs: list[tuple[int, int]] = []
    for value in values:
        if runs and runs[-1][0] == value:
            runs[-1] = (value, runs[-1][1] + 1)
        else:
            runs.append((value, 1))
    return [str(value) if count == 1 else f"{value}*{count}" for value, count in runs]
