"""Results of finished games, as they are counted."""

from __future__ import annotations

from dataclasses import dataclass

from tablee.protocol.stored import StoredSummary, decode_summary
from tablee.storage.rows import TableRow
from tablee.tables.days import opening_time
from tablee.tables.seats import BOT


@dataclass(frozen=True)
class Participant:
    """A person or bot in a finished game; the key tells apart people of the same name, and is never shown."""

    key: str
    name: str
    is_bot: bool


@dataclass(frozen=True)
class Result:
    """How a game ended; seats that were empty at the end have no participant."""

    table: str
    game: str
    at: float
    participants: tuple[Participant | None, ...]  # by seat
    scores: tuple[int, ...]
    ranks: tuple[int, ...]  # empty if the players ended the game by agreement

    def seat_of(self, key: str) -> int:
        """Return the first seat of a participant."""
        return next(seat for seat, one in enumerate(self.participants) if one is not None and one.key == key)


def result_of(row: TableRow) -> Result | None:
    """Return the result of a table in the lobby, None if it has none that counts."""
    summary = decode_summary(row.summary)
    if summary.result is None or (summary.day and summary.result.at >= opening_time(summary.day)):
        return None
    participants = tuple(_participant(summary, seat) for seat in range(len(summary.seats)))
    return Result(row.id, row.game, summary.result.at, participants, summary.result.scores, summary.result.ranks)


def _participant(summary: StoredSummary, seat: int) -> Participant | None:
    shown = summary.seats[seat]
    if summary.people[seat]:
        return Participant(summary.people[seat], shown.name, is_bot=False)
    if shown.kind == BOT and shown.bot is not None:
        return Participant(f"bot {shown.bot}", shown.bot, is_bot=True)
    return None
