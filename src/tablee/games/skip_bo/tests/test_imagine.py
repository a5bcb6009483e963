"""`imagine` against exact enumeration: every world consistent with a sight, each with the right probability (D18).

Cards were shuffled, so every order is equally likely; and nothing is assumed about why a player chose a card from the
hand, so each of its cards is equally likely to have been chosen.
"""

from collections import Counter
from fractions import Fraction
from itertools import permutations, product

import pytest

from tablee.core.compilation import is_interpreted
from tablee.core.randomness import new_generator
from tablee.core.sight import Sight
from tablee.games.skip_bo import GAME
from tablee.games.skip_bo.tests.positions import broken, cards, played, position, shown
from tablee.testing import assert_follows, assert_uniform, random_positions

SAMPLES = 300 if is_interpreted() else 10_000


def hand_of(state, seat):
    """Return a hand as pairs of card and draw pile number, ascending."""
    held = range(state.hand_counts[seat])
    return tuple(sorted((int(state.hands[seat, slot]), int(state.hand_piles[seat, slot])) for slot in held))


def hidden_stock(state, seat):
    """Return the face-down cards of a stock."""
    first = seat * int(state.stock_size)
    return tuple(int(card) for card in state.stocks[first : first + int(state.stock_counts[seat]) - 1])


def draw_pile(state):
    """Return the draw pile, top last."""
    return tuple(int(card) for card in state.draw_pile[: state.draw_count])


def world(state):
    """Return everything that can be hidden in a game of two."""
    return hand_of(state, 0), hand_of(state, 1), hidden_stock(state, 0), hidden_stock(state, 1), draw_pile(state)


def imagined(state, viewer, samples=SAMPLES):
    """Count the worlds that `imagine` samples."""
    sight = Sight.of(GAME, state, viewer)
    generator = new_generator(seed=7)
    counts = Counter()
    for _ in range(samples):
        drawn = sight.imagine(generator)
        counts[world(drawn)] += 1
    assert Sight.of(GAME, drawn, viewer) == sight
    assert broken(drawn) == []
    return counts


def labelled(values, pile):
    """Return a hand of cards that all came from one draw pile."""
    return tuple((card, pile) for card in sorted(values))


# Before a reshuffle all unseen cards are one pool.

FIRST_PILE = position(
    {"stock": "1 9", "hand": "2 3"}, {"stock": "2 8", "hand": "1 2"}, draw="3", whole_deck=False, completed="4"
)


@pytest.mark.parametrize("viewer", [0, 1])
def test_stocks_the_draw_pile_and_the_other_hand_are_one_pool(viewer):
    own = labelled(cards("2 3") if viewer == 0 else cards("1 2"), 0)
    unseen = cards("1 2 1 2 3") if viewer == 0 else cards("1 2 2 3 3")
    chances = Counter()
    for order in permutations(unseen):
        other = labelled(order[:2], 0)
        hands = (own, other) if viewer == 0 else (other, own)
        chances[(*hands, order[2:3], order[3:4], order[4:5])] += 1
    assert_follows(imagined(FIRST_PILE, viewer), chances)


def test_a_spectator_knows_no_hand():
    state = position({"stock": "1 9", "hand": "2"}, {"stock": "8", "hand": "1"}, draw="3", whole_deck=False)
    worlds = [
        (labelled(order[:1], 0), labelled(order[1:2], 0), order[2:3], (), order[3:4])
        for order in set(permutations(cards("1 2 1 3")))
    ]
    assert_uniform(imagined(state, -1), worlds)


# After a reshuffle, the draw pile of a card limits where it can be.


def test_d18_cards_of_a_reshuffled_pile_stay_apart_from_the_stocks():
    state = position(
        {"stock": "7 9", "hand": "5 6"},
        {"stock": "8 8", "hand": "1 7 8", "piles": "1 0 1"},
        draw="1 2",
        whole_deck=False,
        pile_number=1,
    )
    chances = Counter()
    for old, new in product(permutations(cards("7 7 8")), permutations(cards("1 8 1 2"))):
        held = tuple(sorted([*((card, 1) for card in new[:2]), (old[0], 0)]))
        chances[(labelled(cards("5 6"), 0), held, old[1:2], old[2:3], new[2:])] += 1
    assert_follows(imagined(state, 0), chances)


def test_d18_a_reshuffled_pile_may_have_skip_bo_cards():
    first, second = {"stock": "9", "hand": "5 6"}, {"stock": "8", "hand": "w 7", "piles": "1 1"}
    state = position(first, second, draw="2", whole_deck=False, pile_number=1)
    chances = Counter()
    for order in permutations(cards("w 7 2")):
        chances[(labelled(cards("5 6"), 0), labelled(order[:2], 1), (), (), order[2:])] += 1
    assert_follows(imagined(state, 0), chances)


def test_d18_cards_held_from_an_earlier_pile_are_known_as_a_set():
    """It is not known who holds which; of the three draw piles, the second is used up."""
    first = {"stock": "9", "hand": "1 2 3", "piles": "1 1 2"}
    second = {"stock": "9 8", "hand": "2 3 4", "piles": "2 1 0"}
    state = position(first, second, draw="4", whole_deck=False, pile_number=2)
    chances = Counter()
    for old, middle, new in product(
        permutations(cards("4 9")), permutations(cards("1 2 3")), permutations(cards("3 2 4"))
    ):
        mine = tuple(sorted([(middle[0], 1), (middle[1], 1), (new[0], 2)]))
        other = tuple(sorted([(old[0], 0), (middle[2], 1), (new[1], 2)]))
        chances[(mine, other, (), old[1:], new[2:])] += 1
    assert_follows(imagined(state, -1), chances)


# A history, enumerated from the deal: seat 1 draws from a reshuffled pile and discards, twice.

OLD, NEW, MINE = cards("1 2 7"), cards("1 2 3 4"), cards("5 6 8")


def before_the_reshuffle():
    """Seat 1 holds two of 1 2 7 and the third lies in its stock; the next card comes from the series 1 2 3 4."""
    return position(
        {"stock": "9", "hand": "5 6 8 8"},
        {"stock": "7 9", "hand": "1 2"},
        completed="1 2 3 4",
        whole_deck=False,
        series_length=11,
        options={"hand_size": "five"},
    )


def histories():
    """Yield every history: the discard of seat 1 as (card, pile), its hand, its hidden stock and the draw pile."""
    for old, new in product(permutations(OLD), permutations(NEW)):
        pile = list(new)
        held = [(card, 0) for card in old[:2]] + [(pile.pop(), 1) for _ in range(3)]
        for slot in range(len(held)):
            rest = held[:slot] + held[slot + 1 :]
            yield held[slot], tuple(sorted(rest)), old[2:], tuple(pile)


@pytest.mark.parametrize("seed", range(4))
def test_d18_the_probabilities_after_a_card_was_shown(seed):
    """Seat 1 draws three cards from the new pile and discards one of five; all see which pile it came from."""
    state = before_the_reshuffle()
    state.generator["stream"] = seed
    match = played(state, "discard 8 a")
    held = Counter(hand_of(match.state, 1))
    card = shown([hand_of(match.state, 1)[seed][0]])
    match.play(f"discard {card} a")
    gone = next(iter(held - Counter(hand_of(match.state, 1))))
    mine = hand_of(match.state, 0)
    chances = Counter()
    for laid, rest, stock, pile in histories():
        drawn = [(card, 1) for card in pile]  # seat 0 has drawn the last card of the pile, and knows it
        if laid == gone and tuple(sorted([*labelled(MINE, 0), *drawn])) == mine:
            chances[(mine, rest, (), stock, ())] += 1
    assert len(chances) > 1
    assert_follows(imagined(match.state, 0), chances)


def chances_by(weigh):
    """Return the worlds of each sight of seat 0 with their weights; `weigh` gives that of a choice from a hand."""
    worlds = {}
    for old, new in product(permutations(OLD), permutations(NEW)):
        held = [*((card, 0) for card in old[:2]), *((card, 1) for card in new[:3])]
        numbers = [card for card, _ in held]
        for slot, laid in enumerate(held):
            counts = worlds.setdefault((laid, new[3]), Counter())
            counts[(tuple(sorted(held[:slot] + held[slot + 1 :])), old[2])] += weigh(numbers, laid[0])
    return worlds


def test_d18_the_error_if_numbers_are_chosen_and_not_cards():
    """The figures that sight.py and docs/contract.md give: distances of distributions, and the worst probability."""
    by_card = chances_by(lambda numbers, number: Fraction(1, len(numbers)))
    by_number = chances_by(lambda numbers, number: Fraction(1, len(set(numbers)) * numbers.count(number)))
    distances = {}
    for sight, exact in by_number.items():
        ours, weight, ours_weight = by_card[sight], sum(exact.values()), sum(by_card[sight].values())
        assert set(ours) == set(exact)
        distances[sight] = sum(abs(exact[w] / weight - ours[w] / ours_weight) for w in exact) / 2
    total = sum(sum(counts.values()) for counts in by_number.values())
    mean = sum(distances[sight] * sum(counts.values()) for sight, counts in by_number.items()) / total
    assert (round(float(max(distances.values())), 2), round(float(mean), 2)) == (0.13, 0.07)
    laid = (1, 1), 4
    still_held = [
        sum(chance for (rest, _), chance in worlds[laid].items() if (1, 0) in rest) / sum(worlds[laid].values())
        for worlds in (by_number, by_card)
    ]
    assert still_held == [Fraction(7, 13), Fraction(2, 3)]


def test_d18_of_equal_cards_from_different_piles_a_random_one_is_played():
    state = position(
        {"stock": "9", "hand": "5 5 5", "piles": "0 0 1"}, {"stock": "9 8", "hand": "1 2 3"}, pile_number=1
    )
    left = Counter()
    for stream in range(300):
        state.generator["stream"] = stream
        left[hand_of(played(state, "discard 5 a").state, 0)] += 1
    assert_follows(left, {((5, 0), (5, 1)): 2, ((5, 0), (5, 0)): 1})


def test_d18_piles_are_numbered_among_those_still_held_from():
    """Cards from piles 1 and 3 are held at a reshuffle: these become 1 and 2, and the new pile is 3."""
    first = {"stock": "9", "hand": "5 6 7", "piles": "0 3 1"}
    second = {"stock": "9 9", "hand": "5 6", "piles": "3 0"}
    state = position(first, second, completed="1 2 3", whole_deck=False, pile_number=4)
    match = played(state, "discard 5 a")
    assert hand_of(match.state, 0) == ((6, 2), (7, 1))
    assert hand_of(match.state, 1)[-2:] == ((5, 2), (6, 0))
    assert match.state.pile_number == 3


def test_every_world_has_a_fresh_generator():
    sight = Sight.of(GAME, FIRST_PILE, 0)
    generator = new_generator(seed=7)
    keys = {sight.imagine(generator).generator["key"].tobytes() for _ in range(20)}
    assert len(keys) == 20
    assert FIRST_PILE.generator["key"].tobytes() not in keys


@pytest.mark.parametrize("seats", [2, 4])
def test_a_world_gives_the_viewer_the_same_sight(seats):
    generator = new_generator(seed=3)
    setup = GAME.setup(seats, {"hand_size": "three_then_five"})
    for match in random_positions(GAME, setup, seed=5, max_moves=25 if is_interpreted() else 1500):
        for viewer in range(-1, seats):
            sight = match.sight(viewer)
            drawn = sight.imagine(generator)
            assert Sight.of(GAME, drawn, viewer) == sight
            assert broken(drawn) == []
