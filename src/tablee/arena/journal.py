"""The games of a contest on disk: one JSON line per finished game, so that a crash loses unfinished games only."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from tablee.arena.contest import Contest
from tablee.arena.lineups import seatings
from tablee.arena.matches import GameResult
from tablee.core.errors import BadSetup, TableeError
from tablee.records import files

RECORDS = "records"


class ContestJournal:
    """The file of a contest: first a line that describes it, then one line per game, in the order they ended."""

    def __init__(self, path: Path, contest: Contest, about: Mapping[str, str] | None = None) -> None:
        """Create or continue a journal; `about` describes machine and versions.

        Raises BadSetup if the file belongs to another contest, TableeError if it is not a journal.
        """
        self.path = path
        self.contest = contest
        self.results: dict[tuple[int, int, int], GameResult] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            self._resume()
        else:
            files.write(path, _line({**contest.as_dict(), "about": dict(about or {})}))
        self._file = path.open("ab")

    def _resume(self) -> None:
        lines = self.path.read_bytes().splitlines(keepends=True)
        complete = [line for line in lines if line.endswith(b"\n")]
        if complete != lines:  # the process was killed while it wrote the last line
            files.write(self.path, b"".join(complete))
        head, self.results = _read(self.path, complete)
        _require_same(self.path, head, self.contest.as_dict())

    def add(self, result: GameResult, record: str | None = None) -> None:
        """Append a game; its record is written first, so that every listed result has one."""
        if record is not None:
            path = self.record_path(result)
            path.parent.mkdir(exist_ok=True)
            files.write(path, record.encode())
        self._file.write(_line(result.as_dict()))
        self._file.flush()
        os.fsync(self._file.fileno())
        self.results[result.key] = result

    def record_path(self, result: GameResult) -> Path:
        """Return the path of a game's record."""
        return self.path.parent / RECORDS / f"{result.deal:06}-{result.rotation}.tablee"

    def __enter__(self) -> ContestJournal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


def read_journal(path: Path) -> tuple[dict[str, Any], list[GameResult]]:
    """Return the description of a contest and its games; another process may be writing the file."""
    lines = [line for line in path.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]
    head, results = _read(path, lines)
    return head, list(results.values())


def deals_of(results: Iterable[GameResult]) -> list[list[GameResult]]:
    """Group games by deal, in order of deals."""
    deals: dict[int, list[GameResult]] = {}
    for result in sorted(results, key=lambda result: result.key):
        deals.setdefault(result.deal, []).append(result)
    return list(deals.values())


def complete_deals(head: Mapping[str, Any], results: Iterable[GameResult]) -> list[list[GameResult]]:
    """Group games by deal, in order, leaving out deals with missing games."""
    deals = deals_of(results)
    return [games for games in deals if len(games) == len(seatings(head["lineups"], head["seed"], games[0].deal))]


def _read(path: Path, lines: list[bytes]) -> tuple[dict[str, Any], dict[tuple[int, int, int], GameResult]]:
    try:
        head, *games = [json.loads(line) for line in lines]
        results = [GameResult.from_dict(game) for game in games]
    except (ValueError, TypeError, KeyError) as why:
        raise TableeError(f"{path} is not the journal of a contest: {why}") from None
    return head, {result.key: result for result in results}


def _require_same(path: Path, found: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    """Raise BadSetup rather than mix games of different bots, rules or deals."""
    for key, value in expected.items():
        if found.get(key) != value:
            raise BadSetup(f"{path} belongs to another contest: its {key} is {found.get(key)!r}, not {value!r}")


def _line(values: Mapping[str, Any]) -> bytes:
    return json.dumps(values, ensure_ascii=False).encode() + b"\n"
