"""Sights and worlds: `imagine` draws every consistent world with the right probability."""

from collections import Counter
from itertools import product

import pytest

from tablee.core.randomness import new_generator
from tablee.core.sight import Sight
from tablee.core.state import copy_state
from tablee.games.xe_queo import GAME
from tablee.games.xe_queo.moves import COLOURS
from tablee.games.xe_queo.state import NO_PAWN, SEATS, UNKNOWN
from tablee.games.xe_queo.tests.positions import dealt, field_of, follow, played, position, texts
from tablee.testing import assert_uniform, random_positions

RING_BESIDE_TWO = """
    . . . . . . .
    . . . . . . .
    . . . O . . .
    . . . * R . .
    . . . . . . .
    . . . . . . .
    B . P Y G . K
"""


def worlds_of(match, seat):
    """Return every pair of secret pawns for which the same moves give the seat the same sight, by replaying them."""
    found = []
    expected = match.sight(seat)
    for pawns in product(range(len(COLOURS)), repeat=SEATS):
        state = copy_state(match.first_state)
        state.chosen[:] = pawns
        for move in match.moves:
            if GAME.kernels.refusal(state, move):
                break
            GAME.kernels.play(state, move)
        else:
            if Sight.of(GAME, state, seat) == expected:
                found.append(pawns)
    return found


def imagined(match, seat, count, seed=1):
    """Count the pairs of secret pawns in imagined worlds."""
    generator = new_generator(seed)
    sight = match.sight(seat)
    counts = Counter()
    for _ in range(count):
        world = sight.imagine(generator)
        assert Sight.of(GAME, world, seat) == sight
        counts[tuple(int(pawn) for pawn in world.chosen)] += 1
    return counts


@pytest.mark.parametrize("seat", [-1, 0, 1])
@pytest.mark.parametrize(
    ("rule", "moves", "sizes"),
    [
        ("forbid", ["green f2", "blue b2"], (49, 7, 7)),  # no pawn is excluded
        ("block", ["red d4"], (42, 7, 6)),  # the pawn that blocks is not the mover's
        ("block", ["green f2", "red d4", "purple c2"], (42, 6, 7)),
        ("owner_wins", ["red d4"], (36, 6, 6)),  # nor the other's
        ("owner_wins", ["green f2", "yellow d2", "blue b2", "red d4"], (36, 6, 6)),
    ],
)
def test_imagined_pawns_are_those_consistent_with_the_moves(rule, moves, sizes, seat):
    state = position(RING_BESIDE_TWO, chosen="purple pink", options={"foreign_ring": rule})
    match = played(state, *moves)
    worlds = worlds_of(match, seat)
    assert len(worlds) == sizes[seat + 1]
    assert_uniform(imagined(match, seat, 8 * len(worlds)), worlds)


@pytest.mark.parametrize("rule", ["forbid", "block", "owner_wins"])
def test_every_imagined_world_of_random_play_is_possible(rule):
    generator = new_generator(4)
    setup = GAME.setup(2, {"foreign_ring": rule, "allow_pass": True})
    for seed in range(2):
        begin, start = None, 0
        for match in random_positions(GAME, setup, seed):
            state = match.state
            if (state.chosen == NO_PAWN).any():
                begin = None
                continue
            if begin is None:
                begin, start = copy_state(state), len(match.moves)
            for seat in range(-1, SEATS):
                world = match.sight(seat).imagine(generator)
                twin = copy_state(begin)
                twin.chosen[:] = world.chosen
                for move in match.moves[start:]:
                    assert GAME.kernels.refusal(twin, move) == 0
                    GAME.kernels.play(twin, move)
                assert Sight.of(GAME, twin, seat) == match.sight(seat)


def test_only_chosen_discs_are_imagined():
    match = dealt()
    follow(match, texts(match)[0], "choose green")
    counts = imagined(match, 1, 84)
    assert_uniform(counts, [(pawn, NO_PAWN) for pawn in range(len(COLOURS))])
    assert imagined(match, 0, 5) == {(COLOURS.index("green"), NO_PAWN): 5}


def test_disguise_changes_the_other_disc_and_nothing_seen():
    generator = new_generator(2)
    match = played(position(RING_BESIDE_TWO, chosen="purple pink"), "green f2")
    found = set()
    for _ in range(40):
        twin = copy_state(match.state)
        GAME.kernels.disguise(twin, 0, generator)
        assert Sight.of(GAME, twin, 0) == match.sight(0)
        assert twin.generator.tobytes() != match.state.generator.tobytes()
        found.add(int(twin.chosen[1]))
    assert found == set(range(len(COLOURS)))


def test_the_sight_holds_the_round_and_the_discs_shown_before():
    match = played(position(RING_BESIDE_TWO, chosen="purple pink"), "green f2", "accuse red")
    follow(match, "ring a7", "choose red", "choose red")
    sight = match.sight(0).state
    assert list(sight.chosen) == [0, UNKNOWN]
    assert list(sight.shown[0]) == [COLOURS.index("purple"), NO_PAWN]
    assert field_of(match, "green") == "f2"


def block(name, observation):
    """Return the numbers of one block of an observation."""
    start = GAME.kernels.observation.start(name)
    size = next(found.size for found in GAME.kernels.observation if found.name == name)
    return list(observation[start : start + size])


def test_observations_are_relative_to_the_seat():
    match = played(position(RING_BESIDE_TWO, chosen="purple pink"), "green f2")
    mine, other = match.sight(0).observe(), match.sight(1).observe()
    assert block("chosen", mine) == [0, 0, 0, 0, 0, 1, 0]
    assert block("chosen", other) == [0, 0, 0, 0, 0, 0, 1]
    assert block("on_turn", mine) == [0, 1]
    assert block("on_turn", other) == [1, 0]
    assert block("has_chosen", mine) == [1, 1]
    assert block("moved", mine)[3] > 0
    assert block("moved", other)[7 + 3] > 0
    assert block("declined", mine) == [1, 1, *[0] * 12]
    assert sum(block("pawns", mine)) == len(COLOURS)
    assert block("ring", mine).index(1) == int(match.state.ring)
    assert sum(block("chosen", match.sight(-1).observe())) == 0
