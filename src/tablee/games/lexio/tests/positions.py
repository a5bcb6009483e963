"""Positions for tests, given by the names of tiles: `position("3N 5S", "4E 6L", "7N 8N")`."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from tablee import Match
from tablee.core.state import NOBODY, blank_state
from tablee.games.lexio import GAME
from tablee.games.lexio.catalogue import size_of, tiles_of
from tablee.games.lexio.moves import TILE_NAMES, parse_move, tiles_in
from tablee.games.lexio.state import CHIPS, Problem
from tablee.games.lexio.strength import strength_of


def tiles(names: str) -> int:
    """Return a set of tiles from their names."""
    return sum(1 << TILE_NAMES.index(name) for name in names.split())


def names_of(hand: int) -> str:
    """Return the names of a set of tiles."""
    return " ".join(TILE_NAMES[tile] for tile in tiles_in(hand))


def suit(letter: str, first: int, last: int) -> str:
    """Return the names of the tiles of a suit from one number to another."""
    return " ".join(f"{number}{letter}" for number in range(first, last + 1))


def position(*hands: str, left_out: str = "", options: dict[str, Any] | None = None, **fields: Any) -> Any:
    """Return a full state whose deck is the tiles in the hands and those left out; the weakest tile dealt leads."""
    options = {"two_players": len(hands) == 2} | (options or {})
    state = blank_state(GAME, GAME.setup(len(hands), options), seed=1)
    state.holder = state.last_winner = NOBODY
    for seat, hand in enumerate(hands):
        state.hands[seat] = tiles(hand)
        state.hand_counts[seat] = len(hand.split())
        state.balances[seat] = CHIPS
    state.hand_size = state.hand_counts[0]
    dealt = tiles(" ".join(hands))
    state.deck = dealt | tiles(left_out)
    state.lead_tile = min(tiles_in(dealt))
    state.leader = state.to_move = next(s for s in range(len(hands)) if tiles(hands[s]) >> int(state.lead_tile) & 1)
    for name, value in fields.items():
        state[name] = value
    return state


def match_of(*hands: str, **fields: Any) -> Match:
    """Return a match that starts from such a position."""
    return Match.from_state(GAME, position(*hands, **fields))


def ends_with(*hands: str, winner: int, options: dict[str, Any] | None = None, **fields: Any) -> Match:
    """Return a match of one round in which the winner has played its only tile."""
    match = match_of(*hands, options={"rounds": 1} | (options or {}), to_move=winner, **fields)
    match.play(f"play {hands[winner]}")
    return match


def played(match: Match, *moves: str) -> Match:
    """Play moves given as text, `-` for a pass."""
    for text in moves:
        match.play("pass" if text == "-" else f"play {text}")
    return match


def legal(match: Match) -> list[str]:
    """Return the legal moves as text, without `play`."""
    return [match.text(move).removeprefix("play ") for move in match.legal_moves()]


def strength(names: str, seats: int = 5, **options: Any) -> int:
    """Return the strength of a combination with these seats and options."""
    chosen = {"two_players": seats == 2} | options
    return int(strength_of(blank_state(GAME, GAME.setup(seats, chosen)), parse_move(f"play {names}")))


def ascends(combinations: Sequence[str], seats: int = 5, **options: Any) -> bool:
    """Whether each combination is stronger than the one before."""
    strengths = [strength(names, seats, **options) for names in combinations]
    return all(weak < strong for weak, strong in pairwise(strengths))


def broken(state: Any) -> list[str]:
    """Return the broken invariants of a state."""
    return Problem.sentences(int(GAME.kernels.problems(state)))


def size(text: str) -> int:
    """Return how many tiles a move plays, and check that its number and its tiles agree."""
    move = parse_move(text)
    assert size_of(move) == len(tiles_in(tiles_of(move)))
    return int(size_of(move))
