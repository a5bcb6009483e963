"""Batches, interpreted: what callers may pass, interrupts, reductions and features of moves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from fuzz_batch import BatchFuzzer
from tablee import Match, find_game
from tablee.core.errors import BadMove, BadSetup, TableeError
from tablee.simulation import NO_MOVE, Batch


@pytest.fixture(scope="module")
def tables() -> Batch:
    return Batch("skyjo", 4, seats=4, auto_reset=False)


@pytest.mark.parametrize(
    ("moves", "reason"),
    [
        ([0, 0, 0], r"moves have the shape \(4,\), one per game, not \(3,\)"),
        (np.zeros((4, 1), np.int32), r"not \(4, 1\)"),
        (0, r"not \(\)"),
        ([0, 1, 2, 2**30], "game 3 of the batch: skyjo has no move 1073741824; they are numbered 0 to 26"),
        ([0, 27, 0, 0], "game 1 of the batch: skyjo has no move 27"),
        ([0, -1, 0, 0], "game 1 of the batch: skyjo has no move -1"),
        (np.array([0, 0, 0, 2**63], np.uint64), "skyjo has no move 9223372036854775808"),
        ([2**70, 0, 0, 0], "moves are integers, not object"),
        ([3.7, 0, 0, 0], "moves are integers, not float64"),
        ([float("nan")] * 4, "moves are integers, not float64"),
        ([True, False, True, False], "moves are integers, not bool"),
        (["draw"] * 4, "moves are integers, not <U4"),
        ([[1], [2, 3], [], []], "moves are 4 integers"),
        (None, r"not \(\)"),
    ],
)
def test_what_is_no_row_of_moves_is_refused(tables: Batch, moves: Any, reason: str) -> None:
    states = tables.states.tobytes()
    for call in (tables.step, tables.refusals):
        with pytest.raises(BadMove, match=reason):
            call(moves)
    assert tables.states.tobytes() == states


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64, list, tuple])
def test_integers_of_any_type_are_moves(kind: Any) -> None:
    games = Batch("skyjo", 2, seats=2)
    moves = games.legal[:, 0]
    games.step(kind(moves.tolist()) if kind in (list, tuple) else moves.astype(kind))
    games.step(games.legal[:, ::2][:, 0])  # not contiguous


def test_a_checked_batch_plays_no_move_where_none_is_chosen() -> None:
    games = Batch("lexio", 2, checked=True)  # the player who begins must not pass, which is move 0
    before = games.states[1].tobytes()
    pair = [int(games.legal[0, 0]), NO_MOVE]
    assert games.refusals(pair).tolist() == [0, 0]
    games.step(pair)
    assert games.states[1].tobytes() == before


@pytest.mark.parametrize("seat", [7, 4, -1, 1.0, "0", None, True, np.float32(0)])
def test_there_is_no_such_seat_to_play_until(tables: Batch, seat: Any) -> None:
    with pytest.raises(BadSetup, match="a seat is a whole number from 0 to 3, not"):
        tables.play_until(seat)


def test_a_seat_that_is_never_on_turn_is_not_waited_for() -> None:
    games = Batch("skyjo", 2, seats=4, max_moves=1, options={"opening": "choose"})
    with pytest.raises(TableeError, match="100 games in a row ended before the seat was on turn; a larger max_moves"):
        games.play_until(3)


@pytest.mark.parametrize("seats", [[0], [0, 1, 2, 4], [0, 0, 0, -1], [[0]] * 4, [0.0] * 4])
def test_there_are_no_such_seats_to_play_until(tables: Batch, seats: Any) -> None:
    with pytest.raises((BadSetup, BadMove), match="seat"):
        tables.play_until(seats)
    with pytest.raises((BadSetup, BadMove), match="seat"):
        tables.play_until(0, next_seats=seats)


@pytest.mark.parametrize("seats", [4, -2, [0, 1, 2], [0, 1, 2, 4], [0, 0, 0, -2], [[0]] * 4, [0.0] * 4, "0123", None])
def test_there_are_no_such_seats_to_observe(tables: Batch, seats: Any) -> None:
    with pytest.raises((BadSetup, BadMove), match="seat"):
        tables.observe(seats)


@pytest.mark.parametrize("seed", [-1, 2**256, 1.5, "7", None, True, [1, 2], [1, 2, 3, -4], [1.0] * 4, np.zeros((4, 1))])
def test_what_is_no_seed_is_refused(tables: Batch, seed: Any) -> None:
    with pytest.raises(BadSetup, match="seed"):
        tables.reset(seed)


def test_seeds_may_be_numbers_of_numpy() -> None:
    expected = Match("skyjo", seed=3, seats=2).state.tobytes()
    for seed in (np.int64(3), np.uint8(3), np.array(3), [3, 3], np.array([3, 3]), (3, np.int32(3))):
        assert Batch("skyjo", 2, seats=2, seed=seed).states[0].tobytes() == expected


@pytest.mark.parametrize(
    "settings",
    [
        {"game": 5},
        {"game": None},
        {"game": "chess"},
        {"size": 2.0},
        {"size": True},
        {"size": "2"},
        {"size": -1},
        {"size": 1 << 40},
        {"seats": 2.0},
        {"seats": "2"},
        {"seats": True},
        {"seats": [2]},
        {"options": ["rows"]},
        {"options": {"rows": 1}},
        {"options": {1: True}},
        {"options": "rows=on"},
        {"reduction": 3},
        {"reduction": "huge"},
        {"device": None},
        {"threads": 0},
        {"threads": 1.5},
        {"mask": "yes"},
        {"observations": 1},
        {"auto_reset": None},
        {"checked": np.ones(2)},
        {"reward": "win"},
        {"reward": 1},
        {"episode": "hand"},
        {"max_moves": 0},
        {"max_moves": 2.5},
    ],
)
def test_impossible_settings_are_refused_with_a_sentence(settings: dict[str, Any]) -> None:
    with pytest.raises(TableeError, match=r"\w+ \w+ \w+"):
        Batch(**{"game": "skyjo", "size": 2, **settings})


def test_a_batch_that_does_not_fit_into_memory_is_refused() -> None:
    with pytest.raises(MemoryError, match=r"a batch of this size needs .* GiB, and this machine has"):
        Batch("skyjo", (1 << 31) - 1)


@pytest.mark.parametrize(("moves", "policy"), [(-1, "random"), (1.5, "random"), ("3", "random"), (1, ["random"])])
def test_impossible_rollouts_are_refused(tables: Batch, moves: Any, policy: Any) -> None:
    with pytest.raises(BadSetup):
        tables.rollout(moves, policy)


def test_a_thousand_calls_with_right_and_wrong_arguments() -> None:
    """What `make fuzz-batch` does a hundred times as often."""
    fuzzer = BatchFuzzer(seed=7, games=["skyjo", "xe_queo"])
    fuzzer.run(1000)
    assert {"step: returned", "step: BadMove", "step: IllegalMove", "load: BadSave"} <= set(fuzzer.outcomes)


@pytest.mark.parametrize("call", ["rollout(10**15)", "play_until(0)"])
def test_long_calls_can_be_interrupted(call: str) -> None:
    """In a process of its own, which says when the calls begin."""
    script = f"""
from tablee.simulation import NO_MOVE, Batch
batch = Batch("xe_queo", 300, mask=False, observations=False)
batch.play_until(1)
batch.rollout(1)
print("begins", flush=True)
while True:
    batch.{call}
    batch.step(batch.legal[:, 0])
"""
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ)
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "begins\n"
        process.send_signal(signal.SIGINT)
        assert process.stderr.read().rstrip().endswith("KeyboardInterrupt")
        assert process.wait() != 0


def test_a_batch_can_play_a_reduction() -> None:
    tables = Batch("lexio", 8, reduction="tiny", seed=6)
    for stream in range(8):
        match = Match("lexio", reduction="tiny", seed=6, stream=stream)
        assert tables.states[stream].tobytes() == match.state.tobytes()
    for _ in range(60):
        tables.step(tables.random_moves())
    assert tables.max_moves == find_game("lexio").reduction("tiny").max_moves


def test_features_of_the_legal_moves() -> None:
    tables = Batch("lexio", 5, mask=False, observations=False)
    table, (moves, offsets) = tables.move_feature_table, tables.packed_legal()
    assert np.array_equal(tables.move_features(packed=True), table[moves])
    padded = tables.move_features()
    assert padded.shape == (5, tables.game.max_legal_moves, table.shape[1])
    for game, count in enumerate(tables.counts):
        assert np.array_equal(padded[game, :count], table[moves[offsets[game] : offsets[game + 1]]])
        assert not padded[game, count:].any()
