"""Chance kernels: what they exchange, no seat could tell, and what they list is what turns up."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import chi2

from seeds import seed_for
from tablee import Match, all_games
from tablee.core.game import Game
from tablee.core.kernels import MANY, MAX_DRAWS
from tablee.core.state import copy_state
from tablee.simulation import chance_steps as steps
from tablee.simulation.chance import ChanceModel
from tablee.simulation.chance_steps import CHANCE

GAMES = [game for game in all_games() if (game.folder / "chance.py").exists()]
MOVES = 50
DRAWS, FALSE_ALARM = 2500, 5e-5


def draws(match: Match, move: int, index: int) -> tuple[int, dict[int, int]]:
    """Return what `list_draws` returns, and the weights of the values that it lists."""
    kernels = match.game.kernels
    after = copy_state(match.state)
    kernels.play(after, move)
    values, weights = np.zeros(MAX_DRAWS, np.int32), np.zeros(MAX_DRAWS, np.int32)
    count = kernels.list_draws(match.state, move, after, index, values, weights)
    listed = values[: max(count, 0)].tolist()
    assert listed == sorted(set(listed))
    return count, dict(zip(listed, weights[: max(count, 0)].tolist(), strict=True))


def sights(match: Match) -> list[bytes]:
    return [match.sight(seat).to_bytes() for seat in range(-1, match.seats)]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_no_seat_sees_pieces_exchanged(game: Game) -> None:
    """In games by random moves, each piece that is turned up gets a random listed value; at times all are shuffled."""
    chooser = random.Random(3)
    listed = 0
    for setup in list(game.setups())[:: len(list(game.setups())) // 4]:
        match = Match(game, seats=setup.seats, options=setup.options, seed=5)
        while len(match.moves) < MOVES and not match.is_over:
            before = sights(match)
            if len(match.moves) % 10 == 0:
                game.kernels.shuffle_unknown(match.state)
            move, index = chooser.choice(match.legal_moves()), 0
            count, weights = draws(match, move, index)
            while count > 0:
                game.kernels.arrange_draw(match.state, move, index, chooser.choice(list(weights)))
                index, listed = index + 1, listed + 1
                count, weights = draws(match, move, index)
            assert count in (0, MANY)
            assert sights(match) == before
            assert game.kernels.problems(match.state) == 0
            match.push(move)
    assert listed > MOVES


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_earlier_pieces_of_a_move_stay(game: Game) -> None:
    """After all pieces of a move are arranged, playing it shows to each seat the same as arranging them again."""
    chooser = random.Random(4)
    match = Match(game, seed=6)
    while len(match.moves) < MOVES:
        move = chooser.choice(match.legal_moves())
        chosen: list[int] = []
        while draws(match, move, len(chosen))[0] > 0:
            chosen.append(chooser.choice(list(draws(match, move, len(chosen))[1])))
            game.kernels.arrange_draw(match.state, move, len(chosen) - 1, chosen[-1])
        other = match.copy()
        game.kernels.shuffle_unknown(other.state)
        for index, value in enumerate(chosen):
            game.kernels.arrange_draw(other.state, move, index, value)
        is_shuffled = draws(match, move, len(chosen))[0] == MANY
        match.push(move)
        other.push(move)
        if not is_shuffled and chosen and match.state.generator.counter == match.first_state.generator.counter:
            assert sights(match) == sights(other)


@dataclass(frozen=True)
class Draw:
    """A piece that a move turns up: what was listed, what had been turned up before, and what came."""

    weights: dict[int, int]  # by value
    earlier: Counter[int]  # how often each value was turned up since there were last more unknown pieces than before
    value: int


def hidden_value(match: Match, move: int, index: int, listed: Iterable[int]) -> int:
    """Return the value of a piece that no seat knows: the one that `arrange_draw` need not exchange."""
    for value in listed:
        state = copy_state(match.state)
        match.game.kernels.arrange_draw(state, move, index, value)
        if state.tobytes() == match.state.tobytes():
            return value
    raise AssertionError(f"the piece that {move} turns up after {len(match.moves)} moves has no listed value")


def drawn_in_matches(game: Game) -> list[Draw]:
    """Return the draws of matches by random moves, in which pieces turn up as they were dealt."""
    found: list[Draw] = []
    chooser = random.Random(seed_for("draws", game.name))
    while len(found) < DRAWS:
        match, earlier, unknown = Match(game, seed=chooser.getrandbits(64)), Counter[int](), 0
        while not match.is_over and len(found) < DRAWS:
            move, index = chooser.choice(match.legal_moves()), 0
            while (listed := draws(match, move, index))[0] > 0:
                value = hidden_value(match, move, index, listed[1])
                if sum(listed[1].values()) > unknown:
                    earlier.clear()
                unknown = sum(listed[1].values())
                found.append(Draw(listed[1], earlier.copy(), value))
                earlier[value] += 1
                index += 1
            match.push(move)
    return found


def fit(found: list[Draw], weights_of: Callable[[Draw], dict[int, int]]) -> float:
    """Return the p-value of draws, given the weights of the values.

    Chi-square of how often each value came, and of how often those came that had been turned up before, minus their
    expectations: sums over all draws, each of which has the expectation 0 whatever happened before.
    """
    values = sorted({value for draw in found for value in draw.weights})
    excess, covariance = np.zeros(len(values) + 1), np.zeros((len(values) + 1, len(values) + 1))
    for draw in found:
        weights = np.array([weights_of(draw).get(value, 0) for value in values])
        probabilities = weights / weights.sum()
        features = np.column_stack([np.eye(len(values)), [draw.earlier[value] for value in values]])
        mean = probabilities @ features
        excess += features[values.index(draw.value)] - mean
        covariance += (features.T * probabilities) @ features - np.outer(mean, mean)
    statistic = excess @ np.linalg.pinv(covariance) @ excess
    return float(chi2.sf(statistic, np.linalg.matrix_rank(covariance)))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_pieces_turn_up_with_the_listed_probabilities(game: Game) -> None:
    """What was dealt is compared with what is listed; weights that are wrong would be noticed in these games."""
    found = drawn_in_matches(game)
    assert fit(found, lambda draw: draw.weights) > FALSE_ALARM
    assert fit(found, lambda draw: dict.fromkeys(draw.weights, 1)) < FALSE_ALARM
    assert fit(found, lambda draw: found[0].weights) < FALSE_ALARM  # as if nothing turned up were gone


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_chance_nodes_have_the_probabilities_that_the_game_lists(game: Game) -> None:
    chooser = random.Random(5)
    position = ChanceModel(game, game.setup()).root()
    nodes = 0
    while position.played < MOVES:
        if position.player == CHANCE and position.words[steps.DRAWS] == steps.DRAW:
            match = Match.from_state(game, position.state())
            _, weights = draws(match, position.words[steps.PENDING], position.words[steps.DRAWN])
            expected = {value: weight / sum(weights.values()) for value, weight in weights.items()}
            assert dict(zip(position.listed(), position.probabilities(), strict=True)) == expected
            nodes += 1
        position.apply(chooser.choice(position.listed()))
    assert nodes > MOVES // 5
