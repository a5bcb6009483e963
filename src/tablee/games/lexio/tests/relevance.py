"""What of a sight the rest of a Lexio game depends on, written from the rules: observations must tell it apart."""

from tablee.core.state import NOBODY
from tablee.games.lexio.state import CAP_PAYMENTS, FLUSH, MUST_PLAY, ROUNDS, STRAIGHT_TIEBREAK, TWOS

NOT_OBSERVED = {
    "last_hands": "a finished round",
    "paid": "a finished round; the chips are in `balances`",
    "last_winner": "a finished round",
    "deck": "given by the number of seats",
    "hand_size": "given by the number of seats",
    "to_beat": "the strength of `table`",
    "passes": "the seats between `holder` and `to_move`",
    "end_reason": "a finished game has no future",
}


def relevant(sight, seat):
    """Return what matters, by name, seats counted from the viewer's."""
    if sight.to_move == NOBODY:
        return {"over": True}
    seats, me = int(sight.seats), max(seat, 0)
    order = [(me + step) % seats for step in range(seats)]
    played = [int(sight.played[other]) for other in order]
    lead_tile = 1 << int(sight.lead_tile)
    is_lead_tile_held = not int(sight.played[sight.leader]) & lead_tile
    found = {
        "seats": seats,
        "options": tuple(int(sight.options[index]) for index in (STRAIGHT_TIEBREAK, FLUSH, TWOS, MUST_PLAY)),
        "cap": (int(sight.options[CAP_PAYMENTS]), me),  # equal receivers are paid in the order of seats (E13)
        "rounds_left": int(sight.options[ROUNDS]) - int(sight.rounds_played),
        "hand": int(sight.hands[me]),
        "played": tuple(played),
        "dealt": int(sight.deck) & ~(lead_tile - 1),  # no weaker tile was dealt (E20)
        "leader": (int(sight.leader) - me) % seats if is_lead_tile_held else NOBODY,  # who is known to hold it (R12)
        "hand_counts": tuple(int(sight.hand_counts[other]) for other in order),
        "balances": tuple(int(sight.balances[other]) for other in order),
        "table": int(sight.table),
        "holder": NOBODY if sight.holder == NOBODY else (int(sight.holder) - me) % seats,
        "to_move": (int(sight.to_move) - me) % seats,
    }
    if sight.options[MUST_PLAY]:  # a pass shows that the hand of then held nothing stronger (E6)
        found["passes"] = tuple(passes(sight, other) for other in order)
    return found


def passes(sight, seat):
    """Return the tiles played and the weakest combinations passed on before each, single tiles in the whole round."""
    count = int(sight.play_counts[seat])
    periods = range(min(count + 1, sight.plays.shape[1]))
    singles = [int(sight.passed_few[seat, period, 0]) for period in periods if sight.passed_few[seat, period, 0]]
    return (
        tuple(int(move) for move in sight.plays[seat, :count]),
        tuple(tuple(map(int, sight.passed_few[seat, period, 1:])) for period in periods),
        tuple(int(sight.passed_made[seat, period]) for period in periods),
        min(singles, default=0),
    )
