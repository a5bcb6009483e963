"""The report of a simulation: tables in words, and a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablee.core.errors import TableeError
from tablee.core.words import common
from tablee.simulation.results import CUT_OFF, Results, Tally

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PICTURE_SUFFIXES = (".png", ".svg", ".pdf")
MAX_BARS = 40


def figure_rows(results: Results, language: str) -> list[list[str]]:
    """Return rows of name and value: games, moves, speed, length."""
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
    """Return a row per seat: points, and share of the wins."""
    words = common(language)
    rows = []
    for seat, scores in enumerate(results.scores):
        wins = results.wins(seat)
        score = [f"{scores.mean:.2f}", f"{scores.deviation:.2f}", str(scores.quantile(0)), str(scores.quantile(1))]
        name = words.say("seat", number=seat + 1)
        rows.append([name, *score, percent(wins.share), f"{percent(wins.low)} – {percent(wins.high)}"])
    return rows


def reason_rows(results: Results, language: str) -> list[list[str]]:
    """Return a row per end reason: number and share of the games."""
    words, counts = results.game.words(language), results.reason_names()
    names = {name: words.say(f"reasons.{name}") for name in counts if name != CUT_OFF}
    names[CUT_OFF] = common(language).say("simulate.cut_off")
    return [[names[name], f"{count:,}", percent(count / results.games)] for name, count in counts.items()]


def advantage_line(results: Results, language: str) -> str:
    """Return a sentence: whether the first seat wins more often than its fair share."""
    wins = results.wins(0)
    key = "simulate.fair" if wins.is_fair else "simulate.unfair"
    return common(language).say(
        key, share=percent(wins.share), fair=percent(wins.fair), advantage=percent(wins.advantage, sign="+")
    )


def percent(share: float, sign: str = "") -> str:
    """Return a share (0 to 1) as a percentage."""
    return f"{share:{sign}.2%}".replace("%", " %")


def draw_picture(results: Results, path: Path, language: str) -> None:
    """Draw histograms of lengths and points, and the shares of the wins, into a file.

    Raises TableeError without matplotlib, for an unknown suffix, and if the file cannot be written.
    """
    if path.suffix not in PICTURE_SUFFIXES:
        raise TableeError(f"the name of a picture ends in {', '.join(PICTURE_SUFFIXES)}, not in {path.suffix!r}")
    try:
        import matplotlib
    except ImportError:
        raise TableeError("a picture needs matplotlib: pip install 'tablee[research]'") from None
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
    """Return the edges of at most MAX_BARS bars of equally many integers, the same for all tallies."""
    lowest = min(tally.quantile(0) for tally in tallies)
    span = max(tally.quantile(1) for tally in tallies) - lowest + 1
    step = -(-span // MAX_BARS)
    return [lowest - 0.5 + step * bar for bar in range(-(-span // step) + 1)]


def _draw_tally(axes: Axes, tally: Tally, edges: list[float], **style: Any) -> None:
    numbers, counts = zip(*tally, strict=True)
    axes.hist(numbers, bins=edges, weights=counts, **style)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_victories(axes: Axes, results: Results, language: str) -> None:
    """Draw points rather than bars: the distance from the fair share matters, not that from zero."""
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
