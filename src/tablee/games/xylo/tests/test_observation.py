"""Every block of an observation against its description, computed from the sight in another way."""

import numpy as np
import pytest

from tablee.games.xylo import GAME
from tablee.games.xylo.state import ARRANGE, row_count, row_of, seat_of
from tablee.testing import observed, random_match, random_positions

MAX_ROW = 15


def one_hot(size, *indices):
    """Return a row of zeros with ones at these indices."""
    return [float(index in indices) for index in range(size)]


def by_row(state, viewer, size, value):
    """Return `size` numbers per row, the viewer's own first, and zeros for the rows that do not exist."""
    rows = int(row_count(state))
    own = int(row_of(state, max(viewer, 0)))
    found = [np.ravel(value((own + relative) % rows)) for relative in range(rows)]
    assert {len(numbers) for numbers in found} == {size}
    return np.concatenate([*found, np.zeros((5 - rows) * size)])


def cells(state, row, numbers):
    """Return what `numbers` gives for the cards of a row, filled with zeros to fifteen cards."""
    size = int(state.row_size)
    found = [np.ravel(numbers(int(state.cards[row * size + position]), position)) for position in range(size)]
    return np.concatenate([*found, np.zeros((MAX_ROW - size) * len(found[0]))])


def card_blocks(state, viewer):
    """Return the blocks about the cards in the rows."""

    def colours(card, position):
        return one_hot(8, card >> 4) if card >= 0 else one_hot(8)

    def values(card, position):
        return one_hot(11, card & 15) if card >= 0 else one_hot(11)

    return {
        "colours": by_row(state, viewer, MAX_ROW * 8, lambda row: cells(state, row, colours)),
        "values": by_row(state, viewer, MAX_ROW * 11, lambda row: cells(state, row, values)),
        "down": by_row(
            state,
            viewer,
            MAX_ROW,
            lambda row: cells(state, row, lambda card, position: int(state.down[row]) >> position & 1),
        ),
        "peeked": by_row(
            state, viewer, MAX_ROW, lambda row: cells(state, row, lambda card, position: position in state.peeks[row])
        ),
        "bids": by_row(state, viewer, 11, lambda row: announced(state, row)),
    }


def announced(state, row):
    """Return the value of a row's announcement card, one-hot."""
    if state.bid_at[row] < 0:
        return one_hot(11)
    return one_hot(11, int(state.cards[row * int(state.row_size) + int(state.bid_at[row])]) & 15)


def trick_blocks(state, viewer):
    """Return the blocks about the trick, and who leads and is on turn."""
    trick = [int(card) for card in state.trick]
    led = trick[int(state.leader)]
    return {
        "tricks": by_row(state, viewer, 1, lambda row: state.won[row] / 14),
        "trick_colours": by_row(
            state, viewer, 8, lambda row: one_hot(8, trick[row] >> 4) if trick[row] >= 0 else one_hot(8)
        ),
        "trick_values": by_row(
            state, viewer, 11, lambda row: one_hot(11, trick[row] & 15) if trick[row] >= 0 else one_hot(11)
        ),
        "led": one_hot(8, led >> 4) if led >= 0 else one_hot(8),
        "trump": one_hot(8, int(state.trump)),
        "leader": by_row(state, viewer, 1, lambda row: float(row == state.leader)),
        "first": by_row(state, viewer, 1, lambda row: float(row == row_of(state, int(state.first)))),
        "on_turn": by_row(
            state, viewer, 1, lambda row: float(state.to_move >= 0 and row == row_of(state, int(state.to_move)))
        ),
    }


def expected(state, viewer):
    """Return the blocks that the layout describes."""
    options = GAME.setup_of(state).options
    is_arranging = state.phase == ARRANGE and state.arranging >= 0
    tricks = int(state.row_size) - 1
    seats = {row: int(seat_of(state, row)) for row in range(int(row_count(state)))}
    rounds = int(state.rounds_played)
    return {
        **card_blocks(state, viewer),
        **trick_blocks(state, viewer),
        "phase": one_hot(4, int(state.phase)),
        "arranging": one_hot(MAX_ROW, int(state.arranging) % 16) if is_arranging else one_hot(MAX_ROW),
        "packet": one_hot(2, int(state.arranging) // 16) if is_arranging else one_hot(2),
        "seat": [max(viewer, 0) / 5],
        "automaton": by_row(state, viewer, 1, lambda row: float(seats[row] < 0)),
        "totals": by_row(state, viewer, 1, lambda row: state.totals[seats[row]] / 50 if seats[row] >= 0 else 0),
        "round": one_hot(4, min(rounds, 3)),
        "rounds": [rounds / 100],
        "left": [(tricks - int(state.won.sum())) / tricks],
        "options": [
            options["removed"] == "sky",
            options["removed"] == "pink",
            options["lead_tie"] == "leader_first",
            options["ties"] == "auto",
        ],
    }


def assert_observed(match):
    """Compare the observations of all viewers with their description."""
    for viewer in range(-1, match.seats):
        sight = match.sight(viewer)
        found, wanted = observed(sight), expected(sight.state, viewer)
        assert found.keys() == wanted.keys()
        for name, numbers in wanted.items():
            assert found[name] == pytest.approx(np.asarray(numbers, np.float32)), name


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("ties", ["auto", "choose"])
def test_observations_are_as_described(seats, ties):
    options = {2: {}, 3: {"removed": "pink"}, 4: {"lead_tie": "leader_first"}, 5: {}}[seats] | {"ties": ties}
    for match in random_positions(GAME, GAME.setup(seats, options), seed=seats, max_moves=70):
        if len(match.moves) % 8 < 2:
            assert_observed(match)


def test_observations_without_sky_and_in_a_late_round():
    match = random_match(GAME, GAME.setup(3, {"removed": "sky", "ties": "auto"}), seed=1, max_moves=20)
    match.state.rounds_played = 7
    match.state.totals[:3] = [-3, 0, 25]
    assert_observed(match)
