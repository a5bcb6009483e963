"""The messages of the socket: two closed unions, decoded strictly (docs/protocol.md)."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from tablee.protocol.changes import Change
from tablee.protocol.shown import ChatShown, EventShown, FinishedRound, LogLine, LogPage, TableShown

VERSION = 3
MAX_MESSAGE_BYTES = 8_192
MAX_CHAT_LENGTH = 300
MAX_TARGETS = 50

Id = Annotated[str, Meta(min_length=1, max_length=40)]
TableId = Annotated[str, Meta(min_length=1, max_length=32)]
Word = Annotated[str, Meta(max_length=64)]
Number = Annotated[int, Meta(ge=0, le=2**31)]
SeatIndex = Annotated[int, Meta(ge=0, le=999)]
MoveText = Annotated[str, Meta(max_length=1000)]
Seconds = Annotated[int, Meta(ge=0, le=10**6)]
LongSeconds = Annotated[int, Meta(ge=0, le=10**8)]
Options = Annotated[dict[Word, bool | int | Word], Meta(max_length=50)]


# From the client


class Ping(msgspec.Struct, frozen=True, tag="ping", forbid_unknown_fields=True):
    """Keep the connection open; answered by `pong`."""


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base class of the messages that are answered under their id."""

    id: Id
    table: TableId


class WatchRequest(Request, frozen=True, tag="watch"):
    """Receive the table and its events, from event `since` on if it is given."""

    since: Number | None = None
    invite: Word = ""
    changes: bool = False  # True: receive what changed instead of whole tables, where possible


class UnwatchRequest(Request, frozen=True, tag="unwatch"):
    """Stop receiving the table's events."""


class ClaimRequest(Request, frozen=True, tag="claim"):
    """Take a seat; a private table needs its invite."""

    seat: SeatIndex | None = None  # None: any empty one
    invite: Word = ""


class LeaveRequest(Request, frozen=True, tag="leave"):
    """Give up the seat; during the game a bot plays on and the seat can be claimed."""


class SeatBotRequest(Request, frozen=True, tag="seat_bot"):
    """Put a bot into an empty seat; for seated players."""

    seat: SeatIndex
    bot: Word


class RemoveBotRequest(Request, frozen=True, tag="remove_bot"):
    """Remove a bot before the game begins."""

    seat: SeatIndex


class ChangeBotRequest(Request, frozen=True, tag="change_bot"):
    """Let another bot play in a bot's seat, before the game begins."""

    seat: SeatIndex
    bot: Word


class RemovePlayerRequest(Request, frozen=True, tag="remove_player"):
    """Remove a person, who cannot come back; the table gets a new invite. For the host."""

    seat: SeatIndex


class HandOverRequest(Request, frozen=True, tag="hand_over"):
    """Make the person in another seat the host; for the host."""

    seat: SeatIndex


class LockRequest(Request, frozen=True, tag="lock"):
    """Let nobody else sit down; for the host."""


class UnlockRequest(Request, frozen=True, tag="unlock"):
    """Let people sit down again; for the host."""


class ChangeSetupRequest(Request, frozen=True, tag="change_setup"):
    """Change the setup before the game begins, for the host; empty seats are added, or the last ones taken away."""

    seats: SeatIndex
    options: Options = {}  # those left out get their default
    clock: Seconds | None = None  # as in `NewTable`
    bank: LongSeconds | None = None
    increment: Seconds = 0
    rest: Seconds | None = 60
    coach: bool = False


class AcceptCoachRequest(Request, frozen=True, tag="accept_coach"):
    """Agree to the coach of the table, which helps while all people who sit there agree."""


class DeclineCoachRequest(Request, frozen=True, tag="decline_coach"):
    """Agree to the coach no longer: it helps nobody from now on."""


class PlayRequest(Request, frozen=True, tag="play"):
    """Play a move, or make the early choice."""

    number: Number  # of the table the player was looking at
    move: MoveText  # text of a choice


class WithdrawRequest(Request, frozen=True, tag="withdraw"):
    """Take back the early choice."""


class UndoRequest(Request, frozen=True, tag="undo"):
    """Take back the last move."""


class AdvanceRequest(Request, frozen=True, tag="advance"):
    """Go on to the next step of a guided round."""


class RetryRequest(Request, frozen=True, tag="retry"):
    """Set up a step of a guided round again, after another move than the expected one."""


class ReadyRequest(Request, frozen=True, tag="ready"):
    """Be ready for the next round; the rest ends when all people are."""


class PauseRequest(Request, frozen=True, tag="pause"):
    """Pause the game and its clock."""


class ResumeRequest(Request, frozen=True, tag="resume"):
    """Resume a paused game."""


class ReturnRequest(Request, frozen=True, tag="return"):
    """Take over again from the bot that plays for an absent player; playing a move does so too."""


class ProposeEndRequest(Request, frozen=True, tag="propose_end"):
    """Propose to end the game; ends it at once if all others are bots."""


class AnswerEndRequest(Request, frozen=True, tag="answer_end"):
    """Answer a proposal to end the game; it ends when all people agree."""

    agrees: bool


class RematchRequest(Request, frozen=True, tag="rematch"):
    """Open a table with the same players, bots and options; for a finished game."""


class ChatRequest(Request, frozen=True, tag="chat"):
    """Send a line of chat."""

    text: Annotated[str, Meta(max_length=MAX_CHAT_LENGTH)]


class ExplainRequest(Request, frozen=True, tag="explain"):
    """Ask why a move is not possible; answered by `explanation`, and nothing is ever played."""

    targets: Annotated[list[Word], Meta(max_length=MAX_TARGETS)] = []  # ids touched, in order
    move: MoveText = ""  # or the text of a move


CommandRequest = (
    ClaimRequest
    | LeaveRequest
    | SeatBotRequest
    | RemoveBotRequest
    | ChangeBotRequest
    | RemovePlayerRequest
    | HandOverRequest
    | LockRequest
    | UnlockRequest
    | ChangeSetupRequest
    | AcceptCoachRequest
    | DeclineCoachRequest
    | PlayRequest
    | WithdrawRequest
    | UndoRequest
    | AdvanceRequest
    | RetryRequest
    | ReadyRequest
    | PauseRequest
    | ResumeRequest
    | ReturnRequest
    | ProposeEndRequest
    | AnswerEndRequest
    | RematchRequest
    | ChatRequest
)
ClientMessage = CommandRequest | WatchRequest | UnwatchRequest | ExplainRequest | Ping


# From the server


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    """The first message on a connection."""

    version: int  # of this protocol
    name: str | None  # yours; None without a cookie or token
    now: float  # server time


class TableMessage(msgspec.Struct, frozen=True, tag="table"):
    """A whole table, replacing everything known of it: after `watch`, or when too many events were missed."""

    table: TableShown
    chat: list[ChatShown] = []
    log: LogPage = LogPage(0, 0)  # its last lines


class EventMessage(msgspec.Struct, frozen=True, gc=False, tag="event"):
    """The next event of a table."""

    table: str
    number: int
    event: EventShown | None = None  # None: the viewer may not know it; the number still counts
    lines: tuple[LogLine, ...] = ()  # new lines of the log
    moves: int = 0  # made so far; log lines of later moves were undone and leave the log
    round: FinishedRound | None = None  # that the event has ended; rounds with later moves were undone
    state: TableShown | None = None  # the table after the event; of several events at once, only the last has it
    base: int | None = None  # instead of `state`, if asked for: the event whose table `changes` lead from
    changes: tuple[Change, ...] = ()  # what changed since event `base`


class ChatMessage(msgspec.Struct, frozen=True, tag="chat"):
    """The next line of chat."""

    table: str
    chat: ChatShown


class RemovedMessage(msgspec.Struct, frozen=True, tag="removed"):
    """The host has removed you from a table that you watched; nothing more of it is sent."""

    table: str
    text: str


class Ack(msgspec.Struct, frozen=True, gc=False, tag="ack", omit_defaults=True):
    """The command was executed and stored."""

    id: str
    table: str
    number: int  # of its first event
    new_table: str | None = None  # of `rematch`


class RefusedMessage(msgspec.Struct, frozen=True, tag="refused"):
    """The message was refused; nothing changed."""

    id: str | None  # None if it could not be read
    code: str
    text: str
    clause: str | None = None  # of the rulebook


class Explanation(msgspec.Struct, frozen=True, tag="explanation"):
    """Why a move is not possible now."""

    id: str
    text: str
    clause: str | None = None  # of the rulebook


class Pong(msgspec.Struct, frozen=True, tag="pong"):
    """Reply to ping."""


ServerMessage = (
    Hello | TableMessage | EventMessage | ChatMessage | RemovedMessage | Ack | RefusedMessage | Explanation | Pong
)

_decoder: msgspec.json.Decoder[ClientMessage] = msgspec.json.Decoder(ClientMessage)
_server_decoder: msgspec.json.Decoder[ServerMessage] = msgspec.json.Decoder(ServerMessage)
_encoder = msgspec.json.Encoder()


def decode_client_message(text: str | bytes) -> ClientMessage:
    """Decode a client's message; raises msgspec.DecodeError (or its ValidationError) if it is none."""
    return _decoder.decode(text)


def decode_server_message(text: str | bytes) -> ServerMessage:
    """Decode a server's message; raises msgspec.DecodeError (or its ValidationError) if it is none."""
    return _server_decoder.decode(text)


def encode(content: Any) -> bytes:
    """Encode a message or a REST answer."""
    return _encoder.encode(content)
