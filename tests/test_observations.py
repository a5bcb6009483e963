"""Layouts of observations and move features, and docs/observations.md, which is generated from them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from tablee import all_games
from tablee.core.game import Game
from tablee.core.observation import Layout, move_feature_table

TOOL = Path(__file__).resolve().parents[1] / "tools" / "observations.py"


def test_docs_observations_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("observations", TOOL)
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert tool.PAGE.read_text(encoding="utf-8") == tool.page(), "run: python tools/observations.py"


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_the_table_of_move_features_has_a_row_per_move(game: Game) -> None:
    table, layout = move_feature_table(game), game.kernels.move_feature_layout
    if layout is None:
        assert table is None
        assert game.kernels.move_features is None
        return
    assert table is not None
    assert game.kernels.move_features is not None
    assert (table.shape, table.dtype, table.flags.writeable) == ((game.moves, layout.size), np.float32, False)
    last = np.zeros(layout.size, np.float32)
    game.kernels.move_features(game.moves - 1, last)
    assert table[-1].tolist() == last.tolist()


def test_a_digest_identifies_a_layout() -> None:
    blocks = ("hand", 4, "cards"), ("points", 2, "per seat")
    digest = Layout(*blocks).digest
    assert Layout(("hand", 4, "said in other words"), blocks[1]).digest == digest
    others = (
        Layout(*blocks, version=2),
        Layout(*reversed(blocks)),
        Layout(blocks[0]),
        Layout(("hand", 5, ""), blocks[1]),
    )
    assert len({digest, *(other.digest for other in others)}) == 5
