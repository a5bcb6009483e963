"""Combinations, their strength, the 1 at the end of a straight (R23 to R40, R44 to R46, E1, E2, E9 to E12)."""

import random
from collections import Counter
from itertools import combinations, pairwise

import pytest

from tablee.core.errors import BadMove
from tablee.core.state import blank_state
from tablee.games.lexio import GAME
from tablee.games.lexio.catalogue import STRAIGHTS
from tablee.games.lexio.moves import TILE_NAMES, move_text, parse_move
from tablee.games.lexio.strength import CombinationKind, kind_of, strength_of, strongest
from tablee.games.lexio.tests.positions import ascends, legal, match_of, names_of, played, size, strength, tiles

SEATS = pytest.mark.parametrize("seats", [2, 3, 4, 5])


def kind(names, seats=5):
    state = blank_state(GAME, GAME.setup(seats, {"two_players": seats == 2}))
    return CombinationKind(int(kind_of(state, parse_move(f"play {names}")))).key


def test_r23_a_combination_has_one_two_three_or_five_tiles():
    assert [size(f"play {names}") for names in ("3N", "3N 3E", "3N 3E 3L", "3N 3E 3L 3S 4N")] == [1, 2, 3, 5]
    for four in ("3N 3E 3L 3S", "3N 4N 5N 6N", "3N 3E 4N 4E"):
        with pytest.raises(BadMove, match="no combination"):
            parse_move(f"play {four}")


def test_r24_every_tile_is_a_single():
    assert [kind(name) for name in TILE_NAMES] == ["single"] * 60


def test_r25_a_pair_is_two_tiles_of_one_number():
    assert kind("9S 9N") == "pair"
    with pytest.raises(BadMove):
        parse_move("play 9S 8S")


def test_r26_a_triple_is_three_tiles_of_one_number():
    assert kind("9S 9N 9L") == "triple"
    with pytest.raises(BadMove):
        parse_move("play 9S 9N 8L")


def test_r27_a_straight_is_five_numbers_in_sequence():
    assert kind("3N 4S 5E 6N 7L") == "straight"
    with pytest.raises(BadMove):
        parse_move("play 3N 4S 5E 6N 8L")


def test_r28_a_flush_is_five_tiles_of_one_suit():
    assert kind("3L 5L 8L 11L 1L") == "flush"
    with pytest.raises(BadMove):
        parse_move("play 3L 5L 8L 11L 1S")


def test_r29_a_full_house_is_a_triple_and_a_pair():
    assert kind("3N 3E 3S 12N 12E") == "full"
    with pytest.raises(BadMove):
        parse_move("play 3N 3E 4S 4N 12E")


def test_r30_four_of_a_kind_take_any_fifth_tile():
    assert kind("4N 4E 4L 4S 1S") == "four"
    assert kind("4N 4E 4L 4S 3S") == "four"


def test_r31_a_straight_flush_is_a_straight_of_one_suit():
    assert kind("4S 5S 6S 7S 8S") == "straight_flush"


def test_r32_e9_the_order_of_the_kinds_of_five_tiles():
    strongest_straight, weakest_flush = "1S 2S 3S 4S 5L", "3N 4N 5N 6N 8N"
    strongest_flush, weakest_full = "2S 1S 15S 14S 13S", "3N 3E 3L 4N 4E"
    strongest_full, weakest_four = "2N 2E 2L 1N 1E", "3N 3E 3L 3S 4N"
    strongest_four, weakest_straight_flush = "2N 2E 2L 2S 1S", "3N 4N 5N 6N 7N"
    for options in ({}, {"flush": "kickers"}):
        order = (strongest_straight, weakest_flush, strongest_flush, weakest_full)
        assert ascends(order, **options)
        assert ascends((strongest_full, weakest_four, strongest_four, weakest_straight_flush), **options)
        assert ascends((weakest_full, strongest_full), **options)


@SEATS
@pytest.mark.parametrize("options", [{}, {"flush": "kickers"}, {"straight_tiebreak": "highest"}])
def test_r32_every_straight_flush_beats_every_flush(seats, options):
    """All five tiles of one suit: the weakest straight flush is stronger than the strongest flush that is none."""
    highest = {2: 9, 3: 9, 4: 13, 5: 15}[seats]
    numbers = range(1, highest + 1)
    straights = [tuple(range(first, first + 5)) for first in range(1, highest - 3)] + [
        (1, *range(highest - 3, highest + 1))
    ]
    by_suit = {
        letter: {
            chosen: strength(" ".join(f"{number}{letter}" for number in chosen), seats, **options)
            for chosen in combinations(numbers, 5)
            if chosen in straights or chosen[-1] == highest or chosen[:2] == (1, 2)
        }
        for letter in "NS"
    }
    straight_flushes = [found[straight] for found in by_suit.values() for straight in straights]
    flushes = [value for found in by_suit.values() for chosen, value in found.items() if chosen not in straights]
    assert max(flushes) < min(straight_flushes)
    assert strength("2N 2E 2L 2S 1S", seats, **options) < min(straight_flushes)
    assert strength("3N 3E 3L 4N 4E", seats, **options) > max(flushes)


def test_r33_r40_singles_compare_by_number_then_suit():
    assert ascends(("4L", "4S", "5N", "15S", "1N", "2N", "2S"))


def test_r34_pairs_compare_by_number_then_the_better_suit():
    assert ascends(("3L 3E", "3S 3N", "4N 4E", "2N 2E"))
    match = match_of("3L 3E 9N", "3S 3N 9E", "4N 9L 9S", to_move=0)
    assert legal(played(match, "3E 3L")) == ["pass", "3N 3S"]


def test_r34_of_two_equal_pairs_the_one_with_the_sun_is_stronger():
    for pair in combinations("NELS", 2):
        rest = [letter for letter in "NELS" if letter not in pair]
        one, other = (" ".join(f"7{letter}" for letter in letters) for letters in (pair, rest))
        assert (strength(one) > strength(other)) == ("S" in pair)


def test_r35_e1_the_straights_of_the_rulebooks_example():
    assert ascends(("5N 6N 7S 8L 9L", "5S 6L 7N 8N 9E", "6N 7N 8E 9N 10N"))


@SEATS
def test_r36_the_order_of_all_straights(seats):
    highest = {2: 9, 3: 9, 4: 13, 5: 15}[seats]
    firsts = [list(range(first, first + 5)) for first in range(3, highest - 3)]
    order = [*firsts, [*range(highest - 3, highest + 1), 1], [2, 3, 4, 5, 6], [1, 2, 3, 4, 5]]
    assert len(order) == {2: 6, 3: 6, 4: 10, 5: 12}[seats]
    strong_suits = [" ".join(f"{number}{'SSSSL'[index]}" for index, number in enumerate(row)) for row in order]
    weak_suits = [" ".join(f"{number}{'NNNNE'[index]}" for index, number in enumerate(row)) for row in order]
    together = [names for pair in zip(weak_suits, strong_suits, strict=True) for names in pair]
    assert ascends(together, seats)


@pytest.mark.parametrize(
    ("straight", "first", "highest"),
    [("3 4 5 6 7", 0, 4), ("12 13 14 15 1", 0, 4), ("2 3 4 5 6", 0, 0), ("1 2 3 4 5", 0, 1)],
)
def test_e1_the_deciding_tile_of_a_straight(straight, first, highest):
    for choice, index in (("first", first), ("highest", highest)):
        for other in range(5):
            weak = [f"{number}N" for number in straight.split()]
            weak[(index + 1) % 5] = weak[(index + 1) % 5][:-1] + "E"  # two suits, so that it is no flush
            strong = list(weak)
            strong[other] = strong[other][:-1] + "S"
            change = strength(" ".join(strong), straight_tiebreak=choice) - strength(
                " ".join(weak), straight_tiebreak=choice
            )
            assert change == (3 if other == index else 0)


def test_r37_flushes_compare_by_their_top_tile():
    assert ascends(("3S 4S 5S 6S 8S", "3N 4N 5N 6N 9N", "3E 4E 5E 6E 9E", "3N 4N 5N 6N 1N", "3N 4N 5N 7N 2N"))


def test_e2_flushes_with_the_same_top_number():
    low_sun, high_cloud = "3S 4S 5S 7S 9S", "4N 6N 7N 8N 9N"
    assert ascends((high_cloud, low_sun))
    assert ascends((low_sun, high_cloud), flush="kickers")
    assert ascends(("3S 4S 5S 7S 9S", "3N 4N 5N 8N 9N", "3E 4E 5E 8E 9E", "3N 4N 6N 8N 9N"), flush="kickers")


def test_r38_e11_full_houses_compare_by_their_triple():
    assert ascends(("3N 3E 3L 2N 2E", "4N 4E 4L 3N 3E"))
    assert strength("3N 3E 3L 2N 2E") == strength("3N 3E 3L 4N 4E")


def test_e11_the_fifth_tile_is_not_compared():
    assert strength("3N 3E 3L 3S 2S") == strength("3N 3E 3L 3S 4N")
    assert ascends(("3N 3E 3L 3S 2S", "4N 4E 4L 4S 3N"))


def test_e10_triples_of_one_number_cannot_meet():
    for one, other in combinations(["3N 3E 3L", "3N 3E 3S", "3N 3L 3S", "3E 3L 3S"], 2):
        assert tiles(one) & tiles(other)
        assert strength(one) == strength(other)


def test_r39_e12_straight_flushes_compare_like_straights():
    assert ascends(
        (
            "3S 4S 5S 6S 7S",
            "4N 5N 6N 7N 8N",
            "4E 5E 6E 7E 8E",
            "12N 13N 14N 15N 1N",
            "2N 3N 4N 5N 6N",
            "1N 2N 3N 4N 5N",
            "1S 2S 3S 4S 5S",
        )
    )


@SEATS
def test_r44_r46_there_are_no_other_straights(seats):
    highest = {2: 9, 3: 9, 4: 13, 5: 15}[seats]
    hand = " ".join(f"{number}{'N' if number % 2 else 'S'}" for number in range(1, highest + 1))
    listed = legal(match_of(hand, *["3E 4E", "3L 4L", "6E 6L", "7E 7L"][: seats - 1], to_move=0))
    straights = {tuple(int(name[:-1]) for name in text.split()) for text in listed if len(text.split()) == 5}
    allowed = {
        straight for straight in STRAIGHTS if max(straight) <= highest and (straight[-1] != 1 or highest in straight)
    }
    assert {row for row in straights if row in STRAIGHTS} == allowed
    for wrong in ((highest - 2, highest - 1, highest, 1, 2), (highest - 1, highest, 1, 2, 3)):
        assert wrong not in straights
        with pytest.raises(BadMove):
            parse_move("play " + " ".join(f"{number}{'NS'[index % 2]}" for index, number in enumerate(wrong)))


def test_r44_the_1_ends_a_straight_only_after_the_highest_number():
    match = match_of("6N 7N 8N 9N 1S 15N", "3N 4N 5N 11N 12N 13N", *["3E 4E", "3L 4L", "3S 4S"], to_move=0)
    assert match.why_not("play 6N 7N 8N 9N 1S").endswith("(R44)")
    three = match_of("6N 7N 8N 9N 1S", "3N 4N", "3E 4E", to_move=0)
    assert three.why_not("play 6N 7N 8N 9N 1S") is None


def test_r45_the_1_ends_a_straight_flush_after_the_highest_number():
    assert kind("6S 7S 8S 9S 1S", seats=3) == "straight_flush"
    assert kind("6S 7S 8S 9S 1S", seats=4) == "flush"
    assert kind("10S 11S 12S 13S 1S", seats=4) == "straight_flush"
    assert kind("10S 11S 12S 13S 1S", seats=5) == "flush"
    assert kind("12S 13S 14S 15S 1S", seats=5) == "straight_flush"


def test_r46_the_2_ends_no_straight_flush():
    assert kind("13S 14S 15S 1S 2S") == "flush"
    assert kind("14S 15S 1S 2S 3S") == "flush"


# Enumeration and strengths against a slow, simple reference implementation

ORDER = [*range(3, 16), 1, 2]
SUITS = "NELS"


def reference_strength(names, seats, options):
    """Return a tuple that compares like the combinations, None for no combination."""
    found = sorted((ORDER.index(int(name[:-1])), SUITS.index(name[-1])) for name in names)
    ranks, suits = [rank for rank, _ in found], {suit for _, suit in found}
    counts = sorted(Counter(ranks).values(), reverse=True)
    if len(found) < 5:
        return (ranks[0], found[-1][1]) if counts == [len(found)] and len(found) < 4 else None
    straight = reference_straight(found, seats, options)
    common = max(ranks, key=ranks.count)
    if straight and len(suits) == 1:
        return (4, *straight)
    if counts == [4, 1]:
        return (3, common)
    if counts == [3, 2]:
        return (2, common)
    if len(suits) == 1:
        numbers = ranks[::-1] if options.get("flush") == "kickers" else ranks[-1:]
        return (1, *numbers, *suits)
    return (0, *straight) if straight else None


def reference_straight(found, seats, options):
    """Return the index in the list of straights and the deciding suit, None for no straight."""
    highest = {2: 9, 3: 9, 4: 13, 5: 15}[seats]
    numbers = {ORDER[rank]: suit for rank, suit in found}
    rows = [tuple(range(first, first + 5)) for first in range(3, highest - 3)]
    rows += [(highest - 3, highest - 2, highest - 1, highest, 1), (2, 3, 4, 5, 6), (1, 2, 3, 4, 5)]
    for index, row in enumerate(rows):
        if set(numbers) == set(row):
            decider = max(row, key=ORDER.index) if options.get("straight_tiebreak") == "highest" else row[0]
            return index, numbers[decider]
    return None


CASES = [
    (seats, options) for seats in (2, 3, 4, 5) for options in ({}, {"flush": "kickers", "straight_tiebreak": "highest"})
]


@pytest.mark.parametrize(("seats", "options"), CASES)
def test_enumeration_and_strengths_agree_with_the_reference(seats, options):
    chooser = random.Random(seats)
    highest = {2: 9, 3: 9, 4: 13, 5: 15}[seats]
    deck = [name for name in TILE_NAMES if int(name[:-1]) <= highest]
    for number in range(4):
        hand = sorted(chooser.sample(deck, 13 if number % 2 else 10), key=TILE_NAMES.index)
        if number == 3:
            hand = [name for name in deck if name[-1] in "SL"][-13:]
        rest = [name for name in deck if name not in hand][: seats - 1]
        match = match_of(" ".join(hand), *rest, to_move=0, options=options)
        expected = {}
        for count in (1, 2, 3, 5):
            for names in combinations(hand, count):
                found = reference_strength(names, seats, options)
                if found is not None:
                    expected[tiles(" ".join(names))] = (count, found)
        listed = [parse_move(f"play {text}") for text in legal(match)]
        assert sorted(tiles(move_text(move).removeprefix("play ")) for move in listed) == sorted(expected)
        assert_same_order(match.state, expected)


def assert_same_order(state, expected):
    """Check that strengths order combinations of a size as the reference does."""
    for count in (1, 2, 3, 5):
        reference = {hand: found for hand, (size_, found) in expected.items() if size_ == count}
        ours = {hand: int(strength_of(state, parse_move(f"play {names_of(hand)}"))) for hand in reference}
        if count == 3:  # suits are not compared (E10)
            reference = {hand: found[:1] for hand, found in reference.items()}
        order = sorted(reference, key=lambda hand: reference[hand])
        for weak, strong in pairwise(order):
            same = reference[weak] == reference[strong]
            assert ours[weak] == ours[strong] if same else ours[weak] < ours[strong]
        assert int(strongest(state, int(state.hands[0]), count)) == max(ours.values(), default=0)
