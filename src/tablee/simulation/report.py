"""Results in words and as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablee.core.errors import TableeError
from tablee.core.words import common
from tablee.simulation.results import Results, Tally

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PICTURES = (".png", ".svg", ".pdf")
BARS = 40


def figure_rows(results: Results, language: str) -> list[list[str]]:
    """Return the figures of the games as a whole: name and value."""
    words = common(language)
    length = results.lengths.summary()
    spread = words.say(
        "simulate.spread",
        low=length["min"],
        first=length["quartile_1"],
        median=length["median"],
        third=length["quartile_3"],
        high=length["max"],
        mean=f"{length['mean']:.1f}",
    )
    return [
        [words.say("simulate.games"), f"{results.games:,}"],
        [words.say("simulate.moves"), f"{results.moves:,}"],
        [words.say("simulate.speed"), f"{results.moves_per_second:,.0f}"],
        [words.say("simulate.length"), spread],
    ]


def seat_rows(results: Results, language: str) -> list[list[str]]:
    """Return a row per seat: points and victories."""
    words = common(language)
    rows = []
    for seat, scores in enumerate(results.scores):
        wins = results.wins(seat)
        score = [f"{scores.mean:.2f}", f"{scores.deviation:.2f}", str(scores.quantile(0)), str(scores.quantile(1))]
        name = words.say("seat", number=seat + 1)
        rows.append([name, *score, percent(wins.share), f"{percent(wins.low)} – {percent(wins.high)}"])
    return rows


def reason_rows(results: Results, language: str) -> list[list[str]]:
    """Return why the games ended, and how many for each reason."""
    words = results.game.words(language)
    names = results.reason_names().items()
    return [[words.say(f"reasons.{name}"), f"{times:,}", percent(times / results.games)] for name, times in names]


def advantage_line(results: Results, language: str) -> str:
    """Say whether the first seat wins more often than is fair."""
    wins = results.wins(0)
    key = "simulate.fair" if wins.is_fair else "simulate.unfair"
    return common(language).say(
        key, share=percent(wins.share), fair=percent(wins.fair), advantage=percent(wins.advantage, sign="+")
    )


def percent(share: float, sign: str = "") -> str:
    """Write a share of one."""
    return f"{share:{sign}.2%}".replace("%", " %")


def draw_picture(results: Results, path: Path, language: str) -> None:
    """Draw lengths, points and victories into a file."""
    if path.suffix not in PICTURES:
        raise TableeError(f"a picture's name ends in {', '.join(PICTURES)}, not in {path.suffix!r}")
    try:
        import matplotlib
    except ImportError:
        raise TableeError("drawing needs matplotlib: pip install 'tablee[research]'") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    words = common(language)
    figure, (lengths, points, victories) = pyplot.subplots(1, 3, figsize=(15, 4.5), layout="constrained")
    title = results.game.words(language).say("title")
    figure.suptitle(words.say("simulate.heading", title=title, setup=results.setup, seed=results.seed))
    _draw_tally(lengths, results.lengths, _edges([results.lengths]))
    lengths.set(xlabel=words.say("simulate.plot_length"), ylabel=words.say("simulate.plot_games"))
    for seat, tally in enumerate(results.scores):
        _draw_tally(points, tally, _edges(results.scores), histtype="step", label=words.say("seat", number=seat + 1))
    points.set(xlabel=words.say("simulate.plot_points"), ylabel=words.say("simulate.plot_games"))
    points.legend(frameon=False)
    _draw_victories(victories, results, language)
    try:
        figure.savefig(path)
    except OSError as why:
        raise TableeError(f"the picture cannot be written: {why}") from None
    finally:
        pyplot.close(figure)


def _edges(tallies: list[Tally]) -> list[float]:
    """Return the edges of bars that hold equally many whole numbers, the same for all tallies."""
    lowest = min(tally.quantile(0) for tally in tallies)
    span = max(tally.quantile(1) for tally in tallies) - lowest + 1
    step = -(-span // BARS)
    return [lowest - 0.5 + step * bar for bar in range(-(-span // step) + 1)]


def _draw_tally(axes: Axes, tally: Tally, edges: list[float], **look: Any) -> None:
    numbers, times = zip(*tally, strict=True)
    axes.hist(numbers, bins=edges, weights=times, **look)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_victories(axes: Axes, results: Results, language: str) -> None:
    """Draw points, not bars: what matters is the distance from the fair share, not from zero."""
    words = common(language)
    shares = [results.wins(seat) for seat in range(results.setup.seats)]
    names = [words.say("seat", number=seat + 1) for seat in range(results.setup.seats)]
    axes.errorbar(names, [wins.share for wins in shares], yerr=[wins.margin for wins in shares], fmt="o", capsize=6)
    axes.axhline(shares[0].fair, color="#b03a2e", linestyle="--", label=words.say("simulate.plot_fair"))
    axes.set(ylabel=words.say("simulate.plot_share"))
    axes.margins(x=0.2)
    axes.yaxis.set_major_formatter(lambda share, _: percent(share))
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
