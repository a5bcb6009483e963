"""A review as one HTML page, and the curve of the seats' chances as an SVG picture."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence

from tablee.review.report import UNIT, Grade, Review
from tablee.review.wording import ReviewedLine, Wording

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2rem }
table { border-collapse: collapse; margin: .5rem 0 } th, td { padding: .3rem .8rem; border-bottom: 1px solid #ddd }
td { font-variant-numeric: tabular-nums; white-space: nowrap } th { text-align: left }
.wide { overflow-x: auto } svg { width: 100%; height: auto } li { margin: .3rem 0 }
summary { padding: .3rem 0; cursor: pointer }
"""
# Okabe and Ito's colours, which colour-blind people can tell apart, and dashes for those who see none
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#444444", "#8a6d3b")
DASHES = ("", "7 3", "2 3", "9 3 2 3", "", "7 3", "2 3", "9 3 2 3")
WIDTH, HEIGHT = 960, 320
LEFT, RIGHT, TOP, BOTTOM = 48, 16, 40, 32  # margins
GUIDES = (0, 25, 50, 75, 100)  # percent


def render_page(wording: Wording) -> str:
    """Return the review as one page without any other file."""
    title = html.escape(wording.title)
    body = "\n".join(_sections(wording))
    return (
        f'<!doctype html>\n<html lang="{wording.language}">\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n<h1>{title}</h1>\n{body}\n</html>\n"
    )


def _sections(wording: Wording) -> Iterator[str]:
    say = wording.words.say
    yield f"<p>{html.escape(say('review.measure'))}</p>"
    yield render_curve(wording)
    yield _table(wording.headings, wording.seat_rows())
    yield f"<p>{html.escape(say('review.adds_up'))}</p>"
    yield from _list(say("review.mistakes_title"), wording.largest_mistakes(), say("review.no_mistakes"))
    for title, lines in wording.mistakes_by_round():
        yield f"<details><summary>{html.escape(title)}</summary>{_items(lines)}</details>"
    yield from _list(say("review.moments_title"), list(wording.moments()), say("review.no_moments"))
    yield f"<h2>{html.escape(say('review.rounds_title'))}</h2>"
    yield _table(wording.round_headings, wording.round_rows())
    yield f"<p>{html.escape(say('review.depth', depth=wording.review.depth))}</p>"


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{html.escape(heading)}</th>' for heading in headings)
    lines = ["".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in rows]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'<div class="wide" tabindex="0"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _list(title: str, lines: Sequence[ReviewedLine], empty: str) -> Iterator[str]:
    yield f"<h2>{html.escape(title)}</h2>"
    yield _items(lines) if lines else f"<p>{html.escape(empty)}</p>"


def _items(lines: Sequence[ReviewedLine]) -> str:
    return "<ul>" + "".join(f"<li>{html.escape(line.text)}</li>" for line in lines) + "</ul>"


def render_curve(wording: Wording) -> str:
    """Return the curve of each seat's chances over the moves, with the mistakes as dots and the rounds as lines."""
    review = wording.review
    parts = [*_frame(review), *_legend(wording)]
    for seat in review.seats:
        values = [*(step.values[seat] for step in review.steps), review.results[seat]]
        points = " ".join(f"{_x(index, review):.1f},{_y(value):.1f}" for index, value in enumerate(values))
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{COLOURS[seat]}" stroke-width="2" '
            f'stroke-dasharray="{DASHES[seat]}"/>'
        )
    parts += _dots(review)
    label = html.escape(wording.words.say("review.curve"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}" '
        f'font-family="system-ui, sans-serif" font-size="13"><rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>'
        + "".join(parts)
        + "</svg>"
    )


def _frame(review: Review) -> Iterator[str]:
    """Yield lines for percentages, and where rounds begin."""
    for guide in GUIDES:
        y = _y(guide * UNIT // 100)
        yield f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
        yield f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end" fill="#555">{guide} %</text>'
    for number, start in enumerate(review.rounds, start=1):
        x = _x(start.step, review)
        yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" stroke="#bbb"/>'
        yield f'<text x="{x + 3:.1f}" y="{HEIGHT - BOTTOM + 16}" fill="#555">{number}</text>'


def _legend(wording: Wording) -> Iterator[str]:
    step = (WIDTH - LEFT - RIGHT) / len(wording.names)
    for seat, name in enumerate(wording.names):
        x = LEFT + seat * step
        yield (
            f'<line x1="{x:.1f}" x2="{x + 26:.1f}" y1="16" y2="16" stroke="{COLOURS[seat]}" stroke-width="3" '
            f'stroke-dasharray="{DASHES[seat]}"/><text x="{x + 32:.1f}" y="20">{html.escape(name)}</text>'
        )


def _dots(review: Review) -> Iterator[str]:
    """Yield a dot per mistake, larger for blunders."""
    for index, step in enumerate(review.steps):
        if step.grade in (Grade.MISTAKE, Grade.BLUNDER):
            radius = 5 if step.grade == Grade.BLUNDER else 3.5
            yield (
                f'<circle cx="{_x(index, review):.1f}" cy="{_y(step.values[step.seat]):.1f}" r="{radius}" '
                f'fill="{COLOURS[step.seat]}" stroke="#fff"/>'
            )


def _x(index: int, review: Review) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * index / max(1, len(review.steps))


def _y(value: int) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / UNIT)
