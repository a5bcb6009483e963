"""PettingZoo: its own tests in every setup, and what they do not cover."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test, state_test
from pettingzoo.test.save_obs_test import test_save_obs as save_obs_test

from adapter_suites import setup_per_seats
from tablee import all_games
from tablee.adapters.pettingzoo import TableEnv
from tablee.core.errors import BadMove, BadSetup, IllegalMove, TableeError
from tablee.core.game import Game, Setup
from tablee.simulation import Batch

GAMES = all_games()
SETUPS = [(game, setup) for game in GAMES for setup in (*setup_per_seats(game), *game.reduced_setups())]
every_setup = pytest.mark.parametrize(("game", "setup"), SETUPS, ids=lambda part: getattr(part, "name", str(part)))


def settings_of(setup: Setup) -> dict[str, object]:
    """Return the settings with which an environment has a setup."""
    return {"seats": setup.seats, "options": dict(setup.options), "reduction": setup.reduction}


def make(kind: str, game: Game, setup: Setup, **settings: object) -> object:
    return pettingzoo.make(kind, f"tablee/{game.name}-v{game.version}", **settings_of(setup), **settings)


@every_setup
@pytest.mark.filterwarnings("ignore:Observation")  # it warns about a dict of observation and mask
@pytest.mark.filterwarnings("ignore:Environment's m..imum state space value is")  # a state is unscaled numbers
def test_the_tests_of_pettingzoo_pass(
    game: Game, setup: Setup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # save_obs_test writes files
    api_test(make("aec", game, setup), num_cycles=10)
    seed_test(lambda: make("aec", game, setup), num_cycles=4)
    parallel_api_test(make("parallel", game, setup), num_cycles=5)
    parallel_seed_test(lambda: make("parallel", game, setup), num_cycles=4)
    state_test(make("aec", game, setup), make("parallel", game, setup), num_cycles=4)
    save_obs_test(make("aec", game, setup))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_render_test_of_pettingzoo_passes(game: Game) -> None:
    render_test(lambda **settings: TableEnv(game, **settings))


def test_in_parallel_only_the_action_of_the_seat_on_turn_counts() -> None:
    turns, parallel = TableEnv("skyjo", seats=3), pettingzoo.make("parallel", "tablee/skyjo-v1", seats=3)
    turns.reset(seed=4)
    seen, _ = parallel.reset(seed=4)
    for _ in range(12):
        on_turn = turns.agent_selection
        move = int(np.flatnonzero(seen[on_turn]["action_mask"])[-1])
        others = dict.fromkeys(parallel.agents, 0)
        seen, _, _, _, infos = parallel.step({**others, on_turn: move})
        turns.step(move)
        assert infos[on_turn]["active_agent"] == turns.agent_selection
        assert parallel.unwrapped.match.digest() == turns.match.digest()


def test_only_the_seat_on_turn_gets_a_mask() -> None:
    table = TableEnv(GAMES[0])
    table.reset(seed=1)
    for agent in table.agents:
        is_on_turn = agent == table.agent_selection
        assert table.observe(agent)["action_mask"].any() == is_on_turn
        assert ("action_mask" in table.infos[agent]) == is_on_turn


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_legal_moves_can_be_listed_with_their_features(game: Game) -> None:
    table = TableEnv(game, move_list=True, action_mask=False)
    table.reset(seed=1)
    for agent in table.agents:
        seen = table.observe(agent)
        assert table.observation_space(agent).contains(seen)
        assert "action_mask" not in seen
        legal = seen["legal_moves"][seen["legal_moves"] >= 0]
        assert legal.tolist() == table.infos[agent].get("legal_moves", np.array([])).tolist()
        assert ("move_features" in seen) == (table.move_features is not None)
        if table.move_features is not None:
            assert np.array_equal(seen["move_features"][: len(legal)], table.move_features[legal])
            assert not seen["move_features"][len(legal) :].any()


def test_an_illegal_move_is_refused_with_its_reason() -> None:
    table = TableEnv("skyjo", seats=2)
    table.reset(seed=1)
    with pytest.raises(IllegalMove, match="illegal move 'draw' for seat 0"):
        table.step(0)


def test_an_illegal_move_can_end_the_episode() -> None:
    table = TableEnv("skyjo", seats=2, illegal="lose")
    table.reset(seed=1)
    table.step(0)
    assert table.rewards == {"seat_0": -1.0, "seat_1": 0.0}
    assert table.terminations == {"seat_0": True, "seat_1": True}
    assert "illegal move 'draw'" in table.infos["seat_0"]["illegal"]
    with pytest.raises(ValueError, match="None"):
        table.step(3)


def play_out(table: TableEnv) -> dict[str, float]:
    """Play the first legal move to the end; return the sum of each agent's rewards."""
    returns = dict.fromkeys(table.possible_agents, 0.0)
    for agent in table.agent_iter():
        _, reward, ended, truncated, info = table.last()
        returns[agent] += reward
        table.step(None if ended or truncated else int(info["legal_moves"][0]))
    return returns


def test_the_last_rewards_reach_every_agent() -> None:
    table = TableEnv("xe_queo")
    table.reset(seed=4)
    assert sorted(play_out(table).values()) == [-1.0, 1.0]


def test_an_episode_can_be_a_round_with_its_reward_and_can_be_cut_off() -> None:
    table = TableEnv("skyjo", seats=2, reward="round", episode="round")
    table.reset(seed=4)
    returns = play_out(table)
    assert table.match.finished_rounds() == 1
    first, second = table.match.scores()
    assert returns["seat_0"] == -returns["seat_1"]
    assert np.sign(returns["seat_0"]) == np.sign(second - first)
    table = TableEnv("skyjo", seats=2, max_moves=3)
    table.reset(seed=4)
    for _ in range(3):
        table.step(int(table.infos[table.agent_selection]["legal_moves"][0]))
    assert table.truncations == {"seat_0": True, "seat_1": True}
    assert table.terminations == {"seat_0": False, "seat_1": False}


def test_the_state_is_that_of_a_batch() -> None:
    table, batch = TableEnv("xylo", seats=3), Batch("xylo", 1, seats=3, seed=5)
    table.reset(seed=5)
    move = int(table.infos["seat_0"]["legal_moves"][0])
    table.step(move)
    batch.step([move])
    assert np.array_equal(table.state(), batch.full_state()[0])
    assert table.state_space.contains(table.state())


def test_sampled_actions_are_legal() -> None:
    table = TableEnv("lexio")
    table.reset(seed=1)
    for _ in range(10):
        table.step(table.action_space(table.agent_selection).sample())


def test_an_environment_can_be_copied_and_saved() -> None:
    table = TableEnv("skyjo", seats=2)
    table.reset(seed=1)
    for twin in (copy.deepcopy(table), pickle.loads(pickle.dumps(table))):
        twin.step(int(twin.infos[twin.agent_selection]["legal_moves"][0]))
        assert twin.stepper.played == 1
    assert table.stepper.played == 0


@pytest.mark.parametrize(
    "settings",
    [
        {"game": "chess"},
        {"game": 3},
        {"seats": 9},
        {"viewer": 2},
        {"options": {"speed": 1}},
        {"reward": "money"},
        {"episode": "life"},
        {"max_moves": -1},
        {"illegal": "ignore"},
        {"render_mode": "film"},
        {"reduction": "huge"},
    ],
)
def test_impossible_settings_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(TableeError, match=r"\w"):
        TableEnv(**{"game": "skyjo", "seats": 2, **settings})  # type: ignore[arg-type]


def test_wrong_arguments_are_refused() -> None:
    table = TableEnv("skyjo", seats=2)
    with pytest.raises(BadSetup, match="a seed"):
        table.reset(seed=-1)
    with pytest.raises(BadSetup, match="a stream"):
        table.reset(options={"stream": -1})
    table.reset(seed=1)
    for move, error in ((-1, BadMove), (27, BadMove), (1.5, TypeError), ("draw", TypeError), (None, BadMove)):
        with pytest.raises(error):
            table.step(move)  # type: ignore[arg-type]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_game_is_rendered_as_text_and_as_a_picture(game: Game) -> None:
    table = TableEnv(game, render_mode="ansi")
    table.reset(seed=3)
    text = table.render()
    assert isinstance(text, str)
    assert all(zone.label in text for zone in table.match.view(-1).zones)
    table.render_mode = "rgb_array"
    picture = table.render()
    assert isinstance(picture, np.ndarray)
    assert picture.shape[2] == 3
    assert picture.std() > 0
