"""The log of a run, and its curves as a picture."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PANELS = {  # figure: label of its axis
    "lead": "reward per round ahead\nof earlier networks",
    "greedy_lead": "reward per round ahead\nof greedy",
    "entropy": "entropy of the policy",
    "explained": "share of the variance\nthat values explain",
}
SMOOTHED = 16  # iterations


def read_log(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a run's log; after a resumed run, what was played again counts once."""
    lines: dict[tuple[int, int], dict[str, Any]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        figures = json.loads(line)
        lines[figures["generation"], figures["iteration"]] = figures
    return [lines[key] for key in sorted(lines)]


def draw_curves(log: Sequence[dict[str, Any]], title: str, path: Path) -> None:
    """Draw the figures of a run over the moves played; each point is the mean of the iterations just before."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(len(PANELS), 1, figsize=(7, 9), sharex=True, layout="constrained")
    for axis, (name, label) in zip(axes, PANELS.items(), strict=True):
        points = [(line["moves"] / 1e6, line[name]) for line in log if line.get(name) is not None]
        axis.plot([moves for moves, _ in points], smoothed([value for _, value in points]))
        axis.set_ylabel(label)
        axis.grid(alpha=0.3)
    axes[0].set_title(title)
    axes[-1].set_xlabel("million moves played")
    figure.savefig(path)
    pyplot.close(figure)


def smoothed(values: Sequence[float]) -> list[float]:
    """Return the mean of each value and up to SMOOTHED - 1 before it."""
    windows = (values[max(0, index - SMOOTHED + 1) : index + 1] for index in range(len(values)))
    return [sum(window) / len(window) for window in windows]
