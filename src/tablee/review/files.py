"""A review as JSON: everything that was found, with the sums that follow from it."""

from __future__ import annotations

from typing import Any

import msgspec

from tablee.core.match import Match
from tablee.review.report import UNIT, Review

FORMAT = 1  # raised when a field changes its meaning


class ReviewProgress(msgspec.Struct, frozen=True, omit_defaults=True):
    """How many positions are done, and in the end the review, or why there is none: a line of `review/worker.py`."""

    done: int = 0
    all: int = 0
    review: Review | None = None
    error: str = ""


def encode_progress(progress: ReviewProgress) -> bytes:
    """Return progress as one line of JSON, without its end."""
    return msgspec.json.encode(progress)


def decode_progress(line: bytes) -> ReviewProgress:
    """Read a line."""
    return msgspec.json.decode(line, type=ReviewProgress)


def encode(review: Review, match: Match) -> bytes:
    """Return the review as JSON; moves are also given as texts."""
    content: dict[str, Any] = {
        "format": FORMAT,
        "unit": UNIT,
        **msgspec.to_builtins(review),
        "seats": [_seat(review, seat) for seat in review.seats],
    }
    again = Match.from_state(match.game, match.first_state)
    for step in content["steps"]:
        step["text"] = again.text(step["move"])
        step["better_text"] = None if step["better"] is None else again.text(step["better"])
        again.push(step["move"])
    return msgspec.json.encode(content)


def decode(content: bytes) -> Review:
    """Read a review; texts and sums are not needed, since they follow from the rest."""
    return msgspec.json.decode(content, type=Review)


def _seat(review: Review, seat: int) -> dict[str, Any]:
    """Return the sums of a seat, in the whole game and by round."""
    return {
        "player": review.players[seat],
        "accuracy": review.accuracy(seat),
        "balance": msgspec.to_builtins(review.balance(seat)),
        "rounds": [msgspec.to_builtins(balances[seat]) for balances in review.balances],
    }
