"""Checks of the record itself: deals, copies, bytes, saved games."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from tablee.core.errors import TableeError
from tablee.core.game import Game, Setup
from tablee.core.match import Match
from tablee.core.state import state_digest
from tablee.testing.budget import Budget
from tablee.testing.nonconformity import Nonconformity
from tablee.testing.positions import new_match, random_match, random_positions
from tablee.testing.walk import bytes_of_field

SEEDS = 5
KEPT = 60  # earlier positions looked at again


def deals_are_determined(game: Game, budget: Budget) -> None:
    """Check that the same seed and stream deal the same bytes, and others deal others where chance is drawn."""
    secret = bytes_of_field(game.kernels.state_type, "generator")
    for setup in budget.setups(game):
        first = new_match(game, setup, 1, 1).state
        if first.tobytes() != new_match(game, setup, 1, 1).state.tobytes():
            raise Nonconformity(game, "two deals from the same seed differ", setup=setup, seed=1, stream=1)
        if game.setup_of(first) != setup:
            raise Nonconformity(game, f"the deal changes the setup to {game.setup_of(first)}", setup=setup, seed=1)
        if first.generator.counter == 0:
            continue
        seeds = {_dealt(game, setup, seed, 1, secret) for seed in range(SEEDS)}
        streams = {_dealt(game, setup, 1, stream, secret) for stream in range(SEEDS)}
        if len(seeds) == 1 or len(streams) == 1:
            raise Nonconformity(game, "chance is drawn, and every seed or stream deals the same", setup=setup)


def _dealt(game: Game, setup: Setup, seed: int, stream: int, secret: np.ndarray) -> bytes:
    """Return what was dealt, without the generator."""
    raw = np.frombuffer(new_match(game, setup, seed, stream).state.tobytes(), np.uint8)
    return bytes(raw[~secret])


def copies_are_independent(game: Game, budget: Budget) -> None:
    """Check that no move changes a record other than the one it is played on."""
    for setup in budget.drawn_setups(game):
        kept = []
        match = new_match(game, setup, seed=2)
        for move in random_match(game, setup, seed=2, most=KEPT).moves:
            kept.append((match, match.digest()))
            match = match.copy()
            match.play(move)
        for number, (earlier, digest) in enumerate(kept):
            if earlier.digest() != digest:
                what = "this position was changed by later moves of another copy"
                raise Nonconformity(game, what, setup=setup, seed=2, move=number)


def questions_change_nothing(game: Game, budget: Budget) -> None:
    """Check that no kernel but `deal`, `play`, `imagine` and `disguise` changes the record it is given."""
    for setup in budget.drawn_setups(game):
        for match in random_positions(game, setup, seed=3, most=KEPT):
            digest = match.digest()
            for name, question in _questions(game, match):
                question()
                if match.digest() != digest:
                    what = f"`{name}` changes the record it is asked about"
                    raise Nonconformity(game, what, setup=setup, seed=3, move=len(match.moves))


def _questions(game: Game, match: Match) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the kernels that answer questions, each ready to be called on the match's own record."""
    kernels, state, seat = game.kernels, match.state, max(0, match.to_move)
    yield "legal_moves", match.legal_moves
    yield "scores", match.scores
    yield "ranks", partial(kernels.ranks, state, np.zeros(match.seats, np.int64))
    yield "problems", partial(kernels.problems, state)
    yield "see", partial(match.sight, seat)
    for move in match.legal_moves()[:1]:
        yield "refusal", partial(kernels.refusal, state, move)
        yield "sees_move", partial(kernels.sees_move, state, move, seat)


def bytes_are_defined(game: Game, budget: Budget) -> None:
    """Check that a record has no hole, its padding is 0, and its bytes make it again."""
    dtype = game.kernels.state_type
    fields = dtype.fields
    assert fields is not None
    if sum(field[0].itemsize for field in fields.values()) != dtype.itemsize:
        raise Nonconformity(game, "the record has bytes that belong to no field; make it with `state_type`")
    padding = bytes_of_field(dtype, "padding")
    for setup in budget.drawn_setups(game):
        for match in random_positions(game, setup, seed=3, most=KEPT):
            raw = np.frombuffer(match.state.tobytes(), np.uint8)
            where: dict[str, Any] = {"setup": setup, "seed": 3, "move": len(match.moves)}
            if raw[padding].any():
                raise Nonconformity(game, "the padding is not 0", **where)
            if state_digest(raw.view(dtype)[0]) != match.digest():
                raise Nonconformity(game, "the bytes of the record do not make it again", **where)


def records_replay(game: Game, budget: Budget) -> None:
    """Check that a saved game is read back, and replays to the same record."""
    from tablee.records import Record

    for setup in budget.drawn_setups(game):
        match = random_match(game, setup, seed=4, most=budget.moves_at(game, setup))
        digest, outcome = match.digest(), match.outcome
        try:
            again = Record.parse(Record.of(match).text()).replay()
        except TableeError as why:
            raise Nonconformity(game, f"the saved game does not replay: {why}", setup=setup, seed=4) from why
        if again.digest() != digest or again.moves != match.moves or again.outcome != outcome:
            raise Nonconformity(game, "the saved game replays to something else", setup=setup, seed=4)
