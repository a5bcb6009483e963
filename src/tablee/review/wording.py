"""A review in words: what a person reads in the terminal, on a page and in a picture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from tablee.core.match import Match
from tablee.core.words import common
from tablee.review.report import UNIT, Balance, Grade, Review, ReviewedMove

LARGEST = 5  # mistakes that are told first, if there are more
MOMENTS = 3  # lucky ones that are told, and as many unlucky ones
NOTABLE_LUCK = 30_000  # millionths of a share: smaller changes are within the error of the values


def percent(value: int) -> str:
    """Return a share, in millionths, as a percentage."""
    return f"{100 * value / UNIT:.0f} %"


@dataclass(frozen=True)
class Told:
    """A move in words, as its player saw it."""

    number: int  # from 1
    player: str
    played: str
    better: str = ""  # the move that was better, as its button says; empty if there was none
    better_text: str = ""  # the text of that move


class ReviewedLine(NamedTuple):
    """Something to say about a move."""

    number: int  # of the move, from 1; 0: the deal before it
    text: str


class RoundOfMistakes(NamedTuple):
    """The mistakes of a round, in the order of the game."""

    title: str
    lines: list[ReviewedLine]


class Wording:
    """Says what a review found, in one language."""

    def __init__(self, review: Review, match: Match, language: str) -> None:
        self.review = review
        self.match = match
        self.language = language
        self.words = common(language)
        self.names = match.names(language)

    @property
    def title(self) -> str:
        """The heading."""
        game = self.match.game.words(self.language).say("title")
        return self.words.say("review.heading", title=game, players=", ".join(self.names))

    @property
    def headings(self) -> list[str]:
        """The headings of `seat_rows`."""
        keys = ("player", "accuracy", "expected", "decisions", "others", "luck", "result", "mistakes")
        return [self.words.say(f"review.{key}") for key in keys]

    def seat_rows(self) -> list[list[str]]:
        """Return a row per seat: its accuracy, where its result came from, and its mistakes by grade."""
        start = self.review.rounds[0].expected
        return [
            [
                self.names[seat],
                self._accuracy(seat),
                percent(start[seat]),
                *self._terms(self.review.balance(seat)),
                percent(self.review.results[seat]),
                " / ".join(str(count) for count in self._grades(seat)),
            ]
            for seat in self.review.seats
        ]

    def signed(self, value: int) -> str:
        """Return a change of a share, in millionths, in percentage points with one digit."""
        text = f"{100 * value / UNIT:+z.1f}".replace("-", "−")
        return text.replace(".", self.words.say("review.decimal_point"))

    def _terms(self, balance: Balance) -> list[str]:
        return [self.signed(balance.decisions), self.signed(balance.others), self.signed(balance.luck)]

    def _accuracy(self, seat: int) -> str:
        accuracy = self.review.accuracy(seat)
        return "–" if accuracy is None else f"{100 * accuracy:.0f} %"

    def _grades(self, seat: int) -> list[int]:
        grades = [step.grade for step in self.review.choices(seat)]
        return [grades.count(grade) for grade in (Grade.INACCURACY, Grade.MISTAKE, Grade.BLUNDER)]

    @property
    def round_headings(self) -> list[str]:
        """The headings of `round_rows`."""
        return [self.words.say(f"review.{key}") for key in ("round", "player", "decisions", "others", "luck")]

    def round_rows(self) -> list[list[str]]:
        """Return a row per round and seat."""
        return [
            [str(number), self.names[seat], *self._terms(balance)]
            for number, balances in enumerate(self.review.balances, start=1)
            for seat, balance in enumerate(balances)
        ]

    def mistakes(self, worst: int | None = None) -> Iterator[ReviewedLine]:
        """Yield a line per mistake, in the order of the game; with `worst`, only so many of the largest."""
        for index in sorted(self._mistakes_by_size[:worst]):
            yield self._mistake(index)

    def largest_mistakes(self) -> list[ReviewedLine]:
        """Return the LARGEST worst mistakes, the worst first; if there are not more, all in the order of the game."""
        if len(self._mistakes_by_size) <= LARGEST:
            return list(self.mistakes())
        return [self._mistake(index) for index in self._mistakes_by_size[:LARGEST]]

    def mistakes_by_round(self) -> list[RoundOfMistakes]:
        """Return all mistakes by round, of rounds that have any; nothing if `largest_mistakes` are all."""
        if len(self._mistakes_by_size) <= LARGEST:
            return []
        rounds: dict[int, list[ReviewedLine]] = {}
        for index in sorted(self._mistakes_by_size):
            rounds.setdefault(self.review.steps[index].round, []).append(self._mistake(index))
        return [
            RoundOfMistakes(self.words.say("review.mistakes_of_round", round=number + 1, n=len(lines)), lines)
            for number, lines in rounds.items()
        ]

    @cached_property
    def _mistakes_by_size(self) -> list[int]:
        """The indices of all mistakes, the largest first."""
        found = [index for index, step in enumerate(self.review.steps) if step.grade != Grade.GOOD]
        return sorted(found, key=lambda index: -self.review.steps[index].loss)

    def _mistake(self, index: int) -> ReviewedLine:
        step, told = self.review.steps[index], self.told[index]
        text = self.words.say(
            f"review.{step.grade}",
            number=told.number,
            player=told.player,
            played=told.played,
            better=told.better,
            loss=self.signed(-step.loss),
        )
        return ReviewedLine(told.number, text)

    def moments(self) -> Iterator[ReviewedLine]:
        """Yield the luckiest and the unluckiest moments, each with the seat that it mattered most to."""
        changes = [
            (self.review.luck(index, seat), index, seat)
            for index in range(len(self.review.steps))
            for seat in self.review.seats
        ]
        changes += [
            (self.review.deal_luck(number, seat), self.review.rounds[number].step - 1, seat)
            for number in range(len(self.review.rounds))
            for seat in self.review.seats
        ]
        lucky = sorted(changes, reverse=True)[:MOMENTS]
        unlucky = sorted(changes)[:MOMENTS]
        for change, index, seat in [*lucky, *unlucky]:
            if abs(change) >= NOTABLE_LUCK:
                key = "lucky" if change > 0 else "unlucky"
                after = self.told[index].played if index >= 0 else self.words.say("review.deal")
                name, amount = self.names[seat], self.signed(change)
                text = self.words.say(f"review.{key}", number=index + 1, player=name, change=amount, after=after)
                yield ReviewedLine(index + 1, text)

    @cached_property
    def told(self) -> list[Told]:
        """Every move in words."""
        again = Match.from_state(self.match.game, self.match.first_state, self.match.players)
        return [self._tell(again, number, step) for number, step in enumerate(self.review.steps, start=1)]

    def _tell(self, match: Match, number: int, step: ReviewedMove) -> Told:
        """Tell a move and play it."""
        better = better_text = ""
        if step.better is not None:
            choices = match.view(step.seat, self.language).choices
            better = next(choice.label for choice in choices if choice.move == step.better)
            better_text = match.text(step.better)
        match.push(step.move)
        played = " ".join(event.text for event in match.events(step.seat, self.language))
        return Told(number, self.names[step.seat], played, better, better_text)
