"""Golden playthroughs of the classic edition, the only one for five and six."""

from pathlib import Path

import pytest

from tablee.games.skip_bo import GAME
from tablee.testing import playthrough


@pytest.mark.parametrize("seats", [5, 6])
def test_playthrough_of_the_classic_edition(seats):
    """After an intended change, regenerate the text (tools/golden.py does not cover it) and read the diff."""
    expected = (Path(__file__).parent / f"playthrough-classic-{seats}.txt").read_text(encoding="utf-8")
    setup = GAME.setup(seats, {"edition": "classic", "single_round": True})
    assert playthrough(GAME, setup, seed=1).splitlines() == expected.splitlines()
