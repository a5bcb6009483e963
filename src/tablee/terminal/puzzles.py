"""Puzzles in plain lines: the position, one answer, and why it is right or wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tablee.core.game import Game
from tablee.core.match import Match
from tablee.core.puzzles import Puzzle, PuzzleFile
from tablee.core.view import Choice, View
from tablee.core.words import common
from tablee.review.puzzle_ratings import Attempt, SolverRating
from tablee.review.puzzle_words import PuzzleWording
from tablee.terminal.input import are_numbered, nearest_texts, numbered, parse_command, shown_text, typed_choice
from tablee.terminal.text import score_line, view_lines

Read = Callable[[], str]  # raises EOFError at the end of input
Write = Callable[[str], None]


@dataclass(frozen=True)
class PosedPuzzle:
    """A puzzle that is being solved: its position, drawn for its player."""

    puzzle: Puzzle
    match: Match
    view: View


class PuzzleSession:
    """Sets the puzzles of a game one after another, until the player leaves or the input ends."""

    def __init__(self, game: Game, found: PuzzleFile, language: str, read: Read, write: Write) -> None:
        self.game = game
        self.found = found
        self.language = language
        self.words = common(language)
        self.solver = SolverRating()
        self._read = read
        self._write = write

    def run(self, first: int = 1) -> SolverRating:
        """Set puzzles from number `first` on; return how well they were solved."""
        self._say("puzzles.how")
        for number, puzzle in enumerate(self.found.puzzles[first - 1 :], start=first):
            match = puzzle.position(self.game)
            posed = PosedPuzzle(puzzle, match, match.view(match.to_move, self.language))
            self._show(posed, number)
            if not self._ask(posed):
                break
        self._write(self._standing())
        return self.solver

    def _say(self, key: str, **parameters: object) -> None:
        self._write(self.words.say(key, **parameters))

    def _show(self, posed: PosedPuzzle, number: int) -> None:
        self._write("")
        name = posed.match.names(self.language)[posed.match.to_move]
        of, rating = len(self.found.puzzles), posed.puzzle.rating
        self._say("puzzles.heading", number=number, of=of, rating=rating, name=name)
        for line in view_lines(posed.view, self.language):
            self._write(line)
        self._write(score_line(posed.view.scores, posed.match.names(self.language), self.language))
        self._write(posed.view.prompt)
        self._list(posed.view)

    def _list(self, view: View) -> None:
        self._say("play.choices")
        has_numbers = are_numbered(view.choices)
        for number, choice in enumerate(view.choices, start=1):
            index = f"{number}. " if has_numbers else ""
            self._write(f"  {index}{shown_text(choice)}{self.words.say('colon')} {choice.label}")

    def _ask(self, posed: PosedPuzzle) -> bool:
        """Read until there is an answer, or the player wants the next puzzle; return False to leave."""
        choices = posed.view.choices
        while True:
            try:
                text = self._read().strip()
            except EOFError:
                self._write("")
                return False
            command = parse_command(text, choices, self.words)
            if command is not None and command.name == "quit":
                return False
            if not text:
                return True
            if command is not None and command.name == "help":
                self._list(posed.view)
                self._say("puzzles.how")
                continue
            chosen = numbered(text, choices, self.words) or typed_choice(text, choices)
            if isinstance(chosen, Choice):
                self._judge(posed, chosen)
                return True
            nearest = ", ".join(nearest_texts(text, choices))
            self._write(chosen or self.words.say("puzzles.no_move", text=text, moves=nearest))

    def _judge(self, posed: PosedPuzzle, choice: Choice) -> None:
        puzzle = posed.puzzle
        wording = PuzzleWording(puzzle, posed.match, self.found.source.worlds, self.language)
        self.solver = self.solver.after(Attempt(puzzle.rating, choice.text == puzzle.solution))
        self._write(wording.verdict(choice.text))
        for reason in wording.reasons(choice.text):
            self._write(f"  {reason}")
        self._write(self._standing())

    def _standing(self) -> str:
        solver = self.solver
        return self.words.say("puzzles.standing", solved=solver.solved, tried=solver.tried, streak=solver.streak)
