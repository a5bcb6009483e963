"""What a viewer sees: everything but the others' hands (E19); and what `disguise` may change."""

import pytest

from tablee.core.randomness import new_generator
from tablee.core.state import copy_state
from tablee.games.lexio import GAME
from tablee.games.lexio.state import MAX_SEATS, UNKNOWN
from tablee.games.lexio.tests.positions import broken
from tablee.testing import assert_seen, random_positions


def states(seats, step, **options):
    """Yield some states of a random match, the last one included."""
    setup = GAME.setup(seats, {"two_players": seats == 2, **options})
    for match in random_positions(GAME, setup, seed=seats):
        if len(match.moves) % step == 0 or match.is_over:
            yield match.state


@pytest.mark.parametrize(("seats", "must_play"), [(2, False), (3, True), (5, False)])
def test_e19_a_sight_holds_everything_but_the_other_hands(seats, must_play):
    for state in states(seats, step=9, rounds=2, must_play=must_play):
        for viewer in range(-1, seats):
            sight = assert_seen(GAME, state, viewer, hidden={"hands"})
            for other in range(MAX_SEATS):
                is_known = other == viewer or other >= seats or state.end_reason != 0
                assert sight.hands[other] == (state.hands[other] if is_known else UNKNOWN)


@pytest.mark.parametrize("must_play", [False, True])
def test_disguised_states_are_possible_and_look_the_same(must_play):
    generator = new_generator(seed=9)
    for state in states(3, step=11, rounds=1, must_play=must_play):
        for viewer in range(-1, 3):
            twin = copy_state(state)
            GAME.kernels.disguise(twin, viewer, generator)
            assert broken(twin) == []
            assert twin.generator.tobytes() != state.generator.tobytes()
            sights = [
                GAME.kernels.see(each, viewer, out := copy_state(each)) or out.tobytes() for each in (state, twin)
            ]
            assert sights[0] == sights[1]
