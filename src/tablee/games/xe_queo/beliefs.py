"""What a secret disc can be: every pawn in proportion to how suspicious it is."""

from __future__ import annotations

from tablee.core.counting import CountedFace, CountedPieces
from tablee.core.sight import Sight
from tablee.core.words import Words
from tablee.games.xe_queo.moves import PAWNS
from tablee.games.xe_queo.policy import suspicion
from tablee.games.xe_queo.state import UNKNOWN
from tablee.games.xe_queo.view import draw_disc


def count(sight: Sight, words: Words) -> list[CountedPieces]:
    """Weigh the pawns of each secret disc as `believe` does."""
    return [_disc(sight, seat, words) for seat in range(sight.seats) if sight.state.chosen[seat] == UNKNOWN]


def _disc(sight: Sight, seat: int, words: Words) -> CountedPieces:
    weights = [float(suspicion(sight.state, seat, pawn)) for pawn in range(PAWNS)]
    shares = {pawn: weight / sum(weights) for pawn, weight in enumerate(weights) if weight}
    faces = (CountedFace(draw_disc("", pawn, words), share, share) for pawn, share in shares.items())
    return CountedPieces((f"seat{seat}.secret",), tuple(faces))
