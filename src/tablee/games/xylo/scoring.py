"""Points of a round, who leads the next one, and how seats are ranked (R32 to R39, R45, R46)."""

from __future__ import annotations

from tablee.core.compilation import kernel
from tablee.core.state import NOBODY
from tablee.core.types import Seat, State
from tablee.games.xylo.state import LEAD_TIE, LEADER_FIRST, Row, row_count, row_of, seat_of, value_of

BONUS = 5


@kernel
def is_met(state: State, row: Row) -> bool:
    """Whether a row won as many tricks as it had announced in the last finished round (R33)."""
    return value_of(int(state.last_bids[row])) == state.last_won[row]


@kernel
def score_round(state: State) -> None:
    """Score a point per trick and five for a met announcement (R32 to R34), less if automata met theirs (R45, R46)."""
    automata = 0
    for row in range(row_count(state)):
        if seat_of(state, row) == NOBODY and is_met(state, row):
            automata += 1
    for seat in range(state.seats):
        row = row_of(state, seat)
        points = 0
        if automata == 0:
            points += int(state.last_won[row])
        if automata < 2 and is_met(state, row):
            points += BONUS
        state.round_scores[seat] = points
        state.totals[seat] += points


@kernel
def next_first(state: State) -> Seat:
    """Return the seat that leads the next round: the lowest total, of several the next clockwise (R37, A8, A17)."""
    begin = 0 if state.options[LEAD_TIE] == LEADER_FIRST else 1
    lowest = (state.first + begin) % state.seats
    for step in range(begin + 1, begin + state.seats):
        seat = (state.first + step) % state.seats
        if state.totals[seat] < state.totals[lowest]:
            lowest = seat
    return lowest


@kernel
def standing(state: State, seat: Seat) -> int:
    """Return a number to rank seats by: points, then a met announcement with fewer tricks (R38, R39, A9, A18)."""
    row = row_of(state, seat)
    number = 32 * int(state.totals[seat])
    if is_met(state, row):
        number += 16 - int(state.last_won[row])
    return number
