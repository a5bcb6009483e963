"""What of a sight the rest of a Skip-Bo game depends on, written from the rules: observations must tell it apart."""

from tablee.core.state import NOBODY
from tablee.games.skip_bo.moves import PILES, SERIES
from tablee.games.skip_bo.state import (
    EDITION,
    NO_DOUBLE_WILD,
    SINGLE_ROUND,
    first_size,
    pile_end,
    refill_size,
    stock_top,
)

NOT_OBSERVED = {
    "stock_size": "given by seats and edition",
    "series_length": "given by the edition",
    "deck": "given by the edition",
    "discard_count": "the sum of `pile_counts`",
    "pile_tops": "the last cards of `discards`",
    "last_end": "a finished round",
    "last_winner": "a finished round",
    "last_points": "a finished round; the points are in `totals`",
    "last_left": "a finished round",
    "lots": "the draw for the first deal (R2)",
    "draw_pile": "unknown; their number is `draw_count`",
    "end_reason": "a finished game has no future",
}


def relevant(sight, seat):
    """Return what matters, by name, seats counted from the viewer's."""
    if sight.to_move == NOBODY:
        return {"over": True}
    seats, me = int(sight.seats), max(seat, 0)
    order = [(me + step) % seats for step in range(seats)]
    return {
        "seats": seats,
        "options": tuple(int(sight.options[index]) for index in (EDITION, NO_DOUBLE_WILD, SINGLE_ROUND)),
        "hand_sizes": (int(first_size(sight)), int(refill_size(sight))),  # what `hand_size` sets (D1)
        "rounds_played": int(sight.rounds_played),
        "dealer": (int(sight.dealer) - me) % seats,  # the next round begins to the left of the next dealer (R3)
        "to_move": (int(sight.to_move) - me) % seats,
        "first_turns": bool(sight.turns < sight.seats),
        "stalled": int(sight.stalled),
        "passes": int(sight.passes),
        "plays": int(sight.plays),
        "draw_count": int(sight.draw_count),
        "totals": tuple(int(sight.totals[other]) for other in order),
        "series": tuple((int(sight.series[index]), int(sight.series_wilds[index])) for index in range(SERIES)),
        "stocks": tuple((int(sight.stock_counts[other]), stock_top(sight, other)) for other in order),
        "hand": tuple(map(int, sight.hands[me])),
        "hand_counts": tuple(int(sight.hand_counts[other]) for other in order),
        "hand_piles": tuple(tuple(map(int, sight.hand_piles[other])) for other in order),
        "discards": tuple(pile(sight, other, index) for other in order for index in range(PILES)),
        "completed": tuple(map(int, sight.completed[1:])),
        "pile_number": int(sight.pile_number),
        "unseen_in_pile": tuple(map(int, sight.unseen_in_pile[1:])),
        "unseen_held": tuple(map(int, sight.unseen_held)),
    }


def pile(sight, seat, number):
    """Return the cards of a discard pile, the top last."""
    end = pile_end(sight, seat, number)
    return tuple(map(int, sight.discards[end - int(sight.pile_counts[seat, number]) : end]))
