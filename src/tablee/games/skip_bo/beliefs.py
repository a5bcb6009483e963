"""What the cards of other hands can be, by counting: any of the unseen ones."""

from __future__ import annotations

import numpy as np

from tablee.core.counting import CountedPieces, count_dealt
from tablee.core.sight import Sight
from tablee.core.view import Piece
from tablee.core.words import Words
from tablee.games.skip_bo.moves import CARD_CODES
from tablee.games.skip_bo.state import UNKNOWN, WILD, count_cards
from tablee.games.skip_bo.view import card_colour, card_face, card_name


def count(sight: Sight, words: Words) -> list[CountedPieces] | None:
    """Count the unseen cards; None once a pile was reshuffled: where its cards are depends on the plays (D18)."""
    state = sight.state
    if state.pile_number > 0:
        return None
    counts = np.zeros(CARD_CODES + 1, np.int64)
    count_cards(state, counts)
    unseen = {
        _piece(card, words): left
        for card in range(1, CARD_CODES + 1)
        if (left := int(state.deck[card]) - int(counts[card])) > 0
    }
    hands = [
        tuple(f"seat{seat}.hand.{slot + 1}" for slot in range(int(state.hand_counts[seat])))
        for seat in range(sight.seats)
        if state.hands[seat, 0] == UNKNOWN
    ]
    return [count_dealt(ids, unseen) for ids in hands if ids]


def _piece(card: int, words: Words) -> Piece:
    return Piece("", card_name(card, words), card_face(card), card_colour(card), "wild" if card == WILD else None)
