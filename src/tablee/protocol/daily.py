"""Answers of REST about daily tables."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

DailyState: TypeAlias = Literal["none", "playing", "over"]


class DailyCount(msgspec.Struct, frozen=True):
    """How many people finished with a rank."""

    rank: int  # at the table; seats + 1: given up
    players: int


class DailyBotResult(msgspec.Struct, frozen=True):
    """What a bot made of the deal, in the seat that everybody has."""

    name: str
    label: str
    rank: int
    points: int


class DailyResult(msgspec.Struct, frozen=True):
    """A person's result, compared with those of all others on the same deal."""

    rank: int | None  # at the table; None: given up, or too late to be compared
    points: int | None
    beaten: float | None = None  # percent of the others who did worse, a tie counting half; None without others
    lead: float | None = None  # points ahead of the mean of the others, positive where that is better
    is_late: bool = False  # it ended after the deal was opened


class DailyGame(msgspec.Struct, frozen=True):
    """The daily table of a game."""

    game: str
    title: str
    commitment: str  # SHA-256 of the seed, as in a record; known from the day before
    seed: str | None  # 64 hexadecimal digits, when the deal is opened
    bots: list[str]  # in the other seats, in the reader's language
    state: DailyState  # of the reader's own try
    table: str | None = None  # of the reader's own try
    players: int = 0  # whose tries are compared
    result: DailyResult | None = None  # the reader's own, when it has ended
    counts: list[DailyCount] = []  # for who has finished, and when the deal is opened
    bot_results: list[DailyBotResult] = []  # likewise, as far as bots have played it; the strongest first
    can_practise: bool = False


class DailyDay(msgspec.Struct, frozen=True):
    """The daily tables of a day."""

    day: str  # YYYY-MM-DD, in UTC
    now: float  # server time
    begins_at: float  # from then on tries can begin
    ends_at: float  # until then
    opens_at: float  # when the seeds are published; tries that end later are not compared
    previous: str | None  # the day before, if it has any
    next: str | None  # the day after, if its commitments are published
    streak: int  # days in a row with a finished try
    games: list[DailyGame]


class DailyPast(msgspec.Struct, frozen=True):
    """A finished try of the person asking."""

    day: str
    game: str
    title: str
    table: str
    rank: int | None
    points: int | None
