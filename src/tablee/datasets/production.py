"""Writing a dataset shard by shard: what is complete stays, what is missing is added."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from tablee.arena.matches import Task
from tablee.arena.pool import Pool
from tablee.datasets.rows import PlayedGame
from tablee.datasets.shards import Dataset
from tablee.datasets.sources import play_tasks

Item = TypeVar("Item")
Progress = Callable[[int], None]  # called with the number of games that are in the dataset or ready to be written


def write_bot_games(
    dataset: Dataset, tasks: Sequence[Task], per_shard: int, pool: Pool, max_pending: int, progress: Progress
) -> int:
    """Let bots play the games that are missing; return the number of games in the dataset."""
    for shard, group in enumerate(_groups(tasks, per_shard)):
        first = shard * per_shard
        if dataset.games_in(shard) < len(group):
            played: dict[int, PlayedGame] = {}
            for number, game in play_tasks(pool, group, max_pending):
                played[number] = game
                progress(first + len(played))
            dataset.write_shard(shard, first, [played[task.deal] for task in group])
        progress(first + len(group))
    return len(tasks)


def write_recorded_games(dataset: Dataset, games: Iterable[PlayedGame], per_shard: int, progress: Progress) -> int:
    """Write games that were played; return the number of games in the dataset."""
    count = 0
    for shard, group in enumerate(_groups(games, per_shard)):
        if dataset.games_in(shard) < len(group):
            dataset.write_shard(shard, count, group)
        count += len(group)
        progress(count)
    return count


def _groups(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    remaining = iter(items)
    while group := list(islice(remaining, size)):
        yield group
