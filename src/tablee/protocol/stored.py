"""Summaries that the store keeps beside each table, so that lobby and statistics need not replay it.

Rows outlive the code that wrote them: every field has a default, unknown fields are ignored, and names on disk never
change.
"""

from __future__ import annotations

import msgspec

from tablee.protocol.shown import SeatKind


class StoredSeat(msgspec.Struct, frozen=True):
    """Who sits in a seat."""

    seat: int = 0
    kind: SeatKind = "empty"
    name: str = ""
    bot: str | None = None
    is_you: bool = False  # always false on disk; kept for readers of older versions
    is_covered: bool = False
    is_host: bool = False


class StoredResult(msgspec.Struct, frozen=True):
    """The result of a game that counts for statistics; without ranks if it was ended by agreement."""

    at: float = 0.0
    scores: tuple[int, ...] = ()
    ranks: tuple[int, ...] = msgspec.field(default=(), name="places")


class StoredSummary(msgspec.Struct, frozen=True):
    """What lobby and statistics show of a table."""

    seats: tuple[StoredSeat, ...] = ()
    people: tuple[str, ...] = ()  # ids per seat; empty where no person sits
    on_turn: int | None = None
    result: StoredResult | None = None
    kept_for: tuple[str, ...] = ()  # ids per seat: of the person an empty seat is kept for
    is_locked: bool = False
    is_lesson: bool = False
    has_coach: bool = False
    day: str = ""  # of a daily table: YYYY-MM-DD


class TurnMessage(msgspec.Struct, frozen=True):
    """What an operator's webhook receives when a person is away and it is their turn."""

    event: str  # "turn"
    to: str  # what the person entered as their address
    name: str
    game: str
    title: str
    table: str
    link: str


_decoder: msgspec.json.Decoder[StoredSummary] = msgspec.json.Decoder(StoredSummary)


def decode_summary(text: str) -> StoredSummary:
    """Decode the column `summary`."""
    return _decoder.decode(text)


def encode_summary(summary: StoredSummary) -> str:
    """Encode the column `summary`."""
    return msgspec.json.encode(summary).decode()
