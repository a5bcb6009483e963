"""A puzzle in words: whether a move is the best one, and why, from facts that were counted."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from tablee.bots.roster import bot_label
from tablee.core.match import Match
from tablee.core.puzzles import PERMILLE, MoveValue, Puzzle
from tablee.core.words import common


class PuzzleWording:
    """Says what is known about a puzzle, in one language; `match` is at its position."""

    def __init__(self, puzzle: Puzzle, match: Match, worlds: int, language: str) -> None:
        self.puzzle = puzzle
        self.match = match
        self.worlds = worlds
        self.language = language
        self.words = common(language)

    @cached_property
    def labels(self) -> dict[str, str]:
        """What each move is called, by its text."""
        choices = self.match.view(self.match.to_move, self.language).choices
        return {choice.text: choice.label for choice in choices}

    def label(self, move: str) -> str:
        """Return what a move is called."""
        return self.labels.get(move, move)

    def verdict(self, move: str) -> str:
        """Say whether a move solves the puzzle, and which one does."""
        best = self.label(self.puzzle.solution)
        if move == self.puzzle.solution:
            return self.words.say("puzzles.right", best=best)
        return self.words.say("puzzles.wrong", best=best, move=self.label(move))

    def reasons(self, move: str) -> Iterator[str]:
        """Yield what the best move is worth, and the move that was tried or else the second best beside it."""
        tried = self.puzzle.value_of(move)
        other = tried if tried and move != self.puzzle.solution else self.puzzle.values[1]
        yield self._chances(other)
        yield self._deals(other)
        greedy = bot_label("greedy", self.words)
        key = "puzzles.greedy_too" if move == self.puzzle.greedy else "puzzles.greedy"
        yield self.words.say(key, bot=greedy, move=self.label(self.puzzle.greedy))
        yield self.words.say("puzzles.level", bot=bot_label(self.puzzle.level, self.words))

    def _chances(self, other: MoveValue) -> str:
        best = self.puzzle.values[0]
        return self.words.say(
            "puzzles.wins" if self.puzzle.seats == 2 else "puzzles.chances",
            worlds=self.worlds,
            best=self.label(best.move),
            best_share=self.percent(best.share),
            other=self.label(other.move),
            share=self.percent(other.share),
        )

    def _deals(self, other: MoveValue) -> str:
        better, worse = round(100 * other.worse / PERMILLE), round(100 * other.better / PERMILLE)
        return self.words.say("puzzles.deals", better=better, worse=worse)

    def percent(self, share: int) -> str:
        """Return a share, in thousandths, as a percentage."""
        text = f"{100 * share / PERMILLE:.1f}".replace(".", self.words.say("review.decimal_point"))
        return f"{text}\u00a0%"
