"""The report of benchmarks/review.py: tables in Markdown, and the reliability curves as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from journals import read
from tablee.bots.roster import NAMES
from tablee.core.registry import find_game
from tablee.review.report import UNIT

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "review.md"
PICTURE = ROOT / "docs" / "pictures" / "calibration.png"
BEGIN, END = "<!-- benchmarks/review.py -->", "<!-- end -->"
GROUPS = 10
NORMAL_95 = 1.96

Line: TypeAlias = dict[str, Any]
Numbers: TypeAlias = NDArray[np.float64]


def report(folder: Path, names: Sequence[str], write: bool) -> None:
    """Print the tables of a folder; with `write`, also put them into the documentation and draw the picture."""
    reviews = {name: lines for name in names if (lines := list(read(folder / f"reviews-{name}.jsonl")))}
    chances = {name: lines for name in names if (lines := list(read(folder / f"chances-{name}.jsonl")))}
    text = "\n\n".join("\n".join(table) for table in (sums(reviews), losses(reviews), luck(reviews), curves(chances)))
    print(text)
    if write:
        page = PAGE.read_text(encoding="utf-8")
        before, rest = page.split(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.split(END, 1)[1]}", encoding="utf-8")
        draw({name: calibration(lines) for name, lines in chances.items()})


def title(name: str) -> str:
    """Return what people call a game."""
    return str(find_game(name).words("en").say("title"))


# Sums and luck


def sums(reviews: dict[str, list[Line]]) -> Iterator[str]:
    """Yield a table: whether sums are exact, and the mean luck of each seat in percentage points."""
    yield "| game | games | sums that are off | mean luck by seat ± 2 standard errors |"
    yield "|---|---:|---:|---|"
    for name, lines in reviews.items():
        wrong = sum(any(line["rests"]) for line in lines)
        luck = np.array([line["luck"] for line in lines]) / UNIT
        seats = ", ".join(_plus_minus(luck[:, seat], 2.0) for seat in range(luck.shape[1]))
        yield f"| {title(name)} | {len(lines)} | {wrong} | {seats} |"


def _plus_minus(values: Numbers, errors: float) -> str:
    """Return a mean with so many standard errors, in percentage points."""
    error = errors * values.std(ddof=1) / np.sqrt(len(values))
    return f"{100 * values.mean():+.1f} ± {100 * error:.1f}"


# Losses


def losses(reviews: dict[str, list[Line]]) -> Iterator[str]:
    """Yield a table: the mean loss per decision of each bot in percentage points, with 95 % intervals."""
    yield f"| game | {' | '.join(NAMES)} | intervals apart |"
    yield f"|---|{'---|' * len(NAMES)}---|"
    for name, lines in reviews.items():
        found = {bot: loss_interval(lines, bot) for bot in NAMES}
        cells = " | ".join(f"{100 * mean:.2f} ± {100 * margin:.2f}" for mean, margin in found.values())
        yield f"| {title(name)} | {cells} | {_apart(found)} |"


def loss_interval(lines: Sequence[Line], bot: str) -> tuple[float, float]:
    """Return a bot's mean loss per decision and half of its 95 % interval: a ratio of sums over games."""
    seats = [(line, line["bots"].index(bot)) for line in lines if bot in line["bots"]]
    lost = np.array([line["losses"][seat] for line, seat in seats]) / UNIT
    choices = np.array([line["choices"][seat] for line, seat in seats], np.float64)
    mean = lost.sum() / choices.sum()
    residuals = lost - mean * choices
    error = np.sqrt((residuals**2).sum() * len(seats) / (len(seats) - 1)) / choices.sum()
    return float(mean), float(NORMAL_95 * error)


def _apart(found: dict[str, tuple[float, float]]) -> str:
    """Return which neighbours of the roster have intervals that do not meet: the one that loses more before `>`."""
    signs = []
    for weak, strong in pairwise(NAMES):
        (first, first_margin), (second, second_margin) = found[weak], found[strong]
        is_apart = abs(first - second) > first_margin + second_margin
        signs.append("≈" if not is_apart else ">" if first > second else "<")
    return " ".join(part for pair in zip(NAMES, [*signs, ""], strict=True) for part in pair if part)


def luck(reviews: dict[str, list[Line]]) -> Iterator[str]:
    """Yield a table: the mean luck of each bot in percentage points, which is not 0 where small losses are not seen."""
    yield f"| game | {' | '.join(NAMES)} |"
    yield f"|---|{'---|' * len(NAMES)}"
    for name, lines in reviews.items():
        found = [
            np.array([line["luck"][line["bots"].index(bot)] for line in lines if bot in line["bots"]]) / UNIT
            for bot in NAMES
        ]
        yield f"| {title(name)} | {' | '.join(_plus_minus(values, 2.0) for values in found)} |"


# Chances


def calibration(lines: Sequence[Line]) -> Numbers:
    """Return (GROUPS, 4): positions, mean chances given, mean shares got, and two standard errors of those."""
    by_game = np.zeros((len(lines), GROUPS, 3))
    for number, line in enumerate(lines):
        given = np.array(line["given"])
        got = np.broadcast_to(line["got"], given.shape)
        groups = np.minimum(GROUPS - 1, (given * GROUPS).astype(int))
        for group, one, other in zip(groups.flat, given.flat, got.flat, strict=True):
            by_game[number, group] += (1, one, other)
    totals = by_game.sum(axis=0)
    counts = np.maximum(totals[:, 0], 1)
    mean_given, mean_got = totals[:, 1] / counts, totals[:, 2] / counts
    residuals = by_game[:, :, 2] - by_game[:, :, 0] * mean_got
    errors = 2 * np.sqrt((residuals**2).sum(axis=0)) / counts
    return np.stack([totals[:, 0], mean_given, mean_got, errors], axis=1)


def deviation(curve: Numbers) -> float:
    """Return the mean absolute difference between what was given and got, weighted by positions."""
    return float(np.average(abs(curve[:, 1] - curve[:, 2]), weights=curve[:, 0]))


def curves(chances: dict[str, list[Line]]) -> Iterator[str]:
    """Yield a table: what was got by what was given, and the mean deviation, in percent."""
    groups = " | ".join(f"{100 * group // GROUPS}–{100 * (group + 1) // GROUPS} %" for group in range(GROUPS))
    yield f"| game | games | {groups} | mean deviation | by bot |"
    yield f"|---|---:|{'---:|' * GROUPS}---:|---|"
    for name, lines in chances.items():
        curve = calibration(lines)
        cells = " | ".join(f"{100 * got:.0f} ({100 * given:.0f})" if count else "" for count, given, got, _ in curve)
        bots = [(bot, [line for line in lines if line["bot"] == bot]) for bot in NAMES]
        each = ", ".join(f"{bot} {100 * deviation(calibration(some)):.1f}" for bot, some in bots if some)
        yield f"| {title(name)} | {len(lines)} | {cells} | {100 * deviation(curve):.1f} | {each} |"


def draw(curves: dict[str, Numbers]) -> None:
    """Draw the reliability curves."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(2.9 * len(curves), 3.2), layout="constrained")
    for index, (name, curve) in enumerate(curves.items(), start=1):
        axes = figure.add_subplot(1, len(curves), index)
        axes.plot([0, 100], [0, 100], color="#999999", linewidth=1)
        shown = 100 * curve[curve[:, 0] > 0, 1:]
        axes.errorbar(shown[:, 0], shown[:, 1], shown[:, 2], fmt="o-", markersize=4, color="#0072b2")
        axes.set_title(f"{title(name)}: {100 * deviation(curve):.1f} points off", fontsize=10)
        axes.set_xlabel("others to be beaten, given, %")
        axes.set_ylabel("beaten in the end, %" if index == 1 else "")
        axes.set_aspect("equal")
    figure.savefig(PICTURE, dpi=80)
