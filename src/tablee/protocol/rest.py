"""Bodies and answers of REST."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from tablee.core.game import Value
from tablee.core.view import Event, View
from tablee.protocol.messages import MAX_TARGETS, LongSeconds, MoveText, Number, Options, SeatIndex, Seconds, Word
from tablee.protocol.shown import Phase, SeatShown

MAX_EXAMPLE_MOVES = 30


# Bodies


class NewName(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Body of `PUT /api/me`."""

    name: Annotated[str, Meta(min_length=1, max_length=100)]
    is_program: bool = False


class NewDevice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Body of `PUT /api/me/device`."""

    code: Annotated[str, Meta(min_length=1, max_length=40)]  # of a `Transfer`; spaces, hyphens and case do not matter


class NewContact(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Body of `PUT /api/me/contact`."""

    contact: Annotated[str, Meta(max_length=200)]  # empty: no messages


class NewTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Body of `POST /api/tables`."""

    game: Word
    seats: SeatIndex | None = None  # None: the game's usual number
    options: Options = {}
    is_open: bool = False  # listed in the lobby, for everybody to join and watch
    clock: Seconds | None = None  # seconds per decision, 10 to 86400
    bank: LongSeconds | None = None  # or seconds per player for the whole game, 30 to 2592000
    increment: Seconds = 0  # seconds that a move adds to a player's bank
    rest: Seconds | None = 60  # longest rest after a round; 0: no limit; None: no rest
    bots: Annotated[list[Word], Meta(max_length=100)] = []  # in the last seats
    sits: bool = True  # False: the maker only watches
    coach: bool = False  # True: the coach helps while all people agree, as the maker does; unrated


class NewFork(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Body of `POST /api/tables/{id}/forks`."""

    moves: Number  # position to continue from
    seat: SeatIndex  # of the maker
    bot: Word  # in all other seats
    is_imagined: bool  # True: what the seat did not know is drawn again


class NewLesson(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Body of `POST /api/games/{game}/lesson`."""

    is_new: bool = False  # True: begin again, also if there is one that you have not finished


class NewRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Body of `POST /api/records`."""

    record: str


class ExampleQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Body of `POST /api/games/{game}/examples/{name}/explanation`."""

    moves: Annotated[list[MoveText], Meta(max_length=MAX_EXAMPLE_MOVES)] = []  # made so far
    targets: Annotated[list[Word], Meta(max_length=MAX_TARGETS)] = []  # ids touched, in order
    move: MoveText = ""  # or the text of a move


# Answers


class TableSummary(msgspec.Struct, frozen=True):
    """A table in the lobby."""

    id: str
    game: str
    title: str
    phase: Phase
    seats: list[SeatShown]
    is_open: bool
    your_seat: int | None
    is_your_turn: bool
    created_at: float
    on_turn: int | None = None  # the seat whose move the table waits for
    is_locked: bool = False  # nobody else can sit down
    is_lesson: bool = False  # a guided round
    has_coach: bool = False  # the coach may help, once all people agree
    day: str = ""  # of a daily table: YYYY-MM-DD
    kept_seat: int | None = None  # an empty seat that is kept for you: you left it, or had it before a rematch


class Invitation(msgspec.Struct, frozen=True):
    """How others join a table."""

    link: str
    is_local: bool  # only this machine can open it


class ServerAddress(msgspec.Struct, frozen=True):
    """Where people open this server."""

    link: str
    is_local: bool  # only this machine can open it
    picture: str  # of the link: a QR code as a data URI


class Lobby(msgspec.Struct, frozen=True):
    """The tables a person may see."""

    open: list[TableSummary]
    mine: list[TableSummary]


class Me(msgspec.Struct, frozen=True, omit_defaults=True):
    """The person the server recognises."""

    name: str
    id: str
    token: str | None = None  # for programs


class Transfer(msgspec.Struct, frozen=True):
    """A code that copies an identity to another device, once."""

    code: str
    link: str  # opens this server on the other device, with the code in the fragment
    picture: str  # of the link: a QR code as a data URI
    expires_at: float  # server time


class Contact(msgspec.Struct, frozen=True):
    """Where a person is told that it is their turn."""

    is_offered: bool  # False: this server sends no messages
    contact: str = ""  # empty: nowhere


class ChoiceInfo(msgspec.Struct, frozen=True):
    """A value of an option."""

    value: Value
    label: str


class OptionInfo(msgspec.Struct, frozen=True):
    """An option of a game, chosen before the deal."""

    name: str
    label: str
    help: str
    clause: str
    default: Value
    choices: list[ChoiceInfo]


class Minute(msgspec.Struct, frozen=True):
    """How to play a game, in a minute."""

    aim: str
    turn: str
    end: str
    advice: str


class GameInfo(msgspec.Struct, frozen=True):
    """A game that can be played."""

    name: str
    title: str
    tagline: str
    summary: str
    seats: tuple[int, int]  # smallest and largest number
    usual_seats: int
    minutes: int
    version: int
    compiled: float  # how much of it is, from 0 to 1; until then it is interpreted, and bots do not look ahead
    board: str | None
    style: str | None
    cover: str | None
    options: list[OptionInfo]
    minute: Minute | None = None  # None if the game does not say it
    has_lesson: bool = False  # whether it has a guided round
    puzzles: int = 0  # how many it has


class Rules(msgspec.Struct, frozen=True):
    """A rulebook."""

    game: str
    language: str
    markdown: str
    html: str  # a fragment, safe to insert: see server/rulebook.py


class BotInfo(msgspec.Struct, frozen=True):
    """A bot that can be seated."""

    name: str
    label: str
    is_usual: bool = False  # for people who do not choose


class Done(msgspec.Struct, frozen=True, omit_defaults=True):
    """A command was executed."""

    id: str
    number: int
    new_table: str | None = None  # of `rematch`


class Moment(msgspec.Struct, frozen=True):
    """A position of a game."""

    moves: int  # made before it
    of: int  # moves in all
    events: list[Event]
    view: View
    round_view: View | None = None  # the end of the round, if the last move has ended one


class Points(msgspec.Struct, frozen=True):
    """The scores after some moves."""

    moves: int
    scores: list[int]


class ImportedRecord(msgspec.Struct, frozen=True):
    """Where an imported record can be viewed, by those who have the invite."""

    table: str
    invite: str


class ExampleInfo(msgspec.Struct, frozen=True):
    """A playable example of a rulebook."""

    name: str
    clause: str
    title: str


class ExampleShown(msgspec.Struct, frozen=True):
    """An example after some moves."""

    prompt: str  # what to try
    view: View
    seats: list[SeatShown]
    events: list[Event]
    is_over: bool  # it is another seat's turn, or the example has been shown
    seen: str | None  # what the clause has shown, once it has


class ExampleExplanation(msgspec.Struct, frozen=True):
    """Why a move is not possible in an example."""

    text: str
    clause: str | None = None


class FinishedGame(msgspec.Struct, frozen=True):
    """A finished game, seen by one of its players."""

    table: str
    at: float
    rank: int | None  # None if the players ended the game by agreement
    seats: int
    score: int
    others: list[str]  # names of the other players


class HeadToHead(msgspec.Struct):
    """How often a person ended ahead of, level with and behind another player."""

    name: str
    is_bot: bool
    ahead: int = 0
    level: int = 0
    behind: int = 0


class RatedPlayer(msgspec.Struct, frozen=True):
    """A player's rating."""

    name: str
    is_bot: bool
    is_you: bool
    rating: int
    margin: int  # half the width of the 95 % interval
    games: int


class RatingPoint(msgspec.Struct, frozen=True):
    """A person's rating after a game."""

    at: float
    rating: int


class GameStatistics(msgspec.Struct, frozen=True):
    """A person's statistics in one game; forks and imported records do not count."""

    game: str
    title: str
    played: list[FinishedGame]
    count: int
    won: int
    stopped: int  # ended by agreement
    against: list[HeadToHead]
    ratings: list[RatedPlayer]
    history: list[RatingPoint]


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why a request was refused (RFC 9457)."""

    title: str
    status: int
    code: str
    detail: str
    type: str = "about:blank"
    clause: str | None = None


class Health(msgspec.Struct, frozen=True, omit_defaults=True):
    """Whether a server process is alive or ready, and why not."""

    status: str
    reason: str | None = None
