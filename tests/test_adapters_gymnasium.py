"""Gymnasium: its own environment check, a learner against bots, and many games in one batch."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from tablee import all_games
from tablee.adapters.gymnasium import BatchVectorEnv, LearnerEnv
from tablee.core.errors import BadSetup, IllegalMove

GAMES = all_games()


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.filterwarnings("ignore:.*A Box observation space")  # counts have no natural bound
def test_the_environment_check_of_gymnasium_passes(game: object) -> None:
    made = gymnasium.make(f"tablee/{game.name}-v{game.version}", illegal="lose", render_mode="ansi")  # type: ignore[attr-defined]
    check_env(made.unwrapped)


def play(table: LearnerEnv, seed: int) -> tuple[float, int]:
    """Play the first legal move to the end; return the reward and the number of steps."""
    _, info = table.reset(seed=seed)
    for step in range(1, 2000):
        _, reward, ended, _, info = table.step(int(np.flatnonzero(info["action_mask"])[0]))
        if ended:
            return reward, step
    raise AssertionError("the game does not end")


def test_a_learner_plays_against_bots_of_the_roster() -> None:
    table = LearnerEnv("xe_queo", bots="greedy")
    reward, steps = play(table, seed=4)
    assert reward in (-1.0, 0.0, 1.0)
    assert play(table, seed=4) == (reward, steps)


def test_an_illegal_move_raises_or_loses() -> None:
    table = LearnerEnv("skyjo", seats=2)
    table.reset(seed=1)
    with pytest.raises(IllegalMove):
        table.step(0)
    losing = LearnerEnv("skyjo", seats=2, illegal="lose")
    losing.reset(seed=1)
    _, reward, ended, _, info = losing.step(0)
    assert (reward, ended) == (-1.0, True)
    assert "illegal move 'draw'" in info["illegal"]


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"seat": 4}, "no seat 4"),
        ({"illegal": "ignore"}, "raise or lose"),
        ({"bots": ["random"]}, "1 bots for 3 seats"),
    ],
)
def test_an_impossible_environment_is_refused(settings: dict[str, object], reason: str) -> None:
    with pytest.raises(BadSetup, match=reason):
        LearnerEnv("skyjo", seats=4, **settings)  # type: ignore[arg-type]


def test_many_games_in_one_batch() -> None:
    tables = gymnasium.make_vec("tablee/xe_queo-v1", num_envs=8, vectorization_mode="vector_entry_point")
    assert isinstance(tables.unwrapped, BatchVectorEnv)
    seen, _ = tables.reset(seed=3)
    ends, total = 0, 0.0
    for _ in range(120):
        assert tables.observation_space.contains(seen)
        assert (tables.unwrapped.batch.to_move == 0).all()
        moves = np.array([np.flatnonzero(mask)[-1] for mask in seen["action_mask"]])
        seen, reward, ended, truncated, _ = tables.step(moves)
        assert not reward[~ended].any()
        assert not truncated.any()
        ends += int(ended.sum())
        total += float(np.abs(reward).sum())
    assert ends > 8
    assert total > 0
    with pytest.raises(BadSetup, match="see its action mask"):
        tables.step(np.array([np.flatnonzero(mask == 0)[0] for mask in seen["action_mask"]]))
