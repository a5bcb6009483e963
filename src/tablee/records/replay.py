"""The match of a record, with everything checked that the record says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tablee.core import randomness
from tablee.core.errors import BadRecord, TableeError
from tablee.core.game import Game, Setup, Value, show
from tablee.core.match import Match
from tablee.core.outcome import Outcome
from tablee.core.registry import find_game
from tablee.core.state import NOBODY, TRUTH
from tablee.core.types import State
from tablee.records.header import Deal, Position
from tablee.records.moves import RecordedMove, digest_points

if TYPE_CHECKING:
    from tablee.records.record import Record


def replay(record: Record, trust_start: bool) -> Match:
    """Return a record's match, played again; raise BadRecord at the first difference."""
    match = _starting_match(record, trust_start)
    digests = dict(zip(digest_points(len(record.moves)), record.digests, strict=True))
    _check_digest(record, match, digests[0])
    for number, move in enumerate(record.moves, 1):
        _play(record, match, move)
        if number in digests:
            _check_digest(record, match, digests[number])
    if _comparable(match.outcome, record, match.game) != _comparable(record.outcome, record, match.game):
        raise BadRecord(
            f"the outcome is {match.outcome}, the recorded one {record.outcome}", record.line_of("outcome: ")
        )
    return match


def _comparable(outcome: Outcome | None, record: Record, game: Game) -> Outcome | None:
    """Return what must agree of an outcome: all of it; its ranks not if an earlier version of the rules gave them."""
    if outcome is None or record.header.game_version == game.version:
        return outcome
    return replace(outcome, ranks=())


def check_commitment(record: Record, shown: str | None) -> None:
    """Check the record's commitment against the one that was shown before the match, if any."""
    if shown is None:
        return
    origin = record.header.origin
    if isinstance(origin, Position):
        raise BadRecord(
            "the match began in a position, so there is no commitment to compare", record.line_of("start: ")
        )
    if shown.strip().lower() != origin.commitment:
        raise BadRecord(
            f"the commitment is not {shown!r}, which was shown before the match", record.line_of("commitment: ")
        )


@contextmanager
def _errors_at(record: Record, start: str, context: str = "") -> Iterator[None]:
    """Turn errors into BadRecord with the number of the line that begins with `start`."""
    try:
        yield
    except TableeError as error:
        raise BadRecord(f"{context}{error}", record.line_of(start)) from error


# The start


def _starting_match(record: Record, trust_start: bool) -> Match:
    """Return the match before its first move."""
    header = record.header
    game = _game(record)
    setup = _setup(record, game)
    players = [player.name for player in header.players] or None
    if isinstance(header.origin, Deal):
        return Match(
            game,
            seats=setup.seats,
            options=setup.options,
            reduction=setup.reduction,
            seed=header.origin.seed,
            stream=header.origin.stream,
            players=players,
        )
    if not trust_start:
        raise BadRecord(
            "the match begins in a position; replay it with trust_start if you trust the author of the file",
            record.line_of("start: "),
        )
    with _errors_at(record, "start: "):
        match = Match.from_state(game, read_state(game, header.origin.state), players)
        _check_position(match, setup)
    return match


def _game(record: Record) -> Game:
    header = record.header
    with _errors_at(record, "game: "):
        game = find_game(header.game)
    if not game.reads(header.game_version):
        message = f"the record needs version {header.game_version} of {game.name}; version {game.version} is installed"
        raise BadRecord(message, record.line_of("game version: "))
    if header.generator != randomness.VERSION:
        message = f"the record used generator {header.generator}; this version of Tablée has {randomness.VERSION}"
        raise BadRecord(message, record.line_of("generator: "))
    return game


def _setup(record: Record, game: Game) -> Setup:
    """Return the setup; the record must name every option, in the order of the manifest."""
    options: dict[str, Value] = {}
    for name, text in record.header.options:
        with _errors_at(record, f"option {name}: "):
            options[name] = game.option(name).parse(text)
        if show(options[name]) != text:
            message = f"option {name!r} must be written {show(options[name])!r}, not {text!r}"
            raise BadRecord(message, record.line_of(f"option {name}: "))
    names = [name for name, _ in record.header.options]
    if names != [option.name for option in game.options]:
        expected = ", ".join(option.name for option in game.options)
        raise BadRecord(
            f"the options of {game.name} are {expected or 'none'}, in this order", record.line_of("seats: ")
        )
    with _errors_at(record, "seats: "):
        return game.setup(record.header.seats, options, record.header.reduction)


def read_state(game: Game, content: bytes) -> State:
    """Return the state of a game from its bytes; raise BadRecord if their number is wrong."""
    dtype = game.kernels.state_type
    if len(content) != dtype.itemsize:
        raise BadRecord(f"a state of {game.name} has {dtype.itemsize} bytes, not {len(content)}")
    return np.frombuffer(content, dtype).view(np.recarray)[0]


def _check_position(match: Match, setup: Setup) -> None:
    """Check that a first state is possible; the shared fields first, as the game's `problems` relies on them."""
    if match.setup != setup:
        raise BadRecord(f"the position has the setup {match.setup}, the record {setup}")
    state, kernels = match.state, match.game.kernels
    if state.viewer != TRUTH:
        raise BadRecord(f"the position is what viewer {state.viewer} sees, not a full state")
    if not NOBODY <= state.to_move < state.seats or (state.to_move == NOBODY) != match.is_over:
        raise BadRecord(f"seat {state.to_move} cannot be to move in the position")
    if match.is_over and int(state.end_reason) not in list(kernels.end_reasons):
        raise BadRecord(f"the position has the unknown end reason {state.end_reason}")
    bits = int(kernels.problems(state))
    if bits:
        problems = kernels.problem_flags.sentences(bits)
        raise BadRecord(f"the position is not possible: {'; '.join(problems)}")


# The moves


def _play(record: Record, match: Match, recorded: RecordedMove) -> None:
    """Play a recorded move."""
    number = len(match.moves) + 1
    with _errors_at(record, f"{number} seat", f"move {number} of seat {recorded.seat}, {recorded.text!r}: "):
        if not match.is_over and match.to_move != recorded.seat:
            raise BadRecord(f"seat {match.to_move} is to move")
        move = match.parse(recorded.text)
        if match.text(move) != recorded.text:
            raise BadRecord(f"it must be written {match.text(move)!r}")
        refusal = match.why_not(move)
        if refusal is not None:
            raise BadRecord(f"illegal, {refusal}")
        match.play(move)


def _check_digest(record: Record, match: Match, recorded: str) -> None:
    """Check the digest of the current state against the recorded one."""
    if match.digest() == recorded:
        return
    number = len(match.moves)
    if number == 0:
        message = f"the deal differs: its digest is {match.digest()}, the recorded one {recorded}"
    else:
        first = digest_points(number)[-2] + 1
        message = f"moves {first} to {number} differ: the digest is {match.digest()}, the recorded one {recorded}"
    raise BadRecord(message, record.line_of(f"digest {number}: "))
