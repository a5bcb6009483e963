"""The check of a game's puzzles: legal positions, and values of exactly the moves that are legal there.

That the best move is the best is for `tablee puzzles GAME --verify`, which needs bots and minutes.
"""

from __future__ import annotations

from tablee.core.errors import TableeError
from tablee.core.game import Game
from tablee.core.match import Match
from tablee.core.puzzles import FILE, PERMILLE, Puzzle, PuzzleFile, puzzles_of
from tablee.testing.budget import Budget
from tablee.testing.nonconformity import Nonconformity


def puzzles_are_legal(game: Game, budget: Budget) -> None:
    """Check that a game's puzzles are reached by legal moves and value every legal move; it need not have any."""
    found = _read(game)
    if found is None:
        return
    if found.source.game != game.name:
        raise Nonconformity(game, f"its puzzles are those of {found.source.game!r}", location=FILE)
    ids = [puzzle.id for puzzle in found.puzzles]
    if len(set(ids)) < len(ids):
        raise Nonconformity(game, "two of its puzzles are the same position", location=FILE)
    for puzzle in found.puzzles:
        try:
            _check_puzzle(puzzle, puzzle.position(game))
        except TableeError as why:
            raise Nonconformity(
                game, f"puzzle {puzzle.id}: {why}", seed=puzzle.seed, stream=puzzle.stream, location=FILE
            ) from None


def _read(game: Game) -> PuzzleFile | None:
    try:
        return puzzles_of(game)
    except TableeError as broken:
        raise Nonconformity(game, str(broken), location=FILE) from None


def _check_puzzle(puzzle: Puzzle, match: Match) -> None:
    """Raise TableeError for what a puzzle says that is not so."""
    legal = sorted(match.text(move) for move in match.legal_moves())
    valued = sorted(value.move for value in puzzle.values)
    if valued != legal:
        raise TableeError(f"it values {valued}, but the legal moves are {legal}")
    best, *others = puzzle.values
    if any(other.share >= best.share for other in others):
        raise TableeError(f"another move is worth as much as the best, {best.move!r}")
    if puzzle.greedy not in valued or puzzle.greedy == best.move:
        raise TableeError(f"the move of `greedy`, {puzzle.greedy!r}, is not another legal one than {best.move!r}")
    for value in puzzle.values:
        if (
            not 0 <= value.share <= PERMILLE
            or min(value.worse, value.better) < 0
            or value.worse + value.better > PERMILLE
        ):
            raise TableeError(f"the values of {value.move!r} are no thousandths")
