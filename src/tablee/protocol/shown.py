"""What one viewer is shown of a table."""

from __future__ import annotations

from typing import Literal

import msgspec

from tablee.core.game import Value
from tablee.core.view import RoundScore, View

Phase = Literal["gathering", "playing", "resting", "paused", "over"]
SeatKind = Literal["empty", "person", "program", "bot"]
Source = Literal["deal", "fork", "record", "lesson", "daily"]
LessonTask = Literal["move", "advance", "retry", "wait"]
CommandName = Literal[
    "claim",
    "seat_bot",
    "remove_bot",
    "change_bot",
    "change_setup",
    "play",
    "withdraw",
    "undo",
    "hint",
    "beliefs",
    "advance",
    "retry",
    "ready",
    "pause",
    "resume",
    "return",
    "propose_end",
    "answer_end",
    "leave",
    "lock",
    "unlock",
    "remove_player",
    "hand_over",
    "accept_coach",
    "decline_coach",
    "rematch",
    "chat",
]
EventKind = Literal[
    "created",
    "claimed",
    "left",
    "renamed",
    "forgotten",
    "bot_seated",
    "bot_removed",
    "bot_changed",
    "player_removed",
    "locked",
    "unlocked",
    "host_changed",
    "setup_changed",
    "coach_accepted",
    "coach_declined",
    "started",
    "moved",
    "queued",
    "withdrawn",
    "undone",
    "advanced",
    "retried",
    "round_ended",
    "ready",
    "rest_ended",
    "paused",
    "resumed",
    "covered",
    "returned",
    "end_proposed",
    "end_answered",
    "ended",
    "rematched",
]


class SeatShown(msgspec.Struct, frozen=True, gc=False):
    """A seat, as everybody sees it."""

    seat: int
    kind: SeatKind  # "empty" with a bot: the player left during the game; the seat can be claimed
    name: str
    bot: str | None = None  # the bot that plays here now
    is_you: bool = False
    is_covered: bool = False  # a bot plays while the person is away
    level: str = ""  # of the bot that plays here now, in the viewer's language
    is_host: bool = False
    time_left: float | None = None  # seconds in the time bank, when the turn began; None without one


class PresenceShown(msgspec.Struct, frozen=True):
    """Whether the person in a seat is connected to the table."""

    seat: int
    is_here: bool
    away_since: float | None = None  # server time; None if they are here, or were not seen lately


class SetupShown(msgspec.Struct, frozen=True):
    """The number of seats and the game's options."""

    seats: int
    options: dict[str, Value] = {}


class RestShown(msgspec.Struct, frozen=True):
    """A rest between two rounds."""

    round: int  # that ended, counted from 1
    ready: tuple[int, ...] = ()  # seats
    waiting: tuple[int, ...] = ()  # seats of people who are not ready
    deadline: float | None = None  # server time at which the next round begins in any case; None: no limit


class ProposalShown(msgspec.Struct, frozen=True):
    """A proposal to end the game by agreement."""

    seat: int  # who proposed it
    agreed: tuple[int, ...] = ()  # seats that agree so far, the proposer included


class ResultShown(msgspec.Struct, frozen=True):
    """The result of a finished game; `ranks` and `winners` are empty if it was ended by agreement."""

    reason: str  # "agreement", "lesson", "expired" (it never began), or one of the game's reasons
    text: str
    scores: tuple[int, ...]  # per seat; empty if it never began
    ranks: tuple[int, ...] = ()  # final placing per seat, 1 is best
    winners: tuple[int, ...] = ()


class CommandShown(msgspec.Struct, frozen=True, gc=False):
    """A command that the viewer may send now: it is not refused unless the table changes first."""

    type: CommandName
    seats: tuple[int, ...] = ()  # the seats it may name, where it names one
    label: str = ""  # for a menu, in the viewer's language; "{name}" is the player's in the seat. Empty: not in a menu
    question: str = ""  # to be confirmed before it is sent; "{name}" as in the label


class CoachShown(msgspec.Struct, frozen=True):
    """The coach of a table that has one: it helps while all people who sit there agree."""

    is_on: bool
    agreed: tuple[int, ...] = ()  # seats of the people who agree
    waiting: tuple[int, ...] = ()  # seats of those who do not


class LessonShown(msgspec.Struct, frozen=True):
    """What the coach of a guided round says now."""

    step: int  # counted from 1
    steps: int  # in all
    task: LessonTask  # "move": play; "advance" or "retry": send that command; "wait": the table moves first
    text: str  # empty while the table moves
    points: tuple[str, ...] = ()  # ids of the pieces or zones that the text is about


class TableShown(msgspec.Struct, frozen=True, gc=False):
    """Everything one viewer may know about a table now."""

    id: str
    number: int  # of the last event
    game: str
    title: str
    phase: Phase
    setup: SetupShown
    seats: tuple[SeatShown, ...]
    viewer: int  # your seat; -1: a spectator
    commitment: str  # SHA-256 of the seed; `tablee verify` checks it
    source: Source = "deal"  # "fork": continued from a position; "record": imported; "lesson": a guided round; "daily"
    day: str = ""  # of a daily table, and of practice on its deal: YYYY-MM-DD
    is_open: bool = False
    is_rated: bool = True  # the result counts for statistics and ratings
    is_locked: bool = False  # nobody else can sit down
    invite: str | None = None  # for seated players
    seed: str | None = None  # 64 hexadecimal digits, after the end
    clock: int | None = None  # seconds per decision
    bank: int | None = None  # or seconds per player for the whole game
    increment: int = 0  # seconds that a move adds to a player's bank
    deadline: float | None = None  # server time at which a bot takes over for the seat to move
    rest: int | None = None  # longest rest after a round in seconds; 0: until all are ready; None: no rest
    coach: CoachShown | None = None  # None: there is none here, and the result may count for ratings
    now: float = 0.0  # server time of the last event, to show clock and rest against
    moves: int = 0  # made so far
    view: View | None = None  # None while gathering
    round_view: View | None = None  # the last round with its result: at rest, and after the game
    resting: RestShown | None = None  # while the table rests
    lesson: LessonShown | None = None  # of a guided round, for its learner, until its end
    is_early: bool = False  # the view's choices are for your coming, simultaneous choice
    queued: str | None = None  # your early choice
    commands: tuple[CommandShown, ...] = ()  # what you may do now; a spectator needs a name first
    proposal: ProposalShown | None = None
    result: ResultShown | None = None
    rematch: str | None = None  # id of the new table, for seated players


class EventShown(msgspec.Struct, frozen=True, gc=False):
    """An event, as far as the viewer may know it."""

    kind: EventKind
    seat: int | None = None
    move: str | None = None  # of "moved" and "queued", for those who may know it


class LogLine(msgspec.Struct, frozen=True, gc=False):
    """A line of the table's log, in the viewer's language."""

    number: int  # of the event
    code: str  # of the game, or "table.<kind>"
    text: str
    move: int | None = None  # 1 for the game's first move; None if the event is not a move
    seat: int | None = None
    path: tuple[str, ...] = ()  # ids of pieces or zones, from where to where


class FinishedRound(msgspec.Struct, frozen=True):
    """A round on the score sheet."""

    number: int  # counted from 1
    moves: int  # made when it ended
    text: str  # its result
    scores: tuple[RoundScore, ...]  # by seat


class LogPage(msgspec.Struct, frozen=True):
    """Consecutive lines of a table's log, and its score sheet."""

    total: int  # lines in the log
    first: int  # index of the first line below
    lines: tuple[LogLine, ...] = ()
    rounds: tuple[FinishedRound, ...] = ()  # all that have ended


class ChatShown(msgspec.Struct, frozen=True, gc=False):
    """A line of chat."""

    number: int
    at: float
    name: str
    seat: int | None
    text: str
