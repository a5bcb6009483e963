"""A result on the deal of a day as a picture to share: it shows nothing of the deal and no names."""

from __future__ import annotations

import html
from collections.abc import Iterator

from tablee.core.game import Game
from tablee.core.words import Words, common
from tablee.protocol.daily import DailyGame
from tablee.tables.daily_words import result_lines

WIDTH, HEIGHT = 600, 315  # the size of link previews
LEFT, BOTTOM, BAR_ROOM, BAR_TOP = 40, 270, 520, 185
PAPER, INK, QUIET, BAR, OWN_BAR = "#fbf7ef", "#2a2522", "#6b625b", "#c9bfb2", "#b3402a"


def draw_result(shown: DailyGame, day: str, game: Game, streak: int, language: str) -> str:
    """Return the picture as SVG: the result in words, and how many people finished with each rank."""
    words = common(language)
    lines = list(result_lines(shown, streak, words))
    title, heading = game.words(language).say("title"), words.say("daily.heading", day=day)
    label = html.escape(". ".join([f"{title}, {heading}", *lines]))
    parts = [_text(LEFT, 46, 28, INK, title, "bold"), _text(LEFT, 70, 16, QUIET, heading)]
    parts += [_text(LEFT, 102 + 27 * number, 19, INK, line) for number, line in enumerate(lines)]
    parts += _bars(shown, words)
    parts.append(_text(WIDTH - LEFT, HEIGHT - 12, 14, QUIET, "Tablée", anchor="end"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}" '
        f'font-family="system-ui, sans-serif"><rect width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}"/>'
        + "".join(parts)
        + "</svg>"
    )


def _bars(shown: DailyGame, words: Words) -> Iterator[str]:
    """Yield a bar per rank, that of the person in another colour, with the number of people above it."""
    result, seats = shown.result, len(shown.bots) + 1
    assert result is not None
    own = None if result.is_late else seats + 1 if result.rank is None else result.rank
    players = {each.rank: each.players for each in shown.counts}
    most, step = max([1, *players.values()]), BAR_ROOM / (seats + 1)
    for rank in range(1, seats + 2):
        x, count = LEFT + step * (rank - 1), players.get(rank, 0)
        height = (BOTTOM - BAR_TOP - 18) * count / most
        colour = OWN_BAR if rank == own else BAR
        yield (
            f'<rect x="{x:.1f}" y="{BOTTOM - height:.1f}" width="{step - 12:.1f}" height="{max(2.0, height):.1f}" '
            f'rx="3" fill="{colour}"/>'
        )
        middle = x + (step - 12) / 2
        yield _text(middle, BOTTOM - height - 6, 14, INK, str(count), anchor="middle")
        label = f"{rank}." if rank <= seats else words.say("daily.gave_up_short")
        yield _text(middle, BOTTOM + 18, 14, QUIET, label, anchor="middle")


def _text(x: float, y: float, size: int, colour: str, text: str, weight: str = "normal", anchor: str = "start") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" font-weight="{weight}" '
        f'text-anchor="{anchor}">{html.escape(text)}</text>'
    )
