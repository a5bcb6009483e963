"""The steps of the ladder: what is played, when a step is decided, and luck that is taken off."""

import importlib
from pathlib import Path

import numpy as np
import pytest

from tablee import find_game
from tablee.bots import roster
from tablee.core.match import Match
from test_networks import network

ROOT = Path(__file__).resolve().parents[1]
GAME = find_game("xe_queo")


@pytest.fixture
def steps(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    found = importlib.import_module("steps")
    monkeypatch.setattr(found.journals, "give_way", lambda: None)  # the tests keep their priority
    return found


@pytest.fixture
def games(steps, monkeypatch):
    """Replaces games by made-up ones: the stronger bot is ahead by 2 in one step, and level in the other."""
    played = []

    def play_game(name, weaker, stronger, seats, deal, own):
        played.append((weaker, stronger, seats, deal, own))
        lead = (2.0 if stronger == "greedy" else 0.0) + (-1) ** deal
        return {"lead": lead, "luck": 0.0, "win": 0.5, "decisions": 10, "thinking": 0.02, "seconds": 1.0}

    monkeypatch.setattr(steps, "play_game", play_game)
    return played


def test_a_clear_step_ends_early_an_open_one_is_continued_and_no_game_is_played_twice(steps, games, tmp_path):
    clear, level = steps.Step(GAME, "random", "greedy", 2), steps.Step(GAME, "greedy", "novice", 2)
    for deals in (20, 40):
        steps.play([clear, level], tmp_path, deals, 1, float("inf"))
        assert steps.standing_of(level, [tmp_path]).deals == deals
    assert len(games) == len(set(games))
    found = steps.standing_of(clear, [tmp_path])
    assert steps.MIN_DEALS <= found.deals < 20
    assert found.is_decided
    assert steps.verdict(found) == "clear"
    assert steps.verdict(steps.standing_of(level, [tmp_path])) == "open"
    assert found.milliseconds == pytest.approx(2.0)
    rows = list(steps.table([clear, level, steps.Step(GAME, "expert", "master", 2)], [tmp_path]))
    assert [row.split(" | ")[-1].rstrip(" |") for row in rows[2:]] == ["clear", "open", "not played"]


def test_the_report_has_a_table_for_each_two_bots_and_says_what_is_fair(steps, games, tmp_path):
    skyjo = find_game("skyjo")
    asked = [steps.Step(skyjo, weaker, "prodigy", seats) for weaker in ("club", "expert") for seats in (2, 3, 4)]
    steps.play(asked[:2], tmp_path, 6, 1, float("inf"))
    text = list(steps.tables(asked, [tmp_path]))
    assert [line for line in text if line.startswith("One")] == [
        "One `prodigy` among `club` bots:",
        "One `prodigy` among `expert` bots:",
    ]
    rows = [line.split(" | ") for line in text if line.startswith("| Skyjo")]
    assert [(row[1], row[2], row[6], row[8].rstrip(" |")) for row in rows] == [
        ("2", "6", "50.0 %", "open"),
        ("3", "6", "33.3 %", "open"),
        ("4 (usual)", "0", "25.0 %", "not played"),
        ("4 (usual)", "0", "25.0 %", "not played"),
    ]


def test_games_of_another_version_of_a_bot_are_not_counted(steps, games, tmp_path, monkeypatch):
    step = steps.Step(GAME, "random", "greedy", 2)
    steps.play([step], tmp_path, 2, 1, float("inf"))
    assert steps.standing_of(step, [tmp_path]).deals == 2
    kinds = [roster.RandomKind("random", 99), *roster.ROSTER[1:]]
    monkeypatch.setattr(roster, "ROSTER", tuple(kinds))
    assert steps.standing_of(step, [tmp_path]).deals == 0


def test_an_incomplete_deal_does_not_count(steps, games, tmp_path):
    step = steps.Step(GAME, "random", "greedy", 2)
    steps.play([step], tmp_path, 3, 1, float("inf"))
    path = step.path(tmp_path)
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    assert steps.standing_of(step, [tmp_path]).deals == 2


def test_luck_that_explains_leads_is_taken_off_and_shifts_nothing(steps):
    random = np.random.default_rng(5)
    luck, skill = random.normal(0, 10, 400), random.normal(3, 1, 400)
    plain, corrected = luck + skill, np.array(steps.without_luck(list(luck + skill), list(luck)))
    assert corrected.std() < 0.2 * plain.std()
    assert corrected.mean() == pytest.approx(3, abs=0.2)
    unrelated = np.array(steps.without_luck(list(skill), list(luck)))
    assert unrelated.std() == pytest.approx(skill.std(), rel=0.1)
    assert steps.without_luck([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]) == [1.0, 2.0, 3.0]  # too few to know a factor


@pytest.mark.parametrize("name", ["skyjo", "lexio"])
def test_the_meter_of_luck_plays_the_same_game_and_gives_one_what_it_takes_from_others(steps, name, monkeypatch):
    luck = importlib.import_module("luck")
    game = find_game(name)
    monkeypatch.setattr(luck, "network_of", network)
    metered, plain = Match(game, seed=3), Match(game, seed=3)
    meter = luck.LuckMeter(metered, 1)
    for _ in range(12):
        move = plain.legal_moves()[0]
        meter.play(move)
        plain.push(move)
        assert metered.state.tobytes() == plain.state.tobytes()
    assert meter.luck.sum() == pytest.approx(0, abs=1e-4)
    assert meter.luck.any() == (game.folder / "chance.py").exists()
