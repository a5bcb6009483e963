"""The header of a record: the game, its setup and deal, the players, the date."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from tablee.core.errors import BadRecord
from tablee.records.lines import BYTES, DIGITS_64, NAME, NUMBER, QUOTED, WORD, Lines, Syntax, quote, unquote

FORMAT = 1
MAX_SEATS = 999
MAX_VERSION = 10**9
MAX_STREAM = 2**64 - 1

DATE = Syntax("a date like 2026-01-31T18:30:00Z", r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")


@dataclass(frozen=True)
class Player:
    """The player of a seat: name, and kind (`person`, or a bot with its version; empty if unknown)."""

    name: str
    kind: str = ""


@dataclass(frozen=True)
class Deal:
    """The origin of a match that began with a deal: its seed and stream."""

    seed: int
    stream: int = 0

    @property
    def commitment(self) -> str:
        """The commitment to this seed and stream."""
        return commitment(self.seed, self.stream)


@dataclass(frozen=True)
class Position:
    """The origin of a match that began in a position: the bytes of its first state."""

    state: bytes


@dataclass(frozen=True)
class Header:
    """Everything about a match except its moves and outcome."""

    game: str
    game_version: int
    seats: int
    options: tuple[tuple[str, str], ...]  # name and value as text, in the order of the manifest
    generator: int  # version of the random number generator
    origin: Deal | Position
    players: tuple[Player, ...]  # one per seat, or empty if unknown
    date: str
    software: str
    notes: tuple[tuple[str, str], ...] = ()
    reduction: str = ""  # of the deal, if it was not of the whole game

    def lines(self) -> Iterator[str]:
        """Yield the lines of the header."""
        yield f"tablee record {FORMAT}"
        yield f"game: {self.game}"
        yield f"game version: {self.game_version}"
        yield f"seats: {self.seats}"
        if self.reduction:
            yield f"reduction: {self.reduction}"
        yield from (f"option {name}: {value}" for name, value in self.options)
        yield f"generator: {self.generator}"
        yield from _origin_lines(self.origin)
        yield from (_player_line(seat, player) for seat, player in enumerate(self.players))
        yield f"date: {self.date}"
        yield f"software: {quote(self.software)}"
        yield from (f"note {name}: {quote(value)}" for name, value in self.notes)

    @classmethod
    def read(cls, lines: Lines) -> Header:
        """Read the header, whose lines are in the order of these arguments; `reduction` may be left out."""
        _read_format(lines)
        return cls(
            game=lines.read_value("game", NAME),
            game_version=lines.read_number("game version", MAX_VERSION),
            seats=(seats := lines.read_number("seats", MAX_SEATS)),
            reduction=lines.read_value("reduction", NAME) if lines.next_starts_with("reduction: ") else "",
            options=tuple(_read_options(lines)),
            generator=lines.read_number("generator", MAX_VERSION),
            origin=_read_origin(lines),
            players=tuple(_read_players(lines, seats)),
            date=_read_date(lines),
            software=unquote(lines.read_value("software", QUOTED), lines),
            notes=tuple(_read_notes(lines)),
        )


def commitment(seed: int, stream: int = 0) -> str:
    """Return the hash that a host publishes before a match, so that its seed can be checked afterwards."""
    return hashlib.sha256(f"{seed:064x} {stream}".encode()).hexdigest()


def current_date() -> str:
    """Return the current date and time as written in records."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _origin_lines(origin: Deal | Position) -> Iterator[str]:
    if isinstance(origin, Position):
        yield f"start: {origin.state.hex()}"
    else:
        yield f"commitment: {origin.commitment}"
        yield f"seed: {origin.seed:064x}"
        yield f"stream: {origin.stream}"


def _player_line(seat: int, player: Player) -> str:
    name = f"player {seat}: {quote(player.name)}"
    return f"{name} is {quote(player.kind)}" if player.kind else name


def _read_format(lines: Lines) -> None:
    try:
        (version,) = lines.read_groups("'tablee record'", rf"tablee record ({NUMBER.pattern})")
    except BadRecord:
        raise BadRecord("this is not a Tablée record: it does not begin with 'tablee record'", 1) from None
    if int(version) != FORMAT:
        raise lines.error(f"the record has format {version}; this version of Tablée reads format {FORMAT}")


def _read_options(lines: Lines) -> Iterator[tuple[str, str]]:
    while lines.next_starts_with("option "):
        name, value = lines.read_groups("'option', a name and its value", rf"option ({NAME.pattern}): ({WORD.pattern})")
        yield name, value


def _read_origin(lines: Lines) -> Deal | Position:
    if lines.next_starts_with("start: "):
        return Position(bytes.fromhex(lines.read_value("start", BYTES)))
    recorded = lines.read_value("commitment", DIGITS_64)
    line = lines.number
    deal = Deal(int(lines.read_value("seed", DIGITS_64), 16), lines.read_number("stream", MAX_STREAM))
    if recorded != deal.commitment:
        raise BadRecord("the commitment does not match the seed and the stream", line)
    return deal


def _read_players(lines: Lines, seats: int) -> Iterator[Player]:
    if not lines.next_starts_with("player "):
        return
    quoted = QUOTED.pattern
    for seat in range(seats):
        name, kind = lines.read_groups(
            f"'player {seat}: ' and a name in quotation marks", rf"player {seat}: ({quoted})(?: is ({quoted}))?"
        )
        yield Player(unquote(name, lines), unquote(kind, lines) if kind else "")


def _read_date(lines: Lines) -> str:
    date = lines.read_value("date", DATE)
    try:
        datetime.fromisoformat(date)
    except ValueError:
        raise lines.error(f"there is no date {date}") from None
    return date


def _read_notes(lines: Lines) -> Iterator[tuple[str, str]]:
    while lines.next_starts_with("note "):
        name, value = lines.read_groups(
            "'note', a name and a text in quotation marks", rf"note ({NAME.pattern}): ({QUOTED.pattern})"
        )
        yield name, unquote(value, lines)
