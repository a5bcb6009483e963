"""What can happen at a table: facts, numbered without holes, from which everything else is worked out."""

from __future__ import annotations

from typing import Any

import msgspec

AGREEMENT = "agreement"  # the reason of an end that no rule brought about
DEAL, FORK, RECORD = "deal", "fork", "record"  # where a table's game comes from


class EventBase(msgspec.Struct, frozen=True, tag_field="kind", forbid_unknown_fields=True, omit_defaults=True):
    """The ancestor of all: when it happened, and which command asked for it (empty: the table itself)."""

    at: float
    key: str = ""


class Created(EventBase, frozen=True, tag="created"):
    """The first event of every table; the seed is secret until the end."""

    game: str = ""
    version: int = 0  # of the game's rules
    seats: int = 0
    options: dict[str, Any] = {}
    seed: str = ""  # hexadecimal
    is_open: bool = False
    clock: int | None = None  # seconds per decision
    invite: str = ""
    source: str = DEAL  # FORK: somebody plays on from a moment of another game; RECORD: somebody brought it, to look at
    stream: int = 0  # of the seed's chance
    start: str = ""  # the first position, its bytes in hexadecimal digits, where there was no deal
    played: tuple[str, ...] = ()  # moves made before the table began
    players: tuple[tuple[str, str], ...] = ()  # of a RECORD: each one's name, and what he is


class Claimed(EventBase, frozen=True, tag="claimed"):
    """A person (or a program of someone's) sat down."""

    seat: int = 0
    person: str = ""
    name: str = ""
    is_program: bool = False


class Left(EventBase, frozen=True, tag="left"):
    """A person stood up; in play, a bot goes on in the seat."""

    seat: int = 0


class BotSeated(EventBase, frozen=True, tag="bot_seated"):
    """A bot of the roster sat down."""

    seat: int = 0
    bot: str = ""
    name: str = ""


class BotRemoved(EventBase, frozen=True, tag="bot_removed"):
    """A bot was sent away before the game began."""

    seat: int = 0


class Started(EventBase, frozen=True, tag="started"):
    """All seats are taken: the cards are dealt."""


class Moved(EventBase, frozen=True, tag="moved"):
    """The seat on turn played."""

    seat: int = 0
    move: str = ""


class Queued(EventBase, frozen=True, tag="queued"):
    """A seat made its simultaneous choice before its turn; known to nobody else."""

    seat: int = 0
    move: str = ""


class Withdrawn(EventBase, frozen=True, tag="withdrawn"):
    """An early choice was taken back, or could not be played after all."""

    seat: int = 0


class Undone(EventBase, frozen=True, tag="undone"):
    """The last move was taken back."""

    seat: int = 0


class Paused(EventBase, frozen=True, tag="paused"):
    """The table rests."""

    seat: int = 0


class Resumed(EventBase, frozen=True, tag="resumed"):
    """The table goes on."""

    seat: int = 0


class Covered(EventBase, frozen=True, tag="covered"):
    """A person's time was up: a bot plays until he is back."""

    seat: int = 0


class Returned(EventBase, frozen=True, tag="returned"):
    """A person is back and plays himself."""

    seat: int = 0


class EndProposed(EventBase, frozen=True, tag="end_proposed"):
    """Somebody would rather stop."""

    seat: int = 0


class EndAnswered(EventBase, frozen=True, tag="end_answered"):
    """Somebody agreed to stop, or did not; one refusal settles it."""

    seat: int = 0
    agrees: bool = False


class Ended(EventBase, frozen=True, tag="ended"):
    """The game is over, by its rules or by agreement."""

    reason: str = ""


class Rematched(EventBase, frozen=True, tag="rematched"):
    """The same people sit at a new table."""

    seat: int = 0
    table: str = ""


TableEvent = (
    Created
    | Claimed
    | Left
    | BotSeated
    | BotRemoved
    | Started
    | Moved
    | Queued
    | Withdrawn
    | Undone
    | Paused
    | Resumed
    | Covered
    | Returned
    | EndProposed
    | EndAnswered
    | Ended
    | Rematched
)

_decoder: msgspec.json.Decoder[TableEvent] = msgspec.json.Decoder(TableEvent)


def encode_event(event: TableEvent) -> str:
    """Write an event as it is stored."""
    return msgspec.json.encode(event).decode()


def decode_event(text: str) -> TableEvent:
    """Read a stored event."""
    return _decoder.decode(text)


def kind_of(event: TableEvent) -> str:
    """Return the name of what happened."""
    return str(type(event).__struct_config__.tag)
