"""Results of long runs as files of JSON lines: a run that was stopped continues where it was."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

NICENESS = 15  # of the processes: others use the machine too


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the complete lines of a journal; none if there is no such file."""
    if path.exists():
        lines = path.read_text().splitlines(keepends=True)
        yield from (json.loads(line) for line in lines if line.endswith("\n"))


def run_missing(
    path: Path,
    keys: Iterable[Sequence[Any]],
    function: Callable[..., dict[str, Any]],
    jobs: int,
) -> None:
    """Call a function with each key that has no line yet, and append `{"key": key, **result}` for it.

    With several jobs in as many processes.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    done = {tuple(line["key"]) for line in read(path)}
    missing = [tuple(key) for key in keys if tuple(key) not in done]
    with path.open("a") as file:
        for number, (key, result) in enumerate(_call_all(missing, function, jobs), start=1):
            file.write(json.dumps({"key": key, **result}) + "\n")
            file.flush()
            print(f"\r{path.stem}: {number} of {len(missing)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)


def _call_all(
    keys: Sequence[tuple[Any, ...]], function: Callable[..., dict[str, Any]], jobs: int
) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Yield each key with the function's result, in the order in which they come."""
    if jobs == 1:
        give_way()
        yield from ((key, function(*key)) for key in keys)
        return
    with ProcessPoolExecutor(jobs, initializer=give_way) as pool:
        tasks = {pool.submit(function, *key): key for key in keys}
        yield from ((tasks[task], task.result()) for task in as_completed(tasks))


def give_way() -> None:
    """Lower the priority of this process."""
    os.setpriority(os.PRIO_PROCESS, 0, max(NICENESS, os.getpriority(os.PRIO_PROCESS, 0)))
