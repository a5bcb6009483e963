"""Environments for Stable-Baselines3: what it expects of a VecEnv, and MaskablePPO as it comes."""

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecMonitor

from tablee.adapters.stable_baselines import BatchVecEnv
from tablee.adapters.vector import BatchVectorEnv

SETTINGS = {"seats": 2, "bots": "greedy", "reward": "ranks"}
CUT_OFF = {**SETTINGS, "max_moves": 30}


def last_legal(masks):
    return np.array([np.flatnonzero(mask)[-1] for mask in masks])


def test_steps_are_those_of_the_vector_environment():
    tables, twin = (
        BatchVecEnv(4, "skyjo", **SETTINGS, max_moves=30),
        BatchVectorEnv(4, "skyjo", **SETTINGS, max_moves=30),
    )
    tables.seed(3)
    assert np.array_equal(tables.reset(), twin.reset(seed=3)[0]["observation"])
    ends = 0
    for _ in range(40):
        masks = np.stack(tables.env_method("action_masks"))
        assert np.array_equal(masks, twin.action_masks())
        moves = last_legal(masks)
        seen, rewards, ended, infos = tables.step(moves)
        expected, gained, terminated, truncated, info = twin.step(moves)
        assert np.array_equal(seen, expected["observation"])
        assert rewards.tolist() == gained.astype(np.float32).tolist()
        assert ended.tolist() == (terminated | truncated).tolist()
        for row in range(4):
            assert set(infos[row]) == ({"terminal_observation", "TimeLimit.truncated"} if ended[row] else set())
            if ended[row]:
                assert np.array_equal(infos[row]["terminal_observation"], info["final_obs"]["observation"][row])
                assert infos[row]["TimeLimit.truncated"] == truncated[row]
        ends += int(ended.sum())
    assert ends > 4


def test_a_monitor_counts_episodes():
    tables = VecMonitor(BatchVecEnv(4, "skyjo", **SETTINGS))
    tables.seed(3)
    tables.reset()
    episodes = []
    while len(episodes) < 4:
        *_, infos = tables.step(last_legal(tables.env_method("action_masks")))
        episodes += [info["episode"] for info in infos if "episode" in info]
    assert all(episode["r"] in (-1.0, 0.0, 1.0) for episode in episodes)


def test_maskable_ppo_plays_legal_moves_only():
    tables = BatchVecEnv(8, "skyjo", **SETTINGS, seat="rotate", episode="round", illegal="raise")
    model = MaskablePPO("MlpPolicy", tables, n_steps=8, batch_size=64, n_epochs=1, seed=1, device="cpu")
    before = [weights.detach().clone() for weights in model.policy.parameters()]
    model.learn(128)
    after = list(model.policy.parameters())
    assert any((old != new).any() for old, new in zip(before, after, strict=True))
