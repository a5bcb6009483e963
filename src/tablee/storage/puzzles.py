"""Stored answers to puzzles: the first one of each person to each puzzle, which is the one that counts."""

from __future__ import annotations

import time
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select

from tablee.storage import schema
from tablee.storage.store import Store


@dataclass(frozen=True)
class StoredAttempt:
    """A row of the table `puzzle_attempts`, without its person."""

    game: str
    puzzle: str  # its id
    rating: int  # of the puzzle, when it was tried
    is_solved: bool
    at: float


class PuzzleStore:
    """Reads and writes attempts; methods raise StoreError if the database fails."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def attempts(self, person: str) -> list[StoredAttempt]:
        """Return a person's attempts in all games, the oldest first."""
        columns = schema.puzzle_attempts.c
        query = (
            select(columns.game, columns.puzzle, columns.rating, columns.is_solved, columns.at)
            .where(columns.person == person)
            .order_by(columns.at)
        )
        return [StoredAttempt(*row) for row in await self._store.read(query)]

    async def add(self, person: str, game: str, puzzle: str, rating: int, is_solved: bool) -> bool:
        """Store an attempt unless there is an earlier one; return whether it counts."""
        return await self._store.write(lambda connection: _add(connection, person, game, puzzle, rating, is_solved))


def _add(connection: Connection, person: str, game: str, puzzle: str, rating: int, is_solved: bool) -> bool:
    columns = schema.puzzle_attempts.c
    is_same = (columns.person == person) & (columns.game == game) & (columns.puzzle == puzzle)
    if connection.execute(select(columns.at).where(is_same)).first() is not None:
        return False
    row = {"person": person, "game": game, "puzzle": puzzle, "rating": rating, "is_solved": is_solved}
    connection.execute(insert(schema.puzzle_attempts).values(**row, at=time.time()))
    return True
