"""The report of a contest: tables in words, and a self-contained HTML page with plots."""

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
POINT_COLOUR, FAIR_COLOUR = "#1f5a7a", "#b03a2e"
FIGURE_SIZE = (5.2, 3.4)  # inches
BINS = 30


def require_installed() -> None:
    """Raise TableeError before anything is played if a package for the report is missing."""
    for package in ("openskill", "matplotlib"):
        if find_spec(package) is None:
            raise TableeError(f"the arena needs {package}: pip install 'tablee[arena]'; nothing was played")


def bot_rows(standings: Standings, ratings: dict[str, Estimate]) -> list[list[str]]:
    """Return a row per bot, best rated first."""
    ranked = sorted(standings.bots, key=lambda standing: -ratings[standing.bot].value)
    return [
        [
            standing.bot,
            f"{ratings[standing.bot].value:.1f}",
            interval_text(ratings[standing.bot], "{:.1f}"),
            percent(standing.win_share.value if standing.win_share else 0.0),
            interval_text(standing.win_share, "{:.1%}"),
            f"{standing.margin.value:+z.1f}" if standing.margin else "–",
            interval_text(standing.margin, "{:+z.1f}"),
            str(standing.games),
            str(standing.forfeits),
        ]
        for standing in ranked
    ]


def bot_headings(language: str) -> list[str]:
    """Return the column headings of `bot_rows`."""
    words = common(language)
    keys = ("bot", "rating", "interval", "share", "interval", "margin", "interval", "games", "forfeits")
    return [words.say(f"arena.{key}") for key in keys]


def sentences(run: ContestRun, language: str) -> Iterator[str]:
    """Yield what was counted, the verdict on each pair of neighbours, and the forfeits."""
    words, standings = common(language), run.standings()
    fair = percent(standings.fair_share)
    yield words.say("arena.counted", deals=standings.deals, games=standings.games, fair=fair)
    for (one, other), verdict in run.tests.verdicts().items():
        test = run.tests.tests[one, other]
        ahead, behind = (one, other) if test.share >= 0.5 else (other, one)
        share = percent(max(test.share, 1 - test.share))
        if verdict is None:
            yield words.say("arena.open", n=test.deals, one=ahead, other=behind, share=share)
        else:
            stronger, weaker = (other, one) if verdict == other else (one, other)
            key = "close" if verdict == "close" else "stronger"
            yield words.say(f"arena.{key}", one=stronger, other=weaker, edge=_edge(run))
    for bot, reason in run.forfeits().items():
        yield words.say("arena.forfeited", bot=bot, reason=reason)


def heading(run: ContestRun, language: str) -> str:
    """Return the title line of a contest: game, setup and seed."""
    contest = run.contest
    title = contest.game.words(language).say("title")
    return common(language).say("arena.heading", title=title, setup=contest.setup, seed=contest.seed)


def interval_text(estimate: Estimate | None, form: str) -> str:
    """Return an interval as text, each end in the given format; a dash for None."""
    if estimate is None:
        return "–"
    return f"{form.format(estimate.low)} – {form.format(estimate.high)}".replace("%", " %")


def percent(share: float) -> str:
    """Return a share (0 to 1) as a percentage."""
    return f"{share:.1%}".replace("%", " %")


def page(run: ContestRun, ratings: dict[str, Estimate], language: str) -> str:
    """Return the report as one HTML page with inline plots."""
    game = run.contest.game.words(language).say("title")
    title = html.escape(common(language).say("arena.title", title=game))
    body = "\n".join(_sections(run, ratings, language))
    return (
        f'<!doctype html>\n<html lang="{language}">\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n<h1>{title}</h1>\n{body}\n</html>\n"
    )


def _sections(run: ContestRun, ratings: dict[str, Estimate], language: str) -> Iterator[str]:
    words, standings = common(language), run.standings()
    summary, *details = sentences(run, language)
    yield f"<p>{html.escape(heading(run, language))}</p>"
    yield f"<p>{html.escape(summary)}</p>"
    yield _table(bot_headings(language), bot_rows(standings, ratings))
    yield '<div class="plots">'
    yield from _plots(standings, ratings, words)
    yield "</div>"
    yield f"<h2>{words.say('arena.steps')}</h2>"
    yield _list(details)
    yield f"<h2>{words.say('arena.before')}</h2><p>{words.say('arena.before_help')}</p>"
    yield _table(["", *run.contest.bots], _head_to_head_rows(standings, run.contest.bots))
    yield f"<h2>{words.say('arena.who')}</h2>"
    headings = [words.say(f"arena.{key}") for key in ("bot", "version", "budget", "policy")]
    pins = run.contest.pins()
    yield _table(headings, [[pin.name, str(pin.version), str(pin.budget or "–"), pin.policy or "–"] for pin in pins])
    yield f"<h2>{words.say('arena.how')}</h2>"
    yield _list([words.say(f"arena.how_{key}", edge=_edge(run)) for key in ("deals", "ratings", "steps")])


def _edge(run: ContestRun) -> str:
    return percent(run.tests.edge).replace(".0", "")


def _head_to_head_rows(standings: Standings, bots: Sequence[str]) -> list[list[str]]:
    return [[one, *(_head_to_head(standings, one, other) for other in bots)] for one in bots]


def _head_to_head(standings: Standings, one: str, other: str) -> str:
    """Return how often one bot ranked ahead of the other; each pair is stored in one direction only."""
    estimate = standings.head_to_head.get((one, other))
    if estimate is None:
        reverse = standings.head_to_head.get((other, one))
        if reverse is None:
            return "–"
        estimate = Estimate(1 - reverse.value, 1 - reverse.high, 1 - reverse.low, reverse.deals)
    return f"{percent(estimate.value)} ({interval_text(estimate, '{:.1%}')})"


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{html.escape(text)}</th>' for text in headings)
    body = "\n".join(f"<tr>{''.join(f'<td>{html.escape(text)}</td>' for text in row)}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>'


def _list(texts: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{html.escape(text)}</li>' for text in texts)}</ul>"


# Plots


def _plots(standings: Standings, ratings: dict[str, Estimate], words: Words) -> Iterator[str]:
    ranked = dict(sorted(ratings.items(), key=lambda entry: entry[1].value))
    margins = {standing.bot: standing.margin for standing in standings.bots if standing.margin}
    ranked_margins = {bot: margins[bot] for bot in ranked if bot in margins}
    shares = enumerate(standings.win_share_by_turn, 1)
    turns = {words.say("arena.plot_turn", number=number): share for number, share in shares if share}
    fair = standings.fair_share
    yield _figure(words.say("arena.plot_ladder"), lambda axes: _draw_intervals(axes, ranked, words, "rating"))
    yield _figure(
        words.say("arena.plot_margins"), lambda axes: _draw_intervals(axes, ranked_margins, words, "points", 0.0)
    )
    yield _figure(words.say("arena.plot_order"), lambda axes: _draw_shares(axes, turns, fair, words))
    yield _figure(words.say("arena.plot_length"), lambda axes: _draw_lengths(axes, standings.lengths, words))


def _figure(title: str, draw: Callable[[Axes], None]) -> str:
    """Return a plot as inline SVG; the tables of the page give the same figures as text."""
    try:
        import matplotlib
    except ImportError:
        raise TableeError("the report needs matplotlib: pip install 'tablee[arena]'") from None
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": title}):  # equal results give equal bytes
        figure = Figure(figsize=FIGURE_SIZE, layout="constrained")
        axes = figure.subplots()
        axes.spines[["top", "right"]].set_visible(False)
        draw(axes)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    svg = buffer.getvalue()
    label = html.escape(title, quote=True)
    picture = svg[svg.index("<svg") :].replace("<svg", f'<svg role="img" aria-label="{label}"', 1)
    return f"<figure><figcaption>{html.escape(title)}</figcaption>{picture}</figure>"


def _draw_intervals(
    axes: Axes, estimates: dict[str, Estimate], words: Words, unit: str, line: float | None = None
) -> None:
    """Draw a point with its interval per bot, best on top."""
    if line is not None:
        axes.axvline(line, color=FAIR_COLOUR, linestyle="--")
    axes.errorbar(
        _values(estimates), list(estimates), xerr=_error_bars(estimates), fmt="o", capsize=5, color=POINT_COLOUR
    )
    axes.set_xlabel(words.say(f"arena.plot_{unit}"))
    axes.margins(y=0.2)


def _draw_shares(axes: Axes, shares: dict[str, Estimate], fair: float, words: Words) -> None:
    axes.axhline(fair, color=FAIR_COLOUR, linestyle="--", label=words.say("arena.plot_fair"))
    axes.errorbar(list(shares), _values(shares), yerr=_error_bars(shares), fmt="o", capsize=5, color=POINT_COLOUR)
    axes.set_ylabel(words.say("arena.plot_share"))
    axes.yaxis.set_major_formatter(lambda share, _: percent(share))
    axes.margins(x=0.2)
    axes.legend(frameon=False)


def _draw_lengths(axes: Axes, lengths: Sequence[int], words: Words) -> None:
    axes.hist(lengths, bins=BINS, color=POINT_COLOUR)
    axes.set(xlabel=words.say("arena.plot_moves"), ylabel=words.say("arena.plot_games"))


def _values(estimates: dict[str, Estimate]) -> list[float]:
    return [estimate.value for estimate in estimates.values()]


def _error_bars(estimates: dict[str, Estimate]) -> list[list[float]]:
    """Return the distances from the values to the lower and upper ends of their intervals."""
    low = [max(0.0, estimate.value - estimate.low) for estimate in estimates.values()]
    high = [max(0.0, estimate.high - estimate.value) for estimate in estimates.values()]
    return [low, high]
