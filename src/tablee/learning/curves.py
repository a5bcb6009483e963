"""The log of a run, and its curves as a picture."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PANELS = {  # figure: label of its axis; one without points is left out
    "lead": "reward per round ahead\nof earlier networks",
    "greedy_lead": "reward per round ahead\nof greedy",
    "entropy": "entropy of the policy",
    "explained": "share of the variance\nthat values explain",
}
SMOOTHED = 16  # iterations


def read_log(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a run's log, without one that was cut off at the end."""
    *lines, _ = path.read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines]


def draw_curves(log: Sequence[dict[str, Any]], title: str, path: Path) -> None:
    """Draw the figures of a run over the moves played; each point is the mean of the iterations just before."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    points = {
        name: [(line["moves"] / 1e6, line[name]) for line in log if line.get(name) is not None] for name in PANELS
    }
    shown = [name for name in PANELS if points[name]] or list(PANELS)
    figure, rows = pyplot.subplots(
        len(shown), 1, figsize=(7, 2.25 * len(shown)), sharex=True, squeeze=False, layout="constrained"
    )
    axes = rows[:, 0]
    for axis, name in zip(axes, shown, strict=True):
        axis.plot([moves for moves, _ in points[name]], smoothed([value for _, value in points[name]]))
        axis.set_ylabel(PANELS[name])
        axis.grid(alpha=0.3)
    axes[0].set_title(title)
    axes[-1].set_xlabel("million moves played")
    figure.savefig(path)
    pyplot.close(figure)


def smoothed(values: Sequence[float]) -> list[float]:
    """Return the mean of each value and up to SMOOTHED - 1 before it."""
    windows = (values[max(0, index - SMOOTHED + 1) : index + 1] for index in range(len(values)))
    return [sum(window) / len(window) for window in windows]
