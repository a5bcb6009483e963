"""`problems` finds broken invariants."""

import pytest

from tablee.core.state import NOBODY
from tablee.games.xylo.state import BID, Problem
from tablee.games.xylo.tests.positions import broken, endgame, table


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda state: state.cards.__setitem__(0, state.cards[1]), Problem.WRONG_DECK),
        (lambda state: state.cards.__setitem__(slice(0, 15), state.cards[14::-1].copy()), Problem.UNSORTED_ROW),
        (lambda state: state.__setitem__("to_move", NOBODY), Problem.WRONG_END),
        (lambda state: state.__setitem__("to_move", 4), Problem.WRONG_END),
        (lambda state: state.down.__setitem__(2, state.down[2] & ~4), Problem.WRONG_CARDS_LEFT),
        (lambda state: state.bid_at.__setitem__(1, 3), Problem.BID_FACE_DOWN),
        (lambda state: state.__setitem__("to_move", 2), Problem.WRONG_TURN),
        (lambda state: state.won.__setitem__(0, 15), Problem.WRONG_TRICKS),
    ],
)
def test_a_broken_invariant_is_reported(change, problem):
    state = table("", "", "", "").state
    assert broken(state) == []
    change(state)
    assert problem.sentence in broken(state)


def test_a_missing_last_announcement_is_reported():
    state = endgame("R9 *G1", "R8 *G2", "R7 *G3", "R6 *G4", won=(13, 0, 0, 0)).state
    state.bid_at[2] = -1
    assert Problem.MISSING_BID.sentence in broken(state)


def test_an_announcement_before_playing_is_reported():
    state = table("", "", "", "").state
    state.phase = BID
    state.trick[1] = 3
    state.leader = 1
    assert Problem.WRONG_TURN.sentence in broken(state)
