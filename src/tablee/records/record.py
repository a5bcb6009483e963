"""Saved games: each has exactly one text, and replays to the same states byte for byte."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from tablee.core.errors import BadRecord
from tablee.core.outcome import Outcome
from tablee.records import files
from tablee.records.header import Deal, Header
from tablee.records.lines import DIGITS_64, MAX_SHOWN, Lines
from tablee.records.moves import RecordedMove, body_lines, outcome_lines, read_body, read_outcome

if TYPE_CHECKING:
    from tablee.core.match import Match

MAX_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class Verification:
    """What `Record.verify` has checked."""

    checksum: str
    commitment: str | None  # None if the match began in a position, not with a deal
    moves: int
    digests: int
    outcome: Outcome | None  # None if the match was not over


@dataclass(frozen=True)
class Record:
    """A saved game. It contains the seed, and with it all hidden cards: do not show it to players before the end."""

    header: Header
    moves: tuple[RecordedMove, ...]
    digests: tuple[str, ...]  # after the moves that `digest_points` lists
    outcome: Outcome | None

    @classmethod
    def of(
        cls,
        match: Match,
        *,
        kinds: Sequence[str] | None = None,
        date: str | None = None,
        software: str | None = None,
        **notes: str,
    ) -> Record:
        """Return the record of a match; `kinds` are the players' kinds by seat, `notes` any other texts to keep."""
        from tablee.records.capture import record_match

        record = record_match(match, kinds, date, software, notes)
        return cls.parse(record.text())  # raises BadRecord for what could not be read back

    def text(self) -> str:
        """Return the text of the record."""
        return f"{self._text_without_checksum()}sha256: {self.checksum}\n"

    @property
    def checksum(self) -> str:
        """The SHA-256 of everything before the last line."""
        return _checksum(self._text_without_checksum())

    def _text_without_checksum(self) -> str:
        parts = (self.header.lines(), body_lines(self.moves, self.digests), outcome_lines(self.outcome))
        return "\n\n".join("\n".join(part) for part in parts) + "\n"

    @classmethod
    def parse(cls, source: str | bytes) -> Record:
        """Return the record of a text; raise BadRecord unless the text is exactly what `text` writes."""
        text = _decode(source)
        lines = Lines(text)
        header = Header.read(lines)
        lines.read_blank()
        moves, digests = read_body(lines)
        lines.read_blank()
        record = cls(header, moves, digests, read_outcome(lines, header.seats))
        _check_end(lines, text)
        _check_canonical(text, record.text())
        return record

    def save(self, path: str | Path) -> None:
        """Write the record to a file, replacing it atomically."""
        files.write(Path(path), self.text().encode())

    @classmethod
    def load(cls, path: str | Path) -> Record:
        """Return the record in a file."""
        return cls.parse(files.read(Path(path), MAX_BYTES + 1))

    def replay(self, *, trust_start: bool = False) -> Match:
        """Return the match, played again, with every move, digest and the outcome checked.

        A record that begins in a position is refused without `trust_start`: the position is raw memory, and a forged
        one could make compiled rules read and write anywhere.
        """
        from tablee.records.replay import replay

        return replay(self, trust_start)

    def verify(self, *, shown: str | None = None, trust_start: bool = False) -> Verification:
        """Replay the match and check everything; `shown` is the commitment that players saw before the match."""
        from tablee.records.replay import check_commitment

        check_commitment(self, shown)
        self.replay(trust_start=trust_start)
        origin = self.header.origin
        return Verification(
            checksum=self.checksum,
            commitment=origin.commitment if isinstance(origin, Deal) else None,
            moves=len(self.moves),
            digests=len(self.digests),
            outcome=self.outcome,
        )

    def line_of(self, start: str) -> int:
        """Return the number of the first line that begins with `start`, 0 if none does."""
        lines = self.text().split("\n")
        return next((number for number, line in enumerate(lines, 1) if line.startswith(start)), 0)


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _decode(source: str | bytes) -> str:
    """Return the text; raise BadRecord if it is too long or not UTF-8."""
    content = source if isinstance(source, bytes) else source.encode("utf-8", "surrogatepass")
    if len(content) > MAX_BYTES:
        raise BadRecord(f"the record has more than {MAX_BYTES} bytes")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise BadRecord(f"this is not text in UTF-8: byte {content[error.start]:#04x}", line) from None


def _check_end(lines: Lines, text: str) -> None:
    """Check that the last line is the checksum of the text before it."""
    stated = lines.read_value("sha256", DIGITS_64)
    lines.read_end()
    before, _, _ = text.rpartition("sha256: ")
    if stated != _checksum(before):
        raise lines.error("the checksum does not match: the text above was changed")


def _check_canonical(text: str, canonical: str) -> None:
    """Check that a text is the one that the record has."""
    if text == canonical:
        return
    for number, (line, expected) in enumerate(zip_longest(text.split("\n"), canonical.split("\n")), 1):
        if line != expected:
            raise BadRecord(f"expected {str(expected)[:MAX_SHOWN]!r}, found {str(line)[:MAX_SHOWN]!r}", number)
