"""`imagine` against exact enumeration: every world consistent with a sight, with the right probability."""

from collections import Counter
from itertools import permutations
from math import factorial, prod

import numpy as np
import pytest

from tablee.core.compilation import is_interpreted
from tablee.core.randomness import new_generator
from tablee.core.sight import Sight
from tablee.core.state import SPECTATOR, TRUTH
from tablee.games.xylo import GAME
from tablee.games.xylo.state import NO_CARD, UNKNOWN_VALUE, packet_row
from tablee.games.xylo.tests.positions import announce, broken, dealt, lay, small, texts
from tablee.games.xylo.worlds import EDGES, NODES, build_graph, new_graph
from tablee.testing import assert_follows, assert_uniform

DRAWS = 20 if is_interpreted() else 10_000
NINE = ("R2 O1 Y0", "O2 Y1 R0", "Y2 R1 O0")
TWELVE = ("R3 O2 Y1 Y0", "Y2 O1 R1 R0", "O3 Y3 R2 O0")
TWINS = ("R2 O2 Y1", "Y2 O1 R0", "G2 G1 O0", "R1 G0 Y0")
SIXTEEN = ("R3 O2 Y1 R0", "Y3 G2 O1 Y0", "O3 R2 G1 O0", "G3 Y2 R1 G0")


def all_worlds(state):
    """Return every assignment of values to the unknown cards, with its weight: 1 / n! for each run of n equal cards."""
    size = int(state.row_size)
    cards = [int(card) for card in state.cards if card != NO_CARD]
    free = {colour * 16 + value for colour in range(8) for value in range(state.sizes[colour])} - set(cards)
    worlds = []

    def fill(world):
        index = len(world)
        if index == len(cards):
            worlds.append(tuple(world))
            return
        for card in [cards[index]] if cards[index] & 15 != UNKNOWN_VALUE else free - set(world):
            is_lower = index % size == 0 or card & 15 <= world[-1] & 15
            if card >> 4 == cards[index] >> 4 and is_lower:
                fill([*world, card])

    fill([])
    return {world: weight_of(world, size) for world in worlds}


def weight_of(world, size):
    """Return 1 / the number of orders of equal cards in all rows."""
    rows = [world[first : first + size] for first in range(0, len(world), size)]
    return 1 / prod(factorial(n) for row in rows for n in Counter(card & 15 for card in row).values())


def imagined(sight, draws, seed=1):
    """Count imagined worlds by their rows, and check that the seat sees no difference."""
    generator = new_generator(seed)
    counts = Counter()
    for number in range(draws):
        world = sight.imagine(generator)
        counts[tuple(int(card) for card in world.cards if card != NO_CARD)] += 1
        if number < 20:
            assert Sight.of(GAME, world, sight.seat) == sight
            assert GAME.kernels.problems(world) == 0
    return counts


def assert_imagines(sight):
    assert_frequencies(sight, all_worlds(sight.state))


def assert_frequencies(sight, chances):
    """Draw worlds and compare their frequencies; interpreted, only check that they are possible."""
    assert len(chances) > 1
    counts = imagined(sight, DRAWS)
    assert set(counts) <= set(chances)
    if not is_interpreted():
        assert_follows(counts, chances)


@pytest.mark.parametrize("rows", [NINE, TWELVE, TWINS], ids=["nine", "twelve", "twins"])
@pytest.mark.parametrize("seat", [SPECTATOR, 0, 1])
def test_worlds_at_the_start(rows, seat):
    assert_imagines(small(*rows).sight(seat))


def test_worlds_with_equal_cards_have_smaller_weights():
    weights = all_worlds(small(*TWINS).sight(SPECTATOR).state)
    assert len(set(weights.values())) > 1


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_worlds_after_cards_were_played(seat):
    match = small(*SIXTEEN)
    lay(match, "Y1", "Y0")
    assert_imagines(match.sight(seat))


def test_worlds_after_an_announcement():
    match = small(*SIXTEEN)
    match.play("play 3")
    announce(match, "R3")
    owner, other = all_worlds(match.sight(0).state), all_worlds(match.sight(2).state)
    assert len(owner) < len(other)  # the owner has seen the card next to it as well
    assert_imagines(match.sight(0))
    assert_imagines(match.sight(1))


def test_worlds_while_a_player_looks_at_two_cards():
    match = small(*SIXTEEN)
    match.play("play 3")
    match.play("peek 1")
    assert_imagines(match.sight(0))
    assert_imagines(match.sight(1))


def test_worlds_with_two_players():
    match = small(*SIXTEEN, seats=2)
    assert_imagines(match.sight(0))
    assert_imagines(match.sight(1))


def test_worlds_while_packets_are_ordered():
    match = small("R1 O0", "O1 Y1", "Y0 R0", ties="choose")
    known = tuple(int(card) for card in match.state.cards[2:4])
    rest = [int(card) for card in match.state.cards if card != NO_CARD and card not in known]
    orders = [(*order[:2], *known, *order[2:]) for order in permutations(rest)]
    chances = dict.fromkeys(orders, 0.0)
    for order in orders:
        rows = [sorted(pair, key=lambda card: -(card & 15)) for pair in (order[:2], order[4:])]
        chances[(*rows[0], *known, *rows[1])] += 1 / len(orders)
    assert_frequencies(match.sight(0), {order: chance for order, chance in chances.items() if chance})


def test_a_sorter_may_be_anywhere_in_the_packet():
    match = small("R2 O2 R1 O1", "Y2 G2 Y1 G1", "B2 R0 O0 B0", "B1 P0 G0 Y0", ties="choose")
    generator = new_generator(1)
    sight = match.sight(3)
    assert sight.state.arranging == -1
    found = {int(sight.imagine(generator).arranging) for _ in range(60)}
    assert found == {0, 1, 2}


PAIRS = ("R1 O1 Y1 G1", "S1 B1 P1 K1", "R0 O0 Y0 G0", "S0 B0 P0 K0")


@pytest.mark.parametrize(("seats", "viewer"), [(4, 2), (4, SPECTATOR), (2, 1)])
def test_a24_each_packet_and_each_choice_in_it_is_as_likely(seats, viewer):
    """In every imagined packet, the choice that comes next is one of its equal cards but the last, at random."""
    sight = small(*PAIRS, seats=seats, ties="choose").sight(viewer)
    generator = new_generator(3)
    packets, choices = Counter(), {}
    for _ in range(800):
        world = sight.imagine(generator)
        packet, position = divmod(int(world.arranging), 16)
        row = packet_row(world, 0, packet)
        cards = [int(card) & 15 for card in world.cards[row * 4 : row * 4 + 4]]
        equal = [index for index in range(3) if cards[index] == cards[index + 1]] or [3]
        packets[packet] += 1
        choices.setdefault(tuple(equal), Counter())[position] += 1
    assert_uniform(packets, range(2 if seats == 2 else 1))
    assert len(choices) > 2
    for equal, counts in choices.items():
        assert_uniform(counts, equal)


@pytest.mark.parametrize("viewer", range(4))
def test_a16_a_packet_that_a_seat_has_sorted_is_not_dealt_again(viewer):
    match = small(*PAIRS, ties="choose")
    for number in range(10):
        world = match.sight(viewer).imagine(new_generator(number))
        assert broken(world) == []
        assert Sight.of(GAME, world, viewer) == match.sight(viewer)


def test_a_world_of_a_whole_deal_gives_the_same_sight():
    generator = new_generator(1)
    for seats in (2, 3, 4, 5):
        match = dealt(seats, ties="auto")
        for seat in range(seats):
            world = match.sight(seat).imagine(generator)
            assert Sight.of(GAME, world, seat) == match.sight(seat)
            assert GAME.kernels.problems(world) == 0


def test_worlds_differ_from_draw_to_draw():
    sight = dealt(4, ties="auto").sight(0)
    assert len(imagined(sight, 20)) > 10


def test_a_graph_that_is_too_small_is_reported():
    state = dealt(4, ties="auto").sight(0).state
    assert not build_graph(state, new_graph(10))
    graph = new_graph(1024)
    assert build_graph(state, graph)
    assert np.all(graph.targets[: graph.counts[EDGES]] < graph.counts[NODES])


def test_the_only_world_of_a_finished_game_is_the_true_one():
    match = small(*NINE)
    match.state.rounds_played = 2
    while not match.is_over:
        match.play(texts(match)[0])
    world = match.sight(0).imagine(new_generator(1))
    assert list(world.cards) == list(match.state.cards)


def test_every_world_is_a_full_state_with_a_fresh_generator():
    state = dealt(4, ties="auto").state
    generator = new_generator(seed=7)
    worlds = [Sight.of(GAME, state, 0).imagine(generator) for _ in range(20)]
    assert {int(world.viewer) for world in worlds} == {TRUTH}
    keys = {world.generator["key"].tobytes() for world in worlds}
    assert len(keys) == 20
    assert state.generator["key"].tobytes() not in keys
