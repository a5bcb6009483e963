"""What a viewer sees: everything but the other's secret disc (R6)."""

import pytest

from tablee.core.randomness import new_generator
from tablee.core.sight import Sight
from tablee.core.state import TRUTH, copy_state
from tablee.games.xe_queo import GAME
from tablee.games.xe_queo.state import CHOOSE, NO_PAWN, UNKNOWN
from tablee.games.xe_queo.tests.positions import broken, dealt, played, position
from tablee.games.xe_queo.tests.test_rings import BESIDE
from tablee.testing import assert_seen, random_positions

VIEWERS = (-1, 0, 1)


@pytest.mark.parametrize("options", [{}, {"placement": "manual", "foreign_ring": "block", "allow_pass": True}])
def test_r6_c16_a_sight_holds_everything_but_the_other_disc(options):
    for match in random_positions(GAME, GAME.setup(2, options), seed=3, max_moves=120):
        state = match.state
        for viewer in VIEWERS:
            sight = assert_seen(GAME, state, viewer, hidden={"chosen"})
            for seat in range(2):
                is_known = seat == viewer or state.chosen[seat] == NO_PAWN
                assert sight.chosen[seat] == (state.chosen[seat] if is_known else UNKNOWN)


def test_r6_only_the_chooser_knows_which_pawn_was_chosen():
    match = dealt()
    while match.state.phase != CHOOSE:
        match.play(match.legal_moves()[0])
    for move in match.legal_moves():
        assert [bool(GAME.kernels.sees_move(match.state, move, viewer)) for viewer in VIEWERS] == [
            viewer == match.to_move for viewer in VIEWERS
        ]


@pytest.mark.parametrize("viewer", VIEWERS)
def test_r6_disguise_changes_the_other_discs_and_nothing_else(viewer):
    generator = new_generator(seed=4)
    for match in random_positions(GAME, GAME.setup(2), seed=5, max_moves=40):
        state, discs = match.state, [set(), set()]
        for _ in range(12):
            twin = copy_state(state)
            GAME.kernels.disguise(twin, viewer, generator)
            assert broken(twin) == []
            assert twin.generator.tobytes() != state.generator.tobytes()
            for seat in range(2):
                discs[seat].add(int(twin.chosen[seat]))
                twin.chosen[seat] = state.chosen[seat]
            twin.generator = state.generator
            assert twin.tobytes() == state.tobytes()
        for seat in range(2):
            is_fixed = seat == viewer or state.chosen[seat] == NO_PAWN
            assert (discs[seat] == {int(state.chosen[seat])}) == is_fixed


def test_c6_c17_a_pawn_that_is_known_not_to_be_the_players_is_never_imagined():
    """Seat 0 has moved the orange pawn onto the ring, which only blocks it: it is not its own."""
    match = played(position(BESIDE, options={"foreign_ring": "block"}, chosen="red pink"), "orange d4")
    generator = new_generator(seed=2)
    for viewer, own in ((1, {6}), (-1, set(range(7)))):
        worlds = [match.sight(viewer).imagine(generator) for _ in range(150)]
        assert {int(world.chosen[0]) for world in worlds} == {0, 2, 3, 4, 5, 6}
        assert {int(world.chosen[1]) for world in worlds} == own


def test_every_world_is_a_full_state_with_a_fresh_generator():
    state = position(BESIDE)
    generator = new_generator(seed=7)
    worlds = [Sight.of(GAME, state, 0).imagine(generator) for _ in range(20)]
    assert {int(world.viewer) for world in worlds} == {TRUTH}
    keys = {world.generator["key"].tobytes() for world in worlds}
    assert len(keys) == 20
    assert state.generator["key"].tobytes() not in keys
