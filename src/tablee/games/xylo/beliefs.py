"""What the cards face down can be, by counting all ways to fill the rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tablee.core.counting import CountedFace, CountedPieces
from tablee.core.sight import Sight
from tablee.core.view import Piece
from tablee.core.words import Words
from tablee.games.xylo.moves import COLOUR_NAMES
from tablee.games.xylo.names import card_name, zone_id
from tablee.games.xylo.state import ARRANGE, DECK, HIGHEST, UNKNOWN_VALUE, card_at, colour_of, row_count, value_of
from tablee.games.xylo.view import SYMBOLS
from tablee.games.xylo.worlds import write_probabilities


def count(sight: Sight, words: Words) -> list[CountedPieces] | None:
    """Count the worlds in which each card has each value; None while rows are sorted, when others' are not laid out."""
    state = sight.state
    if state.phase == ARRANGE:
        return None
    probabilities = np.zeros((DECK, HIGHEST + 1))
    write_probabilities(state, probabilities)
    size, found = int(state.row_size), []
    for row in range(row_count(state)):
        for position in range(size):
            back = int(card_at(state, row, position))
            if (int(state.down[row]) >> position) & 1 and value_of(back) == UNKNOWN_VALUE:
                faces = _faces(back, probabilities[row * size + position].tolist(), words)
                found.append(CountedPieces((f"{zone_id(state, row)}.{position + 1}",), tuple(faces)))
    return found


def _faces(back: int, probabilities: list[float], words: Words) -> Iterator[CountedFace]:
    """Yield the values of a card whose colour its back shows."""
    colour = int(colour_of(back))
    for value, probability in enumerate(probabilities):
        if probability > 0.0:
            name = card_name(16 * colour + value, words)
            piece = Piece("", name, str(value), COLOUR_NAMES[colour], SYMBOLS[colour])
            yield CountedFace(piece, probability, probability)
