"""One game stepped from Python: the same as a match, in views that change with each step."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tablee import Match, all_games
from tablee.core.errors import BadMove, BadSetup, IllegalMove, TableeError
from tablee.core.game import Game
from tablee.core.registry import find_game
from tablee.simulation import Batch
from tablee.simulation.stepper import Stepper

GAMES = all_games()
STEPS = 40
SHORT = find_game("xe_queo")  # its games are short


def compare(stepper: Stepper, match: Match) -> None:
    """Compare a position with that of a match."""
    assert stepper.state.tobytes() == match.state.tobytes()
    assert stepper.to_move == match.to_move
    assert stepper.is_over == match.is_over
    assert stepper.legal.tolist() == match.legal_moves() == np.flatnonzero(stepper.mask).tolist()
    for seat in (*range(match.seats), -1, match.to_move):
        assert np.array_equal(stepper.observe(seat), match.sight(seat).observe())


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("observes", [True, False])
def test_a_stepper_plays_the_match_of_its_seed(game: Game, observes: bool) -> None:
    stepper = Stepper(game, game.setup(), seed=5, stream=3, observes=observes)
    match = Match(game, seed=5, stream=3)
    chooser = random.Random(1)
    while not match.is_over and len(match.moves) < STEPS:
        compare(stepper, match)
        move = chooser.choice(match.legal_moves())
        assert stepper.step(move) == stepper.to_move
        match.play(move)
        assert stepper.played == len(match.moves)
    compare(stepper, match)


def play_out(stepper: Stepper, seed: int = 0) -> int:
    """Play at random to the end of the episode; return the number of moves."""
    chooser, moves = random.Random(seed), 0
    while not stepper.is_over:
        stepper.step(chooser.choice(stepper.legal.tolist()))
        moves += 1
    return moves


def test_rewards_come_at_the_end_of_the_game() -> None:
    stepper = Stepper(SHORT, SHORT.setup(), seed=2)
    moves = play_out(stepper)
    assert moves == stepper.played
    assert sorted(stepper.rewards.tolist()) == [-1.0, 1.0]
    assert not stepper.mask.any()
    assert not len(stepper.legal)
    with pytest.raises(IllegalMove):
        stepper.step(0)
    stepper.reset(3)
    assert not stepper.rewards.any()
    compare(stepper, Match(SHORT, seed=3))


def test_an_episode_can_be_one_round() -> None:
    game = find_game("skyjo")
    stepper = Stepper(game, game.setup(2), seed=2, episode="round")
    play_out(stepper)
    assert stepper.match().finished_rounds() == 1
    assert stepper.state.end_reason == 0
    assert not stepper.is_truncated
    with pytest.raises(TableeError, match="reset"):
        stepper.step(0)


def test_an_episode_is_cut_off_after_max_moves() -> None:
    stepper = Stepper(SHORT, SHORT.setup(), seed=2, max_moves=5)
    assert play_out(stepper) == 5
    assert stepper.is_truncated
    assert not stepper.rewards.any()
    stepper.reset(2)
    assert not stepper.is_truncated
    assert not stepper.is_over


def test_a_copy_is_independent_and_a_saved_position_can_be_restored() -> None:
    stepper = Stepper(SHORT, SHORT.setup(), seed=2)
    for _ in range(7):
        stepper.step(int(stepper.legal[0]))
    twin, saved = stepper.copy(), stepper.save()
    compare(twin, stepper.match())
    play_out(stepper)
    compare(twin, twin.match())
    assert twin.played == 7
    stepper.restore(saved)
    compare(stepper, twin.match())
    assert stepper.played == 7
    assert play_out(stepper, seed=4) == play_out(twin, seed=4)
    assert stepper.rewards.tolist() == twin.rewards.tolist()
    with pytest.raises(BadSetup, match="bytes"):
        stepper.restore(saved[:-1])


def test_an_episode_can_begin_in_any_position() -> None:
    match = Match(SHORT, seed=9)
    for _ in range(4):
        match.play(match.legal_moves()[-1])
    stepper = Stepper(SHORT, SHORT.setup())
    stepper.put(match.state)
    compare(stepper, match)


def test_perfect_information_is_that_of_a_batch() -> None:
    stepper, batch = Stepper(SHORT, SHORT.setup(), seed=4), Batch(SHORT, 1, seed=4)
    assert np.array_equal(stepper.full_state(), batch.full_state()[0])


@pytest.mark.parametrize(
    ("move", "error", "reason"),
    [
        (-1, BadMove, "no move -1"),
        (2**70, BadMove, "numbered 0 to 406"),
        (1.5, TypeError, "integer"),
        ("draw", TypeError, "integer"),
        (None, TypeError, "integer"),
    ],
)
def test_wrong_moves_are_refused_with_a_reason(move: object, error: type[Exception], reason: str) -> None:
    stepper = Stepper(SHORT, SHORT.setup(), seed=1)
    before = stepper.save()
    with pytest.raises(error, match=reason):
        stepper.step(move)  # type: ignore[arg-type]
    illegal = int(np.flatnonzero(stepper.mask == 0)[0])
    with pytest.raises(IllegalMove, match="for seat 0 at move 1"):
        stepper.step(illegal)
    assert stepper.save() == before


@pytest.mark.parametrize(
    ("settings", "reason"),
    [({"episode": "match"}, "episode"), ({"reward": "money"}, "reward"), ({"max_moves": -1}, "max")],
)
def test_impossible_settings_are_refused(settings: dict[str, object], reason: str) -> None:
    with pytest.raises(BadSetup, match=reason):
        Stepper(SHORT, SHORT.setup(), **settings)  # type: ignore[arg-type]


def test_there_is_no_seat_beyond_the_table() -> None:
    with pytest.raises(BadSetup, match="no seat 2"):
        Stepper(SHORT, SHORT.setup()).observe(2)
