"""What of a sight the rest of a Xylo game depends on, written from the rules: observations must tell it apart."""

from tablee.core.state import NOBODY
from tablee.games.xylo.state import ARRANGE, NOWHERE, card_at, row_count, row_of, value_of

NOT_OBSERVED = {
    "round_scores": "a finished round; its points are in `totals`",
    "row_size": "given by seats and options",
    "trump": "given by the number of seats",
    "sizes": "given by seats and options",
    "last_leader": "a finished trick",
    "last_trick": "a finished trick; its cards are known in the rows, its winner in `won`",
    "last_bids": "a finished round, which ranks nobody before the next one ends (R39)",
    "last_won": "a finished round, which ranks nobody before the next one ends (R39)",
    "end_reason": "a finished game has no future",
}


def relevant(sight, seat):
    """Return what matters, by name, seats and rows counted from the viewer's."""
    if sight.to_move == NOBODY:
        return {"over": True}
    seats, rows, me = int(sight.seats), row_count(sight), max(seat, 0)
    order = [(row_of(sight, me) + step) % rows for step in range(rows)]
    return {
        "seats": seats,
        "seat": me if sight.phase == ARRANGE else NOBODY,  # packets are ordered seat by seat
        "options": tuple(map(int, sight.options)),
        "cards": tuple(tuple(card_at(sight, row, index) for index in range(sight.row_size)) for row in order),
        "down": tuple(int(sight.down[row]) for row in order),
        "peeks": tuple(tuple(map(int, sight.peeks[row])) for row in order),
        "bids": tuple(bid(sight, row) for row in order),
        "won": tuple(int(sight.won[row]) for row in order),
        "trick": tuple(int(sight.trick[row]) for row in order),
        "leader": order.index(int(sight.leader)),
        "first": (int(sight.first) - me) % seats,
        "to_move": (int(sight.to_move) - me) % seats,
        "phase": int(sight.phase),
        "arranging": int(sight.arranging) if sight.phase == ARRANGE else NOWHERE,
        "totals": tuple(int(sight.totals[(me + step) % seats]) for step in range(seats)),
        "rounds_played": int(sight.rounds_played),
    }


def bid(sight, row):
    """Return the value that a row has announced, NOWHERE if it has not (R26)."""
    position = int(sight.bid_at[row])
    return NOWHERE if position == NOWHERE else value_of(card_at(sight, row, position))
