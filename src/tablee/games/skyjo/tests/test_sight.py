"""What a viewer may not know changes no byte of what the viewer gets."""

from itertools import combinations

import numpy as np
import pytest

from tablee import Match
from tablee.core.randomness import new_generator
from tablee.core.sight import Sight
from tablee.core.state import copy_state
from tablee.games.skyjo import GAME
from tablee.games.skyjo.sight import OBSERVATION
from tablee.games.skyjo.state import DRAWN, LOWEST, OPEN_SECOND, UNKNOWN
from tablee.games.skyjo.tests.positions import OPEN_TWO, broken, dealt, hidden_cells, narrow, played, position
from tablee.testing import assert_seen, random_positions

VIEWERS = (-1, 0, 1, 2)


def shown(state, viewer):
    """Return everything that a viewer gets of a position."""
    match = Match.from_state(GAME, state)
    sight = match.sight(viewer)
    moves = match.legal_moves() if match.to_move == viewer else []
    return sight.to_bytes(), sight.observe().tobytes(), match.view(viewer), match.view(viewer, "fr"), moves


def hidden_positions(state):
    """Return some positions of cards that nobody has seen: field and index."""
    cells = [("grid", (seat, cell)) for seat in range(int(state.seats)) for cell in hidden_cells(state, seat)[:1]]
    return cells + [("piles", index) for index in (0, int(state.draw_count) - 1) if state.draw_count > 1]


def some_states(max_moves=70, step=30):
    """Yield states of a random game after its opening, some of each phase."""
    for match in random_positions(GAME, GAME.setup(3), seed=2, max_moves=max_moves):
        if match.state.phase > OPEN_SECOND and len(match.moves) % step < 3:
            yield match.state


@pytest.mark.parametrize("viewer", VIEWERS)
def test_exchanging_two_hidden_cards_changes_no_sight(viewer):
    exchanged = 0
    for state in some_states():
        before = shown(state, viewer)
        for (field, one), (other_field, other) in combinations(hidden_positions(state), 2):
            twin = copy_state(state)
            twin[field][one], twin[other_field][other] = state[other_field][other], state[field][one]
            exchanged += twin.tobytes() != state.tobytes()
            assert shown(twin, viewer) == before
    assert exchanged > 30


@pytest.mark.parametrize("viewer", VIEWERS)
def test_the_generator_is_never_shown(viewer):
    for state in some_states():
        twin = copy_state(state)
        twin.generator["key"][3] ^= 1
        twin.generator["block"][5] ^= 1
        twin.generator["counter"] += 1
        twin.generator["stream"] += 1
        assert shown(twin, viewer) == shown(state, viewer)
        assert not any(Sight.of(GAME, state, viewer).state.generator.tobytes())


@pytest.mark.parametrize("viewer", VIEWERS)
def test_only_the_seat_that_drew_a_card_sees_it(viewer):
    state = played(position(OPEN_TWO, OPEN_TWO, OPEN_TWO, draw=(4, 9)), "draw").state
    assert state.phase == DRAWN
    twin = copy_state(state)
    twin.held, twin.piles[state.draw_count - 1] = 4, 9
    assert (shown(twin, viewer) == shown(state, viewer)) == (viewer != 0)


@pytest.mark.parametrize("viewer", VIEWERS)
def test_only_their_owner_sees_first_cards(viewer):
    matches = [dealt(3), dealt(3)]
    for match, cells in zip(matches, (("a1", "b2"), ("d3", "c1")), strict=True):
        for cell in cells:
            match.play(f"flip {cell}")
    same = shown(matches[0].state, viewer) == shown(matches[1].state, viewer)
    events = [[event.text for event in match.events(viewer)] for match in matches]
    assert same == (viewer != 0)
    assert (events[0] == events[1]) == (viewer != 0)


@pytest.mark.parametrize("viewer", VIEWERS)
def test_disguise_changes_everything_hidden_and_nothing_seen(viewer):
    generator = new_generator(seed=4)
    for state in some_states():
        before = shown(state, viewer)
        changed = set()
        for _ in range(12):
            twin = copy_state(state)
            GAME.kernels.disguise(twin, viewer, generator)
            assert shown(twin, viewer) == before
            changed |= set(np.flatnonzero(twin.piles != state.piles))
            changed |= {("grid", *cell) for cell in np.argwhere(twin.grid != state.grid).tolist()}
        hidden = {("grid", seat, cell) for seat in range(int(state.seats)) for cell in hidden_cells(state, seat)}
        assert changed == hidden | set(range(int(state.draw_count)))


def test_all_cards_are_unknown_after_the_deal():
    state = dealt(3).sight(1).state
    assert set(state.grid[:3].flatten()) == {UNKNOWN}
    assert set(state.piles[: state.draw_count]) == {UNKNOWN}


def test_discards_stay_known_in_order():
    match = played(position(OPEN_TWO, OPEN_TWO, discard=(1, 2, 9)), "draw", "discard", "flip c1")
    seen = match.sight(-1).state
    assert list(seen.piles[-4:]) == list(match.state.piles[-4:])
    assert list(seen.piles[-3:]) == [9, 2, 1]


def block(numbers, name):
    """Return the numbers of one block of an observation."""
    chosen = next(block for block in OBSERVATION if block.name == name)
    return numbers[chosen.start : chosen.start + chosen.size]


def test_observations_are_relative_to_the_viewer():
    state = position(OPEN_TWO, "12 (4) (5) (6) / (7) (8) (9) (10) / (11) (1) (2) 0", totals=[10, 20] + [0] * 6)
    match = played(state)
    mine, other = match.sight(0).observe(), match.sight(1).observe()
    assert list(block(mine, "values")[:2]) == pytest.approx([3 / 12, 4 / 12])
    assert block(other, "values")[0] == 1.0
    assert list(block(mine, "totals")[:2]) == pytest.approx([0.1, 0.2])
    assert list(block(other, "totals")[:2]) == pytest.approx([0.2, 0.1])
    assert list(block(mine, "on_turn")[:2]) == [1, 0]
    assert list(block(other, "on_turn")[:2]) == [0, 1]


def test_observations_count_unseen_cards():
    state = position(OPEN_TWO, OPEN_TWO, discard=(9, 9))
    unseen = block(played(state).sight(0).observe(), "unseen") * 15
    assert unseen[9 - LOWEST] == pytest.approx(8)
    assert unseen[3 - LOWEST] == pytest.approx(8)
    assert unseen.sum() == pytest.approx(150 - 4 - 2)


def test_observations_show_the_card_in_hand_to_its_owner_only():
    match = played(position(OPEN_TWO, OPEN_TWO, draw=(9,)), "draw")
    assert np.argmax(block(match.sight(0).observe(), "held")) == 9 - LOWEST
    assert not block(match.sight(1).observe(), "held").any()


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("options", [{}, {"stall_turns": 1}])
def test_r11_b12_a_sight_holds_everything_that_lies_open(seats, options):
    """All fields are public but cards, the card in hand, and which first cards others have opened."""
    for match in random_positions(GAME, GAME.setup(seats, options), seed=seats, max_moves=150):
        if len(match.moves) % 7 > 1 and len(match.moves) > 4 * seats:
            continue
        state = match.state
        is_opening = state.phase <= OPEN_SECOND
        for viewer in range(-1, seats):
            sight = assert_seen(GAME, state, viewer, hidden={"grid", "opened", "held", "piles"})
            for seat in range(8):
                is_secret = is_opening and seat != viewer
                assert sight.opened[seat] == (0 if is_secret else state.opened[seat])
                known = [cell not in hidden_cells(sight, seat) for cell in range(12)]
                assert list(sight.grid[seat]) == list(np.where(known, state.grid[seat], UNKNOWN))
            is_drawn = state.phase == DRAWN and state.to_move != viewer
            assert sight.held == (UNKNOWN if is_drawn else state.held)
            assert list(sight.piles[: state.draw_count]) == [UNKNOWN] * int(state.draw_count)
            assert list(sight.piles[state.draw_count :]) == list(state.piles[state.draw_count :])


def disguises(state, viewer, times=80):
    """Return disguised states, each with a generator of its own."""
    generator = new_generator(seed=6)
    twins = [copy_state(state) for _ in range(times)]
    for twin in twins:
        GAME.kernels.disguise(twin, viewer, generator)
        assert broken(twin) == []
    assert len({twin.generator.tobytes() for twin in [state, *twins]}) == times + 1
    return twins


@pytest.mark.parametrize("viewer", [-1, 0, 1])
def test_b11_disguise_keeps_the_cards_of_a_reshuffled_pile_apart(viewer):
    state = position(narrow("(7) 3 4"), narrow("5 (8) (8)"), discard=(1, 2, 6, 9, 4), whole_deck=False)
    state = played(state, "draw").state
    twins = disguises(state, viewer)
    drawn = {int(twin.held) for twin in twins}
    assert drawn == ({int(state.held)} if viewer == 0 else {1, 2, 6, 9})
    for twin in twins:
        assert sorted([*twin.piles[:3], twin.held]) == [1, 2, 6, 9]
    for index in range(3):
        assert len({int(twin.piles[index]) for twin in twins}) > 1
    for seat, cell in ((0, 3), (1, 7), (1, 11)):
        assert {int(twin.grid[seat, cell]) for twin in twins} == {7, 8}


@pytest.mark.parametrize("viewer", [-1, 0, 1])
def test_r11_disguise_exchanges_hidden_cards_and_the_pile(viewer):
    state = position(narrow("(7) 3 4"), narrow("5 (8) (8)"), discard=(2, 1), draw=(0, 9, 12), whole_deck=False)
    state = played(state, "draw").state
    twins = disguises(state, viewer)
    unseen = {0, 7, 8, 9} | ({12} if viewer != 0 else set())
    assert {int(twin.held) for twin in twins} == ({12} if viewer == 0 else unseen)
    for index in range(2):
        assert {int(twin.piles[index]) for twin in twins} == unseen
    for seat, cell in ((0, 3), (1, 7), (1, 11)):
        assert {int(twin.grid[seat, cell]) for twin in twins} == unseen


@pytest.mark.parametrize("viewer", [-1, 0, 1])
def test_r11_b11_worlds_hold_the_deck(viewer):
    """With the lowest card lying open, discarded, drawn or taken, and after a reshuffle."""
    lowest = "-2 4 (5) (6) / (7) (-2) (9) (10) / (11) (1) (2) (0)"
    states = [
        position(lowest, OPEN_TWO, discard=(-2, -2), draw=(-2,)),
        played(position(lowest, OPEN_TWO, draw=(-2,)), "draw").state,
        played(position(lowest, OPEN_TWO, discard=(3, -2)), "take").state,
        played(position(lowest, OPEN_TWO, discard=(-2, -2, 9, 9), whole_deck=False), "draw").state,
        played(position(lowest, OPEN_TWO, discard=(-2, 9, 9), whole_deck=False), "draw", "swap a1", "draw").state,
    ]
    generator = new_generator(seed=8)
    for state in states:
        for _ in range(5):
            assert broken(Sight.of(GAME, state, viewer).imagine(generator)) == []
