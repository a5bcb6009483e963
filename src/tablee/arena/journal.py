"""What has been played, on disk: a line of JSON per game, so that a crash loses only games that were not over."""

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


class Journal:
    """The file of a contest: its description first, then its games in the order in which they ended."""

    def __init__(self, path: Path, contest: Contest, about: Mapping[str, str] | None = None) -> None:
        """Open or continue a journal; `about` says where it is played, which may change from part to part."""
        self.path = path
        self.contest = contest
        self.results: dict[tuple[int, int, int], GameResult] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            self._continue()
        else:
            files.write(path, _line({**contest.as_dict(), "about": dict(about or {})}))
        self._file = path.open("ab")

    def _continue(self) -> None:
        lines = self.path.read_bytes().splitlines(keepends=True)
        whole = [line for line in lines if line.endswith(b"\n")]
        if whole != lines:  # the last line was being written when the power went
            files.write(self.path, b"".join(whole))
        head, self.results = _read(self.path, whole)
        _demand_same(self.path, head, self.contest.as_dict())

    def add(self, result: GameResult, record: str | None = None) -> None:
        """Keep a game: its record first, so that no result is without one."""
        if record is not None:
            index = self.record_path(result)
            index.parent.mkdir(exist_ok=True)
            files.write(index, record.encode())
        self._file.write(_line(result.as_dict()))
        self._file.flush()
        os.fsync(self._file.fileno())
        self.results[result.key] = result

    def record_path(self, result: GameResult) -> Path:
        """Return where the record of a game is kept."""
        return self.path.parent / RECORDS / f"{result.deal:06}-{result.turn}.tablee"

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


def read_journal(path: Path) -> tuple[dict[str, Any], list[GameResult]]:
    """Return the description of a contest and its games, from a journal that somebody else may be writing."""
    lines = [line for line in path.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]
    head, results = _read(path, lines)
    return head, list(results.values())


def deals_of(results: Iterable[GameResult]) -> list[list[GameResult]]:
    """Return the games deal by deal, in order."""
    deals: dict[int, list[GameResult]] = {}
    for result in sorted(results, key=lambda result: result.key):
        deals.setdefault(result.deal, []).append(result)
    return list(deals.values())


def complete_deals(head: Mapping[str, Any], results: Iterable[GameResult]) -> list[list[GameResult]]:
    """Return the games deal by deal, in order, without deals of which a game is missing."""
    deals = deals_of(results)
    return [games for games in deals if len(games) == len(seatings(head["lineups"], head["seed"], games[0].deal))]


def _read(path: Path, lines: list[bytes]) -> tuple[dict[str, Any], dict[tuple[int, int, int], GameResult]]:
    try:
        head, *games = [json.loads(line) for line in lines]
        results = [GameResult.from_dict(game) for game in games]
    except (ValueError, TypeError, KeyError) as why:
        raise TableeError(f"{path} is not the journal of an arena: {why}") from None
    return head, {result.key: result for result in results}


def _demand_same(path: Path, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Refuse to mix games of different bots, rules or deals."""
    for key, value in wanted.items():
        if found.get(key) != value:
            raise BadSetup(f"{path} is of another contest: its {key} is {found.get(key)!r}, not {value!r}")


def _line(values: Mapping[str, Any]) -> bytes:
    return json.dumps(values, ensure_ascii=False).encode() + b"\n"
