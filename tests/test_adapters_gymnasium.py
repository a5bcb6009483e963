"""Gymnasium: its own environment check in every setup, and a learner against opponents of all kinds."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from adapter_suites import Scripted, setup_per_seats
from tablee import all_games
from tablee.adapters.gymnasium import LearnerEnv
from tablee.core.errors import BadMove, BadSetup, IllegalMove, TableeError
from tablee.core.game import Game, Setup

GAMES = all_games()
SETUPS = [(game, setup) for game in GAMES for setup in (*setup_per_seats(game), *game.reduced_setups())]
every_setup = pytest.mark.parametrize(("game", "setup"), SETUPS, ids=lambda part: getattr(part, "name", str(part)))


@every_setup
@pytest.mark.filterwarnings("ignore:.*A Box observation space")  # counts have no natural bound
def test_the_environment_check_of_gymnasium_passes_with_default_settings(game: Game, setup: Setup) -> None:
    name = f"tablee/{game.name}-v{game.version}"
    table = gymnasium.make(name, seats=setup.seats, options=dict(setup.options), reduction=setup.reduction)
    check_env(table.unwrapped, skip_render_check=setup.seats != game.usual_seats)


def play(table: LearnerEnv, seed: int | None, index: int = 0) -> tuple[float, int]:
    """Play the first legal move to the end; return the sum of the rewards and the number of steps."""
    _, info = table.reset(seed=seed)
    total = 0.0
    for step in range(1, 2000):
        _, reward, ended, truncated, info = table.step(info["legal_moves"][index])
        total += reward
        if ended or truncated:
            return total, step
    raise AssertionError("the game does not end")


@pytest.mark.parametrize("bots", ["random", "greedy", "policy", "novice", [Scripted()]])
def test_a_learner_plays_against_opponents_of_all_kinds(bots: Any) -> None:
    table = LearnerEnv("xe_queo", bots=bots, max_moves=4 if bots == "novice" else None)
    reward, steps = play(table, seed=4)
    assert reward in (-1.0, 0.0, 1.0)
    assert play(table, seed=4) == (reward, steps)


def test_a_function_can_be_an_opponent() -> None:
    def last_move(seen: dict[str, np.ndarray]) -> int:
        return int(np.flatnonzero(seen["action_mask"])[-1])

    table = LearnerEnv("skyjo", seats=3, bots=[last_move, "greedy"], episode="round")
    assert play(table, seed=4) == play(table, seed=4)


def test_the_learner_can_change_seats() -> None:
    table = LearnerEnv("skyjo", seats=3, seat="rotate")
    seats = [table.reset(seed=5 if episode == 0 else None)[1]["seat"] for episode in range(6)]
    assert seats == [0, 1, 2, 0, 1, 2]
    assert table.reset(seed=5)[1]["seat"] == 0
    table = LearnerEnv("skyjo", seats=3, seat="random")
    table.reset(seed=5)
    seats = [table.reset()[1]["seat"] for _ in range(30)]
    assert set(seats) == {0, 1, 2}
    assert all(table.reset()[1]["seat"] == table.stepper.to_move for _ in range(10))


def test_rewards_are_those_of_the_learners_seat() -> None:
    for seat in (0, 1):
        table = LearnerEnv("skyjo", seats=2, seat=seat, reward="round", episode="round")
        total, _ = play(table, seed=3)
        scores = table.match.scores()
        assert total == pytest.approx((scores[1 - seat] - scores[seat]) / table.game.round_scale)


def test_an_episode_is_cut_off_after_max_moves() -> None:
    table = LearnerEnv("skyjo", seats=2, max_moves=10)
    _, info = table.reset(seed=1)
    truncated = False
    while not truncated:
        _, _, ended, truncated, info = table.step(info["legal_moves"][0])
        assert not ended
    assert table.stepper.played == 10
    with pytest.raises(TableeError, match="call reset"):
        table.step(0)


def test_an_illegal_move_loses_or_raises() -> None:
    raising = LearnerEnv("skyjo", seats=2, illegal="raise")
    raising.reset(seed=1)
    with pytest.raises(IllegalMove, match="illegal move 'draw'"):
        raising.step(0)
    losing = LearnerEnv("skyjo", seats=2)
    losing.reset(seed=1)
    _, reward, ended, _, info = losing.step(0)
    assert (reward, ended) == (-1.0, True)
    assert "illegal move 'draw'" in info["illegal"]
    with pytest.raises(TableeError, match="call reset"):
        losing.step(3)
    for move, error in ((-1, BadMove), (27, BadMove), (1.5, TypeError), ("draw", TypeError), (None, TypeError)):
        losing.reset(seed=1)
        with pytest.raises(error):
            losing.step(move)


def test_masks_are_what_maskable_algorithms_expect() -> None:
    table = LearnerEnv("skyjo", seats=2)
    seen, info = table.reset(seed=1)
    mask = table.action_masks()
    assert mask.dtype == np.bool_
    assert np.flatnonzero(mask).tolist() == info["legal_moves"].tolist()
    assert np.array_equal(seen["action_mask"], mask)


def test_legal_moves_can_be_listed_with_their_features() -> None:
    table = LearnerEnv("lexio", action_mask=False, move_list=True)
    seen, info = table.reset(seed=2)
    count = len(info["legal_moves"])
    assert table.observation_space.contains(seen)
    assert seen["legal_moves"][:count].tolist() == info["legal_moves"].tolist()
    assert table.move_features is not None
    assert np.array_equal(seen["move_features"][:count], table.move_features[info["legal_moves"]])


def test_a_copy_of_an_environment_goes_its_own_way() -> None:
    table = LearnerEnv("skyjo", seats=2)
    _, info = table.reset(seed=1)
    twin = copy.deepcopy(table)
    twin.step(info["legal_moves"][0])
    assert table.stepper.played == 0
    assert twin.stepper.played > 0


class Foul:
    """A bot that plays an illegal move."""

    name, version = "foul", 1

    def decide(self, sight: object, moves: Sequence[int]) -> Any:
        from tablee.bots.bot import Decision

        return Decision(next(move for move in range(1000) if move not in moves))


def test_an_opponents_illegal_move_raises() -> None:
    table = LearnerEnv("skyjo", seats=2, bots=Foul())  # type: ignore[arg-type]
    table.reset(seed=1)
    with pytest.raises(IllegalMove, match="for seat 1"):
        play(table, seed=1)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"seat": 4}, "no seat 4"),
        ({"seat": "north"}, "seat cannot be 'north'"),
        ({"illegal": "ignore"}, "illegal cannot be 'ignore'"),
        ({"bots": ["random"]}, "1 bots for 3 seats"),
        ({"bots": "grandmaster"}, "no bot 'grandmaster'"),
        ({"bots": [3, 4, 5]}, "not 3"),
        ({"max_moves": -3}, "max_moves"),
        ({"reward": "money"}, "reward"),
    ],
)
def test_an_impossible_environment_is_refused(settings: dict[str, Any], reason: str) -> None:
    with pytest.raises(TableeError, match=reason):
        LearnerEnv("skyjo", seats=4, **settings)


def test_an_episode_in_which_the_learner_gets_no_turn_is_refused() -> None:
    with pytest.raises(BadSetup, match="gets no turn"):
        LearnerEnv("skyjo", seats=2, seat=1, max_moves=1).reset(seed=1)
