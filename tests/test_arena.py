"""The arena: fair line-ups, correct intervals, results independent of how they were played, nothing lost in a crash."""

import importlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import Future
from dataclasses import replace
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path

import pytest

from tablee import find_game
from tablee.arena import pool as pool_module
from tablee.arena import report
from tablee.arena.contest import Contest
from tablee.arena.contest_run import ContestRun, require_playable, results_as_dict
from tablee.arena.estimates import Estimate, SequentialTest, mean_over_deals, share_over_deals, student_95
from tablee.arena.journal import ContestJournal, complete_deals, read_journal
from tablee.arena.lineups import balanced_lineups, one_against_the_rest, seatings
from tablee.arena.margins import estimate_margins
from tablee.arena.matches import Forfeit, GameResult, play_game
from tablee.arena.ratings import rate_bots
from tablee.arena.standings import NeighbourTests, compute_standings
from tablee.bots.external import ExternalBotSpec
from tablee.bots.roster import NAMES, version_of
from tablee.core.errors import BadSetup, TableeError
from tablee.records import Record

pytestmark = pytest.mark.surface

ROOT = Path(__file__).parents[1]
GAME = "xe_queo"  # its games are short
BOTS = ("greedy", "random")
DEALS = 4


class InlinePool:
    """A pool that plays in this process, at once."""

    def submit(self, function, argument, /):
        future = Future()
        future.set_result(function(argument))
        return future


def contest(bots=BOTS, seats=2, game=GAME, **fields):
    chosen = find_game(game)
    return Contest("arena", chosen, chosen.setup(seats), balanced_lineups(bots, seats), seed=1, **fields)


def result(lineup, ranks, deal=0, rotation=0, scores=None, **fields):
    scores = tuple(10 * rank for rank in ranks) if scores is None else scores
    return GameResult("arena", 1, deal, rotation, lineup, 0, ranks, scores, moves=30 + deal, seconds=0.1, **fields)


def deals_between(one, other, wins):
    """Return deals of two games each, of which the first bot wins the given number."""
    return [
        [result((one, other), (1, 2) if rotation < won else (2, 1), deal, rotation) for rotation in range(2)]
        for deal, won in enumerate(wins)
    ]


# Line-ups


@pytest.mark.parametrize(("count", "seats"), [(2, 2), (5, 2), (4, 3), (4, 4), (5, 4), (2, 4), (2, 3), (3, 8), (5, 8)])
def test_every_pair_of_bots_meets_equally_often(count, seats):
    bots = NAMES[:count]
    lineups = balanced_lineups(bots, seats)
    assert all(len(lineup) == seats for lineup in lineups)
    assert len(set(Counter(name for lineup in lineups for name in lineup).values())) == 1
    meetings = Counter(dict.fromkeys(combinations(bots, 2), 0))
    for lineup in lineups:
        times = Counter(lineup)
        meetings.update({(one, other): times[one] * times[other] for one, other in combinations(bots, 2)})
    assert len(set(meetings.values())) == 1


def test_with_two_seats_every_pair_plays():
    assert set(balanced_lineups(NAMES, 2)) == set(combinations(NAMES, 2))


@pytest.mark.parametrize("lineup", [NAMES[:4], ("expert", "greedy", "greedy")])
def test_every_bot_takes_every_seat_of_a_deal(lineup):
    orders = set()
    for deal in range(20):
        seated = seatings([lineup], seed=1, deal=deal)
        assert len(seated) == len(set(seated)) == len(lineup)
        for seat in range(len(lineup)):
            assert Counter(lineup) == Counter(seating[seat] for seating in seated)
        orders.add(frozenset(seated))
    assert len(orders) == (6 if len(set(lineup)) == 4 else 1)  # the neighbours change from deal to deal


def test_deals_use_the_line_ups_in_turn():
    lineups = balanced_lineups(NAMES, 2)
    assert [Counter(seatings(lineups, 1, deal)[0]) for deal in range(10)] == [Counter(lineup) for lineup in lineups]


def test_one_against_the_rest():
    assert one_against_the_rest("expert", "greedy", 4) == (("expert", "greedy", "greedy", "greedy"),)


@pytest.mark.parametrize("bots", [(), ("random",), ("random", "random")])
def test_a_contest_needs_two_distinct_bots(bots):
    with pytest.raises(BadSetup):
        balanced_lineups(bots, 2)


# Games


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A small contest, played to the end."""
    with ContestJournal(tmp_path_factory.mktemp("arena") / "games.jsonl", contest()) as journal:
        run = ContestRun(contest(), journal, DEALS, edge=None)
        run.run(InlinePool(), 1, lambda done, total: None)
    return run


def test_all_seatings_of_a_deal_have_the_same_cards_and_each_game_has_a_record(played):
    starts = set()
    for game in played.counted_deals[0]:
        record = Record.load(played.journal.record_path(game))
        starts.add((record.header.origin, record.digests[0]))
        assert [player.kind for player in record.header.players] == [
            f"{name} {version_of(name)}" for name in game.lineup
        ]
        assert record.outcome.ranks == game.ranks
    assert len(starts) == 1
    record.verify()


def test_a_task_always_plays_the_same_game():
    task = next(contest().tasks(1))
    one, other = play_game(task)[0], play_game(task)[0]
    assert replace(one, seconds=0) == replace(other, seconds=0)
    assert one.key == task.key


def test_a_journal_returns_what_was_added(played):
    head, results = read_journal(played.journal.path)
    assert results == list(played.journal.results.values())
    assert head["bots"][0]["name"] == "greedy"
    assert complete_deals(head, results) == played.counted_deals
    assert complete_deals(head, results[:-1]) == played.counted_deals[:-1]


def test_results_of_journals_before_version_0_2_are_read():
    stored = json.loads(json.dumps(result(("a", "b"), (1, 2), 3, 1).as_dict()))
    stored["places"], stored["turn"] = stored.pop("ranks"), stored.pop("rotation")
    assert GameResult.from_dict(stored) == result(("a", "b"), (1, 2), 3, 1)


@pytest.mark.parametrize("change", [{"seed": 2}, {"lineups": balanced_lineups(("random", "greedy"), 2)}])
def test_a_journal_of_another_contest_is_refused(played, change):
    with pytest.raises(BadSetup, match="another contest"):
        ContestJournal(played.journal.path, replace(contest(), **change))


def test_a_file_that_is_not_a_journal_is_refused(tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text('{"contest": "arena"}\n{"what": 1}\n')
    with pytest.raises(TableeError, match="not the journal of a contest"):
        ContestJournal(path, contest())


# Interruption


def arena(folder, *more, **how):
    command = [sys.executable, "-m", "tablee", "arena", GAME, "--bots", ",".join(BOTS), "--deals", str(DEALS)]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "LC_ALL": "C.UTF-8"}
    command += ["--processes", "2", "--every-deal", "--into", str(folder), *more]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how)


def lines_of(path):
    return path.read_text().count("\n") if path.exists() else 0


def workers_of(process):
    """Return the ids of the processes that a process has started."""
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True, check=False
    )
    return [int(pid) for pid in listed.stdout.split()]


def is_alive(pid):
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return state.stdout.strip() not in ("", "Z")


def test_a_killed_contest_continues_with_the_same_result(tmp_path, played):
    journal = tmp_path / "games.jsonl"
    killed = arena(tmp_path)
    while lines_of(journal) < 3:
        assert killed.poll() is None, killed.communicate()
        time.sleep(0.02)
    workers = workers_of(killed)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    before = lines_of(journal)
    with journal.open("a") as file:
        file.write('{"contest": "arena", "se')  # as if killed in the middle of a line
    for _ in range(5000):
        if not any(is_alive(pid) for pid in workers):
            break
        time.sleep(0.02)
    assert workers
    assert not any(is_alive(pid) for pid in workers)

    resumed = arena(tmp_path, "--json")
    output, error = resumed.communicate()
    assert resumed.returncode == 0, error
    found = json.loads(output)
    _, results = read_journal(journal)
    assert 2 <= before - 1 < len(results) + 1
    assert len({game.key for game in results}) == len(results) == lines_of(journal) - 1
    assert len(list((tmp_path / "records").glob("*.tablee"))) == len(results)
    expected = results_as_dict(played, rate_bots(BOTS, played.counted_deals))
    assert found == json.loads(json.dumps(expected))
    assert found == json.loads((tmp_path / "results.json").read_text())
    assert "<svg" in (tmp_path / "report.html").read_text()


def test_a_killed_worker_is_reported(monkeypatch):
    monkeypatch.setattr(pool_module, "play_game", os._exit)
    with pool_module.processes(1) as pool, pytest.raises(TableeError, match="was killed; run the same command again"):
        list(pool_module.play_all(pool, [1], max_pending=1))


@pytest.mark.ray
def test_ray_plays_the_same_games(played, tmp_path):
    output, error = arena(tmp_path, "--json", "--on", "ray").communicate()  # Ray leaves processes to Python's exit
    assert output, error
    assert json.loads(output)["standings"] == json.loads(json.dumps(played.standings().as_dict()))


def test_without_ray_the_error_names_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(TableeError, match=r"tablee\[ray\]"), pool_module.ray_cluster(None, 2):
        pass


# Estimates


def test_intervals_are_over_deals_not_games():
    few = [[result(("a", "b"), (1, 2), deal, rotation) for rotation in range(2)] for deal in range(3)]
    few += [[result(("a", "b"), (2, 1), 3 + deal, rotation) for rotation in range(2)] for deal in range(3)]
    many = [deal * 10 for deal in few]
    narrow, wide = (compute_standings(("a", "b"), 2, deals, fewest_points_win=False).bots[0] for deals in (many, few))
    assert narrow.games == 10 * wide.games
    assert narrow.win_share == wide.win_share
    assert narrow.margin == wide.margin
    assert wide.win_share.deals == 6


def test_the_approximation_of_student_s_interval_is_close():
    stats = pytest.importorskip("scipy.stats")
    for freedom in (1, 2, 3, 4, 6, 10, 30, 500):
        assert student_95(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=2e-3)


@pytest.mark.parametrize(
    ("estimate", "chance"), [(mean_over_deals, 0.5), (share_over_deals, 0.5), (share_over_deals, 0.95)]
)
def test_intervals_cover_the_true_value_as_often_as_they_should(estimate, chance):
    source = random.Random(7)
    hits = 0
    for _ in range(1000):
        found = estimate([sum(source.random() < chance for _ in range(3)) / 3 for _ in range(15)])
        hits += found.low <= chance <= found.high
    assert 930 <= hits <= 995


def test_a_share_stays_uncertain_when_all_deals_agree():
    always = share_over_deals([1.0] * 20)
    assert (always.value, always.high) == (1.0, 1.0)
    assert 0.75 < always.low < 0.95
    assert mean_over_deals([1.0]) is None
    assert share_over_deals([]) is None


def test_overlap_of_intervals():
    assert Estimate(1, 0, 2, 9).overlaps(Estimate(3, 2, 4, 9))
    assert not Estimate(1, 0, 2, 9).overlaps(Estimate(3, 2.1, 4, 9))


def test_standings_count_win_shares_margins_and_meetings():
    deal = [
        result(("a", "b", "c"), (1, 2, 3), 0, 0, scores=(10, 20, 60)),
        result(("b", "c", "a"), (1, 3, 1), 0, 1, scores=(5, 35, 5)),
    ]
    counted = compute_standings(("a", "b", "c"), 3, [deal, deal], fewest_points_win=True)
    shares = {bot.bot: bot.win_share.value for bot in counted.bots}
    assert shares == {"a": 0.75, "b": 0.25, "c": 0.0}
    assert counted.bots[0].margin.value == pytest.approx((30 + 15) / 2)  # least squares by LAPACK
    assert counted.head_to_head["a", "b"].value == 0.75
    assert counted.head_to_head["b", "c"].value == 1.0
    assert [share.value for share in counted.win_share_by_turn] == [0.75, 0.0, 0.25]
    assert (counted.games, counted.deals, counted.fair_share) == (4, 2, 1 / 3)
    assert counted.lengths == (30,) * 4


STRENGTHS = {"a": 10.0, "b": 0.0, "c": -4.0, "d": -6.0}


def deal_of_points(number, lineup, source, spread):
    """Return the games of a deal: points grow from deal to deal for all, luck is per seat, and some per game."""
    luck = [50 * number + source.gauss(0, spread) for _ in lineup]
    games = []
    for rotation in range(len(lineup)):
        seats = lineup[rotation:] + lineup[:rotation]
        points = tuple(
            STRENGTHS[bot] + seat_luck + source.gauss(0, spread / 3) for bot, seat_luck in zip(seats, luck, strict=True)
        )
        games.append(result(seats, tuple(range(1, len(seats) + 1)), number, rotation, scores=points))
    return games


def test_margins_do_not_depend_on_who_met_whom():
    # a mostly meets the weakest bot, and c never meets d.
    lineups = [("a", "c", "b"), ("a", "b", "d"), ("a", "d", "b"), ("a", "d"), ("a", "d")]
    deals = [deal_of_points(number, lineup, random.Random(1), 0) for number, lineup in enumerate(lineups)]
    found = estimate_margins(tuple("abcd"), deals, fewest_points_win=False)
    assert {bot: round(estimate.value, 9) for bot, estimate in found.items()} == {
        bot: round(own - (sum(STRENGTHS.values()) - own) / 3, 9) for bot, own in STRENGTHS.items()
    }
    assert estimate_margins(("a", "b"), deals[:1], fewest_points_win=False) == {}
    against_itself = [[result(("a", "a"), (1, 2), number, 0, scores=(9, 1))] for number in range(4)]
    assert estimate_margins(("a", "b"), against_itself, fewest_points_win=False) == {}


def test_margins_of_bots_that_always_meet_are_plain_means():
    source = random.Random(5)
    deals = [deal_of_points(number, ("a", "b", "c"), source, 3) for number in range(12)]
    found = estimate_margins(("a", "b", "c"), deals, fewest_points_win=True)
    per_deal = []
    for deal in deals:
        points = [dict(zip(game.lineup, game.scores, strict=True)) for game in deal]
        per_deal.append(-sum(each["a"] - (each["b"] + each["c"]) / 2 for each in points) / len(points))
    plain = mean_over_deals(per_deal)
    assert found["a"] == Estimate(*(pytest.approx(part) for part in (plain.value, plain.low, plain.high)), 12)


def test_intervals_of_margins_cover_the_true_value_as_often_as_they_should():
    source = random.Random(11)
    hits = 0
    for _ in range(300):
        deals = [deal_of_points(number, tuple(source.sample("abcd", 3)), source, 9) for number in range(12)]
        found = estimate_margins(tuple("abcd"), deals, fewest_points_win=False)
        hits += sum(found[bot].low <= 4 * own / 3 <= found[bot].high for bot, own in STRENGTHS.items())
    assert 0.92 * 1200 <= hits <= 0.99 * 1200


def test_turn_order_is_by_who_moved_first_not_by_seat():
    game = replace(result(("a", "b"), (2, 1)), first=1)
    assert [share.value for share in compute_standings(("a", "b"), 2, [[game], [game]], False).win_share_by_turn] == [
        1.0,
        0.0,
    ]


def test_forfeited_games_count_without_points():
    lost = result(("a", "b"), (2, 1), forfeit=Forfeit(0, "silent"))
    deals = [[replace(lost, scores=None)], *deals_between("a", "b", [2, 2])]
    counted = compute_standings(("a", "b"), 2, deals, fewest_points_win=True)
    assert counted.bots[0].forfeits == 1
    assert counted.bots[1].forfeits == 0
    assert counted.bots[0].margin.deals == 2
    assert counted.bots[0].win_share.deals == 3


@pytest.mark.parametrize(("chance", "right"), [(0.5, "close"), (0.55, "first"), (0.4, "second"), (1.0, "first")])
def test_the_sequential_test_is_rarely_wrong(chance, right):
    source = random.Random(3)
    verdicts = Counter()
    for _ in range(200):
        test = SequentialTest(edge=0.05)
        while test.verdict is None:
            test.observe(sum(source.random() < chance for _ in range(2)) / 2 - 0.5)
        verdicts[test.verdict] += 1
    assert verdicts[right] >= 185


def test_neighbouring_bots_are_decided_pair_by_pair():
    tests = NeighbourTests(("a", "b", "c"), edge=0.1)
    for deal in deals_between("a", "b", [2] * 30):
        tests.observe(deal)
    assert tests.verdicts() == {("a", "b"): "a", ("b", "c"): None}
    assert not tests.are_decided
    for deal in deals_between("b", "c", [0] * 30):
        tests.observe(deal)
    assert tests.verdicts() == {("a", "b"): "a", ("b", "c"): "c"}
    assert tests.are_decided


def test_the_winner_is_rated_higher_and_more_deals_narrow_the_interval():
    source = random.Random(1)
    wins = [source.choice((1, 1, 2)) for _ in range(200)]
    few, many = (rate_bots(("a", "b"), deals_between("a", "b", wins[:count]), resamples=30) for count in (20, 200))
    assert many["a"].value > 25 > many["b"].value
    assert many["a"].low < many["a"].value < many["a"].high
    assert many["a"].high - many["a"].low < few["a"].high - few["a"].low
    assert not many["a"].overlaps(many["b"])
    assert rate_bots(("a", "b"), []) == {}


def test_copies_of_a_bot_are_rated_as_one():
    deals = [[result(("a", "a", "a", "b"), (1, 2, 3, 4), deal)] for deal in range(10)]
    rated = rate_bots(("a", "b"), deals, resamples=2)
    assert rated["a"].value > 25 > rated["b"].value


# Early stop


@pytest.mark.parametrize(("edge", "deals"), [(0.05, SequentialTest.MIN_DEALS), (None, 30)])
def test_a_contest_stops_when_all_pairs_are_decided(monkeypatch, tmp_path, edge, deals):
    def greedy_wins(task):
        ranks = tuple(1 if name == "greedy" else 2 for name in task.lineup)
        return result(task.lineup, ranks, task.deal, task.rotation), None

    monkeypatch.setattr(pool_module, "play_game", greedy_wins)
    reports = []
    with ContestJournal(tmp_path / "games.jsonl", contest()) as journal:
        run = ContestRun(contest(), journal, 30, edge)
        run.run(InlinePool(), 7, lambda done, total: reports.append((done, total)))
        assert len(run.counted_deals) == deals
        again = ContestRun(contest(), journal, 30, edge)
    assert again.is_over
    assert again.standings() == run.standings()
    assert reports[0] == (0, 30)
    assert reports[-1] == (deals, 30)


# The report


class Page(HTMLParser):
    """Counts the tags of a page, and lists every address that it would fetch."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.fetched = Counter(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags[tag] += 1
        self.fetched += [
            value for key, value in attributes if key in ("src", "href", "xlink:href") and not value.startswith("#")
        ]


@pytest.mark.parametrize("language", ["en", "fr"])
def test_the_report_is_one_page_with_inline_plots(played, language):
    rated = rate_bots(BOTS, played.counted_deals, resamples=5)
    text = report.page(played, rated, language)
    page = Page(text)
    assert page.tags["svg"] == page.tags["figure"] == 4
    assert page.tags["table"] == 3
    assert page.fetched == []
    assert f'lang="{language}"' in text
    assert all(f'aria-label="{title}"' in text for title in re.findall("<figcaption>(.*?)</figcaption>", text))
    assert text == report.page(played, rated, language)
    assert all(name in text for name in BOTS)


def test_output_of_a_bot_is_escaped_in_the_report(played):
    game = replace(played.counted_deals[0][0], scores=None, forfeit=Forfeit(0, "<script>alert(1)</script>"))
    run = ContestRun(played.contest, played.journal, 1, None)
    run.counted_deals = [[game, played.counted_deals[0][1]], played.counted_deals[1]]
    text = report.page(run, rate_bots(BOTS, run.counted_deals, resamples=5), "en")
    assert "<script>" not in text
    assert "&lt;script&gt;" in text


def test_an_open_question_is_told_with_what_was_seen(played):
    """Few deals decide nothing, but what they were is said."""
    open_pairs = [pair for pair, verdict in played.tests.verdicts().items() if verdict is None]
    told = [text for text in report.sentences(played, "en") if "more are needed to tell which is stronger" in text]
    assert len(told) == len(open_pairs) > 0
    for (one, other), text in zip(open_pairs, told, strict=True):
        share = played.tests.tests[one, other].share
        ahead, behind = (one, other) if share >= 0.5 else (other, one)
        assert text.startswith(f"{ahead} finished ahead of {behind} in {report.percent(max(share, 1 - share))} of")


def test_rows_of_the_report_are_best_first(played):
    rated = rate_bots(BOTS, played.counted_deals, resamples=5)
    rows = report.bot_rows(played.standings(), rated)
    assert [row[0] for row in rows] == ["greedy", "random"]
    assert all(len(row) == len(report.bot_headings("fr")) for row in rows)


# Wrong use


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--bots", "greedy,exprt"], "no bot 'exprt'; did you mean 'expert'"),
        (["--bots", "greedy"], "at least two bots, not 1"),
        (["--bots", "greedy,greedy"], "'greedy' is listed twice"),
        (["--bots", "greedy,random", "--seats", "9"], "cannot be played by 9"),
        (["--bots", "greedy,mine", "--external", "mine"], "NAME=COMMAND"),
        (["--bots", "greedy,random", "--external", "mine=true"], "'mine' is not among the bots that play"),
        (["--bots", "greedy,random", "--external", "greedy=true"], "cannot be called 'greedy'"),
        (["--bots", "greedy,mine", "--external", "mine=false"], "'mine' ended with exit code 1; nothing was played"),
    ],
)
def test_wrong_use_is_explained_and_leaves_no_files(monkeypatch, tmp_path, capsys, arguments, message):
    from tablee.cli import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["tablee", "arena", GAME, *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("missing", ["openskill", "matplotlib"])
def test_a_missing_package_is_reported_before_playing(monkeypatch, tmp_path, capsys, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    arguments = ["--bots", "greedy,random", "--deals", "2"]
    message = f"the arena needs {missing}: pip install 'tablee[arena]'; nothing was played"
    test_wrong_use_is_explained_and_leaves_no_files(monkeypatch, tmp_path, capsys, arguments, message)


def test_an_external_bot_that_does_not_start_is_refused():
    external_bots = {"mine": ExternalBotSpec("mine", "no-such-program")}
    with pytest.raises(BadSetup, match="'mine' cannot be started with 'no-such-program'"):
        require_playable(contest(("random", "mine"), external_bots=external_bots))


# benchmarks/strength.py


def test_playing_needs_only_numpy_and_numba():
    """The machines with many cores have no other packages."""
    missing = ["typer", "rich", "click", "openskill", "msgspec", "matplotlib", "scipy", "ray"]
    code = f"import sys; sys.modules.update(dict.fromkeys({missing})); import strength; strength.NAMES"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": f"{ROOT / 'benchmarks'}:{ROOT / 'src'}"}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)


@pytest.fixture
def strength(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("strength")


def test_every_game_is_played_with_every_number_of_players(strength):
    from tablee import all_games

    for game in all_games():
        wanted = list(strength.contests([game], None, NAMES, 1))
        assert {c.setup.seats for c in wanted} == set(game.seats)
        assert len({c.name for c in wanted}) == len(wanted) == 3 * len(game.seats)
        assert {c.bots for c in wanted} == {NAMES, NAMES[:-1], ("expert", "greedy")}


def test_games_get_equal_time_and_deals_are_completed(strength, tmp_path):
    costs = {"skyjo": 3.0, GAME: 1.0}
    contests = {}
    for wanted in strength.contests([find_game(name) for name in costs], [2], BOTS, 1):
        contests[wanted.name] = strength.ContestProgress(
            wanted, ContestJournal(tmp_path / f"{wanted.name}.jsonl", wanted), 10**6
        )
    tasks = strength.next_tasks(contests, time.monotonic() + 60)
    for _ in range(200):
        task = next(tasks)
        done = result(task.lineup, (1, 2), task.deal, task.rotation)
        contests[task.contest].add(replace(done, contest=task.contest, seconds=costs[task.game]))
    spent = {name: sum(c.spent for c in contests.values() if c.contest.game.name == name) for name in costs}
    assert spent["skyjo"] == pytest.approx(spent[GAME], abs=7)
    for progress in contests.values():
        progress.journal.__exit__(None, None, None)
        summary = strength.summary(progress)
        assert summary["games"] - 2 * summary["deals"] <= 1


def test_the_usual_number_of_players_gets_the_most_time(strength, tmp_path):
    game = find_game("skyjo")
    contests = {}
    for wanted in strength.contests([game], None, NAMES, 1):
        contests[wanted.name] = strength.ContestProgress(
            wanted, ContestJournal(tmp_path / f"{wanted.name}.jsonl", wanted), 10**6
        )
    tasks = strength.next_tasks(contests, time.monotonic() + 600)
    for _ in range(400):
        task = next(tasks)
        done = result(task.lineup, (1,) * len(task.lineup), task.deal, task.rotation)
        contests[task.contest].add(replace(done, contest=task.contest, seconds=1.0))
    spent = Counter()
    for progress in contests.values():
        progress.journal.__exit__(None, None, None)
        spent[progress.contest.setup.seats] += progress.spent
    (_, most), *others = spent.most_common()
    assert spent[game.usual_seats] == most
    assert all(2.5 < most / seconds < 6 for _, seconds in others)


def test_no_game_is_started_that_would_not_end_in_time(strength, tmp_path):
    (wanted, _) = strength.contests([find_game(GAME)], None, BOTS, 1)
    with ContestJournal(tmp_path / "games.jsonl", wanted) as journal:
        progress = strength.ContestProgress(wanted, journal, 10)
        task = progress.next_task()
        progress.add(replace(result(task.lineup, (1, 2)), seconds=50.0))
        assert list(strength.next_tasks({"x": progress}, time.monotonic() + 40)) == []
        assert next(strength.next_tasks({"x": progress}, time.monotonic() + 60)) is not None


def write_journals(strength, folder, seed, deals=30):
    """Write journals in which the bot listed later always wins."""
    for wanted in strength.contests([find_game(GAME)], None, NAMES, seed):
        with ContestJournal(
            folder / f"{wanted.name}-{seed}.jsonl", wanted, {"commit": "abc", **strength.description()}
        ) as journal:
            for task in (task for deal in range(deals) for task in wanted.tasks(deal)):
                ranks = tuple(1 if name == max(task.lineup, key=NAMES.index) else 2 for name in task.lineup)
                points = tuple(-rank for rank in ranks)
                played = result(task.lineup, ranks, task.deal, task.rotation, points)
                journal.add(replace(played, contest=wanted.name, seed=seed))


def test_the_page_combines_journals_of_several_seeds(strength, tmp_path):
    for seed in (1, 2):
        write_journals(strength, tmp_path, seed)
    text = strength.page([tmp_path], tmp_path / "ladder.png")
    assert len(re.findall(r"\| 2 \| 60 \+ 60 \| 240 \| .* \| all \|", text)) == 2  # by rating and by points
    assert "](../docs/pictures/ladder.png)" in text
    assert (tmp_path / "ladder.png").read_bytes().startswith(b"\x89PNG")
    assert "| 2 | 60 | 120 | 100.0% | 50.0% | 2.00 (1.8" in text
    game = find_game(GAME)
    assert all(strength.pin_line(game, strength.pin(name, game)) in text for name in NAMES)


def test_bots_with_too_few_games_are_not_rated(strength, tmp_path):
    write_journals(strength, tmp_path, 1, deals=2)
    rated, counted = (line for line in strength.page([tmp_path]).splitlines() if line.startswith("| 2 | 2 + 2 |"))
    assert rated.count("too few") == counted.count("too few") == len(NAMES)
    assert rated.endswith("| none |")
    write_journals(strength, tmp_path, 2, deals=14)  # enough for points, not for ratings
    rated, counted = (line for line in strength.page([tmp_path]).splitlines() if line.startswith("| 2 | 16 + 16 |"))
    assert rated.count("too few") > counted.count("too few") == 0


def test_journals_of_different_bots_are_not_combined(strength, tmp_path):
    write_journals(strength, tmp_path, 1)
    head, *games = next(tmp_path.glob("*ladder*")).read_text().splitlines(keepends=True)
    other = json.loads(head)
    other["bots"][-1]["version"] += 1
    (tmp_path / "other.jsonl").write_text("".join([json.dumps(other) + "\n", *games]))
    with pytest.raises(SystemExit, match="differ from those in another file"):
        strength.page([tmp_path])
