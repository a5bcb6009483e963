"""Chance kernels: what they exchange, no seat could tell, and what they list is what turns up."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tablee import Match, all_games
from tablee.core.game import Game
from tablee.core.kernels import MANY, MAX_DRAWS
from tablee.core.state import copy_state

GAMES = [game for game in all_games() if (game.folder / "chance.py").exists()]
MOVES = 50


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
