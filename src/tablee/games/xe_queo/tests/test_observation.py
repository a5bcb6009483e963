"""Every block of an observation against its description, computed from the sight in another way."""

import numpy as np
import pytest

from tablee.games.xe_queo import GAME
from tablee.games.xe_queo.tests.positions import APART, played, position
from tablee.testing import observed, random_positions


def one_hot(size, *indices):
    """Return a row of zeros with ones at these indices."""
    return [float(index in indices) for index in range(size)]


def distance(state, field):
    """Return how far a field is from the ring, as a share of the way from corner to corner."""
    columns, rows = abs(field % 7 - state.ring % 7), abs(field // 7 - state.ring // 7)
    if GAME.setup_of(state).options["metric"] == "manhattan":
        return (columns + rows) / 12
    return (columns**2 + rows**2) / 72


def expected(state, viewer):
    """Return the blocks that the layout describes."""
    options = GAME.setup_of(state).options
    seats = [max(viewer, 0), 1 - max(viewer, 0)]
    pawns = [int(field) for field in state.pawns]
    has_ring = state.ring >= 0
    return {
        "pawns": np.concatenate([one_hot(49, field) for field in pawns]),
        "ring": one_hot(49, int(state.ring)),
        "distance": [distance(state, field) if has_ring and field >= 0 else 0 for field in pawns],
        "chosen": one_hot(7, int(state.chosen[viewer])) if viewer >= 0 else one_hot(7),
        "has_chosen": [float(state.chosen[seat] != -1) for seat in seats],
        "excluded": [int(state.excluded[seat]) >> pawn & 1 for seat in seats for pawn in range(7)],
        "moved": [state.moved[seat, pawn] / 10 for seat in seats for pawn in range(7)],
        "declined": [int(state.declined[seat]) >> pawn & 1 for seat in seats for pawn in range(7)],
        "rings": [state.rings[seat] / 4 for seat in seats],
        "phase": one_hot(4, int(state.phase)),
        "on_turn": [float(state.to_move == seat) for seat in seats],
        "starter": [float(state.starter == seat) for seat in seats],
        "passes": [state.passes / 2],
        "options": [
            options["allow_pass"],
            options["metric"] == "manhattan",
            options["placement"] == "manual",
            options["reveal"] == "all",
        ],
        "foreign_ring": [options["foreign_ring"] == "block", options["foreign_ring"] == "owner_wins"],
    }


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"allow_pass": True, "foreign_ring": "block"},
        {"metric": "manhattan", "placement": "manual"},
        {"foreign_ring": "owner_wins", "reveal": "all"},
    ],
)
def test_observations_are_as_described(options):
    for match in random_positions(GAME, GAME.setup(2, options), seed=4, max_moves=90):
        for viewer in (-1, 0, 1):
            sight = match.sight(viewer)
            found, wanted = observed(sight), expected(sight.state, viewer)
            assert found.keys() == wanted.keys()
            for name, numbers in wanted.items():
                assert found[name] == pytest.approx(np.asarray(numbers, np.float32)), name


@pytest.mark.parametrize("passes", [1, 2])
def test_observations_of_passes(passes):
    match = played(position(APART, options={"allow_pass": True}), *["pass"] * passes)
    assert observed(match.sight(0))["passes"] == [passes / 2]
