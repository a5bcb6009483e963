"""The review of a game that is replayed on the screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from tablee.core.match import Match
from tablee.review.process import review_in_process
from tablee.review.report import Review
from tablee.review.wording import Wording


@dataclass(frozen=True)
class Mistake:
    """A mistake, and where to look at it."""

    index: int  # moves played before it
    seat: int
    text: str


class ReviewedReplay:
    """A review in words, and its mistakes in order."""

    def __init__(self, review: Review, match: Match, language: str) -> None:
        self._wording = Wording(review, match, language)
        self._mistakes = [
            Mistake(line.number - 1, review.steps[line.number - 1].seat, line.text) for line in self._wording.mistakes()
        ]

    @classmethod
    async def make(cls, match: Match, language: str, progress: Callable[[int, int], None]) -> ReviewedReplay | None:
        """Review a finished match in another process; None if that fails."""
        async with aclosing(review_in_process(match.record().text())) as lines:
            async for line in lines:
                if line.review is not None:
                    return cls(line.review, match, language)
                progress(line.done, line.all)
        return None

    def mistake_from(self, index: int) -> Mistake | None:
        """Return the first mistake in the position with `index` moves or later, None if there is none."""
        return next((mistake for mistake in self._mistakes if mistake.index >= index), None)

    def markdown(self) -> str:
        """Return the whole review."""
        wording, say = self._wording, self._wording.words.say
        parts = [
            f"# {wording.title}",
            _list([_labelled(wording.headings, row) for row in wording.seat_rows()]),
            say("review.measure") + " " + say("review.adds_up"),
            f"## {say('review.mistakes_title')}",
            _list([line.text for line in wording.largest_mistakes()]) or say("review.no_mistakes"),
            *(f"### {title}\n\n{_list([line.text for line in lines])}" for title, lines in wording.mistakes_by_round()),
            f"## {say('review.moments_title')}",
            _list([line.text for line in wording.moments()]) or say("review.no_moments"),
            f"## {say('review.rounds_title')}",
            _table(wording.round_headings, wording.round_rows()),
            say("review.depth", depth=wording.review.depth),
        ]
        return "\n\n".join(parts)


def _labelled(headings: Sequence[str], row: Sequence[str]) -> str:
    """Return a row in words: all its columns do not fit beside each other."""
    (_, *labels), (player, *values) = headings, row
    parts = [f"{label.lower()} {value}" for label, value in zip(labels, values, strict=True)]
    return f"**{player}**: {', '.join(parts)}"


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines)


def _list(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
