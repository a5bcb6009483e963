"""A saved game: one text with one meaning, that replays to the same states byte for byte."""

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
from tablee.records.moves import Played, body_lines, outcome_lines, read_body, read_outcome

if TYPE_CHECKING:
    from tablee.core.match import Match

MAX_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class Verification:
    """What was checked and found right."""

    checksum: str
    commitment: str | None  # None: the match began in a position, not with a deal
    moves: int
    digests: int
    outcome: Outcome | None  # None: the match was not over


@dataclass(frozen=True)
class Record:
    """A saved game. It holds the seed, and so the whole truth: not to be shown to players before the end."""

    header: Header
    moves: tuple[Played, ...]
    digests: tuple[str, ...]  # at the deal, every twenty moves, and at the end
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
        """Record a match; `kinds` say what each player is, `notes` are anything else worth keeping."""
        from tablee.records.capture import record

        recorded = record(match, kinds, date, software, notes)
        # What could not be read back is never written.
        return cls.parse(recorded.text())

    def text(self) -> str:
        """Write the record."""
        return f"{self._unsealed()}sha256: {self.checksum}\n"

    @property
    def checksum(self) -> str:
        """The last line's proof that nothing is missing or changed."""
        return _checksum(self._unsealed())

    def _unsealed(self) -> str:
        parts = (self.header.lines(), body_lines(self.moves, self.digests), outcome_lines(self.outcome))
        return "\n\n".join("\n".join(part) for part in parts) + "\n"

    @classmethod
    def parse(cls, source: str | bytes) -> Record:
        """Read a record; whatever is not exactly as `text` writes it is refused."""
        text = _decoded(source)
        lines = Lines(text)
        header = Header.read(lines)
        lines.take_blank()
        moves, digests = read_body(lines)
        lines.take_blank()
        record = cls(header, moves, digests, read_outcome(lines, header.seats))
        _check_end(lines, text)
        _check_spelling(text, record.text())
        return record

    def save(self, path: str | Path) -> None:
        """Write a file: after a failure or a crash, the old one is still there whole."""
        files.write(Path(path), self.text().encode())

    @classmethod
    def load(cls, path: str | Path) -> Record:
        """Read a file."""
        return cls.parse(files.read(Path(path), MAX_BYTES + 1))

    def replay(self, *, trust_start: bool = False) -> Match:
        """Play the match again and check every move, digest and the outcome.

        A record that begins in a position is refused unless you trust who made it: the
        position is the game's memory as it was, and a forged one could make compiled rules read and write anywhere.
        """
        from tablee.records.replay import replay

        return replay(self, trust_start)

    def verify(self, *, shown: str | None = None, trust_start: bool = False) -> Verification:
        """Check everything there is to check; `shown` is the commitment that players saw before the match."""
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
        """Return the number of the first line that begins like this, 0 if none does."""
        lines = self.text().split("\n")
        return next((number for number, line in enumerate(lines, 1) if line.startswith(start)), 0)


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _decoded(source: str | bytes) -> str:
    """Return the text, if it is one and not too long."""
    content = source if isinstance(source, bytes) else source.encode("utf-8", "surrogatepass")
    if len(content) > MAX_BYTES:
        raise BadRecord(f"a record has at most {MAX_BYTES} bytes, and this is more")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as why:
        line = content.count(b"\n", 0, why.start) + 1
        raise BadRecord(f"this is not text in UTF-8: byte {content[why.start]:#04x}", line) from None


def _check_end(lines: Lines, text: str) -> None:
    """See that the last line proves the text before it."""
    stated = lines.take_value("sha256", DIGITS_64)
    lines.finish()
    before, _, _ = text.rpartition("sha256: ")
    if stated != _checksum(before):
        raise lines.wrong("the checksum does not fit: the text above was changed")


def _check_spelling(text: str, usual: str) -> None:
    """See that the text is the one way to write what it means."""
    if text == usual:
        return
    for number, (line, expected) in enumerate(zip_longest(text.split("\n"), usual.split("\n")), 1):
        if line != expected:
            raise BadRecord(f"expected {str(expected)[:MAX_SHOWN]!r}, found {str(line)[:MAX_SHOWN]!r}", number)
