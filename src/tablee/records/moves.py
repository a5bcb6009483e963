"""The body of a record: every move with its number and seat, digests of the state on the way, and how it ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tablee.core.outcome import Outcome
from tablee.records.lines import DIGITS_16, NAME, NUMBERS, WORDS, Lines

DIGEST_INTERVAL = 20
MAX_TEXT_LENGTH = 200  # of a move; a game may take long to guess what a very long one meant
NOT_OVER = "not over"


class Played(NamedTuple):
    """A move in a record."""

    seat: int
    text: str


def digest_points(moves: int) -> list[int]:
    """Return after how many moves a record has a digest: at the deal, every twenty moves, and at the end."""
    return [*range(0, moves, DIGEST_INTERVAL), moves]


def body_lines(moves: Sequence[Played], digests: Sequence[str]) -> Iterator[str]:
    """Yield the moves, with the digests between them."""
    due = dict(zip(digest_points(len(moves)), digests, strict=True))
    yield f"digest 0: {due[0]}"
    for number, played in enumerate(moves, 1):
        yield f"{number} seat{played.seat} {played.text}"
        if number in due:
            yield f"digest {number}: {due[number]}"


def read_body(lines: Lines) -> tuple[tuple[Played, ...], tuple[str, ...]]:
    """Read the moves and the digests."""
    moves: list[Played] = []
    digests = [_read_digest(lines, 0)]
    while not lines.shows_blank():
        moves.append(_read_move(lines, len(moves) + 1))
        is_due = len(moves) % DIGEST_INTERVAL == 0
        is_last = lines.shows_blank() or lines.shows("digest ")
        if is_due or is_last:
            digests.append(_read_digest(lines, len(moves)))
        if is_last and not is_due:
            break
    return tuple(moves), tuple(digests)


def _read_digest(lines: Lines, moves: int) -> str:
    return lines.take_value(f"digest {moves}", DIGITS_16)


def _read_move(lines: Lines, number: int) -> Played:
    seat, text = lines.take_parts(
        f"move {number}, like '{number} seat0 …'", rf"{number} seat(0|[1-9][0-9]{{0,2}}) ({WORDS.pattern})"
    )
    if len(text) > MAX_TEXT_LENGTH:
        raise lines.wrong(f"move {number} has {len(text)} characters, which is more than {MAX_TEXT_LENGTH}")
    return Played(int(seat), text)


def outcome_lines(outcome: Outcome | None) -> Iterator[str]:
    """Yield how it ended."""
    if outcome is None:
        yield f"outcome: {NOT_OVER}"
        return
    yield f"outcome: {outcome.reason}"
    yield f"scores: {' '.join(map(str, outcome.scores))}"
    yield f"places: {' '.join(map(str, outcome.ranks))}"


def read_outcome(lines: Lines, seats: int) -> Outcome | None:
    """Read how it ended."""
    if lines.shows(f"outcome: {NOT_OVER}"):
        lines.take_parts(f"'outcome: {NOT_OVER}'", f"outcome: {NOT_OVER}")
        return None
    reason = lines.take_value("outcome", NAME)
    return Outcome(reason, _read_per_seat(lines, "scores", seats), _read_per_seat(lines, "places", seats))


def _read_per_seat(lines: Lines, key: str, seats: int) -> tuple[int, ...]:
    numbers = tuple(int(number) for number in lines.take_value(key, NUMBERS).split(" "))
    if len(numbers) != seats:
        raise lines.wrong(f"{len(numbers)} {key} for {seats} seats")
    return numbers
