"""Random matches and positions, the same for the same seed on every machine."""

from __future__ import annotations

from collections.abc import Iterator

from tablee.core.game import Game, Setup
from tablee.core.match import Match
from tablee.core.randomness import below, new_generator

CHOOSER = 1 << 32  # the stream that chooses moves; deals use the low ones


def new_match(game: Game, setup: Setup | None = None, seed: int = 0, stream: int = 0) -> Match:
    """Deal a match at a setup (the usual one if none is given)."""
    setup = setup or game.setup()
    return Match(game, seats=setup.seats, options=setup.options, seed=seed, stream=stream)


def random_positions(game: Game, setup: Setup | None = None, seed: int = 0, most: int | None = None) -> Iterator[Match]:
    """Yield one match, after the deal and after each random move, to its end or for `most` moves."""
    match = new_match(game, setup, seed)
    chooser = new_generator(seed, CHOOSER)
    most = game.max_game_length if most is None else min(most, game.max_game_length)
    yield match
    while not match.is_over and len(match.moves) < most:
        moves = match.legal_moves()
        match.play(moves[int(below(chooser, len(moves)))])
        yield match


def random_match(game: Game, setup: Setup | None = None, seed: int = 0, most: int | None = None) -> Match:
    """Play a match at random, to its end or for `most` moves."""
    match = new_match(game, setup, seed)
    for played in random_positions(game, setup, seed, most):
        match = played
    return match
