"""Advice in words: a hint in three steps, for the seat that is to move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tablee.core.game import Game
from tablee.core.view import Choice, View
from tablee.core.words import common
from tablee.review.advice import Advice, JudgedMove, MoveCounts

MAX_GOOD = 3  # moves named as good
MIN_POINTS = 0.5  # difference of the points in a round that is worth saying


@dataclass(frozen=True)
class HintMove:
    """A move that a hint speaks of."""

    move: str  # its text
    label: str
    targets: tuple[str, ...]
    text: str = ""  # a warning, of a blunder

    @classmethod
    def of(cls, choice: Choice, text: str = "") -> HintMove:
        """Return the move of a choice."""
        return cls(choice.text, choice.label, choice.targets, text)


@dataclass(frozen=True)
class Hint:
    """What the coach says about a decision."""

    worlds: int
    look: str  # what to look at
    points: tuple[str, ...]  # ids of that
    good: tuple[HintMove, ...]  # the good moves, the best first
    marks: tuple[str, ...]  # ids of what they are made with; of the best alone, if they take several pieces each
    why: str
    blunders: tuple[HintMove, ...]  # moves that cost much, each with a warning


def tell_hint(advice: Advice, view: View, game: Game, language: str) -> Hint:
    """Put advice into words; `view` is that of the seat which is to move."""
    return HintWording(advice, view, game, language).hint()


class HintWording:
    """Says what advice means, in one language."""

    def __init__(self, advice: Advice, view: View, game: Game, language: str) -> None:
        self.advice = advice
        self.view = view
        self.words = common(language)
        self._game_words = game.words(language)
        self._fewest_points_win = game.fewest_points_win
        self._choices = {choice.move: choice for choice in view.choices}

    def hint(self) -> Hint:
        """Return the hint."""
        good = self._chosen(self.advice.good)[:MAX_GOOD]
        zones = self._zones(good)
        return Hint(
            worlds=self.advice.worlds,
            look=" ".join([self._look([label for _, label in zones]), self._how_many()]),
            points=tuple(identity for identity, _ in zones),
            good=tuple(HintMove.of(choice) for choice in good),
            marks=_marks(good),
            why=" ".join(self._why()),
            blunders=tuple(self._warnings()),
        )

    def _chosen(self, moves: Sequence[JudgedMove]) -> list[Choice]:
        return [self._choices[each.move] for each in moves if each.move in self._choices]

    # What to look at

    def _zones(self, good: Sequence[Choice]) -> list[tuple[str, str]]:
        """Return id and label of the zones in which something is selected to play the good moves."""
        targets = {target for choice in good for target in choice.targets}
        return [
            (zone.id, zone.label)
            for zone in self.view.zones
            if zone.id in targets or any(piece.id in targets for piece in zone.pieces)
        ]

    def _look(self, zones: Sequence[str]) -> str:
        return self.words.say("hint.look", zones="; ".join(zones)) if zones else self.words.say("hint.look_moves")

    def _how_many(self) -> str:
        good, moves = len(self.advice.good), len(self.advice.moves)
        if moves == 1:
            return self.words.say("hint.only")
        if 2 * good > moves:
            return self.words.say("hint.most_good")
        return self.words.say("hint.stands_out", n=good, moves=moves)

    # Why

    def _why(self) -> Iterator[str]:
        """Yield sentences: what the game says of the best move, its chances, and its points."""
        best, other = self.advice.best_counts, self.advice.other_counts
        if best is None or other is None or self.advice.other is None:
            yield self.words.say("hint.why_only")
            return
        yield from self._facts(best)
        is_clear = best.chances - other.chances > self.advice.error
        if not is_clear or percent(best.chances) == percent(other.chances):
            yield self.words.say("hint.why_alike", worlds=self.advice.worlds, chances=percent(best.chances))
            return
        name = self._choices[self.advice.other].label
        yield self.words.say(
            "hint.why",
            n=percent(self.advice.as_good / self.advice.worlds),
            other=name,
            chances=percent(best.chances),
            other_chances=percent(other.chances),
        )
        if abs(best.points - other.points) >= MIN_POINTS:
            points, other_points = self._number(best.points), self._number(other.points)
            key = "hint.costs" if self._fewest_points_win else "hint.points"
            yield self.words.say(key, points=points, other=name, other_points=other_points)

    def _facts(self, counts: MoveCounts) -> Iterator[str]:
        """Yield the first fact that the game tells of the best move."""
        for fact, worlds in counts.facts.items():
            yield self._game_words.say(f"hints.{fact}", n=percent(worlds / self.advice.worlds))
            return

    def _number(self, value: float) -> str:
        return f"{value:z.1f}".replace("-", "−").replace(".", self.words.say("review.decimal_point"))

    # Blunders

    def _warnings(self) -> Iterator[HintMove]:
        better = self._choices[self.advice.moves[0].move].label
        for judged in self.advice.blunders:
            if judged.move in self._choices:
                loss = percent(-judged.gain)
                text = self.words.say("hint.blunder", loss=loss, better=better)
                yield HintMove.of(self._choices[judged.move], text)


def _marks(good: Sequence[Choice]) -> tuple[str, ...]:
    marked = good if all(len(choice.targets) <= 1 for choice in good) else good[:1]
    return tuple(dict.fromkeys(target for choice in marked for target in choice.targets))


def percent(value: float) -> int:
    """Return a share as a whole percentage."""
    return round(100 * value)
