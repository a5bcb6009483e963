"""Checks of what a viewer learns from a move, and from the options."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tablee.core.game import Game, Option
from tablee.core.kernels import random_listed_move
from tablee.core.match import Match
from tablee.core.randomness import below, new_generator
from tablee.core.sight import Sight
from tablee.core.state import SPECTATOR, copy_state
from tablee.testing.budget import Budget
from tablee.testing.buffers import bytes_of_field
from tablee.testing.nonconformity import Nonconformity, move_name, viewer_name
from tablee.testing.positions import CHOOSER, random_match, random_positions

FIRST_POSITIONS = 20  # of a game at the usual setup, all of which are tried; of later ones a share
FIRST_OTHER_POSITIONS = 6  # the same at other setups
MAX_TRIED = 6  # legal moves tried at a position
OPTION_POSITIONS = (0, 7, 31)  # moves played before options are exchanged
MAX_MOVES_AFTER = 2000  # played to see whether an option matters


def sights_show_known_moves(game: Game, budget: Budget) -> None:
    """Check that a viewer who may know two moves with different results can tell these apart by its sights.

    Otherwise `sees_move` tells more than `see` shows: a choice that is secret in the sight is told in words.
    """
    is_hidden = bytes_of_field(game.kernels.state_type, "generator")
    for match in _positions(game, budget):
        results = {move: _after(game, match.state, move) for move in _tried_moves(match)}
        contents = {move: np.frombuffer(after.tobytes(), np.uint8)[~is_hidden] for move, after in results.items()}
        for viewer in range(SPECTATOR, match.seats):
            seen: dict[bytes, int] = {}
            for move, after in results.items():
                if not game.kernels.sees_move(match.state, move, viewer):
                    continue
                other = seen.setdefault(Sight.of(game, after, viewer).to_bytes(), move)
                if (contents[move] != contents[other]).any():
                    moves = f"moves {move_name(game, other)} and {move_name(game, move)}"
                    what = f"`sees_move` lets {viewer_name(viewer)} know {moves}, whose results its sight does not show"
                    raise Nonconformity(game, what, setup=match.setup, seed=match.seed, move=len(match.moves))


def random_moves_are_listed(game: Game, budget: Budget) -> None:
    """Check that `random_move` draws the move that one random number selects in the list of legal moves."""
    if game.kernels.random_move is random_listed_move:
        return
    memory = np.zeros(game.max_legal_moves, np.int32)
    for setup in budget.view_setups(game):
        for match in random_positions(game, setup, budget.seed, budget.view_moves_at(game, setup)):
            moves = match.legal_moves()
            if not moves:
                continue
            for generator, other in (_equal_generators(len(match.moves), stream) for stream in range(MAX_TRIED)):
                listed = moves[below(generator, len(moves))]
                drawn = int(game.kernels.random_move(match.state, other, memory))
                if drawn != listed or generator.tobytes() != other.tobytes():
                    what = f"`random_move` draws move {move_name(game, drawn)}, not {move_name(game, listed)}"
                    raise Nonconformity(game, what, setup=match.setup, seed=match.seed, move=len(match.moves))


def _equal_generators(seed: int, stream: int) -> tuple[Any, Any]:
    return new_generator(seed, stream), new_generator(seed, stream)


def _positions(game: Game, budget: Budget) -> Iterator[Match]:
    """Yield the first positions of a random match at each setup, and a share of the later ones."""
    for setup in budget.view_setups(game):
        max_moves = budget.view_moves_at(game, setup)
        length = len(random_match(game, setup, budget.seed, max_moves).moves)
        stride = max(budget.view_stride_at(game, setup), 1 + length // budget.max_view_positions)
        first = FIRST_POSITIONS if setup == game.setup() else FIRST_OTHER_POSITIONS
        budget.tried.count(setup, games=1)
        for match in random_positions(game, setup, budget.seed, max_moves):
            number = len(match.moves)
            if not match.is_over and (number < first or number % stride == 0):
                budget.tried.count(setup, positions=1)
                yield match


def _tried_moves(match: Match) -> list[int]:
    """Return the legal moves to try at a position: all, or a share spread evenly."""
    moves = match.legal_moves()
    return moves[:: 1 + (len(moves) - 1) // MAX_TRIED]


def _after(game: Game, state: Any, move: int) -> Any:
    after = copy_state(state)
    game.kernels.play(after, move)
    return after


def options_are_observed(game: Game, budget: Budget) -> None:
    """Check that two states which differ in one option alone are observed differently, if it matters for later play.

    It matters if the same moves lead to other legal moves, scores, turns or to another end.
    """
    for setup in budget.view_setups(game) if budget.all_combinations else (budget.setup or game.setup(),):
        for match in random_positions(game, setup, budget.seed, max(OPTION_POSITIONS)):
            if len(match.moves) not in OPTION_POSITIONS or match.is_over:
                continue
            budget.tried.count(setup, positions=1)
            for option, twin in _twins(game, match):
                viewer = _blind_viewer(game, match, twin)
                if viewer is not None and _lead_elsewhere(game, match, twin):
                    what = f"the observation of {viewer_name(viewer)} does not contain the option {option.name!r}"
                    example = f"it is the same for {option.value(int(twin.options[game.option_index(option.name)]))!r}"
                    raise Nonconformity(
                        game,
                        f"{what}, which matters for later play: {example}",
                        setup=setup,
                        seed=match.seed,
                        move=len(match.moves),
                    )


def _twins(game: Game, match: Match) -> Iterator[tuple[Option, Any]]:
    """Yield states that differ from that of a match in the value of one option, and have no problems."""
    for index, option in enumerate(game.options):
        for value in option.choices:
            options = {**match.setup.options, option.name: value}
            if value == match.setup.options[option.name] or game.refuses_setup(match.seats, options) is not None:
                continue
            twin = copy_state(match.state)
            twin.options[index] = option.code(value)
            if game.kernels.problems(twin) == 0:
                yield option, twin


def _blind_viewer(game: Game, match: Match, twin: Any) -> int | None:
    """Return a viewer that observes the same of two states, None if there is none."""
    for viewer in range(match.seats):
        observed = Sight.of(game, twin, viewer).observe()
        if observed.tobytes() == match.sight(viewer).observe().tobytes():
            return viewer
    return None


def _lead_elsewhere(game: Game, match: Match, twin: Any) -> bool:
    """Whether the same random moves ever lead to different legal moves, scores, turns or ends."""
    states = (copy_state(match.state), twin)
    assert match.seed is not None
    chooser = new_generator(match.seed, CHOOSER + 1)
    for _ in range(MAX_MOVES_AFTER):
        first, second = (_public_facts(game, state) for state in states)
        if first != second:
            return True
        moves = first[0]
        if not moves:
            return False
        move = moves[int(below(chooser, len(moves)))]
        for state in states:
            game.kernels.play(state, move)
    return False


def _public_facts(game: Game, state: Any) -> tuple[list[int], list[int], int, int]:
    """Return the legal moves, the scores, the seat on turn and the end reason."""
    listed, points = np.zeros(game.max_legal_moves, np.int32), np.zeros(int(state.seats), np.int64)
    count = game.kernels.legal_moves(state, listed)
    game.kernels.scores(state, points)
    return listed[:count].tolist(), points.tolist(), int(state.to_move), int(state.end_reason)
