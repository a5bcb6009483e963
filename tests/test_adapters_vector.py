"""Gymnasium's vector environments: autoreset modes, last observations, seats, opponents, illegal moves."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from adapter_suites import Scripted, setup_per_seats
from tablee import Match, all_games
from tablee.adapters.gymnasium import LearnerEnv
from tablee.adapters.vector import BatchVectorEnv
from tablee.core.errors import BadMove, BadSetup, IllegalMove, TableeError
from tablee.core.game import Game, Setup
from tablee.simulation import NO_MOVE

GAMES = all_games()
SETUPS = [(game, setup) for game in GAMES for setup in (*setup_per_seats(game), *game.reduced_setups())]
SAME, NEXT, DISABLED = AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED


def make(games: int = 5, game: str = "xe_queo", **settings: Any) -> BatchVectorEnv:
    return BatchVectorEnv(games, game, **settings)


def last_legal(seen: dict[str, np.ndarray]) -> np.ndarray:
    """Return the last legal move of each game, 0 where there is none."""
    return np.array([np.flatnonzero(mask)[-1] if mask.any() else 0 for mask in seen["action_mask"]])


@pytest.mark.parametrize(("game", "setup"), SETUPS, ids=lambda part: getattr(part, "name", str(part)))
def test_what_is_returned_fits_the_spaces_in_every_setup(game: Game, setup: Setup) -> None:
    settings = {"seats": setup.seats, "options": dict(setup.options), "reduction": setup.reduction}
    tables = gymnasium.make_vec(f"tablee/{game.name}-v{game.version}", 3, **settings)
    assert isinstance(tables.unwrapped, BatchVectorEnv)
    assert tables.metadata["autoreset_mode"] is SAME
    seen, info = tables.reset(seed=3)
    for _ in range(4):
        assert tables.observation_space.contains(seen)
        assert np.array_equal(seen["action_mask"], info["action_mask"])
        actions = tables.action_space.sample()
        assert tables.action_space.contains(actions)
        seen, rewards, terminated, truncated, info = tables.step(actions)
        assert rewards.dtype == np.float64
        assert rewards.shape == terminated.shape == truncated.shape == (3,)
        assert terminated.dtype == truncated.dtype == np.bool_
        assert not info.get("final_info", {}).get("illegal", np.zeros(3)).any()


@pytest.mark.parametrize("seat", [0, 1, "rotate", "random", "all"])
@pytest.mark.parametrize("bots", ["random", "greedy"])
def test_the_learner_is_always_on_turn(seat: Any, bots: str) -> None:
    tables = make(seat=seat, bots=bots)
    seen, info = tables.reset(seed=3)
    ends, total, seats = 0, np.zeros(5), [info["seat"]]
    for _ in range(60):
        assert tables.batch.to_move.tolist() == info["seat"].tolist()
        seen, rewards, terminated, truncated, info = tables.step(last_legal(seen))
        assert not rewards[~terminated].any()
        assert not truncated.any()
        ends += int(terminated.sum())
        total += np.abs(rewards)
        seats.append(info["seat"])
        changed = seats[-1] != seats[-2]
        assert (changed <= terminated).all() or seat == "all"
    assert ends > 4
    assert total.sum() > 0
    assert set(np.concatenate(seats).tolist()) == ({seat} if isinstance(seat, int) else {0, 1})


def test_the_last_observation_is_that_of_the_finished_game() -> None:
    """Compared with a single environment that plays the same deal, with scripted opponents in both."""
    tables = make(1, bots=Scripted())
    single = LearnerEnv("xe_queo", bots=Scripted())
    seen, _ = tables.reset(seed=5)
    expected, _ = single.reset(seed=5)
    ended = False
    while not ended:
        assert np.array_equal(seen["observation"][0], expected["observation"])
        move = last_legal(seen)
        expected, reward, ended, _, _ = single.step(move[0])
        seen, rewards, terminated, _, info = tables.step(move)
        assert (rewards[0], terminated[0]) == (reward, ended)
    assert np.array_equal(info["final_obs"]["observation"][0], expected["observation"])
    assert info["_final_obs"].tolist() == [True]
    assert info["final_info"]["ranks"][0].tolist() == list(single.match.outcome.ranks)
    assert tables.batch.states[0].tobytes() != single.match.state.tobytes()


def test_a_finished_game_can_wait_until_the_next_step() -> None:
    same, later = make(bots="greedy"), make(bots="greedy", autoreset_mode=NEXT)
    seen, _ = same.reset(seed=2)
    shown, _ = later.reset(seed=2)
    while True:
        assert np.array_equal(seen["observation"], shown["observation"])
        moves = last_legal(seen)
        seen, rewards, ended, _, info = same.step(moves)
        shown, *others, told = later.step(moves)
        assert np.array_equal(others[0], rewards)
        assert np.array_equal(others[1], ended)
        if ended.any():
            break
    assert np.array_equal(shown["observation"][ended], info["final_obs"]["observation"][ended])
    assert not shown["action_mask"][ended].any()
    assert "final_obs" not in told
    moves = last_legal(seen)
    moves[ended] = -1  # ignored
    waiting = later.batch.states[ended].tobytes()
    shown, rewards, over, _, _ = later.step(moves)
    assert later.batch.states[ended].tobytes() == waiting
    assert np.array_equal(shown["observation"][ended], seen["observation"][ended])
    assert not rewards[ended].any()
    assert not over[ended].any()


def test_without_autoreset_games_are_reset_by_a_mask() -> None:
    tables = make(autoreset_mode="Disabled")
    seen, _ = tables.reset(seed=2)
    ended = np.zeros(5, np.bool_)
    while not ended.any():
        seen, _, ended, _, _ = tables.step(last_legal(seen))
    with pytest.raises(TableeError, match="reset_mask"):
        tables.step(np.zeros(5, np.int64))
    shown, _ = tables.reset(options={"reset_mask": ended})
    assert np.array_equal(shown["observation"][~ended], seen["observation"][~ended])
    assert (tables.batch.to_move == 0).all()
    kept = tables.batch.states[1:].tobytes()
    tables.reset(options={"reset_mask": np.arange(5) == 0})
    assert tables.batch.states[1:].tobytes() == kept
    for mask in (np.zeros(5, np.bool_), np.ones(4, np.bool_), [1, 0, 0, 0, 0]):
        with pytest.raises(BadSetup, match="reset_mask"):
            tables.reset(options={"reset_mask": mask})


@pytest.mark.parametrize("mode", [SAME, NEXT])
@pytest.mark.parametrize("seat", ["rotate", "all"])
def test_an_illegal_move_loses_or_raises(mode: AutoresetMode, seat: str) -> None:
    tables = make(seat=seat, autoreset_mode=mode)
    seen, _ = tables.reset(seed=1)
    moves = last_legal(seen)
    moves[2] = int(np.flatnonzero(seen["action_mask"][2] == 0)[0])
    shown, rewards, terminated, _, info = tables.step(moves)
    assert rewards[2] == -1.0
    assert terminated.tolist() == [False, False, True, False, False]
    assert info["final_info"]["illegal"].tolist() == terminated.tolist()
    last = info["final_obs"]["observation"] if mode is SAME else shown["observation"]
    assert np.array_equal(last[2], seen["observation"][2])
    assert (tables.batch.to_move >= 0).all()
    shown, rewards, terminated, _, _ = tables.step(np.where(terminated & (mode is NEXT), 0, last_legal(shown)))
    assert not terminated.any()
    raising = make(seat=seat, illegal="raise")
    raising.reset(seed=1)
    before = raising.batch.states.tobytes()
    with pytest.raises(IllegalMove, match="game 2 of the batch"):
        raising.step(moves)
    assert raising.batch.states.tobytes() == before


def test_in_all_seats_rewards_are_those_of_the_mover() -> None:
    tables = make(seat="all")
    seen, info = tables.reset(seed=1)
    while True:
        movers = info["seat"]
        seen, rewards, ended, _, info = tables.step(last_legal(seen))
        assert np.array_equal(rewards, info["rewards"][np.arange(5), movers])
        if ended.any():
            break
    assert np.abs(info["rewards"][ended]).sum() > 0


def test_functions_and_bots_can_be_opponents() -> None:
    for bots in (last_legal, Scripted()):
        tables = make(3, "skyjo", seats=3, bots=bots, seat="rotate", max_moves=30)
        seen, info = tables.reset(seed=1)
        ends = 0
        for _ in range(15):
            assert tables.batch.to_move.tolist() == info["seat"].tolist()
            seen, _, _, truncated, info = tables.step(last_legal(seen))
            ends += int(truncated.sum())
        assert ends > 0


@pytest.mark.parametrize("mode", [SAME, NEXT])
@pytest.mark.parametrize(("bots", "deals"), [("greedy", 1), (Scripted(), 2)])  # after a deal, "greedy" draws on
def test_rewards_are_those_of_single_environments(bots: Any, deals: int, mode: AutoresetMode) -> None:
    """The opponents' moves before the learner's first turn change its potential, and are in no step's reward."""
    settings: dict[str, Any] = {"seats": 2, "seat": 1, "reward": "potential", "max_moves": 12, "bots": bots}
    tables = make(3, "skyjo", autoreset_mode=mode, **settings)
    seen, _ = tables.reset(seed=4)
    singles = [LearnerEnv("skyjo", **settings) for _ in range(3)]
    for deal in range(deals):
        for number, single in enumerate(singles):
            single.reset(seed=4, options={"stream": number + 3 * deal})
        ended, total = np.zeros(3, np.bool_), np.zeros(3)
        while not ended.any():
            moves = last_legal(seen)
            expected = np.array([single.step(move)[1] for single, move in zip(singles, moves, strict=True)])
            seen, rewards, terminated, truncated, _ = tables.step(moves)
            assert rewards.tolist() == expected.tolist()
            ended, total = terminated | truncated, total + rewards
        assert ended.all()
        assert total.any()
        if mode is NEXT:
            seen, rewards, *_ = tables.step(np.zeros(3, np.int64))
            assert not rewards.any()


def test_rewards_by_round_and_truncation() -> None:
    tables = make(3, "skyjo", seats=2, reward="round", episode="round", max_moves=40)
    tables.reset(seed=1)
    terminations = truncations = 0
    for _ in range(25):
        _, rewards, terminated, truncated, _ = tables.step(tables.action_space.sample())
        assert not (terminated & truncated).any()
        assert not rewards[~terminated].any()
        terminations, truncations = terminations + terminated.sum(), truncations + truncated.sum()
    assert terminations + truncations > 0


def test_legal_moves_can_be_listed_with_their_features() -> None:
    tables = make(2, "lexio", seat="all", action_mask=False, move_list=True)
    seen, _ = tables.reset(seed=2)
    assert tables.observation_space.contains(seen)
    match = Match("lexio", seed=2)
    legal = seen["legal_moves"][0]
    assert legal[legal >= 0].tolist() == match.legal_moves()
    assert np.array_equal(
        seen["move_features"][0, : (legal >= 0).sum()], tables.batch.move_features()[0, : (legal >= 0).sum()]
    )


def test_seeds_decide_the_games() -> None:
    tables, twin = make(), make()
    assert np.array_equal(
        tables.reset(seed=[4] * 5)[0]["observation"], np.repeat(make(1).reset(seed=4)[0]["observation"], 5, 0)
    )
    for seed in (7, np.int64(7), None):
        tables.reset(seed=3)
        twin.reset(seed=3)
        assert np.array_equal(tables.reset(seed=seed)[0]["observation"], twin.reset(seed=seed)[0]["observation"])


@pytest.mark.parametrize(
    "settings",
    [
        {"num_envs": 0},
        {"num_envs": 2.5},
        {"game": "chess"},
        {"seat": 2},
        {"seat": -1},
        {"seat": "north"},
        {"bots": "grandmaster"},
        {"bots": 3},
        {"illegal": "ignore"},
        {"autoreset_mode": "Never"},
        {"device": "abacus"},
        {"reward": "money"},
        {"max_moves": 0},
    ],
)
def test_impossible_settings_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(TableeError, match=r"\w"):
        BatchVectorEnv(**{"num_envs": 2, "game": "xe_queo", **settings})


def test_wrong_actions_are_refused() -> None:
    tables = make(3)
    with pytest.raises(TableeError, match="call reset"):
        tables.step([0, 0, 0])
    tables.reset(seed=1)
    wrong = ([0, 0], [[0], [0], [0]], [0.5, 0, 0], ["a", "b", "c"], [0, 0, -1], [0, 0, 407], None, 5, [0, 0, NO_MOVE])
    for actions in (*wrong, [[0], [1, 2], []], np.array([0, 0, 2**63], np.uint64)):
        with pytest.raises(BadMove):
            tables.step(actions)
    tables.step(tables.batch.legal[:, 0].astype(np.uint64))
    with pytest.raises(TableeError, match="before the seat was on turn"):
        make(2, "skyjo", seats=2, seat=1, max_moves=1).reset(seed=1)
