"""What a viewer sees: everything but hands, the cards below the tops of stocks, and the draw pile (R5, D18)."""

import pytest

from tablee.core.randomness import new_generator
from tablee.core.sight import Sight
from tablee.core.state import copy_state
from tablee.games.skip_bo import GAME
from tablee.games.skip_bo.state import MAX_SEATS, NO_CARD, UNKNOWN
from tablee.games.skip_bo.tests.positions import PLAIN, broken, played, position
from tablee.testing import assert_seen, random_positions


def states(seats, **options):
    """Yield some states of a random match, and two after reshuffles."""
    for match in random_positions(GAME, GAME.setup(seats, options), seed=seats, max_moves=120):
        if len(match.moves) % 30 == 0:
            yield match.state
    first = {"stock": "9 8", "hand": "1 2 3", "piles": "1 1 2", "a": "9 w 4", "c": "2"}
    second = {"stock": "9 8 w", "hand": "2 3 4", "piles": "2 1 0", "d": "w w"}
    rest = [PLAIN] * (seats - 2)
    counts = {"totals": [30, 45, 0, 0, 0, 0], "last_left": [0, 4, 0, 0, 0, 0], "lots": [7, 3, 0, 0, 0, 0]}
    counts |= {"rounds_played": 2, "dealer": 1, "last_end": 3, "last_winner": 0, "last_points": 45}
    counts |= {"turns": 9, "plays": 3, "stalled": 7, "passes": 1}
    state = position(
        first,
        second,
        *rest,
        draw="4 5",
        series=("1 2 w", "", "w", "1"),
        completed="1 w 3",
        whole_deck=False,
        pile_number=2,
        options=options,
        **counts,
    )
    yield state
    yield played(state, "discard 1 b").state
    first |= {"hand": "2 3 w 1", "piles": "1 2 2 3"}
    second |= {"hand": "2 w 4 1 3", "piles": "1 1 2 3 0"}
    usual = {"hand_size": "five"} | options
    yield position(first, second, *rest, draw="w 4 5", whole_deck=False, pile_number=4, options=usual)
    size = {2: 15, 4: 7, 6: 20}[seats]
    full, last = {"stock": "9 " * (size // 2) + "8 " * (size - size // 2)}, {"stock": "1", "hand": "5 6"}
    small = {"whole_deck": False, "options": {"single_round": True, **options}}
    yield played(position(full, last, *rest, to_move=1, **small), "play stock 1").state
    yield played(position(last, full, *rest, **small), "play stock 1").state


@pytest.mark.parametrize(("seats", "options"), [(2, {}), (4, {}), (6, {"edition": "classic"})])
def test_r5_r10_d18_a_sight_holds_everything_that_lies_open(seats, options):
    for state in states(seats, **options):
        size = int(state.stock_size)
        for viewer in range(-1, seats):
            sight = assert_seen(GAME, state, viewer, hidden={"hands", "stocks", "draw_pile"})
            for seat in range(MAX_SEATS):
                held, stock = int(state.hand_counts[seat]), int(state.stock_counts[seat])
                hand = state.hands[seat] if seat == viewer else [UNKNOWN] * held + [NO_CARD] * (5 - held)
                assert list(sight.hands[seat]) == list(hand)
                if seat < seats:
                    shown = list(sight.stocks[seat * size : (seat + 1) * size])
                    top = state.stocks[seat * size + stock - 1]
                    visible = [UNKNOWN] * (stock - 1) + [top] if stock else []
                    assert shown == visible + [NO_CARD] * (size - stock)
            assert not sight.stocks[seats * size :].any()
            assert (sight.draw_pile[: state.draw_count] == UNKNOWN).all()
            assert (sight.draw_pile[state.draw_count :] == NO_CARD).all()


@pytest.mark.parametrize("viewer", [-1, 0, 1])
def test_disguise_changes_everything_hidden_and_nothing_seen(viewer):
    generator = new_generator(seed=4)
    changed = dict.fromkeys(("hands", "stocks", "draw_pile"), 0)
    for state in states(2):
        for _ in range(6):
            twin = copy_state(state)
            GAME.kernels.disguise(twin, viewer, generator)
            assert broken(twin) == []
            assert twin.generator.tobytes() != state.generator.tobytes()
            sights = [assert_seen(GAME, each, viewer, hidden=changed).tobytes() for each in (state, twin)]
            assert sights[0] == sights[1]
            for name in changed:
                changed[name] += int((twin[name] != state[name]).sum())
    assert min(changed.values()) > 10


@pytest.mark.parametrize("viewer", [-1, 0, 1])
def test_d18_worlds_hold_the_deck_whatever_was_reshuffled(viewer):
    generator = new_generator(seed=5)
    for state in states(2):
        for _ in range(4):
            world = Sight.of(GAME, state, viewer).imagine(generator)
            assert broken(world) == []
            assert Sight.of(GAME, world, viewer) == Sight.of(GAME, state, viewer)
