"""Simulations: the same games on any number of cores, and correct figures."""

import statistics
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablee import Match, all_games, find_game
from tablee.core.errors import BadSetup, TableeError
from tablee.core.randomness import below, start
from tablee.simulation import Results, Tally, random_games
from tablee.simulation.random_play import play_batch, policy_generator
from tablee.simulation.report import advantage_line, draw_picture, figure_rows, reason_rows, seat_rows
from tablee.simulation.results import WinShare

GAMES = 12


@pytest.fixture(scope="module")
def game():
    return find_game("skyjo")


@pytest.fixture(scope="module")
def results(game):
    return random_games(game, game.setup(3), GAMES, seed=5)


def test_the_number_of_threads_does_not_change_results(game, results):
    assert random_games(game, game.setup(3), GAMES, seed=5, threads=1) == results
    assert random_games(game, game.setup(3), GAMES, seed=5, threads=3) == results


def test_different_seeds_play_different_games(game, results):
    assert random_games(game, game.setup(3), GAMES, seed=6).lengths != results.lengths


def test_a_game_is_the_same_in_every_batch(game):
    whole = play_batch(game, game.setup(3), 5, 0, 4)
    part = play_batch(game, game.setup(3), 5, 2, 2)
    assert part.lengths.tolist() == whole.lengths[2:].tolist()
    assert part.points.tolist() == whole.points[2:].tolist()


def test_a_game_equals_a_match_with_the_same_choices(game):
    batch = play_batch(game, game.setup(3), 5, 7, 1)
    match = Match(game, seats=3, seed=5, stream=7)
    generator = policy_generator(5)
    start(generator, 7)
    while not match.is_over:
        moves = match.legal_moves()
        match.play(moves[int(below(generator, len(moves)))])
    assert batch.lengths[0] == len(match.moves)
    assert batch.points[0].tolist() == list(match.outcome.scores)
    assert batch.ranks[0].tolist() == list(match.outcome.ranks)
    assert game.kernels.end_reasons(int(batch.reasons[0])).key == match.outcome.reason


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_games_of_a_reduction_are_its_deals_and_end_where_it_is_cut_off(game):
    for reduction in game.reductions:
        setup = game.setup(reduction=reduction.name)
        results = random_games(game, setup, GAMES, seed=5, first=7)
        assert results.lengths.quantile(1) <= reduction.max_moves
        assert sum(results.reason_names().values()) == GAMES
        assert sum(int(row[1]) for row in reason_rows(results, "fr")) == GAMES
        batch = play_batch(game, setup, 5, 7, 1)
        match = Match(game, seed=5, stream=7, reduction=reduction.name)
        generator = policy_generator(5)
        start(generator, 7)
        for _ in range(int(batch.lengths[0])):
            moves = match.legal_moves()
            match.play(moves[int(below(generator, len(moves)))])
        assert match.is_over == bool(batch.reasons[0])
        assert batch.points[0].tolist() == list(match.scores())


def test_moves_and_deals_have_different_keys(game):
    assert policy_generator(5)["key"].tolist() != Match(game, seed=5).state.generator["key"].tolist()


def test_progress_counts_every_game(game):
    reports = []
    random_games(game, game.setup(2), 5, seed=1, progress=reports.append)
    assert sum(reports) == 5


def test_a_simulation_without_games_is_refused(game):
    with pytest.raises(BadSetup, match="at least one game"):
        random_games(game, game.setup(), 0, seed=1)


def test_the_counts_are_consistent(results):
    assert results.games == GAMES
    assert all(tally.total == GAMES for tally in [*results.scores, *results.victories, results.reasons])
    assert sum(results.wins(seat).share for seat in range(3)) == pytest.approx(1)
    assert results.moves == round(results.lengths.mean * GAMES)


@given(st.lists(st.integers(-50, 50), min_size=2))
def test_a_tally_describes_its_numbers(numbers):
    tally = Tally((number, 1) for number in numbers)
    assert tally.total == len(numbers)
    assert tally.mean == pytest.approx(statistics.mean(numbers))
    assert tally.deviation == pytest.approx(statistics.stdev(numbers))
    for share in (0, 0.25, 0.5, 0.75, 1):
        assert tally.quantile(share) == np.quantile(numbers, share, method="inverted_cdf")


def test_a_shared_win_counts_in_parts(game):
    results = Results(game, game.setup(2), 0, 0)
    results.victories = [Tally([(1, 5), (2, 2), (0, 3)]), Tally([(1, 3), (2, 2), (0, 5)])]
    assert results.wins(0).share == pytest.approx(0.6)
    assert results.wins(1).share == pytest.approx(0.4)


def test_the_interval_of_a_fair_coin():
    game = find_game("skyjo")
    results = Results(game, game.setup(2), 0, 0)
    results.victories = [Tally([(0, 5000), (1, 5000)]), Tally([(0, 5000), (1, 5000)])]
    assert results.wins(0).margin == pytest.approx(0.0098, abs=1e-5)
    assert results.wins(0).is_fair


@pytest.mark.parametrize(("share", "is_fair"), [(0.5, True), (0.52, True), (0.54, False), (0.46, False)])
def test_a_share_is_fair_if_the_interval_contains_the_fair_share(share, is_fair):
    assert WinShare(share, 0.03, 0.5).is_fair is is_fair


def test_the_report_shows_the_results(results):
    figures = dict(figure_rows(results, "en"))
    assert figures["Games"] == "12"
    assert figures["Moves"] == f"{results.moves:,}"
    assert [row[0] for row in seat_rows(results, "fr")] == ["Joueur 1", "Joueur 2", "Joueur 3"]
    assert reason_rows(results, "en")[0][1:] == ["12", "100.00 %"]
    assert "33.33 % would be fair" in advantage_line(results, "en")


@pytest.mark.parametrize(("name", "beginning"), [("a.png", b"\x89PNG"), ("a.svg", b"<?xml")])
def test_a_picture_is_drawn(results, tmp_path, name, beginning):
    draw_picture(results, tmp_path / name, "fr")
    assert (tmp_path / name).read_bytes().startswith(beginning)


def test_an_unknown_kind_of_picture_is_refused(results, tmp_path):
    with pytest.raises(TableeError, match=r"\.png"):
        draw_picture(results, tmp_path / "a.txt", "en")


def test_without_matplotlib_the_error_names_the_package(results, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(TableeError, match="pip install"):
        draw_picture(results, tmp_path / "a.png", "en")
