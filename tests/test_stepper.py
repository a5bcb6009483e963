"""One game stepped from Python: the same as a match, in views that change with each step."""

from __future__ import annotations

import copy
import pickle
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
    assert stepper.rewards.sum() == 0.0
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


def test_a_stepper_can_be_pickled_and_copied_deeply() -> None:
    stepper = Stepper(SHORT, SHORT.setup(), seed=2, reward="round", policies=["random", None])
    stepper.step(int(stepper.legal[0]))
    for twin in (pickle.loads(pickle.dumps(stepper)), copy.deepcopy(stepper)):
        assert twin.save() == stepper.save()
        assert play_out(twin, seed=4) == play_out(stepper.copy(), seed=4)


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


@pytest.mark.parametrize("reward", ["ranks", "points", "round", "potential"])
def test_rewards_of_every_kind_are_those_of_the_kernels(reward: str) -> None:
    game = find_game("skyjo")
    stepper = Stepper(game, game.setup(2), seed=3, reward=reward, max_moves=120)
    chooser, total, rewarded = random.Random(2), np.zeros(2), 0
    while not stepper.is_over:
        stepper.step(chooser.choice(stepper.legal.tolist()))
        assert stepper.is_rewarded == stepper.rewards.any()
        rewarded += stepper.is_rewarded
        total += stepper.rewards
    assert rewarded > (50 if reward == "potential" else 0)
    assert total.any()
    assert (total.sum() == 0.0) == (reward != "points")


@pytest.mark.parametrize("policy", ["random", "greedy", "policy"])
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_seats_with_a_policy_play_inside_the_step(game: Game, policy: str) -> None:
    seats = game.usual_seats
    stepper = Stepper(game, game.setup(), seed=3, policies=[policy] * (seats - 1) + [None], max_moves=40)
    steps = 0
    while not stepper.is_over:
        assert stepper.to_move == seats - 1
        stepper.step(int(stepper.legal[-1]))
        steps += 1
    assert steps < stepper.played <= 40
    last = stepper.save()
    stepper.reset(3)
    for _ in range(steps):
        stepper.step(int(stepper.legal[-1]))
    assert stepper.save() == last


def test_the_greedy_policy_chooses_as_the_greedy_bot() -> None:
    """Each move that the policy plays in many games has the probability that the bot gives it."""
    from tablee.bots.roster import make_bot

    match, counts = Match(SHORT, seed=1), dict[int, int]()
    stepper = Stepper(SHORT, SHORT.setup(), policies=["greedy", None], max_moves=1)
    bot = make_bot("greedy", SHORT, 0)
    expected = bot.probabilities(bot.decide(match.sight(0), match.legal_moves()).candidates)
    for stream in range(400):
        stepper.reset(1, stream)
        stepper.put(match.state)
        changed = [move for move in expected if after(match, move) == stepper.state.tobytes()]
        counts[changed[0]] = counts.get(changed[0], 0) + 1
    for move, probability in expected.items():
        assert abs(counts.get(move, 0) - 400 * probability) < 5 * (400 * probability) ** 0.5 + 1


def after(match: Match, move: int) -> bytes:
    """Return the state after a move."""
    twin = match.copy()
    twin.play(move)
    return twin.state.tobytes()


def test_a_reduction_is_dealt_and_cut_off_as_it_says() -> None:
    game = next(game for game in GAMES if game.reductions)
    setup = game.setup(reduction=game.reductions[0].name)
    stepper = Stepper(game, setup, seed=4)
    assert stepper.state.tobytes() == Match(game, reduction=setup.reduction, seed=4).state.tobytes()
    assert play_out(stepper) <= game.reductions[0].max_moves
    assert not stepper.is_truncated
    stepper = Stepper(game, setup, seed=4, max_moves=1)
    play_out(stepper)
    assert stepper.is_truncated


@pytest.mark.parametrize(
    ("seed", "stream", "error"), [(-1, 0, BadSetup), (2**256, 0, BadSetup), (0, -1, BadSetup), (1.5, 0, TypeError)]
)
def test_impossible_seeds_are_refused(seed: int, stream: int, error: type[Exception]) -> None:
    with pytest.raises(error):
        Stepper(SHORT, SHORT.setup()).reset(seed, stream)


def test_a_seed_may_be_a_number_of_numpy() -> None:
    assert Stepper(SHORT, SHORT.setup(), np.int64(7)).save() == Stepper(SHORT, SHORT.setup(), 7).save()
