"""Every block of an observation against its description, computed from the sight in another way."""

import numpy as np
import pytest

from tablee.games.skyjo import GAME
from tablee.games.skyjo.state import DECK, LOWEST, OPEN_SECOND
from tablee.games.skyjo.tests.positions import ONE_HIDDEN, OPEN_TWO, narrow, played, position
from tablee.testing import observed, random_positions


def one_hot(size, *indices):
    """Return a row of zeros with ones at these indices."""
    return [float(index in indices) for index in range(size)]


def per_seat(state, viewer, value):
    """Return a value of each seat, the viewer first, and zeros for the seats that nobody takes."""
    seats, me = int(state.seats), max(viewer, 0)
    rows = [np.ravel(value((me + relative) % seats)) for relative in range(seats)]
    return np.concatenate([*rows, np.zeros((8 - seats) * len(rows[0]))])


def counted(cards):
    """Count cards of each value, -2 first."""
    known = [int(card) - LOWEST for card in cards if card >= LOWEST]
    return np.bincount(known, minlength=15)


def expected(state, viewer):
    """Return the blocks that the layout describes."""
    bits = np.arange(12)
    discards = state.piles[DECK - int(state.discard_count) :]
    limit = int(GAME.setup_of(state).options["stall_turns"])
    seen = counted([*state.grid[: state.seats].ravel(), *discards, state.held])
    ender = state.last_ender if state.phase <= OPEN_SECOND else state.ender
    return {
        "values": per_seat(state, viewer, lambda seat: np.where(state.grid[seat] >= LOWEST, state.grid[seat] / 12, 0)),
        "opened": per_seat(state, viewer, lambda seat: int(state.opened[seat]) >> bits & 1),
        "gone": per_seat(state, viewer, lambda seat: int(state.gone[seat]) >> bits & 1),
        "discard": one_hot(15, int(discards[0]) - LOWEST) if len(discards) else one_hot(15),
        "held": one_hot(15, int(state.held) - LOWEST) if state.held >= LOWEST else one_hot(15),
        "unseen": (state.deck - seen) / 15,
        "recycled": state.recycled / 15,
        "phase": one_hot(6, int(state.phase)),
        "totals": per_seat(state, viewer, lambda seat: state.totals[seat] / 100),
        "on_turn": per_seat(state, viewer, lambda seat: float(seat == state.to_move)),
        "ender": per_seat(state, viewer, lambda seat: float(seat == ender)),
        "seated": one_hot(8, *range(int(state.seats))),
        "seat": [max(viewer, 0) / 8],
        "draw_pile": [state.draw_count / 150],
        "stalled": [state.stalled / (limit * state.seats)],
        "rounds": [state.rounds_played / 100],
        "options": [*(float(code) for code in state.options[:4]), limit / 50],
    }


def assert_observed(match):
    """Compare the observations of all viewers with their description."""
    for viewer in range(-1, match.seats):
        sight = match.sight(viewer)
        found = observed(sight)
        wanted = expected(sight.state, viewer)
        assert found.keys() == wanted.keys()
        for name, numbers in wanted.items():
            assert found[name] == pytest.approx(np.asarray(numbers, np.float32)), name


@pytest.mark.parametrize(
    ("seats", "options"),
    [
        (2, {"rows": True, "stall_turns": 50}),
        (3, {"start": "highest_sum", "double_negative": True, "stall_turns": 1}),
        (8, {"opening": "auto"}),
    ],
)
def test_observations_are_as_described(seats, options):
    for match in random_positions(GAME, GAME.setup(seats, options), seed=seats, max_moves=110):
        if len(match.moves) % 9 < 2:
            assert_observed(match)


def test_observations_of_a_last_turn_after_a_reshuffle():
    state = position(ONE_HIDDEN, narrow("-2 4 4"), OPEN_TWO, discard=(1, 2, -2, 9, 12), whole_deck=False)
    state.totals[:3] = [99, -7, 40]
    state.rounds_played, state.last_ender = 2, 1
    match = played(state, "draw")
    assert_observed(match)
    match.play("swap a1")
    assert match.state.ender == 0
    assert_observed(match)


@pytest.mark.parametrize("card", [-2, 0, 12])
def test_observations_of_a_card_in_hand(card):
    assert_observed(played(position(OPEN_TWO, OPEN_TWO, draw=(card,)), "draw"))
    assert_observed(played(position(OPEN_TWO, OPEN_TWO, discard=(5, card)), "take"))
