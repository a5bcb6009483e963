"""Ids of zones and pieces, and names of rows and cards, shared by views and events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tablee.core.state import NOBODY
from tablee.core.types import SightState
from tablee.core.words import Words
from tablee.games.xylo.moves import COLOUR_NAMES
from tablee.games.xylo.state import Card, Row, colour_of, row_count, seat_of, value_of


def zone_id(state: SightState, row: Row) -> str:
    """Return the id of a row: `seat1`, or `automaton1` for the one to the left of that seat."""
    seat = int(seat_of(state, row))
    return f"automaton{row // 2}" if seat == NOBODY else f"seat{seat}"


def piece_id(state: SightState, row: Row, position: int) -> str:
    """Return the id of a position in a row; the leftmost is 1."""
    return f"{zone_id(state, row)}.{position + 1}"


def row_name(state: SightState, row: Row, words: Words, names: Sequence[str]) -> str:
    """Return the name of a row's player or automaton."""
    seat = int(seat_of(state, row))
    return words.say("automaton", number=row // 2 + 1) if seat == NOBODY else names[seat]


def as_sentence(text: str) -> str:
    """Return a text with a capital letter: an automaton's name begins with a small one."""
    return text[0].upper() + text[1:]


def card_name(card: Card, words: Words) -> str:
    """Return the name of a card."""
    return words.say("card", colour=colour_name(card, words), value=value_of(card))


def colour_name(card: Card, words: Words) -> str:
    """Return the name of a card's colour."""
    return words.say(f"colours.{COLOUR_NAMES[colour_of(card)]}")


def rows_from(state: SightState, leader: Row) -> Iterator[Row]:
    """Yield the rows in the order in which they play."""
    rows = int(row_count(state))
    for step in range(rows):
        yield (int(leader) + step) % rows
