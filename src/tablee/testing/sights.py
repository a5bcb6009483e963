"""Sights in tests of a game: what `see` must give as it is, and observations by block."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from tablee.core.compilation import Kernel
from tablee.core.game import Game
from tablee.core.sight import Sight
from tablee.core.state import copy_state
from tablee.core.types import Numbers, Seat, SightState, State

HEAD = {"generator", "viewer"}


def assert_seen(game: Game, state: State, viewer: Seat, hidden: Collection[str]) -> SightState:
    """Check that a viewer sees all fields except the hidden ones unchanged, and that `see` writes them all.

    `observe` must give the same from a `glimpse`. Return the sight; its hidden fields are still to be checked.
    """
    see, glimpse = game.kernels.see, game.kernels.glimpse
    sights = [_written_over(byte, see, state, viewer) for byte in (0x00, 0xA5)]
    for name in state.dtype.names:
        if name != "padding":
            assert sights[0][name].tobytes() == sights[1][name].tobytes(), f"see does not write all of {name}"
        if name not in HEAD | {"padding", *hidden}:
            assert sights[0][name].tobytes() == state[name].tobytes(), f"viewer {viewer} does not see {name} as it is"
    assert not any(sights[0].generator.tobytes())
    assert sights[0].viewer == viewer
    glimpsed = _written_over(0x00, glimpse, state, viewer)
    assert Sight(game, viewer, glimpsed).observe().tobytes() == Sight(game, viewer, sights[0]).observe().tobytes()
    return sights[0]


def observed(sight: Sight) -> dict[str, Numbers]:
    """Return the blocks of a sight's observation by name; the padding behind them must be zero."""
    numbers = sight.observe()
    layout = sight.game.kernels.observation
    blocks = {block.name: numbers[block.start : block.start + block.size] for block in layout}
    assert not blocks.pop("rest", np.zeros(1)).any(), "observe writes behind the last block"
    return blocks


def _written_over(byte: int, kernel: Kernel, state: State, viewer: Seat) -> SightState:
    """Return the sight that a kernel writes over a state of which every byte was `byte`."""
    out = copy_state(state)
    for name in state.dtype.names:
        out[name] = np.frombuffer(bytes([byte]) * out[name].nbytes, out[name].dtype).reshape(np.shape(out[name]))
    kernel(state, viewer, out)
    return out
