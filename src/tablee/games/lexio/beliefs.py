"""What the tiles of other hands can be, by counting: any of the unseen ones."""

from __future__ import annotations

from collections.abc import Iterator

from tablee.core.counting import CountedFace, CountedPieces
from tablee.core.sight import Sight
from tablee.core.words import Words
from tablee.games.lexio.moves import tiles_in
from tablee.games.lexio.sight import known_of, unseen_by
from tablee.games.lexio.state import MUST_PLAY, UNKNOWN
from tablee.games.lexio.view import draw_tile


def count(sight: Sight, words: Words) -> list[CountedPieces] | None:
    """Count the unseen tiles; None where a pass shows that a hand held nothing stronger (E6)."""
    state = sight.state
    if state.options[MUST_PLAY] == 1:
        return None
    hidden = [seat for seat in range(sight.seats) if state.hands[seat] == UNKNOWN and state.hand_counts[seat] > 0]
    return [
        CountedPieces(
            tuple(f"seat{seat}.{index + 1}" for index in range(int(state.hand_counts[seat]))),
            tuple(_faces(sight, seat, words)),
        )
        for seat in hidden
    ]


def _faces(sight: Sight, seat: int, words: Words) -> Iterator[CountedFace]:
    """Yield the tiles of a hand: the leader's lead tile is known until it is played (R12), the rest is dealt."""
    state, size = sight.state, int(sight.state.hand_counts[seat])
    unseen = int(unseen_by(state, sight.seat))
    lead = unseen & (1 << int(state.lead_tile))
    known, dealt = tiles_in(int(known_of(state, seat, lead))), tiles_in(unseen & ~lead)
    for tile in known:
        yield CountedFace(draw_tile("", tile, words), 1 / size, 1.0)
    among = (size - len(known)) / len(dealt) if dealt else 0.0
    for tile in dealt if among else ():
        yield CountedFace(draw_tile("", tile, words), among / size, among)
