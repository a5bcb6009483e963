"""PettingZoo: its own tests, and what they do not cover."""

from __future__ import annotations

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, parallel_api_test, seed_test

from tablee import all_games
from tablee.adapters.pettingzoo import TableEnv
from tablee.core.errors import IllegalMove

GAMES = all_games()
IDS = [f"tablee/{game.name}-v{game.version}" for game in GAMES]


@pytest.mark.parametrize("name", IDS)
@pytest.mark.filterwarnings("ignore:Observation")  # it warns about a dict of observation and mask
def test_the_tests_of_pettingzoo_pass(name: str) -> None:
    api_test(pettingzoo.make("aec", name), num_cycles=30)
    seed_test(lambda: pettingzoo.make("aec", name), num_cycles=10)


@pytest.mark.parametrize("name", IDS)
def test_the_parallel_test_of_pettingzoo_passes(name: str) -> None:
    """Its parallel_seed_test cannot be run: it ignores masks."""
    parallel_api_test(pettingzoo.make("parallel", name), num_cycles=10)


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


def test_an_illegal_move_is_refused_with_its_reason() -> None:
    table = TableEnv("skyjo", seats=2)
    table.reset(seed=1)
    with pytest.raises(IllegalMove, match="illegal move 'draw' for seat 0"):
        table.step(0)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_game_is_rendered_as_text_and_as_a_picture(game: object) -> None:
    table = TableEnv(game, render_mode="ansi")  # type: ignore[arg-type]
    table.reset(seed=3)
    text = table.render()
    assert isinstance(text, str)
    assert all(zone.label in text for zone in table.match.view(-1).zones)
    table.render_mode = "rgb_array"
    picture = table.render()
    assert isinstance(picture, np.ndarray)
    assert picture.shape[2] == 3
    assert picture.std() > 0
