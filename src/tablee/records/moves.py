"""The body of a record: moves with their numbers and seats, digests of the state between them, and the outcome."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tablee.core.outcome import Outcome
from tablee.records.lines import DIGITS_16, NAME, NUMBERS, WORDS, Lines

DIGEST_INTERVAL = 20
MAX_TEXT_LENGTH = 200  # characters of a move; games may take long to suggest corrections of a very long text
NOT_OVER = "not over"


class RecordedMove(NamedTuple):
    """A move in a record: the seat that played it, and its text."""

    seat: int
    text: str


def digest_points(moves: int) -> list[int]:
    """Return the numbers of moves after which a record has a digest: 0, every DIGEST_INTERVAL, and the last."""
    return [*range(0, moves, DIGEST_INTERVAL), moves]


def body_lines(moves: Sequence[RecordedMove], digests: Sequence[str]) -> Iterator[str]:
    """Yield the lines of the moves, with the digests between them."""
    by_number = dict(zip(digest_points(len(moves)), digests, strict=True))
    yield f"digest 0: {by_number[0]}"
    for number, move in enumerate(moves, 1):
        yield f"{number} seat{move.seat} {move.text}"
        if number in by_number:
            yield f"digest {number}: {by_number[number]}"


def read_body(lines: Lines) -> tuple[tuple[RecordedMove, ...], tuple[str, ...]]:
    """Read the moves and the digests."""
    moves: list[RecordedMove] = []
    digests = [_read_digest(lines, 0)]
    while not lines.next_is_blank():
        moves.append(_read_move(lines, len(moves) + 1))
        is_due = len(moves) % DIGEST_INTERVAL == 0
        is_last = lines.next_is_blank() or lines.next_starts_with("digest ")
        if is_due or is_last:
            digests.append(_read_digest(lines, len(moves)))
        if is_last and not is_due:
            break
    return tuple(moves), tuple(digests)


def _read_digest(lines: Lines, moves: int) -> str:
    return lines.read_value(f"digest {moves}", DIGITS_16)


def _read_move(lines: Lines, number: int) -> RecordedMove:
    seat, text = lines.read_groups(
        f"move {number}, like '{number} seat0 …'", rf"{number} seat(0|[1-9][0-9]{{0,2}}) ({WORDS.pattern})"
    )
    if len(text) > MAX_TEXT_LENGTH:
        raise lines.error(f"move {number} has {len(text)} characters, which is more than {MAX_TEXT_LENGTH}")
    return RecordedMove(int(seat), text)


def outcome_lines(outcome: Outcome | None) -> Iterator[str]:
    """Yield the lines of the outcome."""
    if outcome is None:
        yield f"outcome: {NOT_OVER}"
        return
    yield f"outcome: {outcome.reason}"
    yield f"scores: {' '.join(map(str, outcome.scores))}"
    yield f"places: {' '.join(map(str, outcome.ranks))}"


def read_outcome(lines: Lines, seats: int) -> Outcome | None:
    """Read the outcome."""
    if lines.next_starts_with(f"outcome: {NOT_OVER}"):
        lines.read_groups(f"'outcome: {NOT_OVER}'", f"outcome: {NOT_OVER}")
        return None
    reason = lines.read_value("outcome", NAME)
    return Outcome(reason, _read_per_seat(lines, "scores", seats), _read_per_seat(lines, "places", seats))


def _read_per_seat(lines: Lines, key: str, seats: int) -> tuple[int, ...]:
    numbers = tuple(int(number) for number in lines.read_value(key, NUMBERS).split(" "))
    if len(numbers) != seats:
        raise lines.error(f"{len(numbers)} {key} for {seats} seats")
    return numbers
