"""Answers of REST about reviews, hints and hidden pieces."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec


class PossibleFace(msgspec.Struct, frozen=True):
    """What can be on a hidden piece, or among the hidden pieces of a zone."""

    face: str
    colour: str | None
    label: str  # in words
    percent: float
    error: float  # standard error of `percent`; 0 if it was counted


class BeliefShown(msgspec.Struct, frozen=True):
    """What a hidden piece or a zone can be, the likeliest first."""

    id: str
    label: str
    possible: list[PossibleFace]


class BeliefsShown(msgspec.Struct, frozen=True):
    """What is hidden from a seat could be this, by what the seat knows."""

    worlds: int  # that were imagined; 0 if everything was counted
    exact: bool  # whether everything was counted
    pieces: list[BeliefShown]
    zones: list[BeliefShown]


ReviewState: TypeAlias = Literal["none", "waiting", "running", "failed", "done"]


class AdvisedMove(msgspec.Struct, frozen=True):
    """A move that the coach speaks of."""

    move: str  # text of a choice
    label: str  # as its button says
    targets: tuple[str, ...] = ()  # ids of what is selected to play it
    text: str = ""  # a warning, of a blunder


class HintShown(msgspec.Struct, frozen=True):
    """What the coach says about the move to choose now, in three steps, from what the seat knows alone."""

    number: int  # of the table that it is about
    worlds: int  # imagined, in which moves were compared
    look: str  # first step: what to look at
    points: tuple[str, ...]  # ids of the zones to look at
    good: tuple[AdvisedMove, ...]  # second step: the good moves, the best first
    marks: tuple[str, ...]  # ids of what they are made with; of the best alone, if they take several pieces each
    why: str  # third step: why the first of them is good
    blunders: tuple[AdvisedMove, ...] = ()  # moves that cost much, each with a warning


class SeatChances(msgspec.Struct, frozen=True):
    """What a player could expect before each move, and in the end, by what they knew."""

    name: str
    chances: list[int]  # percent


class ReviewTable(msgspec.Struct, frozen=True):
    """A table in words."""

    headings: list[str]
    rows: list[list[str]]


class ReviewLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that a review says about a move."""

    number: int  # of the move, from 1; 0: the first deal
    text: str
    seat: int | None = None  # who made a mistake
    grade: str = ""  # of a mistake: inaccuracy, mistake or blunder
    better: str = ""  # the better move, as its button says
    better_move: str = ""  # the text of the better move
    loss: float = 0.0  # of a mistake, in percentage points


class ShownReview(msgspec.Struct, frozen=True):
    """A review in words."""

    title: str
    chances: list[SeatChances]
    round_starts: list[int]  # moves before each round
    seats: ReviewTable
    rounds: ReviewTable
    mistakes: list[ReviewLine]
    moments: list[ReviewLine]  # of luck
    notes: list[str]


class ReviewShown(msgspec.Struct, frozen=True, omit_defaults=True):
    """The review of a finished game, or how far it is."""

    state: ReviewState
    done: int = 0  # positions
    all: int = 0
    review: ShownReview | None = None
