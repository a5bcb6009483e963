"""Every invariant is noticed when it is broken."""

import pytest

from tablee.core.state import NOBODY
from tablee.games.xylo.state import BID, PROBLEMS
from tablee.games.xylo.tests.positions import broken, endgame, table


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (lambda state: state.cards.__setitem__(0, state.cards[1]), 0),
        (lambda state: state.cards.__setitem__(slice(0, 15), state.cards[14::-1].copy()), 1),
        (lambda state: state.__setitem__("to_move", NOBODY), 2),
        (lambda state: state.__setitem__("to_move", 4), 2),
        (lambda state: state.down.__setitem__(2, state.down[2] & ~4), 3),
        (lambda state: state.bid_at.__setitem__(1, 3), 4),
        (lambda state: state.__setitem__("to_move", 2), 5),
        (lambda state: state.won.__setitem__(0, 15), 7),
    ],
)
def test_a_damaged_table_is_noticed(damage, problem):
    state = table("", "", "", "").state
    assert broken(state) == []
    damage(state)
    assert PROBLEMS[problem] in broken(state)


def test_a_missing_last_announcement_is_noticed():
    state = endgame("R9 *G1", "R8 *G2", "R7 *G3", "R6 *G4", won=(13, 0, 0, 0)).state
    state.bid_at[2] = -1
    assert PROBLEMS[6] in broken(state)


def test_an_announcer_must_have_played():
    state = table("", "", "", "").state
    state.phase = BID
    state.trick[1] = 3
    state.leader = 1
    assert PROBLEMS[5] in broken(state)
