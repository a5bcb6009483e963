"""Results of daily tables in words, for pictures and for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from tablee.core.words import Words
from tablee.protocol.daily import DailyGame


def result_lines(shown: DailyGame, streak: int, words: Words) -> Iterator[str]:
    """Yield the result in short sentences."""
    result = shown.result
    assert result is not None
    if result.is_late:
        yield words.say("daily.late")
    elif result.rank is None:
        yield words.say("daily.given_up")
    else:
        yield words.say("daily.rank", rank=result.rank, seats=len(shown.bots) + 1)
    if result.beaten is not None:
        yield words.say("daily.beaten", percent=round(result.beaten), n=shown.players - 1)
    if streak > 1:
        yield words.say("daily.streak", n=streak)
