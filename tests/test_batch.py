"""Batches: threads, seeds, ends and resets, rollouts, perfect information."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tablee import Match
from tablee.core.compilation import is_interpreted
from tablee.core.errors import BadSetup, TableeError
from tablee.core.registry import find_game
from tablee.simulation import Batch, runners
from tablee.simulation.cuda_rows import BitRow, SparseRow
from tablee.simulation.full_state import decode_state, full_state_layout, full_state_table

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
        ({"size": 0}, "at least one game"),
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


def test_cuda_without_a_device_is_refused() -> None:
    with pytest.raises(TableeError, match="there is no CUDA device"):
        batch(device="cuda")
