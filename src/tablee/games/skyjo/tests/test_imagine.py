"""`imagine` against exact enumeration: every world consistent with a sight, each with the same probability.

Unknown in Skyjo are the order of shuffled cards and which first cards others have opened. A shuffle makes every
arrangement of values equally likely, so the consistent worlds are equally likely too.
"""

from collections import Counter
from itertools import combinations, permutations, product

import pytest

from tablee.core.compilation import is_interpreted
from tablee.core.randomness import new_generator
from tablee.core.sight import Sight
from tablee.games.skyjo import GAME
from tablee.games.skyjo.moves import CELL_NAMES
from tablee.games.skyjo.state import OPEN_FIRST, OPEN_SECOND
from tablee.games.skyjo.tests.positions import ALL_HIDDEN, OPEN_TWO, broken, narrow, played, position
from tablee.testing import assert_uniform, random_positions

SAMPLES = 400 if is_interpreted() else 10_000
EVERY_VIEWER = pytest.mark.parametrize("viewer", [0, 1, -1])


def card_at(state, position_name):
    """Return the card at `held`, `pile 3` (from the bottom) or `0 d1` (of seat 0)."""
    if position_name == "held":
        return int(state.held)
    where, which = position_name.split()
    return int(state.piles[int(which)] if where == "pile" else state.grid[int(where), CELL_NAMES.index(which)])


def arrangements(*pools):
    """Return every distinct arrangement of each pool's cards on its positions."""
    orders = [sorted(set(permutations(cards))) for _, cards in pools]
    return [sum(chosen, ()) for chosen in product(*orders)]


def imagined(state, viewer, names, seats_opening=()):
    """Count the worlds that `imagine` gives: the cards at the named positions, and what some seats have opened."""
    sight = Sight.of(GAME, state, viewer)
    generator = new_generator(seed=7)
    counts = Counter()
    for _ in range(SAMPLES):
        world = sight.imagine(generator)
        opened = tuple(int(world.opened[seat]) for seat in seats_opening)
        counts[tuple(card_at(world, name) for name in names) + opened] += 1
    assert Sight.of(GAME, world, viewer) == sight
    assert broken(world) == []
    return counts


def assert_imagines(state, viewer, *pools):
    """Compare `imagine` with every arrangement of each pool's cards on that pool's positions."""
    for names, cards in pools:
        assert sorted(card_at(state, name) for name in names) == sorted(cards), "the pools describe the state"
    all_names = [name for names, _ in pools for name in names]
    assert_uniform(imagined(state, viewer, all_names), arrangements(*pools))


SMALL = {"discard": (2, 1), "draw": (7, 9), "whole_deck": False}


@EVERY_VIEWER
def test_hidden_cards_and_the_pile_are_one_pool(viewer):
    state = position(narrow("(7) 3 4"), narrow("5 (8) (8)"), **SMALL)
    assert_imagines(state, viewer, (["0 d1", "1 d2", "1 d3", "pile 0", "pile 1"], [7, 8, 8, 7, 9]))


@pytest.mark.parametrize("viewer", [0, 1, 2, -1])
def test_hidden_cards_of_three_seats_and_the_pile_are_one_pool(viewer):
    state = position(narrow("(7) 3 4"), narrow("5 (8) 1"), narrow("0 (7) (8)"), **SMALL)
    names = ["0 d1", "1 d2", "2 d2", "2 d3", "pile 0", "pile 1"]
    assert_imagines(state, viewer, (names, [7, 8, 7, 8, 7, 9]))


def test_a_drawn_card_is_known_to_the_seat_that_drew_it():
    state = played(position(narrow("(7) 3 4"), narrow("5 (8) (8)"), **SMALL), "draw").state
    assert_imagines(state, 0, (["0 d1", "1 d2", "1 d3", "pile 0"], [7, 8, 8, 7]))


@pytest.mark.parametrize("viewer", [1, -1])
def test_a_drawn_card_is_part_of_the_pool_for_the_others(viewer):
    state = played(position(narrow("(7) 3 4"), narrow("5 (8) (8)"), **SMALL), "draw").state
    assert_imagines(state, viewer, (["held", "0 d1", "1 d2", "1 d3", "pile 0"], [9, 7, 8, 8, 7]))


@EVERY_VIEWER
def test_a_taken_card_is_known_to_everybody(viewer):
    state = played(position(narrow("(7) 3 4"), narrow("5 (8) (8)"), **SMALL), "take").state
    assert card_at(Sight.of(GAME, state, viewer).state, "held") == 1
    assert_imagines(state, viewer, (["0 d1", "1 d2", "1 d3", "pile 0", "pile 1"], [7, 8, 8, 7, 9]))


def reshuffled(*moves):
    """Return a position whose draw pile was made of the discards 1, 2, 9, 9; hidden are 7, 8 and 8."""
    state = position(narrow("(7) 3 4"), narrow("5 (8) (8)"), discard=(1, 2, 9, 9, 4), whole_deck=False)
    return played(state, "draw", *moves).state


def test_a_reshuffled_pile_holds_what_was_discarded():
    state = reshuffled()
    pile = [1, 2, 9, 9]
    pile.remove(card_at(state, "held"))
    assert_imagines(state, 0, (["pile 0", "pile 1", "pile 2"], pile), (["0 d1", "1 d2", "1 d3"], [7, 8, 8]))


@pytest.mark.parametrize("viewer", [1, -1])
def test_a_card_drawn_from_a_reshuffled_pile_is_one_of_the_discards(viewer):
    piled = (["held", "pile 0", "pile 1", "pile 2"], [1, 2, 9, 9])
    assert_imagines(reshuffled(), viewer, piled, (["0 d1", "1 d2", "1 d3"], [7, 8, 8]))


@EVERY_VIEWER
def test_a_card_shown_after_a_reshuffle_is_no_longer_in_the_pile(viewer):
    state = reshuffled("swap d2")
    pile = [1, 2, 9, 9]
    pile.remove(card_at(state, "0 d2"))
    assert_imagines(state, viewer, (["pile 0", "pile 1", "pile 2"], pile), (["0 d1", "1 d2", "1 d3"], [7, 8, 8]))


@EVERY_VIEWER
def test_a_hidden_card_shown_after_a_reshuffle_leaves_the_pool_of_the_tableaux(viewer):
    state = reshuffled("swap d2", "take", "swap d2")
    pile = [1, 2, 9, 9]
    pile.remove(card_at(state, "0 d2"))
    assert_imagines(state, viewer, (["pile 0", "pile 1", "pile 2"], pile), (["0 d1", "1 d3"], [7, 8]))


@pytest.mark.parametrize("viewer", [1, -1])
def test_a_second_draw_from_a_reshuffled_pile(viewer):
    state = reshuffled("swap d2", "take", "swap d1", "draw")
    pile = [1, 2, 9, 9]
    pile.remove(card_at(state, "0 d2"))
    piled = (["held", "pile 0", "pile 1"], pile)
    assert_imagines(state, viewer, piled, (["0 d1", "1 d2", "1 d3"], [7, 8, 8]))


OWN = {0: [3, 7], 1: [3], -1: []}  # the cells that the viewer has opened
PAIRS = [1 << 3 | 1 << 7, 1 << 3 | 1 << 11, 1 << 7 | 1 << 11]
SINGLES = [1 << 3, 1 << 7, 1 << 11]


@EVERY_VIEWER
def test_any_first_cards_of_the_others_may_be_open(viewer):
    """Seat 0 has opened two of its three cards, seat 1 one; a single 8 lies somewhere among sevens."""
    state = position(
        narrow("7 7 (7)"),
        narrow("7 (8) (7)"),
        discard=(),
        draw=(7, 7),
        whole_deck=False,
        phase=OPEN_SECOND,
        to_move=1,
    )
    unseen = [(seat, cell) for seat in range(2) for cell in (3, 7, 11) if seat != viewer or cell not in OWN[viewer]]
    names = [f"{seat} {CELL_NAMES[cell]}" for seat, cell in unseen] + ["pile 0", "pile 1"]
    choices = [[int(state.opened[seat])] if seat == viewer else (PAIRS, SINGLES)[seat] for seat in range(2)]
    arranged = arrangements((names, [8] + [7] * (len(names) - 1)))
    worlds = [cards + opened for cards in arranged for opened in product(*choices)]
    assert_uniform(imagined(state, viewer, names, (0, 1)), worlds)


def test_any_pair_of_a_full_tableau_may_be_open():
    state = position(ALL_HIDDEN, ALL_HIDDEN, discard=(), phase=OPEN_FIRST)
    state.opened[0] = 0b11
    state.to_move = 1
    counts = imagined(state, 1, [], (0,))
    assert_uniform(counts, [(1 << one | 1 << other,) for one, other in combinations(range(12), 2)])


def test_every_world_has_a_fresh_generator():
    sight = Sight.of(GAME, position(OPEN_TWO, OPEN_TWO), 0)
    generator = new_generator(seed=7)
    keys = {sight.imagine(generator).generator["key"].tobytes() for _ in range(20)}
    assert len(keys) == 20
    assert position(OPEN_TWO, OPEN_TWO).generator["key"].tobytes() not in keys


@pytest.mark.parametrize("rows", [False, True])
def test_every_imagined_world_looks_like_the_sight(rows):
    generator = new_generator(seed=3)
    for match in random_positions(
        GAME, GAME.setup(3, {"rows": rows}), seed=5, max_moves=30 if is_interpreted() else 2000
    ):
        for viewer in range(-1, 3):
            sight = match.sight(viewer)
            world = sight.imagine(generator)
            assert Sight.of(GAME, world, viewer) == sight
            assert broken(world) == []
