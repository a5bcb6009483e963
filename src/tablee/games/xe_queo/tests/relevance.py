"""What of a sight the rest of a Xe Queo! game depends on, written from the rules: observations must tell it apart."""

from tablee.core.state import NOBODY
from tablee.games.xe_queo.state import SEATS

NOT_OBSERVED = {
    "rounds_played": "the sum of `rings` (R1)",
    "winners": "finished rounds; the rings are in `rings`",
    "endings": "finished rounds",
    "named": "finished rounds: any pawn may be chosen again (C15)",
    "shown": "finished rounds: any pawn may be chosen again (C15)",
    "end_reason": "a finished game has no future",
}


def relevant(sight, seat):
    """Return what matters, by name, seats counted from the viewer's."""
    if sight.to_move == NOBODY:
        return {"over": True}
    me = max(seat, 0)
    order = (me, 1 - me)
    return {
        "options": tuple(map(int, sight.options)),
        "phase": int(sight.phase),
        "ring": int(sight.ring),
        "pawns": tuple(map(int, sight.pawns)),
        "passes": int(sight.passes),
        "starter": (int(sight.starter) - me) % SEATS,
        "to_move": (int(sight.to_move) - me) % SEATS,
        "rings": tuple(int(sight.rings[other]) for other in order),
        "chosen": tuple(int(sight.chosen[other]) for other in order),
        "excluded": tuple(int(sight.excluded[other]) for other in order),
        # Evidence: what others may conclude from how a seat has played
        "declined": tuple(int(sight.declined[other]) for other in order),
        "moved": tuple(tuple(map(int, sight.moved[other])) for other in order),
    }
