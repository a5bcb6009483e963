"""The events of a table, numbered without gaps, from which everything else is derived. Stored: names never change."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

AGREEMENT = "agreement"  # reasons of an end that the rules did not bring about
EXPIRED = "expired"  # nobody came: the game never began
LESSON = "lesson"  # source of a guided round, and the reason of its end
DEAL, FORK, RECORD, DAILY = "deal", "fork", "record", "daily"  # other sources of a table's game


class EventBase(
    msgspec.Struct, frozen=True, gc=False, tag_field="kind", forbid_unknown_fields=True, omit_defaults=True
):
    """Base class of all events: the time, and the key of the command that caused it (empty: the table itself)."""

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
    bank: int | None = None  # or seconds per player for the whole game
    increment: int = 0  # seconds that a move adds to a player's bank
    rest: int | None = None  # longest rest after a round in seconds; 0: no limit; None, as in older tables: no rest
    invite: str = ""
    source: str = DEAL  # FORK: continued from a position of another game; RECORD: an imported record; LESSON; DAILY
    stream: int = 0  # of the random generator
    start: str = ""  # bytes of the first position in hexadecimal digits, if there was no deal
    played: tuple[str, ...] = ()  # moves made before the table began
    players: tuple[tuple[str, str], ...] = ()  # of a RECORD: name and kind of each player
    kept: tuple[tuple[str, str], ...] = ()  # of a rematch, per seat: id and name of the person it is kept for
    lesson: str = ""  # of a LESSON: digest of its script
    coach: bool = False  # the coach may help once all people agree, and the result does not count for ratings
    day: str = ""  # whose deal this is, as YYYY-MM-DD: of a DAILY table, and of practice on its deal


class Claimed(EventBase, frozen=True, tag="claimed"):
    """A person, or a person's program, took a seat."""

    seat: int = 0
    person: str = ""
    name: str = ""
    is_program: bool = False


class Left(EventBase, frozen=True, tag="left"):
    """A person gave up a seat; during the game a bot plays on there."""

    seat: int = 0
    name: str = ""  # empty in older tables


class Renamed(EventBase, frozen=True, tag="renamed"):
    """A person has another name."""

    seat: int = 0
    name: str = ""


class Forgotten(EventBase, frozen=True, tag="forgotten"):
    """A person who sat in a seat, or left it to a bot, has deleted everything about them."""

    seat: int = 0


class BotSeated(EventBase, frozen=True, tag="bot_seated"):
    """A bot took a seat."""

    seat: int = 0
    bot: str = ""
    name: str = ""


class BotRemoved(EventBase, frozen=True, tag="bot_removed"):
    """A bot was removed before the game began."""

    seat: int = 0


class BotChanged(EventBase, frozen=True, tag="bot_changed"):
    """Another bot plays in a bot's seat, under the same name."""

    seat: int = 0
    bot: str = ""


class PlayerRemoved(EventBase, frozen=True, tag="player_removed"):
    """The host removed a person, who cannot come back; during the game a bot plays on in the seat."""

    seat: int = 0
    person: str = ""
    name: str = ""
    invite: str = ""  # replaces the one that the person knows


class Locked(EventBase, frozen=True, tag="locked"):
    """The host locked the table: nobody else can sit down."""

    seat: int = 0


class Unlocked(EventBase, frozen=True, tag="unlocked"):
    """The host unlocked the table."""

    seat: int = 0


class HostChanged(EventBase, frozen=True, tag="host_changed"):
    """The host handed their role over to the person in a seat."""

    seat: int = 0


class SetupChanged(EventBase, frozen=True, tag="setup_changed"):
    """The host changed the setup before the game began; players move up where a seat before them was taken away."""

    seat: int = 0  # of the host, before the change
    seats: int = 0
    options: dict[str, Any] = {}
    clock: int | None = None
    bank: int | None = None
    increment: int = 0
    rest: int | None = None
    coach: bool = False


class CoachAccepted(EventBase, frozen=True, tag="coach_accepted"):
    """A person agreed to the coach."""

    seat: int = 0


class CoachDeclined(EventBase, frozen=True, tag="coach_declined"):
    """A person agrees to the coach no longer."""

    seat: int = 0


class Started(EventBase, frozen=True, tag="started"):
    """All seats were taken and the cards dealt."""


class Moved(EventBase, frozen=True, tag="moved"):
    """The seat on turn played a move."""

    seat: int = 0
    move: str = ""


class Queued(EventBase, frozen=True, tag="queued"):
    """A seat made its simultaneous choice before its turn; no other seat may know it."""

    seat: int = 0
    move: str = ""


class Withdrawn(EventBase, frozen=True, tag="withdrawn"):
    """An early choice was taken back, or turned out to be illegal."""

    seat: int = 0


class Undone(EventBase, frozen=True, tag="undone"):
    """The last move was taken back."""

    seat: int = 0


class Advanced(EventBase, frozen=True, tag="advanced"):
    """A lesson went on to another step."""

    step: int = 0  # counted from 0


class Retried(EventBase, frozen=True, tag="retried"):
    """A step of a lesson was set up again."""

    seat: int = 0
    moves: int = 0  # that remain


class RoundEnded(EventBase, frozen=True, tag="round_ended"):
    """A round ended and the game goes on: the table rests until all people are ready, or for its longest rest."""

    round: int = 0  # counted from 1


class BecameReady(EventBase, frozen=True, tag="ready"):
    """A person is ready for the next round."""

    seat: int = 0


class RestEnded(EventBase, frozen=True, tag="rest_ended"):
    """The next round begins."""


class Paused(EventBase, frozen=True, tag="paused"):
    """The game was paused."""

    seat: int = 0


class Resumed(EventBase, frozen=True, tag="resumed"):
    """The game was resumed."""

    seat: int = 0


class Covered(EventBase, frozen=True, tag="covered"):
    """A person's clock ran out: a bot plays until they return."""

    seat: int = 0


class Returned(EventBase, frozen=True, tag="returned"):
    """A person took over again from the bot."""

    seat: int = 0


class EndProposed(EventBase, frozen=True, tag="end_proposed"):
    """A player proposed to end the game."""

    seat: int = 0


class EndAnswered(EventBase, frozen=True, tag="end_answered"):
    """A player agreed to end the game, or declined; one refusal settles it."""

    seat: int = 0
    agrees: bool = False


class Ended(EventBase, frozen=True, tag="ended"):
    """The game ended, by its rules or by agreement, or the table was closed because it waited too long for players."""

    reason: str = ""


class Rematched(EventBase, frozen=True, tag="rematched"):
    """A new table was opened for the same players."""

    seat: int = 0
    table: str = ""


TableEvent = (
    Created
    | Claimed
    | Left
    | Renamed
    | Forgotten
    | BotSeated
    | BotRemoved
    | BotChanged
    | PlayerRemoved
    | Locked
    | Unlocked
    | HostChanged
    | SetupChanged
    | CoachAccepted
    | CoachDeclined
    | Started
    | Moved
    | Queued
    | Withdrawn
    | Undone
    | Advanced
    | Retried
    | RoundEnded
    | BecameReady
    | RestEnded
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
    """Encode an event as it is stored."""
    return msgspec.json.encode(event).decode()


def decode_event(text: str) -> TableEvent:
    """Decode a stored event."""
    return _decoder.decode(text)


def kind_of(event: TableEvent) -> str:
    """Return the kind of an event, as it is stored."""
    return _kind(type(event))


@cache
def _kind(event_type: type[TableEvent]) -> str:
    return str(event_type.__struct_config__.tag)
