"""Facts about moves that a coach tells: what holds in a world after a move (docs/review.md)."""

from __future__ import annotations

from collections.abc import Iterator

from tablee.core.types import Move, State
from tablee.games.skyjo.moves import SWAP_FIRST, cell_of
from tablee.games.skyjo.state import is_hidden


def find_facts(world: State, move: Move, after: State) -> Iterator[str]:
    """Yield "higher" if the hidden card that a swap replaces is worth more than the card in hand (R9, R12)."""
    seat, cell = world.to_move, cell_of(int(move))
    if move >= SWAP_FIRST and cell is not None and is_hidden(world, seat, cell) and world.grid[seat, cell] > world.held:
        yield "higher"
