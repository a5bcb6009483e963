"""What hidden cards can be, by counting: any of the unseen ones."""

from __future__ import annotations

import numpy as np

from tablee.core.counting import CountedPieces, count_dealt
from tablee.core.sight import Sight
from tablee.core.view import Piece
from tablee.core.words import Words
from tablee.games.skyjo.moves import CELL_NAMES
from tablee.games.skyjo.sight import Counts, count_unseen
from tablee.games.skyjo.state import CELLS, LOWEST, UNKNOWN, VALUES
from tablee.games.skyjo.view import card_colour


def count(sight: Sight, words: Words) -> list[CountedPieces]:
    """Count the unseen cards; the drawn card comes from a reshuffled draw pile, the tableaux do not (B11)."""
    state = sight.state
    in_pile, elsewhere = np.zeros(VALUES, np.int64), np.zeros(VALUES, np.int64)
    count_unseen(state, in_pile, elsewhere)
    tableaux = [
        tuple(f"seat{seat}.{CELL_NAMES[cell]}" for cell in range(CELLS) if state.grid[seat, cell] == UNKNOWN)
        for seat in range(sight.seats)
    ]
    found = [count_dealt(ids, _faces(elsewhere)) for ids in tableaux if ids]
    if state.held == UNKNOWN:
        found.append(count_dealt(("hand.card",), _faces(in_pile if in_pile.any() else elsewhere)))
    return found


def _faces(counts: Counts) -> dict[Piece, int]:
    """Return a piece of each value that is left, with the number of its cards."""
    values = {index + LOWEST: count for index, count in enumerate(counts.tolist()) if count}
    return {Piece("", str(value), str(value), card_colour(value)): count for value, count in values.items()}
