"""Random matches and positions; the same seed gives the same ones on every machine."""

from __future__ import annotations

from collections.abc import Iterator

from tablee.core.game import Game, Setup
from tablee.core.match import Match
from tablee.core.randomness import below, new_generator

CHOOSER = 1 << 32  # the stream of the generator that chooses moves; deals use low streams


def new_match(game: Game, setup: Setup | None = None, seed: int = 0, stream: int = 0) -> Match:
    """Deal a match at a setup, by default the usual one."""
    setup = setup or game.setup()
    return Match(game, seats=setup.seats, options=setup.options, seed=seed, stream=stream)


def random_positions(
    game: Game, setup: Setup | None = None, seed: int = 0, max_moves: int | None = None, stream: int = 0
) -> Iterator[Match]:
    """Yield one match after the deal and after each random move, to its end or for `max_moves` moves."""
    match = new_match(game, setup, seed, stream)
    chooser = new_generator(seed, CHOOSER + stream)
    limit = game.max_game_length if max_moves is None else min(max_moves, game.max_game_length)
    yield match
    while not match.is_over and len(match.moves) < limit:
        moves = match.legal_moves()
        match.play(moves[int(below(chooser, len(moves)))])
        yield match


def random_match(game: Game, setup: Setup | None = None, seed: int = 0, max_moves: int | None = None) -> Match:
    """Play a random match, to its end or for `max_moves` moves."""
    match = new_match(game, setup, seed)
    for played in random_positions(game, setup, seed, max_moves):
        match = played
    return match
