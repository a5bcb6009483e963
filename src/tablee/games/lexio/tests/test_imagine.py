"""`imagine` against exact enumeration: every deal consistent with a sight, each with the same probability."""

from collections import Counter
from itertools import combinations

import pytest

from tablee import Match
from tablee.core.compilation import is_interpreted
from tablee.core.randomness import new_generator
from tablee.core.sight import Sight
from tablee.core.state import TRUTH, copy_state
from tablee.games.lexio import GAME
from tablee.games.lexio.moves import parse_move, tiles_in
from tablee.games.lexio.sight import fits_passes
from tablee.games.lexio.strength import strongest
from tablee.games.lexio.tests.positions import broken, match_of, played, strength, tiles
from tablee.testing import assert_uniform, random_positions

SAMPLES_PER_WORLD = 6 if is_interpreted() else 60
EVERYBODY = pytest.mark.parametrize("viewer", [0, 1, 2, -1])


def deals(pool, counts):
    """Yield every deal of hands of these sizes from a set of tiles."""
    if not counts:
        yield ()
        return
    for chosen in combinations(tiles_in(pool), counts[0]):
        hand = sum(1 << tile for tile in chosen)
        for others in deals(pool & ~hand, counts[1:]):
            yield (hand, *others)


def consistent_worlds(state, viewer, fits):
    """Return all worlds consistent with what a viewer knows, by enumerating every deal."""
    seats = range(int(state.seats))
    hidden = [seat for seat in seats if seat != viewer]
    out = int(state.played.sum()) | (int(state.hands[viewer]) if viewer >= 0 else 0)
    worlds = []
    for dealt in deals(int(state.deck) & ~out, [int(state.hand_counts[seat]) for seat in hidden]):
        hands = [int(state.hands[viewer])] * len(seats)
        for seat, hand in zip(hidden, dealt, strict=True):
            hands[seat] = hand
        if has_right_leader(state, hands) and fits(hands):
            worlds.append(tuple(hands))
    return worlds


def has_right_leader(state, hands):
    """Whether the leader was dealt the weakest tile."""
    dealt = [hand | int(state.played[seat]) for seat, hand in enumerate(hands)]
    weakest = min(tiles_in(sum(dealt)))
    return weakest == state.lead_tile and bool(dealt[state.leader] >> weakest & 1)


def imagined(state, viewer, samples):
    """Count the hands that `imagine` samples."""
    sight = Sight.of(GAME, state, viewer)
    generator = new_generator(seed=7)
    counts = Counter()
    for _ in range(samples):
        world = sight.imagine(generator)
        counts[tuple(int(hand) for hand in world.hands[: state.seats])] += 1
    assert Sight.of(GAME, world, viewer) == sight
    assert broken(world) == []
    return counts


def assert_imagines(state, viewer, fits=lambda hands: True):
    """Compare `imagine` with enumeration; return the number of worlds."""
    worlds = consistent_worlds(state, viewer, fits)
    assert tuple(int(hand) for hand in state.hands[: state.seats]) in worlds, "the true state is one of them"
    assert_uniform(imagined(state, viewer, SAMPLES_PER_WORLD * len(worlds)), worlds)
    return len(worlds)


@EVERYBODY
def test_r12_every_deal_in_which_the_leader_holds_the_lead_tile(viewer):
    state = match_of("3N 6S", "4N 7E", "5L 2S").state
    assert assert_imagines(state, viewer) == {0: 6, 1: 3, 2: 3, -1: 30}[viewer]


@EVERYBODY
def test_a_lead_tile_that_was_played_is_public(viewer):
    match = played(match_of("3N 6S", "4N 7E", "5L 2S"), "3N", "4N")
    assert assert_imagines(match.state, viewer) == {0: 3, 1: 3, 2: 2, -1: 12}[viewer]


@pytest.mark.parametrize("viewer", [0, 1, -1])
def test_e18_e20_two_players_and_the_tiles_left_out(viewer):
    state = match_of("4N 6S", "5N 7E", left_out="3N 3E 9S").state
    assert assert_imagines(state, viewer) == {0: 3, 1: 2, -1: 12}[viewer]


def had_nothing_stronger(state, seat, since, size, to_beat):
    """Return a predicate of hands: with the tiles played since, a seat held nothing stronger."""
    return lambda hands: int(strongest(state, hands[seat] | tiles(since), size)) <= to_beat


@pytest.mark.parametrize("viewer", [0, 2, -1])
def test_e6_a_pass_on_a_single_tile_limits_the_hand(viewer):
    match = played(match_of("3N 7S 9N", "4N 5N 6N", "5L 2S 9S", options={"must_play": True}), "7S", "-")
    limit = int(match.state.to_beat)
    assert_imagines(match.state, viewer, had_nothing_stronger(match.state, 1, "", 1, limit))


@pytest.mark.parametrize("viewer", [0, -1])
def test_e6_a_pass_on_a_single_tile_excludes_the_very_next_tile(viewer):
    match = played(match_of("3N 7S 9N", "4N 5N 6N", "5L 8N 9S", options={"must_play": True}), "7S", "-")
    generator = new_generator(seed=3)
    for _ in range(60):
        assert not int(match.sight(viewer).imagine(generator).hands[1]) & tiles("8N 9S 9N")


@pytest.mark.parametrize("viewer", [0, 2, -1])
def test_e6_a_pass_on_a_pair_limits_the_hand(viewer):
    match = match_of("3N 4S 4L", "5N 6E 9N", "5L 6S 9S", options={"must_play": True})
    played(match, "4L 4S", "-")
    fits = had_nothing_stronger(match.state, 1, "", 2, int(match.state.to_beat))
    assert_imagines(match.state, viewer, fits)
    if viewer != 2:
        assert len(consistent_worlds(match.state, viewer, fits)) < len(
            consistent_worlds(match.state, viewer, lambda hands: True)
        )


@pytest.mark.parametrize("viewer", [0, -1])
def test_e6_a_pass_on_three_tiles_limits_the_hand(viewer):
    match = match_of("3N 4N 4L 4S", "5N 6E 6N 9N", "5L 6S 6L 9S", options={"must_play": True})
    played(match, "4N 4L 4S", "-")
    fits = had_nothing_stronger(match.state, 1, "", 3, int(match.state.to_beat))
    worlds = imagined(match.state, viewer, 200)
    assert all(fits(hands) for hands in worlds)
    assert not all(fits(hands) for hands in consistent_worlds(match.state, viewer, lambda hands: True))


def test_e6_a_pass_limits_the_hand_as_it_was_then():
    match = match_of("3N 4L 4S 8N", "5N 6E 9N 7N", "5L 6S 9S 7S", options={"must_play": True})
    played(match, "4L 4S")
    pair = int(match.state.to_beat)
    played(match, "-", "-", "3N", "6E")
    fits = all_of(
        had_nothing_stronger(match.state, 1, "6E", 2, pair),
        had_nothing_stronger(match.state, 2, "", 2, pair),
    )
    assert_imagines(match.state, 0, fits)
    worlds = consistent_worlds(match.state, 0, fits)
    assert all(not hands[1] & tiles("6S") for hands in worlds), "with the 6 since played it would have been a pair"


def all_of(*tests):
    return lambda hands: all(test(hands) for test in tests)


@pytest.mark.parametrize("viewer", [0, 2, -1])
def test_e6_a_pass_on_five_tiles_limits_the_hand(viewer):
    lead = "4N 5E 6N 7N 8N"
    match = match_of(f"3N {lead}", "3E 4E 5S 6S 7L 9S", "5L 6L 7S 8S 9L 3L", options={"must_play": True})
    played(match, lead, "-", "5L 6L 7S 8S 9L")
    state = match.state
    assert state.passed_made[1, 0] > 0
    fits = had_nothing_stronger(state, 1, "", 5, int(state.passed_made[1, 0]))
    assert_imagines(state, viewer, fits)


STRIDE = 29 if is_interpreted() else 5


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_e6_imagined_worlds_are_consistent_with_every_pass_of_a_round(seats):
    generator = new_generator(seed=3)
    setup = GAME.setup(seats, {"two_players": seats == 2, "must_play": True, "rounds": 1})
    for match in random_positions(GAME, setup, seed=seats):
        if len(match.moves) % STRIDE or match.is_over:
            continue
        for viewer in range(-1, seats):
            sight = match.sight(viewer)
            world = sight.imagine(generator)
            assert broken(world) == []
            assert Sight.of(GAME, world, viewer) == sight
            assert all(fits_passes(world, seat) for seat in range(seats))


def test_disguise_changes_hidden_hands_and_nothing_else():
    state = Match(GAME, seats=4, seed=2).state
    twin = copy_state(state)
    GAME.kernels.disguise(twin, 1, new_generator(seed=5))
    assert twin.hands[1] == state.hands[1]
    assert all(twin.hands[seat] != state.hands[seat] for seat in (0, 2, 3))
    assert Sight.of(GAME, twin, 1) == Sight.of(GAME, state, 1)
    assert broken(twin) == []


def test_every_world_is_a_full_state_with_a_fresh_generator():
    state = match_of("3N 6S", "4N 7E", "5L 2S").state
    generator = new_generator(seed=7)
    worlds = [Sight.of(GAME, state, 0).imagine(generator) for _ in range(20)]
    assert {int(world.viewer) for world in worlds} == {TRUTH}
    keys = {world.generator["key"].tobytes() for world in worlds}
    assert len(keys) == 20
    assert state.generator["key"].tobytes() not in keys


@pytest.mark.parametrize(
    ("period", "held", "fits"),
    [
        (0, "6S", False),
        (0, "8S", False),
        (0, "9N", True),
        (1, "6S", True),
        (1, "8S", False),
        (2, "8S", True),
        (2, "9N 9E", False),
    ],
)
def test_e6_a_pass_is_checked_against_the_tiles_played_since(period, held, fits):
    """Seat 1 has played 6E, then 8E, and passed on a pair of 4s before both, between them, or after them."""
    state = match_of("3N 4L 4S", f"{held} 6E 8E", "5L 2S 9S", options={"must_play": True}).state
    state.hands[1], state.play_counts[1] = tiles(held), 2
    state.plays[1, :2] = [parse_move("play 6E"), parse_move("play 8E")]
    state.passed_few[1, period, 1] = strength("4L 4S", seats=3)
    assert fits_passes(state, 1) == fits
