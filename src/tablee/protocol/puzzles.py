"""Bodies and answers of REST about puzzles."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from tablee.core.view import View
from tablee.protocol.messages import MAX_TARGETS, MoveText, Word
from tablee.protocol.shown import SeatShown


class NewAttempt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Body of `POST /api/games/{game}/puzzles/{id}/attempts`."""

    move: MoveText  # the text of the move that you think is best


class PuzzleQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Body of `POST /api/games/{game}/puzzles/{id}/explanation`."""

    targets: Annotated[list[Word], Meta(max_length=MAX_TARGETS)] = []  # ids touched, in order
    move: MoveText = ""  # or the text of a move


class SolverShown(msgspec.Struct, frozen=True):
    """How well a person solves the puzzles of a game."""

    rating: int
    margin: int  # half the width of the 95 % interval
    tried: int
    solved: int
    streak: int  # solved in a row
    best_streak: int


class PuzzlesShown(msgspec.Struct, frozen=True):
    """The puzzles of a game."""

    game: str
    title: str
    count: int
    you: SolverShown | None = None  # None without a name


class PuzzleShown(msgspec.Struct, frozen=True):
    """A puzzle, by what its player knows: no more than the position."""

    id: str
    number: int  # among the game's puzzles, from 1: the easiest first
    count: int
    rating: int
    view: View
    seats: list[SeatShown]
    is_tried: bool = False  # you have answered it before, so that it does not count again
    you: SolverShown | None = None


class ComparedMove(msgspec.Struct, frozen=True):
    """What a move of a puzzle is worth."""

    move: str
    label: str
    percent: float  # share of the others that its player can expect to finish ahead of
    is_best: bool = False
    is_yours: bool = False


class AttemptShown(msgspec.Struct, frozen=True):
    """Whether a move solves a puzzle, and why."""

    is_solved: bool
    verdict: str  # in words
    reasons: list[str]
    moves: list[ComparedMove]  # best first
    worlds: int  # over which the values are means
    is_counted: bool = False  # it changes your rating
    you: SolverShown | None = None
