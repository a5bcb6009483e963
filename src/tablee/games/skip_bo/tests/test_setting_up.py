"""Aim and setting up: R1 to R8, D2, D11, D12, D15."""

from collections import Counter

import pytest

from tablee.core.errors import BadSetup
from tablee.core.state import blank_state, new_states
from tablee.games.skip_bo import GAME
from tablee.games.skip_bo.rules import draw_lots, highest_lots
from tablee.games.skip_bo.state import CARD_CODES, UNKNOWN, WILD
from tablee.games.skip_bo.tests.positions import PLAIN, cards, dealt, heights, played, position, top

DECKS = {"rulebook": (96, 8, 16, 10), "pocket": (93, 7, 16, 11), "classic": (162, 12, 18, 12)}
STOCKS = [
    ("rulebook", 2, 15),
    ("rulebook", 3, 10),
    ("rulebook", 4, 7),
    ("pocket", 2, 13),
    ("pocket", 3, 10),
    ("pocket", 4, 7),
    ("classic", 2, 30),
    ("classic", 3, 30),
    ("classic", 4, 30),
    ("classic", 5, 20),
    ("classic", 6, 20),
]


def test_r1_the_first_to_empty_their_stock_wins():
    one_left = position({"stock": "1", "hand": "5"}, {"stock": "2 1", "hand": "1"}, options={"single_round": True})
    match = played(one_left, "play stock 1")
    assert match.outcome.winners == (0,)


@pytest.mark.parametrize(
    ("lots", "best"),
    [("3 9 7", {1}), ("w 2 1", {1}), ("w w 1", {2}), ("9 4 9", {0, 2}), ("w w w", {0, 1, 2})],
)
def test_r2_the_highest_number_deals_and_wilds_do_not_count(lots, best):
    state = new_states(GAME.kernels.state_type, 1)[0]
    state.seats = 3
    state.lots[:3] = cards(lots)
    assert highest_lots(state, 0b111) == sum(1 << seat for seat in best)


def test_r2_d15_the_highest_card_drawn_deals_and_ties_draw_again():
    dealers = Counter()
    for seed in range(60):
        match = dealt(3, seed)
        numbers = [0 if lot == WILD else int(lot) for lot in match.state.lots[:3]]
        assert numbers[match.state.dealer] == max(numbers)
        dealers[int(match.state.dealer)] += 1
    assert set(dealers) == {0, 1, 2}


def test_d15_only_the_equal_highest_draw_again():
    """With one 2 and many 1s, both seats draw 1s until one of them has the 2."""
    for seed in range(10):
        state = blank_state(GAME, GAME.setup(2), seed)
        state.deck[1], state.deck[2] = 9, 1
        draw_lots(state)
        assert int(state.lots[state.dealer]) == 2
        assert int(state.lots[1 - state.dealer]) == 1


def test_d15_a_seat_that_does_not_draw_again_cannot_deal():
    """The tied seats may draw nothing but Skip-Bo cards, which count nothing: the others still stay out."""
    state = blank_state(GAME, GAME.setup(4), seed=1)
    state.lots[:4] = [0, WILD, WILD, 0]
    assert highest_lots(state, 0b0110) == 0b0110
    state.lots[:4] = [0, WILD, 3, 0]
    assert highest_lots(state, 0b0110) == 0b0100


def test_r3_the_deal_passes_to_the_left():
    state = position({"stock": "1", "hand": "5"}, PLAIN, PLAIN, dealer=2)
    match = played(state, "play stock 1")
    assert match.state.rounds_played == 1
    assert match.state.dealer == 0
    assert match.to_move == 1


@pytest.mark.parametrize(("edition", "seats", "size"), STOCKS)
def test_r4_stock_sizes(edition, seats, size):
    state = dealt(seats, edition=edition).state
    assert [int(count) for count in state.stock_counts] == [size] * seats + [0] * (6 - seats)


def test_r5_nobody_knows_the_cards_below_the_top_of_a_stock():
    match = dealt(3)
    for viewer in (-1, 0, 1, 2):
        seen = match.sight(viewer).state
        for seat in range(3):
            assert [int(card) for card in seen.stocks[seat * 10 : seat * 10 + 9]] == [UNKNOWN] * 9
            assert top(seen, seat) == top(match.state, seat)


@pytest.mark.parametrize(("edition", "seats", "size"), STOCKS)
def test_r6_the_rest_is_the_draw_pile(edition, seats, size):
    state = dealt(seats, edition=edition).state
    in_hand = 5 if edition == "classic" else 3
    assert state.draw_count == DECKS[edition][0] - seats * size - in_hand
    assert all(card == UNKNOWN for card in dealt(seats, edition=edition).sight(0).state.draw_pile[: state.draw_count])


def test_r7_r8_four_series_and_four_piles_each_all_empty():
    state = dealt(4).state
    assert heights(state) == [0, 0, 0, 0]
    assert state.pile_counts.shape == (6, 4)
    assert state.pile_counts.sum() == 0
    assert state.discard_count == 0


@pytest.mark.parametrize("edition", DECKS)
def test_d2_decks(edition):
    size, copies, wilds, length = DECKS[edition]
    state = dealt(4, edition=edition).state
    assert [int(count) for count in state.deck] == [0, *[copies] * length, *[0] * (12 - length), wilds]
    assert state.deck.sum() == size
    assert state.series_length == length


def test_d2_every_card_of_the_deck_turns_up():
    tops = Counter(top(dealt(4, seed).state, seat) for seed in range(40) for seat in range(4))
    assert len(tops) == CARD_CODES - 2


@pytest.mark.parametrize("edition", ["rulebook", "pocket"])
@pytest.mark.parametrize("seats", [5, 6])
def test_d11_five_and_six_need_the_classic_edition(edition, seats):
    with pytest.raises(BadSetup, match="D11"):
        dealt(seats, edition=edition)
    assert dealt(seats, edition="classic").seats == seats


def test_d12_only_the_first_player_has_drawn():
    state = dealt(4).state
    first = (int(state.dealer) + 1) % 4
    assert [int(count) for count in state.hand_counts[:4]] == [3 if seat == first else 0 for seat in range(4)]
