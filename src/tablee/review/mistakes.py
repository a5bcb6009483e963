"""Mistakes by kind: which kinds of moves a player often makes where another would have been better."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tablee.core.game import Game
from tablee.core.move_words import kind_of_move
from tablee.review.report import Grade, Review


@dataclass(frozen=True)
class MistakeCount:
    """How often moves of one kind were mistakes where a move of another kind, or of the same, was better."""

    kind: str  # of the move that was played (`move_kind` of the game's module `moves`)
    better: str  # kind of the better move
    count: int
    loss: int  # in all, in millionths of a share


def count_mistakes(review: Review, game: Game, seat: int) -> list[MistakeCount]:
    """Return the mistakes of a seat by kind, inaccuracies included, those that cost most first."""
    return sum_mistakes(
        MistakeCount(kind_of_move(game, step.move), kind_of_move(game, step.better), 1, step.loss)
        for step in review.choices(seat)
        if step.better is not None and step.grade != Grade.GOOD
    )


def sum_mistakes(counts: Iterable[MistakeCount]) -> list[MistakeCount]:
    """Add up counts of the same kinds; those that cost most come first."""
    sums: dict[tuple[str, str], MistakeCount] = {}
    for each in counts:
        key = (each.kind, each.better)
        before = sums.get(key, MistakeCount(*key, 0, 0))
        sums[key] = MistakeCount(*key, before.count + each.count, before.loss + each.loss)
    return sorted(sums.values(), key=lambda each: (-each.loss, each.kind, each.better))
