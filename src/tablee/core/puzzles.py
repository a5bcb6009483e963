"""Puzzles of a game, from `puzzles.jsonl` in its folder: positions in which one move is clearly best.

The first line of the file says by what the puzzles were found, each other line is a puzzle. A position is kept as its
deal and the moves after it; what it takes to solve it is in the sight of the seat to move.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tablee.core.errors import TableeError
from tablee.core.game import Game, Options

if TYPE_CHECKING:
    from tablee.core.match import Match

FILE = "puzzles.jsonl"
FORMAT = 1  # raised when a field changes its meaning
PERMILLE = 1000  # shares are stored in thousandths
Line = TypeVar("Line")


@dataclass(frozen=True)
class MoveValue:
    """What a move is worth to its player, over imagined worlds."""

    move: str  # its text
    share: int  # of the others that the player can expect to finish ahead of, in thousandths
    error: int = 0  # standard error of what it loses against the best move, in thousandths
    worse: int = 0  # thousandths of the worlds in which it does worse than the best move
    better: int = 0  # and in which it does better


@dataclass(frozen=True)
class Puzzle:
    """A position in which one move is clearly best, and what each legal move is worth there."""

    seats: int
    seed: int
    stream: int
    moves: tuple[int, ...]  # from the deal to the position
    digest: str  # of the state
    values: tuple[MoveValue, ...]  # of every legal move, the best first
    greedy: str  # the move that the bot `greedy` prefers
    level: str  # the weakest bot that finds the best move
    rating: int  # how hard it is, on the scale of `review/puzzle_ratings.py`
    options: Options = field(default_factory=dict)

    @property
    def id(self) -> str:
        """A digest of the position: the same puzzle has the same id in every version of the file."""
        position = (self.seats, self.seed, self.stream, self.moves, sorted(self.options.items()))
        return blake2b(repr(position).encode(), digest_size=4).hexdigest()

    @property
    def solution(self) -> str:
        """The text of the best move."""
        return self.values[0].move

    @property
    def gap(self) -> int:
        """By how much the best move is better than the second, in thousandths."""
        return self.values[0].share - self.values[1].share

    def value_of(self, move: str) -> MoveValue | None:
        """Return what a move is worth; None if it is not legal."""
        return next((value for value in self.values if value.move == move), None)

    def position(self, game: Game, players: Sequence[str] | None = None) -> Match:
        """Return the match at the position; raise TableeError if the rules do not lead there."""
        from tablee.core.match import Match  # a lobby asks for puzzles before anything slow is imported

        match = Match(game, seats=self.seats, seed=self.seed, stream=self.stream, options=self.options, players=players)
        for move in self.moves:
            match.play(move)
        if match.digest() != self.digest:
            raise TableeError(f"{game.name}: puzzle {self.id} is in another position than its digest says")
        return match


@dataclass(frozen=True)
class PuzzleSource:
    """By what puzzles were found: the first line of their file."""

    game: str
    version: int  # of the game
    bot: str  # that played the games, with its version
    seed: int
    worlds: int  # imagined for each value
    format: int = FORMAT


@dataclass(frozen=True)
class PuzzleFile:
    """What a file of puzzles holds."""

    source: PuzzleSource
    puzzles: tuple[Puzzle, ...]

    def find(self, puzzle_id: str) -> Puzzle | None:
        """Return the puzzle with an id, None if there is none."""
        return next((puzzle for puzzle in self.puzzles if puzzle.id == puzzle_id), None)


# The file


def puzzles_of(game: Game) -> PuzzleFile | None:
    """Return a game's puzzles; again if the file has changed.

    None if it has none, or only some that were found by other rules. Raises TableeError for a bad file.
    """
    path = game.folder / FILE
    try:
        modified = path.stat().st_mtime_ns
    except OSError:
        return None
    found = _read(path, modified)
    return found if found.source.version == game.version else None


def count_puzzles(game: Game) -> int:
    """Return how many puzzles a game has; none if its file cannot be used."""
    with suppress(TableeError):
        found = puzzles_of(game)
        return len(found.puzzles) if found else 0
    return 0


@lru_cache(maxsize=64)
def _read(path: Path, _modified_ns: int) -> PuzzleFile:
    return read_puzzles(path)


def read_puzzles(path: Path) -> PuzzleFile:
    """Read a file of puzzles; raise TableeError if it is not one."""
    first, *rest = path.read_text(encoding="utf-8").splitlines() or [""]
    source = _read_line(path, 1, first, lambda plain: PuzzleSource(**plain))
    if source.format != FORMAT:
        raise TableeError(f"{path}: format {source.format} is not {FORMAT}")
    puzzles = (_read_line(path, number, line, puzzle_of) for number, line in enumerate(rest, start=2))
    return PuzzleFile(source, tuple(puzzles))


def _read_line(path: Path, number: int, line: str, make: Callable[[dict[str, Any]], Line]) -> Line:
    try:
        return make(json.loads(line))
    except (ValueError, KeyError, TypeError, AttributeError) as why:
        raise TableeError(f"{path}, line {number}: {type(why).__name__}: {why}") from None


def write_puzzles(path: Path, source: PuzzleSource, puzzles: Iterable[Puzzle]) -> None:
    """Write a file of puzzles, one per line."""
    lines = [asdict(source), *(plain_puzzle(puzzle) for puzzle in puzzles)]
    path.write_text("".join(f"{encode_line(line)}\n" for line in lines), encoding="utf-8")


def encode_line(content: Any) -> str:
    """Return content as one line of JSON."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def plain_puzzle(puzzle: Puzzle) -> dict[str, Any]:
    """Return a puzzle as plain values, ready for JSON; moves and values are packed to keep files small."""
    plain = asdict(puzzle)
    plain["moves"] = " ".join(str(move) for move in puzzle.moves)
    plain["values"] = [[*asdict(value).values()] for value in puzzle.values]
    if not puzzle.options:
        del plain["options"]
    return plain


def puzzle_of(plain: dict[str, Any]) -> Puzzle:
    """Read what `plain_puzzle` wrote; raise ValueError, KeyError or TypeError for anything else."""
    moves = tuple(int(move) for move in plain["moves"].split())
    values = tuple(MoveValue(*value) for value in plain["values"])
    if len(values) < 2:
        raise ValueError("a puzzle has at least two moves to choose from")
    return Puzzle(**{**plain, "moves": moves, "values": values})
