"""Checks of the state itself: deals, copies, bytes, codes, saved games."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from tablee.core.codes import EndReasonCode, ProblemFlag, RefusalCode
from tablee.core.errors import TableeError
from tablee.core.game import Game, Setup
from tablee.core.match import Match
from tablee.core.state import state_digest
from tablee.testing.budget import Budget
from tablee.testing.buffers import bytes_of_field
from tablee.testing.nonconformity import Nonconformity
from tablee.testing.positions import new_match, random_match, random_positions

MAX_DEALS = 60  # until two differ: where only two are possible, all are the same once in 2**59 runs
MAX_MOVES = 60  # of the matches that are checked move by move


def deals_are_reproducible(game: Game, budget: Budget) -> None:
    """Check that a seed and stream always deal the same bytes, and others deal differently if deals are random."""
    is_generator = bytes_of_field(game.kernels.state_type, "generator")
    for setup in budget.setups(game):
        where: dict[str, Any] = {"setup": setup, "seed": budget.seed}
        first = new_match(game, setup, budget.seed, 1).state
        budget.tried.count(setup, games=1, positions=1)
        if first.tobytes() != new_match(game, setup, budget.seed, 1).state.tobytes():
            raise Nonconformity(game, "two deals from the same seed differ", **where, stream=1)
        if game.setup_of(first) != setup:
            raise Nonconformity(game, f"the deal changes the setup to {game.setup_of(first)}", **where)
        if first.generator.counter == 0:
            continue
        dealt = _dealt(game, setup, budget.seed, 0, is_generator)
        seeds = (_dealt(game, setup, budget.seed + number, 0, is_generator) for number in range(1, MAX_DEALS))
        streams = (_dealt(game, setup, budget.seed, stream, is_generator) for stream in range(1, MAX_DEALS))
        if all(other == dealt for other in seeds) or all(other == dealt for other in streams):
            raise Nonconformity(game, "the deal is random, but every seed or stream deals the same", **where)


def _dealt(game: Game, setup: Setup, seed: int, stream: int, is_generator: npt.NDArray[np.bool_]) -> bytes:
    """Return the bytes of a deal, without the generator."""
    raw = np.frombuffer(new_match(game, setup, seed, stream).state.tobytes(), np.uint8)
    return bytes(raw[~is_generator])


def copies_are_independent(game: Game, budget: Budget) -> None:
    """Check that a move changes no state other than the one it is played on."""
    for setup in budget.view_setups(game):
        earlier_matches = []
        match = new_match(game, setup, budget.seed)
        for move in random_match(game, setup, budget.seed, MAX_MOVES).moves:
            earlier_matches.append((match, match.digest()))
            match = match.copy()
            match.play(move)
        for number, (earlier, digest) in enumerate(earlier_matches):
            if earlier.digest() != digest:
                what = "a later move of a copy has changed this state"
                raise Nonconformity(game, what, setup=setup, seed=budget.seed, move=number)


def queries_change_nothing(game: Game, budget: Budget) -> None:
    """Check that no kernel but `deal`, `play`, `imagine` and `disguise` changes the state it is given."""
    for setup in budget.view_setups(game):
        for match in random_positions(game, setup, budget.seed, MAX_MOVES):
            digest = match.digest()
            for name, query in _queries(game, match):
                query()
                if match.digest() != digest:
                    what = f"`{name}` changes the state it is given"
                    raise Nonconformity(game, what, setup=setup, seed=budget.seed, move=len(match.moves))


def _queries(game: Game, match: Match) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the kernels that only read, each bound to the state of the match."""
    kernels, state, seat = game.kernels, match.state, max(0, match.to_move)
    yield "legal_moves", match.legal_moves
    yield "scores", match.scores
    yield "ranks", partial(kernels.ranks, state, np.zeros(match.seats, np.int64))
    yield "finished_rounds", match.finished_rounds
    yield "problems", partial(kernels.problems, state)
    yield "see", partial(match.sight, seat)
    for move in match.legal_moves()[:1]:
        yield "refusal", partial(kernels.refusal, state, move)
        yield "sees_move", partial(kernels.sees_move, state, move, seat)


def bytes_are_defined(game: Game, budget: Budget) -> None:
    """Check that every byte of a state belongs to a field, padding is 0, and a state can be rebuilt from its bytes."""
    dtype = game.kernels.state_type
    fields = dtype.fields
    assert fields is not None
    if sum(field[0].itemsize for field in fields.values()) != dtype.itemsize:
        raise Nonconformity(game, "STATE has bytes that belong to no field; make it with `state_type`")
    padding = bytes_of_field(dtype, "padding")
    for setup in budget.view_setups(game):
        for match in random_positions(game, setup, budget.seed, MAX_MOVES):
            raw = np.frombuffer(match.state.tobytes(), np.uint8)
            where: dict[str, Any] = {"setup": setup, "seed": budget.seed, "move": len(match.moves)}
            if raw[padding].any():
                raise Nonconformity(game, "the padding is not 0", **where)
            if state_digest(raw.view(dtype)[0]) != match.digest():
                raise Nonconformity(game, "the state cannot be rebuilt from its bytes", **where)


def codes_are_declared(game: Game, budget: Budget) -> None:
    """Check that codes are declared as classes, with upper-case names, end reasons from 1 on, and problem sentences."""
    kernels = game.kernels
    for codes, base in (
        (kernels.refusal_codes, RefusalCode),
        (kernels.end_reasons, EndReasonCode),
        (kernels.problem_flags, ProblemFlag),
    ):
        if not (isinstance(codes, type) and issubclass(codes, base)):
            raise Nonconformity(game, f"{codes!r} is not a subclass of {base.__name__}")
        for code in codes:
            if code.name != code.name.upper():
                raise Nonconformity(game, f"{codes.__name__}.{code.name} is not upper case")
    for reason in kernels.end_reasons:
        if reason < 1:
            raise Nonconformity(game, f"EndReason.{reason.name} is {int(reason)}; 0 means that the game goes on")
    for problem in kernels.problem_flags:
        if not problem.sentence.strip():
            raise Nonconformity(game, f"Problem.{problem.name} has no sentence")


def records_replay(game: Game, budget: Budget) -> None:
    """Check that a saved game can be read and replays to the same state."""
    from tablee.records import Record

    for setup in budget.view_setups(game):
        where: dict[str, Any] = {"setup": setup, "seed": budget.seed}
        match = random_match(game, setup, budget.seed, budget.view_moves_at(game, setup))
        budget.tried.count(setup, games=1, positions=len(match.moves) + 1)
        digest, outcome = match.digest(), match.outcome
        try:
            again = Record.parse(Record.of(match).text()).replay()
        except TableeError as why:
            raise Nonconformity(game, f"the saved game does not replay: {why}", **where) from why
        if again.digest() != digest or again.moves != match.moves or again.outcome != outcome:
            raise Nonconformity(game, "the saved game replays to a different state", **where)
