"""Batches: threads, seeds, ends and resets, rollouts, perfect information."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from tablee import Match
from tablee.core.compilation import is_interpreted
from tablee.core.errors import BadSave, BadSetup, IllegalMove, TableeError
from tablee.core.registry import find_game
from tablee.simulation import Batch, rewards, runners
from tablee.simulation.cuda_rows import BitRow, SparseRow
from tablee.simulation.full_state import decode_state, full_state_layout, full_state_table
from tablee.simulation.steps import NO_MOVE

GAME = "xe_queo"  # its games are short, and its state has sets and signed numbers


def batch(size: int = 6, **settings: object) -> Batch:
    return Batch(GAME, size, **{"threads": 1, **settings})  # type: ignore[arg-type]


def test_a_game_of_a_batch_is_the_match_of_its_stream() -> None:
    tables = batch(seed=5)
    for stream in range(6):
        assert tables.states[stream].tobytes() == Match(GAME, seed=5, stream=stream).state.tobytes()


def test_seeds_can_be_given_per_game() -> None:
    tables = batch(3)
    tables.reset([9, 4, 9])
    assert tables.states[0].tobytes() == tables.states[2].tobytes() == Match(GAME, seed=9).state.tobytes()
    assert tables.states[1].tobytes() == Match(GAME, seed=4).state.tobytes()
    with pytest.raises(BadSetup, match="2 seeds for 3 games"):
        tables.reset([1, 2])


def test_the_number_of_threads_does_not_change_results(monkeypatch: pytest.MonkeyPatch) -> None:
    for minimum in ("MIN_STEPPED_PER_THREAD", "MIN_READ_PER_THREAD"):  # else one thread would run a batch of this size
        monkeypatch.setattr(runners, minimum, 64)
    single, threaded = batch(256), batch(256, threads=3)
    for _ in range(5):
        moves = single.random_moves()
        assert np.array_equal(moves, threaded.random_moves())
        single.step(moves)
        threaded.step(moves)
    single.rollout(50)
    threaded.rollout(50)
    for name in ("states", "observations", "mask", "legal", "rewards", "returns", "finished"):
        assert np.array_equal(getattr(single, name), getattr(threaded, name)), name


def play_until_one_ends(tables: Batch) -> int:
    """Step at random until a game ends; return its index."""
    while not tables.ended.any():
        tables.step(tables.random_moves())
    return int(np.flatnonzero(tables.ended)[0])


def test_the_step_that_ends_a_game_deals_the_next_stream() -> None:
    tables = batch(seed=2)
    index = play_until_one_ends(tables)
    assert tables.states[index].tobytes() == Match(GAME, seed=2, stream=index + 6).state.tobytes()
    assert sorted(tables.rewards[index].tolist()) == [-1.0, 1.0]
    assert tables.rewards[index].argmax() == tables.ranks[index].argmin()
    tables.step(tables.random_moves())
    assert not tables.ended[index]
    assert not tables.rewards[index].any()


def test_without_auto_reset_a_game_stays_over_until_it_is_reset() -> None:
    tables = batch(auto_reset=False)
    index = play_until_one_ends(tables)
    over = tables.states[index].tobytes()
    assert tables.to_move[index] == -1
    assert tables.counts[index] == 0
    assert not tables.mask[index].any()
    moves = tables.random_moves()
    assert moves[index] == -1
    tables.step(moves)
    assert tables.states[index].tobytes() == over
    assert not tables.ended[index]
    playing = tables.states[(index + 1) % 6].tobytes()
    tables.reset_ended()
    assert tables.states[index].tobytes() == Match(GAME, stream=index + 6, seed=0).state.tobytes()
    assert tables.states[(index + 1) % 6].tobytes() == playing or tables.to_move[(index + 1) % 6] == -1


def test_the_mask_has_exactly_the_listed_moves() -> None:
    tables = batch(40)
    for _ in range(60):
        tables.step(tables.random_moves())
        assert np.array_equal(tables.mask.sum(axis=1), tables.counts)
    for game in range(40):
        assert np.flatnonzero(tables.mask[game]).tolist() == tables.legal[game, : tables.counts[game]].tolist()


def test_refusals_are_the_codes_of_the_game() -> None:
    tables = batch()
    assert not tables.refusals(tables.legal[:, 0]).any()
    illegal = [int(np.flatnonzero(~row)[0]) for row in tables.mask]
    codes = tables.refusals(illegal)
    assert codes.all()
    match = Match(GAME, seed=0)
    assert codes[0] == match.game.kernels.refusal(match.state, illegal[0])


def test_rollouts_play_whole_games() -> None:
    tables = batch(64)
    tables.rollout(300)
    assert tables.finished.sum() > 64
    assert np.allclose(tables.returns.sum(axis=1), 0.0)
    again = batch(64)
    for _ in range(3):
        again.rollout(100)
    assert again.states.tobytes() == tables.states.tobytes()


def test_the_policy_wins_against_random_play() -> None:
    """Seat 0 plays at random, seat 1 by the game's ratings."""
    tables = batch(32, observations=False)
    rewards = np.zeros(32)
    tables.play_until(0, "policy")
    for _ in range(60):
        tables.step(tables.random_moves())
        tables.play_until(0, "policy")
        assert (tables.to_move == 0).all()
        rewards += np.where(tables.ended, tables.rewards[:, 0], 0.0)
    assert rewards.sum() < -20


def test_any_seat_can_be_observed() -> None:
    tables = batch()
    tables.step(tables.random_moves())
    for seat in (-1, 0, 1):
        assert np.array_equal(tables.observe(seat)[2], sight_numbers(tables, 2, seat))
    mixed = tables.observe(np.array([0, 1, 0, 1, 0, 1]))
    assert np.array_equal(mixed[3], sight_numbers(tables, 3, 1))


def sight_numbers(tables: Batch, game: int, seat: int) -> np.ndarray:
    return Match.from_state(GAME, tables.states[game]).sight(seat).observe()


def test_the_full_state_is_every_field_but_the_generator() -> None:
    tables = batch()
    tables.rollout(20)
    full_state, layout = tables.full_state(), full_state_layout(find_game(GAME))
    assert full_state.shape == (6, layout.size)
    for block in layout:
        field = tables.states[3][block.name]
        written = full_state[3, block.start : block.start + block.size]
        assert written.tolist() == np.asarray(field, np.float32).reshape(-1).tolist(), block.name
    assert "generator" not in [block.name for block in layout]


def test_sets_are_written_bit_by_bit() -> None:
    game = find_game("lexio")
    state, layout = Match(game, seed=1).state, full_state_layout(game)
    numbers = np.zeros(layout.size, np.float32)
    decode_state(np.frombuffer(state.tobytes(), np.uint8), full_state_table(game), numbers)
    block = next(block for block in layout if "sets" in block.meaning)
    bits = numbers[block.start : block.start + 64]
    assert bits.any()
    assert sum(int(bit) << index for index, bit in enumerate(bits)) == int(state[block.name].reshape(-1)[0])


def test_dlpack_shares_arrays_without_a_copy() -> None:
    tables = batch()
    shared = np.from_dlpack(tables.observations)
    assert shared.ctypes.data == tables.observations.ctypes.data


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"size": 0}, "the size of a batch is a whole number from 1"),
        ({"device": "tpu"}, "there is no device 'tpu'"),
        ({"seats": 9}, "cannot be played by 9"),
    ],
)
def test_an_impossible_batch_is_refused(settings: dict[str, object], reason: str) -> None:
    with pytest.raises(BadSetup, match=reason):
        batch(**settings)  # type: ignore[arg-type]


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(BadSetup, match="did you mean 'random'"):
        batch().rollout(1, "rendom")


# Rewards and episodes


def test_every_kind_of_reward_sums_to_what_the_games_gave() -> None:
    """Batches with the same moves: the sums over whole games must fit their results."""
    batches = {kind: batch(seed=4, reward=kind) for kind in ("ranks", "points", "round", "potential")}
    sums = {kind: np.zeros((6, 2)) for kind in batches}
    first = {kind: one._arrays.baseline[:, 3:] / rewards.UNITS for kind, one in batches.items()}
    is_first_game = np.ones(6, np.bool_)
    while is_first_game.any():
        moves = batches["ranks"].random_moves()
        for kind, one in batches.items():
            one.step(moves)
            assert one.rewards.dtype == np.float64
            assert kind == "points" or (one.rewards.sum(axis=1) == 0.0).all()
            sums[kind] += np.where(is_first_game[:, None], one.rewards, 0.0)
        ended = batches["ranks"].ended & is_first_game
        assert sums["points"][ended].tolist() == batches["points"].scores[ended].tolist()
        is_first_game &= ~ended
    assert (np.abs(sums["ranks"]) == 1.0).all()
    lead = sums["points"] - sums["points"][:, ::-1]
    assert sums["round"].tolist() == lead.tolist()  # a ring is worth 1
    assert (sums["potential"] + first["potential"]).tolist() == sums["ranks"].tolist()


def test_an_episode_can_be_a_round() -> None:
    tables = batch(seed=4, reward="round", episode="round")
    rounds = np.zeros(6, np.int64)
    for _ in range(400):
        before = tables.states.rounds_played.copy()
        tables.step(tables.random_moves())
        went_on = tables.ended & (tables.states.rounds_played == before + 1)
        assert (tables._arrays.played[went_on] == 0).all()
        assert (np.abs(tables.rewards[tables.ended]) == 1.0).all()
        assert not tables.rewards[~tables.ended].any()
        assert sorted(tables.scores[tables.ended].sum(axis=1).tolist()) == [1] * int(tables.ended.sum())
        rounds += tables.ended
    assert (rounds > 4).all()


def test_a_game_is_cut_off_after_max_moves_and_scored_as_it_stands() -> None:
    tables = batch(seed=4, max_moves=7)
    for move in range(1, 22):
        tables.step(tables.random_moves())
        assert (tables.ended == (move % 7 == 0)).all()
        assert tables.truncated.tolist() == tables.ended.tolist()
    assert tables.states[2].tobytes() == Match(GAME, seed=4, stream=2 + 18).state.tobytes()


def test_without_auto_reset_a_game_that_was_cut_off_waits() -> None:
    tables = batch(auto_reset=False, max_moves=3)
    for _ in range(3):
        tables.step(tables.random_moves())
    assert tables.truncated.all()
    assert (tables.to_move == -1).all()
    assert not tables.mask.any()
    states = tables.states.tobytes()
    tables.step(tables.random_moves())
    assert tables.states.tobytes() == states
    assert not tables.truncated.any()
    tables.reset_ended()
    assert (tables.to_move >= 0).all()


def test_the_last_position_of_an_episode_is_kept() -> None:
    tables, kept = batch(seed=2, max_moves=9), batch(seed=2, max_moves=9, auto_reset=False)
    for _ in range(9):
        moves = tables.random_moves()
        tables.step(moves)
        kept.step(moves)
    assert tables.final_states.tobytes() == kept.states.tobytes()
    for seat in (-1, 0, 1):
        assert np.array_equal(tables.final_observations(seat), kept.observe(seat))
    legal, counts = tables.final_legal()
    for game in range(6):
        match = Match.from_state(GAME, kept.states[game])
        assert legal[game, : counts[game]].tolist() == match.legal_moves()
    tables.step(tables.random_moves())
    assert not tables.final_observations(0).any()
    with pytest.raises(BadSetup, match="without auto_reset"):
        kept.final_observations(0)


def test_play_until_adds_the_rewards_of_the_others() -> None:
    tables = batch(16, seed=3, reward="potential")
    tables.play_until(0)
    start, gained = tables._arrays.baseline[:, 3] / rewards.UNITS, np.zeros(16)
    for _ in range(120):
        tables.step(tables.legal[:, 0])
        before, was_over = tables.rewards.copy(), tables.ended.copy()
        tables.play_until(0)
        assert (tables.rewards[was_over] == before[was_over]).all()
        assert tables.ended[was_over].all()
        assert (tables.rewards.sum(axis=1) == 0.0).all()
        assert (tables.to_move == 0).all()
        gained += np.where(tables.ended, 0.0, tables.rewards[:, 0])
        reached = tables._arrays.baseline[:, 3] / rewards.UNITS
        assert (gained[~tables.ended] == (reached - start)[~tables.ended]).all()
        start, gained = np.where(tables.ended, reached, start), np.where(tables.ended, 0.0, gained)


@pytest.mark.parametrize("kind", ["ranks", "potential"])
def test_rollouts_add_up_the_rewards_of_every_move(kind: str) -> None:
    rolled, stepped = batch(seed=5, reward=kind), batch(seed=5, reward=kind)
    total = np.zeros((6, 2))
    for _ in range(200):
        rolled.rollout(1)
        stepped.rollout(1)
        assert np.array_equal(rolled.rewards, stepped.rewards)
        total += stepped.rewards
    once = batch(seed=5, reward=kind)
    once.rollout(200)
    assert once.returns.tolist() == rolled.returns.tolist() == total.tolist()
    assert once.finished.tolist() == rolled.finished.tolist()


# Moves


def test_the_legal_moves_can_be_packed() -> None:
    tables = batch(20)
    moves, offsets = tables.packed_legal()
    for game in range(20):
        assert moves[offsets[game] : offsets[game + 1]].tolist() == tables.legal[game, : tables.counts[game]].tolist()
    with pytest.raises(BadSetup, match="declares no features"):
        tables.move_features()


def test_checked_steps_refuse_illegal_moves_with_the_reason() -> None:
    tables = batch(checked=True)
    moves = tables.random_moves()
    states = tables.states.tobytes()
    moves[3:5] = np.flatnonzero(~tables.mask[3] & ~tables.mask[4])[0]
    match = Match.from_state(GAME, tables.states[3])
    with pytest.raises(IllegalMove) as refused:
        match.play(int(moves[3]))
    with pytest.raises(IllegalMove) as found:
        tables.step(moves)
    assert str(found.value) == f"game 3 of the batch: {refused.value}"
    assert tables.states.tobytes() == states
    tables.step(tables.random_moves())


# Saving


@pytest.mark.parametrize(
    "settings",
    [{}, {"reward": "potential", "episode": "round", "max_moves": 40, "mask": False}, {"auto_reset": False}],
)
def test_a_saved_batch_goes_on_exactly(settings: dict[str, Any]) -> None:
    original, file = batch(seed=8, **settings), io.BytesIO()
    for _ in range(30):
        original.step(original.random_moves())
    original.save(file)
    file.seek(0)
    loaded = Batch.load(file)
    for _ in range(60):
        for name, array in original._arrays._asdict().items():
            assert np.array_equal(array, loaded._arrays._asdict()[name]), name
        moves = original.random_moves()
        assert np.array_equal(moves, loaded.random_moves())
        original.step(moves)
        loaded.step(moves)
        original.play_until(1, "policy")
        loaded.play_until(1, "policy")


def test_a_saved_batch_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    tables, path = batch(), tmp_path / "batch.npz"
    tables.save(path)
    assert Batch.load(path).size == 6
    with monkeypatch.context() as changed:
        changed.setitem(vars(tables.game), "version", 99)
        with pytest.raises(BadSave, match="is of version 1 of xe_queo; installed is version 99"):
            Batch.load(path)
    with monkeypatch.context() as changed:
        changed.setattr("tablee.simulation.saving.layout_digest", lambda game: "other")
        with pytest.raises(BadSave, match="another layout of the states of xe_queo"):
            Batch.load(path)
    path.write_bytes(b"no archive")
    with pytest.raises(BadSave, match="is no saved batch"):
        Batch.load(path)


@pytest.mark.skipif(is_interpreted(), reason="compares compiled with interpreted code")
def test_rows_for_cuda_can_be_written_by_compiled_code() -> None:
    import numba

    def write(row: Any, start: int) -> None:  # with a constant, Numba would slice the tuple that a row is
        row[3] = 0.5
        row[start:][1] = 1.0
        row[2] = 0.0

    for run in (write, numba.njit(write)):
        numbers = np.full(8, 7.0, np.float32)
        run(SparseRow(numbers, 0), 4)
        assert numbers.tolist() == [7.0, 7.0, 7.0, 0.5, 7.0, 1.0, 7.0, 7.0]
        bits, count = np.zeros((1, 1), np.uint32), np.zeros(1, np.int32)
        indices, values = np.zeros(2, np.int32), np.zeros(2, np.float32)
        run(BitRow(bits, 0, indices, values, count, 0), 4)
        assert (bits[0, 0], count[0], indices[0], values[0]) == (1 << 5, 1, 3, 0.5)


@pytest.mark.parametrize("kind", ["read only", "with gaps", "of the other byte order", "unaligned"])
def test_moves_may_be_anywhere_in_memory(kind: str) -> None:
    plain, tables = batch(seed=5), batch(seed=5)
    for is_first in (True, False, False):
        moves = plain.random_moves()
        tables.random_moves()
        plain.step(moves)
        tables.step(moves if is_first else elsewhere(moves, kind))  # the first call decides what is compiled
        assert tables.states.tobytes() == plain.states.tobytes()


def elsewhere(moves: Any, kind: str) -> Any:
    """Return the same moves in an array of another kind."""
    if kind == "read only":
        given = moves.copy()
        given.flags.writeable = False
        return given
    if kind == "with gaps":
        return np.repeat(moves, 2)[::2]
    if kind == "of the other byte order":
        return moves.astype(moves.dtype.newbyteorder())
    given = np.frombuffer(b"x" + moves.tobytes(), np.int32, len(moves), 1)
    assert not given.flags.aligned
    return given


def test_cuda_without_a_device_is_refused() -> None:
    with pytest.raises(TableeError, match="there is no CUDA device"):
        batch(device="cuda")


def test_each_game_can_be_played_until_another_seat_and_no_move_played_in_some() -> None:
    tables = Batch("skyjo", 6, seats=3, seed=4)
    seats = np.array([0, 1, 2, 2, 1, 0])
    tables.play_until(seats, "greedy")
    assert tables.to_move.tolist() == seats.tolist()
    before = tables.states.tobytes()
    tables.step(np.full(6, NO_MOVE))
    assert tables.states.tobytes() == before
    assert not tables.ended.any()
    moves = tables.legal[:, 0].copy()
    moves[2:] = NO_MOVE
    kept = tables.states[2:].tobytes()
    tables.step(moves)
    assert tables.states[2:].tobytes() == kept
    tables.end_games([True] + [False] * 5)
    assert tables.to_move[0] == -1
    tables.play_until(seats, "random", next_seats=(seats + 1) % 3)
    assert tables.to_move.tolist() == seats.tolist()


def test_the_next_seat_is_played_until_in_the_next_episode() -> None:
    tables = batch(4, seed=1)
    while not tables.ended.any():
        tables.step(tables.random_moves())
        tables.play_until(0, "random", next_seats=1)
    assert tables.to_move[tables.ended].tolist() == [1] * int(tables.ended.sum())
    assert tables.to_move[~tables.ended].tolist() == [0] * int((~tables.ended).sum())
