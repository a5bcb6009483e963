"""Every block of an observation against its description, computed from the sight in another way."""

import numpy as np
import pytest

from tablee.core.compilation import is_interpreted
from tablee.games.lexio import GAME, sight
from tablee.games.lexio.catalogue import tiles_of
from tablee.games.lexio.strength import CombinationKind, kind_of
from tablee.games.lexio.tests.positions import match_of, played
from tablee.testing import observed, random_positions

FLUSHES = 3003 * 4  # five of fifteen numbers, in four suits; each kind of five tiles has as many strengths
USED = (14 * 4, FLUSHES, 15, 15, 14 * 4)  # of these: straights, flushes, full houses, fours, straight flushes
FIVES = [kind * FLUSHES + number for kind, count in enumerate(USED) for number in range(1, count + 1)]
LIMITS = (61, 61, 16)  # above every strength of one, two and three tiles


def one_hot(size, *indices):
    """Return a row of zeros with ones at these indices."""
    return [float(index in indices) for index in range(size)]


def bits(tiles):
    """Return a number per tile: 1 if it is in the set."""
    return [float(int(tiles) >> tile & 1) for tile in range(60)]


def per_seat(state, viewer, value):
    """Return a value of each seat, the viewer first, and zeros for the seats that nobody takes."""
    seats, me = int(state.seats), max(viewer, 0)
    rows = [np.ravel(value((me + relative) % seats)) for relative in range(seats)]
    return np.concatenate([*rows, np.zeros((5 - seats) * len(rows[0]))])


def plays(state, seat):
    """Return the tiles that a seat has played; with the option of E6 also when."""
    if not GAME.setup_of(state).options["must_play"]:
        return bits(state.played[seat])
    found = np.zeros(60)
    for index in range(int(state.play_counts[seat])):
        found += np.array(bits(tiles_of(int(state.plays[seat, index])))) * (26 - index) / 26
    return found


def spread(state, five):
    """Return the strength of five tiles if each kind had as many strengths as flushes."""
    kind, number = divmod(five - 1, FLUSHES)
    used = 60 if kind == 1 and GAME.setup_of(state).options["flush"] == "top" else USED[kind]
    return kind * FLUSHES + (number + 1) * (FLUSHES // used)


def passed_on(state, seat):
    """Return the weakest one, two, three and five tiles that a seat passed on: 1 is weak."""
    periods = int(state.play_counts[seat]) + 1
    numbers = []
    for size, limit in enumerate(LIMITS):
        passed = [int(strength) for strength in state.passed_few[seat, :periods, size] if strength > 0]
        numbers.append((limit - min(passed)) / limit if passed else 0)
    fives = [int(strength) for strength in state.passed_made[seat, :periods] if strength > 0]
    limit = 5 * FLUSHES + 1
    return [*numbers, (limit - spread(state, min(fives))) / limit if fives else 0]


def passes(state, seat):
    """Return what a seat passed on between its plays, as one number each."""
    numbers = []
    for period in range(13):
        two, three = (int(state.passed_few[seat, period, index]) for index in (1, 2))
        five = int(state.passed_made[seat, period])
        counted = FIVES.index(five) + 1 if five else 0
        numbers.append(((counted * 16 + three) * 61 + two) / ((len(FIVES) + 1) * 16 * 61))
    return numbers


def unseen(state, viewer):
    """Return the tiles that may be in a hand that the viewer does not see; none once the game is over."""
    if state.end_reason != 0:
        return bits(0)
    known = sum(int(tiles) for tiles in state.played) + (int(state.hands[viewer]) if viewer >= 0 else 0)
    return bits(sum(1 << tile for tile in range(int(state.lead_tile), 60) if int(state.deck) & ~known & 1 << tile))


def expected(state, viewer):
    """Return the blocks that the layout describes."""
    options, me = GAME.setup_of(state).options, max(viewer, 0)
    held = [int(state.played[seat]) >> int(state.lead_tile) & 1 == 0 for seat in range(5)]
    return {
        "hand": bits(state.hands[me]) if state.hands[me] >= 0 else bits(0),
        "unseen": unseen(state, viewer),
        "leader": per_seat(state, viewer, lambda seat: float(seat == state.leader and held[seat])),
        "played": per_seat(state, viewer, lambda seat: plays(state, seat)),
        "table": bits(tiles_of(int(state.table))),
        "kind": one_hot(len(CombinationKind), int(kind_of(state, int(state.table)))),
        "holder": per_seat(state, viewer, lambda seat: float(seat == state.holder)),
        "on_turn": per_seat(state, viewer, lambda seat: float(seat == state.to_move)),
        "seated": one_hot(5, *range(int(state.seats))),
        "counts": per_seat(state, viewer, lambda seat: state.hand_counts[seat] / 13),
        "passed_on": per_seat(state, viewer, lambda seat: passed_on(state, seat)),
        "passes": per_seat(state, viewer, lambda seat: passes(state, seat)),
        "balances": per_seat(state, viewer, lambda seat: state.balances[seat] / 149),
        "seat": [me / 5],
        "rounds_left": [(options["rounds"] - state.rounds_played) / 5],
        "options": [
            options["straight_tiebreak"] == "highest",
            options["flush"] == "kickers",
            options["twos"] == "flat",
            options["must_play"],
            options["cap_payments"],
        ],
    }


def assert_observed(match):
    """Compare the observations of all viewers with their description."""
    for viewer in range(-1, match.seats):
        sight = match.sight(viewer)
        found, wanted = observed(sight), expected(sight.state, viewer)
        assert found.keys() == wanted.keys()
        for name, numbers in wanted.items():
            assert found[name] == pytest.approx(np.asarray(numbers, np.float32)), name


@pytest.mark.parametrize(
    ("seats", "options"),
    [
        (2, {"two_players": True, "must_play": True}),
        (3, {"flush": "kickers", "twos": "flat"}),
        (5, {"straight_tiebreak": "highest", "cap_payments": True}),
    ],
)
def test_observations_are_as_described(seats, options):
    for match in random_positions(GAME, GAME.setup(seats, {"rounds": 2, **options}), seed=seats):
        if len(match.moves) % 7 == 0 or match.is_over:
            assert_observed(match)


@pytest.mark.parametrize("flush", ["top", "kickers"])
@pytest.mark.parametrize(
    "lead",
    [
        "3N 4N 5N 6N 7E",
        "3N 4N 5N 6N 8N",
        "3N 3E 3L 4N 4E",
        "3N 3E 3L 3S 4N",
        "3N 4N 5N 6N 7N",
        "13S 14S 15S 1S 2S",
        "3N",
        "3N 3E",
        "3N 3E 3L",
    ],
)
def test_observations_of_passes_on_every_kind_of_combination(flush, lead):
    others = ["9N 9E 9L 10N 10E 11N", "12N 12E 12L 13N 13E 14N"]
    match = match_of(f"{lead} 15N", *others, to_move=0, options={"flush": flush})
    assert_observed(played(match, lead, "-"))
    assert_observed(played(match, "-"))


def test_e20_the_leader_is_shown_until_the_weakest_tile_dealt_is_played():
    match = match_of("4N 6S", "5N 7E", left_out="3N 3E 9S")
    assert_observed(match)
    assert_observed(played(match, "4N"))


@pytest.mark.skipif(not is_interpreted(), reason="what a kernel is compiled for cannot be replaced")
@pytest.mark.parametrize("lead", ["3N 4N 5N 6N 7E", "3N", "3N 3E", "3N 3E 3L"])
def test_devices_leave_out_nothing_but_zeros(lead, monkeypatch):
    monkeypatch.setattr(sight, "is_on_cuda", lambda: True)
    others = ["9N 9E 9L 10N 10E 11N", "12N 12E 12L 13N 13E 14N"]
    assert_observed(played(match_of(f"{lead} 15N", *others, to_move=0), lead, "-", "-"))
