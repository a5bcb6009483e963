"""What `observe` writes, against plain counts; that it tells sights apart is for tests/test_observations.py."""

from collections import Counter

import pytest

from tablee.games.skip_bo import GAME
from tablee.games.skip_bo.moves import CARD_CODES, PILES, SERIES
from tablee.games.skip_bo.state import MAX_SEATS, WILD
from tablee.testing import random_positions

LAYOUT = GAME.kernels.observation


@pytest.mark.parametrize(
    ("seats", "options"), [(2, {}), (3, {"edition": "pocket"}), (4, {"hand_size": "five"}), (6, {"edition": "classic"})]
)
def test_cards_are_observed_as_they_lie(seats, options):
    reshuffled = 0
    for match in random_positions(GAME, GAME.setup(seats, options), seed=3, max_moves=1500):
        if len(match.moves) % 7:
            continue
        reshuffled += match.state.pile_number > 0
        for viewer in range(-1, seats):
            numbers = decoded(match.sight(viewer).observe())
            for name, expected in plain(match.state, viewer).items():
                assert numbers[name] == expected, (name, viewer, match.moves)
    assert reshuffled, "no reshuffled pile was observed"


def decoded(numbers):
    """Return some blocks of an observation as integers, and cards as their codes."""
    rows = {block.name: numbers[block.start : block.start + block.size].astype(float) for block in LAYOUT}
    words = [round(word * 16**6) for word in rows["discards"]]
    digits = "".join(f"{word:x}" for word in words if word)
    return {
        "hand": round_list(rows["hand"] * 5),
        "discards": [int(digit, 16) for digit in digits],
        "unseen": round_list(rows["unseen"] * 18),
        "pile_tops": [one_hot(row) for row in rows["pile_tops"].reshape(-1, CARD_CODES)],
        "below_tops": [one_hot(row) for row in rows["below_tops"].reshape(-1, CARD_CODES)],
        "ends_in_wild": round_list(rows["ends_in_wild"]),
        "on_turn": one_hot(rows["on_turn"]),
        "dealer": one_hot(rows["dealer"]),
        "from_pile": round_list(rows["from_pile"] * 5),
    }


def plain(state, viewer):
    """Return what these blocks must be, read off the table card by card."""
    seats, me = int(state.seats), max(viewer, 0)
    order = [(me + step) % seats for step in range(seats)]
    piles = discard_piles(state)
    series = [cards_of_series(state, index) for index in range(SERIES)]
    hand = Counter(int(card) for card in state.hands[viewer] if card) if viewer >= 0 else Counter()
    tops = [int(stock[-1]) for seat in order if len(stock := stock_of(state, seat))]
    discards = [card for seat in order for pile in piles[seat] for card in pile]
    seen = hand + Counter(discards) + Counter(tops) + Counter(card for cards in series for card in cards)
    empty = [0] * (MAX_SEATS - seats)
    of_pile = [int(sum(state.hand_piles[seat] == state.pile_number)) for seat in order]
    return {
        "hand": [hand[card] for card in range(1, CARD_CODES + 1)],
        "discards": discards,
        "unseen": [
            int(state.deck[card]) - int(state.completed[card]) - seen[card] for card in range(1, CARD_CODES + 1)
        ],
        "pile_tops": [pile[-1] if pile else 0 for seat in order for pile in piles[seat]] + empty * PILES,
        "below_tops": [pile[-2] if len(pile) > 1 else 0 for pile in piles[viewer]] if viewer >= 0 else [0] * PILES,
        "ends_in_wild": [int(bool(cards) and cards[-1] == WILD) for cards in series],
        "on_turn": 0 if state.end_reason else 1 + order.index(int(state.to_move)),
        "dealer": 1 + order.index(int(state.dealer)),
        "from_pile": (of_pile if state.pile_number else [0] * seats) + empty,
    }


def round_list(values):
    """Return the nearest integers."""
    return [round(value) for value in values]


def one_hot(row):
    """Return the place of the only 1, counted from 1; 0 if all numbers are 0."""
    assert sum(row) in (0, 1)
    return int(row.argmax()) + 1 if row.any() else 0


def discard_piles(state):
    """Return the discard piles of each seat, each from its bottom."""
    cards = iter(map(int, state.discards))
    return [[[next(cards) for _ in range(count)] for count in counts] for counts in state.pile_counts]


def cards_of_series(state, index):
    """Return the cards of a series."""
    wilds = int(state.series_wilds[index])
    return [WILD if wilds >> place & 1 else place + 1 for place in range(state.series[index])]


def stock_of(state, seat):
    """Return the cards of a stock, the top last."""
    first = seat * int(state.stock_size)
    return state.stocks[first : first + int(state.stock_counts[seat])]
