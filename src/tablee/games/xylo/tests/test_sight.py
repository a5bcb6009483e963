"""What a viewer sees: backs, cards face up, the rows it sorted, the cards it looked at (R7, R8, R22, A14, A16)."""

import pytest

from tablee.core.randomness import new_generator
from tablee.core.state import copy_state
from tablee.games.xylo import GAME
from tablee.games.xylo.state import ARRANGE, DECK, NO_CARD, UNKNOWN, UNKNOWN_VALUE, is_sorter, row_count, row_of
from tablee.games.xylo.tests.positions import broken, small
from tablee.games.xylo.tests.test_imagine import all_worlds
from tablee.testing import assert_seen, random_positions

SETUPS = [(2, {}), (3, {}), (4, {"ties": "auto"}), (5, {"ties": "auto"})]


def states(seats, options, step=11):
    """Yield some states of a random match, with the ordering of packets and two rounds."""
    for match in random_positions(GAME, GAME.setup(seats, options), seed=seats, max_moves=60 * seats):
        if len(match.moves) % step == 0 or len(match.moves) < 8:
            yield match.state


def expected_card(state, viewer, row, position):
    """Return what a viewer knows of a card, from the rulebook."""
    card = int(state.cards[row * int(state.row_size) + position])
    if state.phase == ARRANGE:
        return card if is_sorter(state, viewer, row) else UNKNOWN
    is_up = not int(state.down[row]) >> position & 1
    has_looked = viewer >= 0 and row == row_of(state, viewer) and position in state.peeks[row]
    return card if is_up or has_looked or is_sorter(state, viewer, row) else card | UNKNOWN_VALUE


@pytest.mark.parametrize(("seats", "options"), SETUPS)
def test_r7_r8_r22_a14_a_sight_holds_everything_that_a_seat_has_seen(seats, options):
    for state in states(seats, options):
        size = int(state.row_size)
        for viewer in range(-1, seats):
            sight = assert_seen(GAME, state, viewer, hidden={"cards", "arranging"})
            is_secret = state.phase == ARRANGE and state.to_move != viewer
            assert sight.arranging == (UNKNOWN if is_secret else state.arranging)
            rows = int(row_count(state))
            cards = [expected_card(state, viewer, row, position) for row in range(rows) for position in range(size)]
            assert list(sight.cards) == cards + [NO_CARD] * (DECK - rows * size)


@pytest.mark.parametrize(("seats", "options"), SETUPS[:3])
def test_a16_a24_disguise_changes_what_a_seat_has_not_seen(seats, options):
    generator = new_generator(seed=4)
    changed_values = changed_progress = 0
    for state in states(seats, options, step=17):
        for viewer in range(-1, seats):
            twin = copy_state(state)
            GAME.kernels.disguise(twin, viewer, generator)
            assert broken(twin) == []
            assert twin.generator.tobytes() != state.generator.tobytes()
            sights = [assert_seen(GAME, each, viewer, {"cards", "arranging"}).tobytes() for each in (state, twin)]
            assert sights[0] == sights[1]
            changed_values += int((twin.cards != state.cards).sum())
            changed_progress += int(twin.arranging != state.arranging)
    assert changed_values > 50
    assert changed_progress > 0 or options


SIXTEEN = ("R3 O2 Y1 R0", "Y3 G2 O1 Y0", "O3 R2 G1 O0", "G3 Y2 R1 G0")


def disguised(state, viewer, times):
    """Return the cards of many disguises."""
    generator = new_generator(seed=7)
    twins = [copy_state(state) for _ in range(times)]
    for twin in twins:
        GAME.kernels.disguise(twin, viewer, generator)
        assert broken(twin) == []
    return [tuple(int(card) for card in twin.cards[:16]) for twin in twins]


@pytest.mark.parametrize("viewer", [-1, 0, 1, 2, 3])
def test_r7_disguise_exchanges_every_card_that_can_be_another(viewer):
    """Each row of four cards is sorted, so a value can be exchanged only where both rows stay sorted."""
    state = small(*SIXTEEN).state
    sight = assert_seen(GAME, state, viewer, {"cards"})
    worlds = disguised(state, viewer, 150)
    possible = [set(values) for values in zip(*all_worlds(sight), strict=True)]
    assert [set(values) for values in zip(*worlds, strict=True)] == possible


@pytest.mark.parametrize("viewer", [-1, 0, 1])
def test_a16_disguise_deals_the_packets_of_the_others_again(viewer):
    state = small(*SIXTEEN, ties="choose").state
    worlds = disguised(state, viewer, 120)
    for row in range(4):
        is_known = is_sorter(state, viewer, row)
        for position in range(4):
            assert (len({world[row * 4 + position] for world in worlds}) > 3) != is_known
