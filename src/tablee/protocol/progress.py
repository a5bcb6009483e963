"""Answers of REST about a person's progress in a game."""

from __future__ import annotations

import msgspec


class ProgressPoint(msgspec.Struct, frozen=True):
    """What the review of a game says about a person; shares are percentages of the others, as in a review."""

    table: str
    at: float
    accuracy: float | None  # percent; None: there was no choice
    result: float  # share of the others that the person finished ahead of
    decisions: float  # what their own moves lost, never positive
    luck: float


class MistakeKind(msgspec.Struct, frozen=True):
    """How often moves of one kind were mistakes, and what was better."""

    played: str  # in words; empty if the game does not name kinds of moves
    better: str
    count: int
    loss: float  # share lost in all of these games


class BotLevel(msgspec.Struct, frozen=True):
    """How a person fares against a bot."""

    name: str
    label: str
    games: int  # comparisons: a bot in two seats counts twice
    share: float  # percent of them in which the person ended ahead, a tie counting half
    low: float  # 95 % interval
    high: float


class UnreviewedGame(msgspec.Struct, frozen=True):
    """A finished game that can be reviewed."""

    table: str
    at: float


class GameProgress(msgspec.Struct, frozen=True):
    """A person's progress in a game, as far as their games are reviewed."""

    game: str
    title: str
    points: list[ProgressPoint]  # oldest first, the last 100
    mistakes: list[MistakeKind]  # of these games, those that cost most first
    levels: list[BotLevel]  # weakest first
    next_bot: str  # to play against next
    advice: str  # the same in words
    unreviewed: list[UnreviewedGame]  # newest first, at most 10
