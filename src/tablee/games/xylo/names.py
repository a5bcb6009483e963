"""Ids of zones and pieces, and names of rows and cards, shared by views and events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tablee.core.state import NOBODY
from tablee.core.types import Seat, SightState
from tablee.core.view import drawn_once
from tablee.core.words import Words
from tablee.games.xylo.moves import COLOUR_NAMES
from tablee.games.xylo.state import Card, Row, colour_of, value_of


def owner_of(seats: int, row: Row) -> Seat:
    """Return the seat of a row, NOBODY for an automaton (R41), as `seat_of` does in kernels."""
    return row if seats != 2 else NOBODY if row % 2 else row // 2


@drawn_once
def zone_ids(seats: int) -> list[str]:
    """Return the ids of all rows: `seat1`, or `automaton1` for the one to the left of that seat."""
    owners = [owner_of(seats, row) for row in range(4 if seats == 2 else seats)]
    return [f"automaton{row // 2}" if seat == NOBODY else f"seat{seat}" for row, seat in enumerate(owners)]


def zone_id(state: SightState, row: Row) -> str:
    """Return the id of a row."""
    return zone_ids(int(state.seats))[row]


def piece_id(state: SightState, row: Row, position: int) -> str:
    """Return the id of a position in a row; the leftmost is 1."""
    return f"{zone_id(state, row)}.{position + 1}"


def row_name(seats: int, row: Row, words: Words, names: Sequence[str]) -> str:
    """Return the name of a row's player or automaton."""
    seat = owner_of(seats, row)
    return words.say("automaton", number=row // 2 + 1) if seat == NOBODY else names[seat]


def as_sentence(text: str) -> str:
    """Return a text with a capital letter: an automaton's name begins with a small one."""
    return text[0].upper() + text[1:]


@drawn_once
def card_name(card: Card, words: Words) -> str:
    """Return the name of a card."""
    return words.say("card", colour=colour_name(card, words), value=value_of(card))


@drawn_once
def colour_name(card: Card, words: Words) -> str:
    """Return the name of a card's colour."""
    return words.say(f"colours.{COLOUR_NAMES[colour_of(card)]}")


def rows_from(state: SightState, leader: Row) -> Iterator[Row]:
    """Yield the rows in the order in which they play."""
    rows = len(zone_ids(int(state.seats)))
    for step in range(rows):
        yield (int(leader) + step) % rows
