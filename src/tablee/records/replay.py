"""From a record to its match, with every claim checked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from tablee.core import randomness
from tablee.core.errors import BadRecord, TableeError
from tablee.core.game import Game, Setup, Value, show
from tablee.core.match import Match
from tablee.core.registry import find_game
from tablee.core.state import NOBODY, TRUTH
from tablee.records.header import Deal, Position
from tablee.records.moves import Played, digest_points

if TYPE_CHECKING:
    from tablee.records.record import Record


def replay(record: Record, trust_start: bool) -> Match:
    """Play a record's match again; the error names the first thing that differs."""
    match = _beginning(record, trust_start)
    recorded = dict(zip(digest_points(len(record.moves)), record.digests, strict=True))
    _check_digest(record, match, recorded[0])
    for number, played in enumerate(record.moves, 1):
        _play(record, match, played)
        if number in recorded:
            _check_digest(record, match, recorded[number])
    if match.outcome != record.outcome:
        raise BadRecord(f"the outcome is {match.outcome}, recorded is {record.outcome}", record.line_of("outcome: "))
    return match


def check_commitment(record: Record, shown: str | None) -> None:
    """See that the match was dealt as promised before it."""
    if shown is None:
        return
    origin = record.header.origin
    if isinstance(origin, Position):
        raise BadRecord("the match began in a position: no deal was promised", record.line_of("start: "))
    if shown.strip().lower() != origin.commitment:
        raise BadRecord(f"the commitment is not the one that was shown, {shown!r}", record.line_of("commitment: "))


@contextmanager
def _blaming(record: Record, start: str, what: str = "") -> Iterator[None]:
    """Say of an error in which line its cause stands."""
    try:
        yield
    except TableeError as why:
        raise BadRecord(f"{what}{why}", record.line_of(start)) from why


# The beginning


def _beginning(record: Record, trust_start: bool) -> Match:
    """Return the match before its first move."""
    header = record.header
    game = _game(record)
    setup = _setup(record, game)
    players = [player.name for player in header.players] or None
    if isinstance(header.origin, Deal):
        seed, stream = header.origin.seed, header.origin.stream
        return Match(game, seats=setup.seats, options=setup.options, seed=seed, stream=stream, players=players)
    if not trust_start:
        raise BadRecord(
            "the match begins in a position; replay it with trust_start only if you trust who made the file",
            record.line_of("start: "),
        )
    with _blaming(record, "start: "):
        match = Match.from_state(game, read_state(game, header.origin.state), players)
        _check_position(match, setup)
    return match


def _game(record: Record) -> Game:
    header = record.header
    with _blaming(record, "game: "):
        game = find_game(header.game)
    if header.game_version != game.version:
        message = f"the record is of version {header.game_version} of {game.name}; installed is version {game.version}"
        raise BadRecord(message, record.line_of("game version: "))
    if header.generator != randomness.VERSION:
        message = f"the record used generator {header.generator}; this version of Tablée has {randomness.VERSION}"
        raise BadRecord(message, record.line_of("generator: "))
    return game


def _setup(record: Record, game: Game) -> Setup:
    """Return the seats and options, all of which must be named."""
    options: dict[str, Value] = {}
    for name, text in record.header.options:
        with _blaming(record, f"option {name}: "):
            options[name] = game.option(name).parse(text)
        if show(options[name]) != text:
            message = f"option {name!r} is written {show(options[name])!r}, not {text!r}"
            raise BadRecord(message, record.line_of(f"option {name}: "))
    named = [name for name, _ in record.header.options]
    if named != [option.name for option in game.options]:
        wanted = ", ".join(option.name for option in game.options)
        raise BadRecord(f"the options of {game.name} are {wanted or 'none'}, in this order", record.line_of("seats: "))
    with _blaming(record, "seats: "):
        return game.setup(record.header.seats, options)


def read_state(game: Game, content: bytes) -> Any:
    """Return the state that the bytes are."""
    dtype = game.kernels.state_type
    if len(content) != dtype.itemsize:
        raise BadRecord(f"a state of {game.name} has {dtype.itemsize} bytes, not {len(content)}")
    return np.frombuffer(content, dtype).view(np.recarray)[0]


def _check_position(match: Match, setup: Setup) -> None:
    """See that a first state is one; what the shared head says is checked before the game looks at its own fields."""
    if match.setup != setup:
        raise BadRecord(f"the position is set up with {match.setup}, the record says {setup}")
    state, kernels = match.state, match.game.kernels
    if state.viewer != TRUTH:
        raise BadRecord("the position is what somebody saw, not the truth")
    if not NOBODY <= state.to_move < state.seats or (state.to_move == NOBODY) != match.is_over:
        raise BadRecord(f"seat {state.to_move} is on turn in the position")
    if match.is_over and int(state.end_reason) not in list(kernels.end_reasons):
        raise BadRecord(f"the position ended for an unknown reason, {state.end_reason}")
    bits = int(kernels.problems(state))
    if bits:
        broken = kernels.problem_flags.sentences(bits)
        raise BadRecord(f"the position is not possible: {'; '.join(broken)}")


# The moves


def _play(record: Record, match: Match, played: Played) -> None:
    """Play one recorded move."""
    number = len(match.moves) + 1
    start, what = f"{number} seat", f"move {number} of seat {played.seat}, {played.text!r}: "
    with _blaming(record, start, what):
        if not match.is_over and match.to_move != played.seat:
            raise BadRecord(f"it is the turn of seat {match.to_move}")
        move = match.parse(played.text)
        if match.text(move) != played.text:
            raise BadRecord(f"it is written {match.text(move)!r}")
        refusal = match.why_not(move)
        if refusal is not None:
            raise BadRecord(f"illegal, {refusal}")
        match.play(move)


def _check_digest(record: Record, match: Match, recorded: str) -> None:
    """See that the match is where the record says it was."""
    if match.digest() == recorded:
        return
    number = len(match.moves)
    if number == 0:
        message = f"the deal differs: its digest is {match.digest()}, recorded is {recorded}"
    else:
        first = digest_points(number)[-2] + 1
        message = f"moves {first} to {number} differ: the digest is {match.digest()}, recorded is {recorded}"
    raise BadRecord(message, record.line_of(f"digest {number}: "))
