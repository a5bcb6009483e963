"""Series of games: what is played next, what is not begun any more, and what a second run leaves out."""

import importlib
import json
import time
from concurrent.futures import Future
from pathlib import Path

import pytest

from tablee import find_game

ROOT = Path(__file__).resolve().parents[1]
SEATS = 2  # games of a deal


@pytest.fixture
def series(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    found = importlib.import_module("series")
    monkeypatch.setattr(found.journals, "give_way", lambda: None)  # the tests keep their priority
    return found


@pytest.fixture
def make(series, tmp_path):
    """Makes a series of games that are played at once; it is settled after so many deals."""

    class Fake(series.Series):
        def __init__(self, name, deals):
            self.game, self.path, self.needed = find_game("xe_queo"), tmp_path / f"{name}.jsonl", deals
            self.function = lambda name, deal, seat: {}

        def deals(self):
            for deal in range(10):
                yield [(self.path.stem, deal, seat) for seat in range(SEATS)]

        def missing_deals(self):
            keys = [tuple(line["key"][:2]) for line in series.journals.read(self.path)]
            return max(0, self.needed - sum(keys.count(deal) == SEATS for deal in set(keys)))

    return Fake


def lines_of(series, *found):
    return [tuple(line["key"]) for one in found for line in series.journals.read(one.path)]


def keep(progress, keys, took):
    for key in keys:
        progress.pending += 1
        progress.add({"key": key, "took": took})


def test_all_series_are_settled_and_a_second_run_plays_nothing(series, make, tmp_path):
    found = [make("one", 3), make("two", 2)]
    for _ in range(2):
        series.play([found], tmp_path, 1, float("inf"))
        assert sorted(lines_of(series, *found)) == [
            (name, deal, seat) for name, deals in (("one", 3), ("two", 2)) for deal in range(deals) for seat in (0, 1)
        ]
    (about,) = series.journals.read(tmp_path / "about.jsonl")  # once, although it was played twice
    assert set(about) >= {"commit", "machine", "python"}


def test_a_deal_that_was_begun_is_finished_first_in_a_second_run_too(series, make):
    begun, other = make("begun", 9), make("other", 1)
    begun.path.write_text(json.dumps({"key": ["begun", 0, 1], "took": 60.0}) + "\n")
    progress = [series.Progress(begun), series.Progress(other)]
    chosen = series.choose([progress], set(), 1000)
    assert (chosen, chosen.take()) == (progress[0], ("begun", 0, 0))
    assert series.choose([progress], set(), 1000) is progress[1]  # which is settled after fewer games


def test_an_earlier_stage_comes_first_until_the_games_being_played_may_settle_it(series, make):
    first, second = series.Progress(make("first", 2)), series.Progress(make("second", 1))
    stages = [[first], [second]]
    for _ in range(2 * SEATS):
        assert series.choose(stages, set(), 1000) is first
        first.take()
    for _ in range(SEATS):
        assert series.choose(stages, set(), 1000) is second
        second.take()
    assert series.choose(stages, set(), 1000) is first  # better than an idle processor
    first.missing_deals = 0
    assert series.choose([[first]], set(), 1000) is None


def test_no_game_is_begun_that_would_run_past_the_end_or_has_no_kernels_yet(series, make):
    progress = series.Progress(make("slow", 9))
    keep(progress, [("slow", 0, 0)], took=50.0)
    assert series.choose([[progress]], set(), 56) is progress
    assert series.choose([[progress]], set(), 54) is None
    assert series.choose([[progress]], {"xe_queo"}, 1000) is None


def test_games_that_still_run_at_the_end_are_left(series, make, tmp_path, monkeypatch):
    class Stuck:
        def submit(self, function, argument):
            return Future()

    monkeypatch.setattr(series, "ThisProcess", Stuck)
    monkeypatch.setattr(series, "SPARE_SECONDS", 0.0)
    monkeypatch.setattr(series, "FIRST_GUESS", 0.0)
    found = make("one", 3)
    start = time.monotonic()
    series.play([[found]], tmp_path, 1, start + 0.3)
    assert 0.2 < time.monotonic() - start < 5
    assert not lines_of(series, found)
