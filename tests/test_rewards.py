"""Rewards: exact sums, signs, rounds, potentials that telescope."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tablee import Match, all_games, find_game
from tablee.core.errors import BadGame, BadSetup
from tablee.core.game import Game
from tablee.core.types import State
from tablee.simulation import rewards
from tablee.simulation.rewards import RewardRule, reward_rule

KINDS = ("ranks", "points", "round", "potential")
GAMES = [game.name for game in all_games()]


def tie_groups(seats: int) -> Iterator[list[int]]:
    """Yield the sizes of the groups of tied seats, best first, in every way."""
    if seats == 0:
        yield []
    for size in range(1, seats + 1):
        for others in tie_groups(seats - size):
            yield [size, *others]


def rank_patterns(seats: int) -> Iterator[list[int]]:
    """Yield the ranks of each way to tie, with the seats in several orders."""
    chooser = random.Random(seats)
    for groups in tie_groups(seats):
        ranks = [1 + sum(groups[:index]) for index, size in enumerate(groups) for _ in range(size)]
        for _ in range(6):
            yield list(ranks)
            chooser.shuffle(ranks)


def rank_rewards(ranks: list[int]) -> np.ndarray:
    out = np.zeros(len(ranks))
    rewards.write_rank_rewards(np.array(ranks, np.int64), len(ranks), out)
    return out


@pytest.mark.parametrize("seats", range(2, 9))
def test_rewards_by_ranks_sum_to_exactly_zero_in_any_order(seats: int) -> None:
    for ranks in rank_patterns(seats):
        found = rank_rewards(ranks)
        expected = [sum(np.sign(other - own) for other in ranks) / (seats - 1) for own in ranks]
        assert np.abs(found - expected).max() <= 2.0**-36
        assert found.sum() == sum(found.tolist()) == sum(sorted(found.tolist())) == np.sum(found[::-1]) == 0.0
        assert (found[np.array(expected) == 1.0] == 1.0).all()
        assert (found[np.array(expected) == -1.0] == -1.0).all()


def test_rewards_of_a_round_sum_to_exactly_zero_with_any_points() -> None:
    chooser = np.random.default_rng(1)
    for seats in range(2, 9):
        for scale in (1, 3, 7, 30, 1000):
            points = chooser.integers(-5000, 5000, seats)
            leads = (seats * points - points.sum()).astype(float)
            expected = leads / ((seats - 1) * scale)
            rewards.divide_leads(leads, seats, rewards.UNITS, (seats - 1) * scale)
            assert np.allclose(leads, expected, rtol=0, atol=2.0**-36)
            assert leads.sum() == sum(leads.tolist()) == 0.0


class Episodes:
    """A game played at random, with the rewards of every move."""

    def __init__(self, game: Game, seats: int, rule: RewardRule, seed: int = 1) -> None:
        self.match, self.rule = Match(game, seats=seats, seed=seed, options=options_for(game, seats)), rule
        self.baseline, self.out = np.zeros(2 * seats + 1, np.int64), np.zeros(seats)
        self.points, self.ranks = np.zeros(seats, np.int64), np.zeros(seats, np.int64)
        self.chooser = random.Random(seed)
        rewards.start_rewards(self.match.state, rule, self.baseline, self.out)

    def play(self, is_cut_off: bool = False) -> bool:
        """Play a move; return whether it ended an episode."""
        self.match.play(self.chooser.choice(self.match.legal_moves()))
        is_over = self.match.is_over or is_cut_off
        memory = (self.baseline, self.points, self.ranks, self.out)
        return bool(rewards.write_rewards(self.match.state, self.rule, is_over, *memory))

    def play_out(self) -> list[tuple[list[float], bool]]:
        """Play to the end; return the rewards of each move, and whether it ended an episode."""
        played = []
        while not self.match.is_over:
            ended = self.play()
            played.append((self.out.tolist(), ended))
        return played


def options_for(game: Game, seats: int) -> dict[str, Any]:
    """Return options with which so many can play."""
    return dict(next(setup for setup in game.setups() if setup.seats == seats).options)


def potentials_of(game: Game, state: State, seats: int) -> np.ndarray:
    """Return the potentials ahead of the mean of the others', without rounding."""
    own = np.zeros(seats)
    game.kernels.potential(state, own)
    return (seats * own - own.sum()) / (seats - 1)


@pytest.mark.parametrize("name", GAMES)
def test_each_kind_gives_what_the_outcome_says(name: str) -> None:
    game = find_game(name)
    seats, sign = game.seats[-1], -1 if game.fewest_points_win else 1
    for kind in KINDS:
        episodes = Episodes(game, seats, reward_rule(game, kind))
        first = potentials_of(game, episodes.match.state, seats)
        played = episodes.play_out()
        outcome, total = episodes.match.outcome, np.sum([row for row, _ in played], axis=0)
        assert outcome is not None
        assert [ended for _, ended in played] == [False] * (len(played) - 1) + [True]
        by_ranks = rank_rewards(list(outcome.ranks))
        if kind != "points":
            assert all(sum(row) == 0.0 for row, _ in played)
        if kind in ("ranks", "points"):
            assert not np.any([row for row, _ in played[:-1]])
        if kind == "ranks":
            assert total.tolist() == by_ranks.tolist()
        elif kind == "points":
            assert total.tolist() == [sign * points for points in outcome.scores]
        elif kind == "round":
            scores = sign * np.array(outcome.scores)
            expected = (seats * scores - scores.sum()) / ((seats - 1) * game.round_scale)
            assert total == pytest.approx(expected, abs=1e-9)
        else:
            assert total == pytest.approx(by_ranks - first, abs=1e-9)


@pytest.mark.parametrize("name", GAMES)
def test_potentials_telescope_exactly(name: str) -> None:
    """The sum of an episode is the reward by ranks less the first potential, to the last bit."""
    game = find_game(name)
    seats = game.usual_seats
    episodes = Episodes(game, seats, reward_rule(game, "potential"))
    first = episodes.baseline[seats + 1 :] / rewards.UNITS
    total = np.sum([row for row, _ in episodes.play_out()], axis=0)
    outcome = episodes.match.outcome
    assert outcome is not None
    assert (total + first).tolist() == rank_rewards(list(outcome.ranks)).tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_an_episode_can_be_a_round(kind: str) -> None:
    """Each round is rewarded by what happened in it alone."""
    game = find_game("xe_queo")
    episodes = Episodes(game, 2, reward_rule(game, kind, "round"))
    rounds, potential, total = 0, episodes.baseline[3:] / rewards.UNITS, np.zeros(2)
    while not episodes.match.is_over:
        before = episodes.match.scores()
        ended = episodes.play()
        assert ended == (int(game.kernels.finished_rounds(episodes.match.state)) > rounds)
        total += episodes.out
        if not ended:
            continue
        rounds += 1
        gained = np.array(episodes.match.scores()) - before
        assert episodes.points.tolist() == gained.tolist()
        won = [1.0, -1.0] if gained[0] else [-1.0, 1.0]
        expected = gained if kind == "points" else won - potential if kind == "potential" else won
        assert total.tolist() == list(expected)
        potential, total = episodes.baseline[3:] / rewards.UNITS, np.zeros(2)
    assert rounds > 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_game_that_is_cut_off_is_scored_as_it_stands(kind: str) -> None:
    game = find_game("xe_queo")
    episodes = Episodes(game, 2, reward_rule(game, kind))
    while len(set(episodes.match.scores())) == 1:
        episodes.play()
    before = episodes.baseline[3:] / rewards.UNITS
    assert episodes.play(is_cut_off=True)
    by_ranks = rank_rewards(episodes.ranks.tolist())
    assert sorted(by_ranks) == [-1.0, 1.0]
    expected = {
        "ranks": by_ranks,
        "points": episodes.match.scores(),
        "round": [0.0, 0.0],
        "potential": by_ranks - before,
    }
    assert episodes.out.tolist() == list(expected[kind])


def test_places_are_another_word_for_ranks() -> None:
    game = find_game("skyjo")
    assert reward_rule(game, "places") == reward_rule(game, "ranks") == reward_rule(game)


@pytest.mark.parametrize(("reward", "episode"), [("rank", "game"), ("ranks", "rounds"), (3, "game"), ("ranks", None)])
def test_unknown_rewards_and_episodes_are_refused(reward: Any, episode: Any) -> None:
    with pytest.raises(BadSetup, match="there is no"):
        reward_rule(find_game("skyjo"), reward, episode)


@pytest.mark.parametrize("scale", [0, -3, 2.5, True, "7", 10_001])
def test_a_scale_that_is_no_number_of_points_is_refused(scale: Any) -> None:
    with pytest.raises(BadGame, match="round_scale is a whole number of points"):
        replace(find_game("skyjo"), round_scale=scale)


@pytest.mark.parametrize("name", ["skyjo", "xe_queo"])  # the fewest points win, the most rings win
def test_rewards_stay_within_their_bounds(name: str) -> None:
    game = find_game(name)
    for kind in KINDS:
        rule = reward_rule(game, kind)
        low, high = rewards.reward_bounds(game, rule)
        total = np.sum([row for row, _ in Episodes(game, game.usual_seats, rule, seed=3).play_out()], axis=0)
        assert low <= total.min() <= total.max() <= high
