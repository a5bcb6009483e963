"""What of a sight the rest of a Skyjo game depends on, written from the rules: observations must tell it apart."""

from tablee.core.state import NOBODY
from tablee.games.skyjo.state import DECK, OPEN_SECOND, START

NOT_OBSERVED = {
    "round_scores": "a finished round; its points are in `totals`",
    "doubled": "a finished round",
    "final_grid": "a finished round",
    "deck": "the same cards in every game",
    "end_reason": "a finished game has no future",
}


def relevant(sight, seat):
    """Return what matters, by name, seats counted from the viewer's."""
    if sight.to_move == NOBODY:
        return {"over": True}
    seats, me = int(sight.seats), max(seat, 0)
    order = [(me + step) % seats for step in range(seats)]
    discard = [int(card) for card in sight.piles[DECK - int(sight.discard_count) :]]
    is_opening = sight.phase <= OPEN_SECOND
    starter = int(sight.last_ender) if is_opening and sight.options[START] == 0 else NOBODY  # B1
    return {
        "seats": seats,
        "seat": me,  # the order of the openings (B12), and ties for the start (B2)
        "options": tuple(map(int, sight.options)),
        "cards": tuple(tuple(map(int, sight.grid[other])) for other in order),
        "opened": tuple(int(sight.opened[other]) for other in order),
        "gone": tuple(int(sight.gone[other]) for other in order),
        "totals": tuple(int(sight.totals[other]) for other in order),
        "to_move": relative(sight.to_move, me, seats),
        "ender": relative(sight.ender, me, seats),
        "starter": relative(starter, me, seats),
        "phase": int(sight.phase),
        "held": int(sight.held),
        "stalled": int(sight.stalled),
        "rounds_played": int(sight.rounds_played),
        "draw_count": int(sight.draw_count),
        "discard": (discard[:1], sorted(discard[1:])),  # only the top can be taken, the rest is reshuffled (R8, B11)
        "recycled": tuple(map(int, sight.recycled)),
    }


def relative(seat, me, seats):
    """Return a seat counted from the viewer's, NOBODY as it is."""
    return NOBODY if seat == NOBODY else (int(seat) - me) % seats
