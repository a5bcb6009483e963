"""The messages of the socket, and the bodies of REST: closed unions, read strictly (docs/protocol.md)."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from tablee.core.view import Event, View
from tablee.tables import commands
from tablee.tables.presentation import EventShown, SeatShown, TableShown

VERSION = 1
MAX_MESSAGE_BYTES = 8_192
MAX_CHAT_LENGTH = 300

Id = Annotated[str, Meta(min_length=1, max_length=40)]
TableId = Annotated[str, Meta(min_length=1, max_length=32)]
Word = Annotated[str, Meta(max_length=64)]
Number = Annotated[int, Meta(ge=0, le=2**31)]
Place = Annotated[int, Meta(ge=0, le=999)]


# From the client


class Ping(msgspec.Struct, frozen=True, tag="ping", forbid_unknown_fields=True):
    """I am still here."""


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The ancestor of everything that is answered under its id."""

    id: Id
    table: TableId


class Watch(Request, frozen=True, tag="watch"):
    """Tell me what happens at a table, from a number on."""

    since: Number | None = None
    invite: Word = ""


class Unwatch(Request, frozen=True, tag="unwatch"):
    """Tell me no more."""


class Claim(Request, frozen=True, tag="claim"):
    """Sit down."""

    seat: Place | None = None
    invite: Word = ""

    def command(self) -> commands.Command:
        """Return what the table is asked."""
        return commands.Claim(self.seat, self.invite)


class Leave(Request, frozen=True, tag="leave"):
    """Stand up."""

    def command(self) -> commands.Command:
        """Return what the table is asked."""
        return commands.Leave()


class SeatBot(Request, frozen=True, tag="seat_bot"):
    """Put a bot into a seat."""

    seat: Place
    bot: Word

    def command(self) -> commands.Command:
        """Return what the table is asked."""
        return commands.SeatBot(self.seat, self.bot)


class RemoveBot(Request, frozen=True, tag="remove_bot"):
    """Send a bot away."""

    seat: Place

    def command(self) -> commands.Command:
        """Return what the table is asked."""
        return commands.RemoveBot(self.seat)


class Play(Request, frozen=True, tag="play"):
    """Play a move."""

    number: Number
    move: Annotated[str, Meta(max_length=1000)]

    def command(self) -> commands.Command:
        """Return what the table is asked."""
        return commands.Play(self.move, self.number)


class Withdraw(Request, frozen=True, tag="withdraw"):
    """Take an early choice back."""

    def command(self) -> commands.Command:
        """Return what the table is asked."""
        return commands.Withdraw()


class Undo(Request, frozen=True, tag="undo"):
    """Take a move back."""

    def command(self) -> commands.Command:
        """Return what the table is asked."""
        return commands.Undo()


class Pause(Request, frozen=True, tag="pause"):
    """Let the table rest."""

    def command(self) -> commands.Command:
        """Return what the table is asked."""
        return commands.Pause()


class Resume(Request, frozen=True, tag="resume"):
    """Go on."""

    def command(self) -> commands.Command:
        """Return what the table is asked."""
        return commands.Resume()


class Return(Request, frozen=True, tag="return"):
    """I am back."""

    def command(self) -> commands.Command:
        """Return what the table is asked."""
        return commands.Return()


class ProposeEnd(Request, frozen=True, tag="propose_end"):
    """Ask the others to stop."""

    def command(self) -> commands.Command:
        """Return what the table is asked."""
        return commands.ProposeEnd()


class AnswerEnd(Request, frozen=True, tag="answer_end"):
    """Yes, or no."""

    agrees: bool

    def command(self) -> commands.Command:
        """Return what the table is asked."""
        return commands.AnswerEnd(self.agrees)


class Rematch(Request, frozen=True, tag="rematch"):
    """Again."""


class Chat(Request, frozen=True, tag="chat"):
    """Say something to the others."""

    text: Annotated[str, Meta(max_length=MAX_CHAT_LENGTH)]


TableCommand = (
    Claim
    | Leave
    | SeatBot
    | RemoveBot
    | Play
    | Withdraw
    | Undo
    | Pause
    | Resume
    | Return
    | ProposeEnd
    | AnswerEnd
    | Rematch
    | Chat
)
ClientMessage = TableCommand | Watch | Unwatch | Ping


class NewName(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who somebody is (PUT /api/me)."""

    name: Annotated[str, Meta(min_length=1, max_length=100)]
    is_program: bool = False


class NewTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What somebody wants to play (POST /api/tables)."""

    game: Word
    seats: Place | None = None
    options: Annotated[dict[Word, bool | int | Word], Meta(max_length=50)] = {}
    is_open: bool = False
    clock: Annotated[int, Meta(ge=0, le=10**6)] | None = None
    bots: Annotated[list[Word], Meta(max_length=100)] = []
    sits: bool = True


# From the server


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    """The first message: how the server knows you."""

    version: int
    name: str | None
    now: float


class ChatShown(msgspec.Struct, frozen=True):
    """A line of chat."""

    number: int
    at: float
    name: str
    seat: int | None
    text: str


class WholeTable(msgspec.Struct, frozen=True, tag="table"):
    """All there is to know of a table now."""

    table: TableShown
    chat: list[ChatShown]


class EventMessage(msgspec.Struct, frozen=True, tag="event"):
    """One more event of a table."""

    table: str
    number: int
    event: EventShown | None
    told: list[Event]
    state: TableShown | None


class ChatMessage(msgspec.Struct, frozen=True, tag="chat"):
    """One more line of chat."""

    table: str
    chat: ChatShown


class Ack(msgspec.Struct, frozen=True, tag="ack", omit_defaults=True):
    """It is done, and stored."""

    id: str
    table: str
    number: int
    new_table: str | None = None


class RefusedMessage(msgspec.Struct, frozen=True, tag="refused"):
    """It is not done, and why."""

    id: str | None
    code: str
    text: str
    clause: str | None


class Pong(msgspec.Struct, frozen=True, tag="pong"):
    """So am I."""


ServerMessage = Hello | WholeTable | EventMessage | ChatMessage | Ack | RefusedMessage | Pong


# Answers of REST


class Summary(msgspec.Struct, frozen=True):
    """A table in the lobby."""

    id: str
    game: str
    title: str
    phase: str
    seats: list[SeatShown]
    is_open: bool
    your_seat: int | None
    is_your_turn: bool
    created_at: float


class Lobby(msgspec.Struct, frozen=True):
    """The tables one may see."""

    open: list[Summary]
    mine: list[Summary]


class Me(msgspec.Struct, frozen=True, omit_defaults=True):
    """How the server knows somebody."""

    name: str
    id: str
    token: str | None = None


class ChoiceInfo(msgspec.Struct, frozen=True):
    """A value an option may have."""

    value: Any
    label: str


class OptionInfo(msgspec.Struct, frozen=True):
    """What players choose before the deal."""

    name: str
    label: str
    help: str
    clause: str
    default: Any
    choices: list[ChoiceInfo]


class GameInfo(msgspec.Struct, frozen=True):
    """A game one can play."""

    name: str
    title: str
    tagline: str
    summary: str
    seats: tuple[int, int]
    usual_seats: int
    minutes: int
    version: int
    is_ready: bool  # false while it is being compiled, before its first game here
    board: str | None
    style: str | None
    cover: str | None
    options: list[OptionInfo]


class Rules(msgspec.Struct, frozen=True):
    """A rulebook."""

    game: str
    language: str
    markdown: str
    html: str  # a fragment, safe to insert: see server/rulebook.py


class BotInfo(msgspec.Struct, frozen=True):
    """A bot one can ask for."""

    name: str
    label: str


class Done(msgspec.Struct, frozen=True, omit_defaults=True):
    """A command was carried out."""

    id: str
    number: int
    new_table: str | None = None


class Moment(msgspec.Struct, frozen=True):
    """A game as it was after so many moves."""

    moves: int
    of: int
    told: list[Event]
    view: View


class Points(msgspec.Struct, frozen=True):
    """The points after some moves."""

    moves: int
    scores: list[int]


class NewFork(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where somebody plays on (POST /api/tables/{table}/forks)."""

    moves: Number
    seat: Place
    bot: Word
    is_imagined: bool


class NewRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A record that somebody brings (POST /api/records)."""

    record: str


class KeptRecord(msgspec.Struct, frozen=True):
    """Where a record can be looked at, by those who know the invite."""

    table: str
    invite: str


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why a request was refused (RFC 9457)."""

    title: str
    status: int
    code: str
    detail: str
    type: str = "about:blank"
    clause: str | None = None


class Health(msgspec.Struct, frozen=True):
    """Whether the server can do its work."""

    status: str


_decoder: msgspec.json.Decoder[ClientMessage] = msgspec.json.Decoder(ClientMessage)
_encoder = msgspec.json.Encoder()


def read_message(text: str) -> ClientMessage:
    """Read what a client says; msgspec.ValidationError or DecodeError if it is no message."""
    return _decoder.decode(text)


def write(message: Any) -> bytes:
    """Write anything that goes out."""
    return _encoder.encode(message)
