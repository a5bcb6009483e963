"""Reductions: setups, deals, matches and records of the small versions of games (docs/reductions.md)."""

from collections import defaultdict

import numpy as np
import pytest

from tablee import Match, all_games
from tablee.core.arrangements import arrangement_count, write_arrangement
from tablee.core.deals import all_deals, deal_match, deal_number, draw_number
from tablee.core.errors import BadGame, BadSetup
from tablee.core.game import Reduction
from tablee.core.randomness import new_generator
from tablee.core.state import SPECTATOR
from tablee.simulation.trees import TreeBuilder, see_all

REDUCED = [(game, setup) for game in all_games() for setup in game.reduced_setups()]
REDUCED_IDS = [f"{game.name}-{setup.reduction}" for game, setup in REDUCED]
every_reduction = pytest.mark.parametrize(("game", "setup"), REDUCED, ids=REDUCED_IDS)


def play_first_moves(match):
    while not match.is_over:
        match.play(match.legal_moves()[0])
    return match


def test_arrangements_are_numbered_in_lexicographic_order():
    counts = [2, 1, 1]
    found = []
    for number in range(arrangement_count(np.array(counts))):
        out = np.zeros(4, np.int64)
        write_arrangement(number, np.array(counts), out)
        found.append(tuple(out.tolist()))
    assert len(found) == 12
    assert found == sorted(set(found))
    assert all([arrangement.count(kind) for kind in range(3)] == counts for arrangement in found)


# Setups


@every_reduction
def test_a_setup_with_a_reduction_reads_as_it_is_written(game, setup):
    assert f"reduction={setup.reduction}" in str(setup)
    assert game.parse_setup(str(setup)) == setup
    assert setup not in list(game.setups())


@every_reduction
def test_a_reduction_decides_seats_and_options(game, setup):
    assert game.setup(setup.seats, setup.options, setup.reduction) == setup
    with pytest.raises(BadSetup, match=rf"is for {setup.seats}, not 99"):
        game.setup(99, None, setup.reduction)
    option = game.options[0]
    other = next(choice for choice in option.choices if choice != setup.options[option.name])
    with pytest.raises(BadSetup, match=f"has {option.name}="):
        game.setup(None, {option.name: other}, setup.reduction)


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_setups_read_as_they_are_written(game):
    assert all(game.parse_setup(str(setup)) == setup for setup in game.setups())
    assert game.parse_setup("") == game.setup()
    with pytest.raises(BadSetup, match="has no reduction 'tinny'"):
        game.parse_setup("reduction=tinny")
    with pytest.raises(BadSetup, match="is not a number of seats"):
        game.parse_setup("seats=many")


def test_a_reduction_needs_a_name_and_deals():
    with pytest.raises(BadGame, match="'Very Tiny'"):
        Reduction("Very Tiny", seats=2, deals=1, max_moves=1)
    with pytest.raises(BadGame, match="0 deals"):
        Reduction("tiny", seats=2, deals=0, max_moves=1)


# Matches


@every_reduction
def test_the_same_seed_gives_the_same_deal(game, setup):
    deals = game.reduction(setup.reduction).deals
    numbers = [draw_number(deals, 5, stream) for stream in range(20)]
    assert len(set(numbers)) > 1
    assert all(0 <= number < deals for number in numbers)
    for stream, number in enumerate(numbers):
        expected = deal_number(game, setup, number)
        assert deal_match(game, setup, 5, stream).tobytes() == expected.tobytes()
    match = Match(game, reduction=setup.reduction, seed=5, stream=3)
    assert match.setup == setup
    assert match.state.tobytes() == deal_number(game, setup, numbers[3]).tobytes()
    assert Match.from_deal(game, setup.reduction, numbers[3]).digest() == match.digest()


@every_reduction
def test_a_deal_outside_the_range_is_refused(game, setup):
    deals = game.reduction(setup.reduction).deals
    for number in (-1, deals):
        with pytest.raises(BadSetup, match=rf"has no deal {number}; they are numbered 0 to {deals - 1}"):
            deal_number(game, setup, number)


@every_reduction
def test_records_hold_the_reduction(game, setup):
    match = play_first_moves(Match(game, reduction=setup.reduction, seed=5))
    assert match.finished_rounds() == game.kernels.finished_rounds(match.first_state) + 1
    record = match.record()
    assert f"\nreduction: {setup.reduction}\n" in record.text()
    assert record.replay().setup == setup
    assert record.verify().outcome == match.outcome
    from_deal = play_first_moves(Match.from_deal(game, setup.reduction, 0)).record()
    assert from_deal.replay(trust_start=True).setup == game.setup(setup.seats, setup.options)


# Every deal


@every_reduction
def test_all_deals_are_different(game, setup):
    states = all_deals(game, setup)
    states["generator"] = np.zeros(1, states.dtype["generator"])
    assert len({bytes(state.tobytes()) for state in states}) == len(states)
    for state in states:
        assert game.kernels.problems(state) == 0
        assert game.setup_of(state) == game.setup(setup.seats, setup.options)


# Positions of the tiny versions: all deals, and some after every number of moves, as long as there are few enough.
# `make exact` checks all positions of every version.

TINY = [(game, setup) for game, setup in REDUCED if setup.reduction == "tiny"]
every_tiny = pytest.mark.parametrize(("game", "setup"), TINY, ids=[game.name for game, _ in TINY])
SIGHTS_PER_LEVEL = 5
MAX_LEVEL = 700  # positions; a larger level ends the walk


def levels(game, setup):
    """Yield the states after 0, 1, 2, ... moves from all deals; states that differ only in the generator count once."""
    builder = TreeBuilder(game, setup)
    while 0 < len(builder.states) <= MAX_LEVEL:
        states = builder.states.copy()
        states["generator"] = np.zeros(1, states.dtype["generator"])
        _, first = np.unique(as_bytes(states), return_index=True)
        yield states[first]
        builder.add_level()


def as_bytes(states):
    return np.ascontiguousarray(states).view(np.ndarray).view(f"V{states.dtype.itemsize}")


def check_worlds(game, states, seat, indices):
    """Check for the sights in some states that exactly the states that look alike are imagined."""
    sights = np.zeros_like(states)
    see_all(states, seat, sights)
    alike = defaultdict(set)
    for state, sight in zip(states, sights, strict=True):
        alike[sight.tobytes()].add(state.tobytes())
    for index in {sights[index].tobytes(): index for index in indices}.values():
        worlds = alike[sights[index].tobytes()]
        imagined = {imagine(game, sights, index, seat, stream) for stream in range(12 * len(worlds) + 10)}
        assert imagined == worlds


def imagine(game, sights, index, seat, stream):
    """Return the bytes of a world, without the generator."""
    world = sights[index : index + 1].copy()
    game.kernels.imagine(world[0], seat, new_generator(1, stream))
    world["generator"] = np.zeros(1, world.dtype["generator"])
    return world[0].tobytes()


@every_tiny
def test_a_seat_imagines_exactly_the_deals_that_look_alike(game, setup):
    first = next(levels(game, setup))
    for seat in range(SPECTATOR, setup.seats):
        check_worlds(game, first, seat, range(len(first)))


@every_tiny
def test_positions_are_valid_and_what_a_seat_imagines(game, setup):
    for states in levels(game, setup):
        checked = range(0, len(states), 1 + len(states) // SIGHTS_PER_LEVEL)
        assert not any(game.kernels.problems(states[index]) for index in checked)
        for seat in range(setup.seats):
            check_worlds(game, states, seat, checked)
