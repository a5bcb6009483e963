"""The results of a contest for people: tables, and a page with plots that needs no other file."""

from __future__ import annotations

import html
import io
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

from tablee.arena.contest_run import ContestRun
from tablee.arena.estimates import Estimate
from tablee.arena.standings import Standings
from tablee.core.errors import TableeError
from tablee.core.words import Words, common

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2rem }
table { border-collapse: collapse; margin: .5rem 0 } th, td { padding: .3rem .8rem; border-bottom: 1px solid #ddd }
td { font-variant-numeric: tabular-nums; white-space: nowrap } th { text-align: left }
.wide { overflow-x: auto }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(25rem, 100%), 1fr)); gap: 1rem }
figure { margin: 0 } figcaption { font-weight: 600 } svg { width: 100%; height: auto }
"""
COLOUR, FAIR = "#1f5a7a", "#b03a2e"
SIZE = (5.2, 3.4)  # inches
BARS = 30


def demand_installed() -> None:
    """Refuse to play what could not be reported on afterwards."""
    for package in ("openskill", "matplotlib"):
        if find_spec(package) is None:
            raise TableeError(f"the arena needs {package}: pip install 'tablee[arena]'; nothing was played")


def bot_rows(counted: Standings, rated: dict[str, Estimate]) -> list[list[str]]:
    """Return a row per bot, best first."""
    ranked = sorted(counted.bots, key=lambda standing: -rated[standing.bot].value)
    return [
        [
            standing.bot,
            f"{rated[standing.bot].value:.1f}",
            span(rated[standing.bot], "{:.1f}"),
            percent(standing.share.value if standing.share else 0.0),
            span(standing.share, "{:.1%}"),
            f"{standing.margin.value:+z.1f}" if standing.margin else "–",
            span(standing.margin, "{:+z.1f}"),
            str(standing.games),
            str(standing.forfeits),
        ]
        for standing in ranked
    ]


def bot_heads(language: str) -> list[str]:
    """Return the heads of the columns of `bot_rows`."""
    words = common(language)
    keys = ("bot", "rating", "interval", "share", "interval", "margin", "interval", "games", "forfeits")
    return [words.say(f"arena.{key}") for key in keys]


def sentences(run: ContestRun, language: str) -> Iterator[str]:
    """Yield what was counted, what is settled, and who gave up."""
    words, counted = common(language), run.standings()
    yield words.say("arena.counted", deals=counted.deals, games=counted.games, fair=percent(counted.fair))
    for (one, other), answer in run.ladder.answers().items():
        stronger, weaker = (other, one) if answer == other else (one, other)
        key = "open" if answer is None else "close" if answer == "close" else "stronger"
        yield words.say(f"arena.{key}", one=stronger, other=weaker, edge=_edge(run))
    for bot, reason in run.forfeits().items():
        yield words.say("arena.forfeited", bot=bot, reason=reason)


def heading(run: ContestRun, language: str) -> str:
    """Name the contest."""
    contest = run.contest
    title = contest.game.words(language).say("title")
    return common(language).say("arena.heading", title=title, setup=contest.setup, seed=contest.seed)


def span(estimate: Estimate | None, form: str) -> str:
    """Write an interval."""
    if estimate is None:
        return "–"
    return f"{form.format(estimate.low)} – {form.format(estimate.high)}".replace("%", " %")


def percent(share: float) -> str:
    """Write a share of one."""
    return f"{share:.1%}".replace("%", " %")


def page(run: ContestRun, rated: dict[str, Estimate], language: str) -> str:
    """Return the report: one page of HTML with its plots inside."""
    game = run.contest.game.words(language).say("title")
    title = html.escape(common(language).say("arena.title", title=game))
    body = "\n".join(_sections(run, rated, language))
    return (
        f'<!doctype html>\n<html lang="{language}">\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n<h1>{title}</h1>\n{body}\n</html>\n"
    )


def _sections(run: ContestRun, rated: dict[str, Estimate], language: str) -> Iterator[str]:
    words, counted = common(language), run.standings()
    said = list(sentences(run, language))
    yield f"<p>{html.escape(heading(run, language))}</p>"
    yield f"<p>{html.escape(said[0])}</p>"
    yield _table(bot_heads(language), bot_rows(counted, rated))
    yield '<div class="plots">'
    yield from _plots(counted, rated, words)
    yield "</div>"
    yield f"<h2>{words.say('arena.steps')}</h2>"
    yield _list(said[1:])
    yield f"<h2>{words.say('arena.before')}</h2><p>{words.say('arena.before_help')}</p>"
    yield _table(["", *run.contest.bots], _before_rows(counted, run.contest.bots))
    yield f"<h2>{words.say('arena.who')}</h2>"
    heads = [words.say(f"arena.{key}") for key in ("bot", "version", "budget", "policy")]
    pins = run.contest.pins()
    yield _table(heads, [[pin.name, str(pin.version), str(pin.budget or "–"), pin.policy or "–"] for pin in pins])
    yield f"<h2>{words.say('arena.how')}</h2>"
    yield _list([words.say(f"arena.how_{key}", edge=_edge(run)) for key in ("deals", "ratings", "steps")])


def _edge(run: ContestRun) -> str:
    return percent(run.ladder.edge).replace(".0", "")


def _before_rows(counted: Standings, bots: Sequence[str]) -> list[list[str]]:
    return [[one, *(_before(counted, one, other) for other in bots)] for one in bots]


def _before(counted: Standings, one: str, other: str) -> str:
    """Say how often the one came before the other, from whichever way it was counted."""
    estimate = counted.before.get((one, other))
    if estimate is not None:
        return f"{percent(estimate.value)} ({span(estimate, '{:.1%}')})"
    mirrored = counted.before.get((other, one))
    if mirrored is None:
        return "–"
    turned = Estimate(1 - mirrored.value, 1 - mirrored.high, 1 - mirrored.low, mirrored.deals)
    return f"{percent(turned.value)} ({span(turned, '{:.1%}')})"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{html.escape(text)}</th>' for text in heads)
    body = "\n".join(f"<tr>{''.join(f'<td>{html.escape(text)}</td>' for text in row)}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>'


def _list(texts: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{html.escape(text)}</li>' for text in texts)}</ul>"


# Plots


def _plots(counted: Standings, rated: dict[str, Estimate], words: Words) -> Iterator[str]:
    ladder = dict(sorted(rated.items(), key=lambda entry: entry[1].value))
    margins = {bot.bot: bot.margin for bot in counted.bots if bot.margin}
    ordered = {bot: margins[bot] for bot in ladder if bot in margins}
    turns = {words.say("arena.plot_turn", number=index): share for index, share in enumerate(counted.order, 1) if share}
    yield _figure(words.say("arena.plot_ladder"), lambda axes: _draw_intervals(axes, ladder, words, "rating"))
    yield _figure(words.say("arena.plot_margins"), lambda axes: _draw_intervals(axes, ordered, words, "points", 0.0))
    yield _figure(words.say("arena.plot_order"), lambda axes: _draw_shares(axes, turns, counted.fair, words))
    yield _figure(words.say("arena.plot_length"), lambda axes: _draw_lengths(axes, counted.lengths, words))


def _figure(title: str, draw: Callable[[Axes], None]) -> str:
    """Return a plot as SVG inside the page; the tables say the same in text."""
    try:
        import matplotlib
    except ImportError:
        raise TableeError("the report needs matplotlib: pip install 'tablee[arena]'") from None
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": title}):  # the same results, the same bytes
        figure = Figure(figsize=SIZE, layout="constrained")
        axes = figure.subplots()
        axes.spines[["top", "right"]].set_visible(False)
        draw(axes)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    drawn = buffer.getvalue()
    label = html.escape(title, quote=True)
    picture = drawn[drawn.index("<svg") :].replace("<svg", f'<svg role="img" aria-label="{label}"', 1)
    return f"<figure><figcaption>{html.escape(title)}</figcaption>{picture}</figure>"


def _draw_intervals(
    axes: Axes, estimates: dict[str, Estimate], words: Words, unit: str, line: float | None = None
) -> None:
    """Draw a point with its interval per bot, the best on top."""
    if line is not None:
        axes.axvline(line, color=FAIR, linestyle="--")
    axes.errorbar(_values(estimates), list(estimates), xerr=_arms(estimates), fmt="o", capsize=5, color=COLOUR)
    axes.set_xlabel(words.say(f"arena.plot_{unit}"))
    axes.margins(y=0.2)


def _draw_shares(axes: Axes, shares: dict[str, Estimate], fair: float, words: Words) -> None:
    axes.axhline(fair, color=FAIR, linestyle="--", label=words.say("arena.plot_fair"))
    axes.errorbar(list(shares), _values(shares), yerr=_arms(shares), fmt="o", capsize=5, color=COLOUR)
    axes.set_ylabel(words.say("arena.plot_share"))
    axes.yaxis.set_major_formatter(lambda share, _: percent(share))
    axes.margins(x=0.2)
    axes.legend(frameon=False)


def _draw_lengths(axes: Axes, lengths: Sequence[int], words: Words) -> None:
    axes.hist(lengths, bins=BARS, color=COLOUR)
    axes.set(xlabel=words.say("arena.plot_moves"), ylabel=words.say("arena.plot_games"))


def _values(estimates: dict[str, Estimate]) -> list[float]:
    return [estimate.value for estimate in estimates.values()]


def _arms(estimates: dict[str, Estimate]) -> list[list[float]]:
    """Return how far the intervals reach to either side."""
    low = [max(0.0, estimate.value - estimate.low) for estimate in estimates.values()]
    high = [max(0.0, estimate.high - estimate.value) for estimate in estimates.values()]
    return [low, high]
