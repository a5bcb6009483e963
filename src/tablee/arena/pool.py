"""Pools of workers that play games: processes on this machine, or a Ray cluster."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from itertools import islice
from multiprocessing.connection import wait as wait_for_exit
from threading import Thread
from typing import Any, Protocol, TypeAlias

from tablee.arena.matches import GameResult, Task, play_game
from tablee.bots.external import kill_all
from tablee.bots.roster import NAMES, make_bot
from tablee.core.errors import TableeError
from tablee.core.game import Game
from tablee.core.match import Match
from tablee.core.warmup import RULES_STEPS, Warmup, exercise_rules

PlayedGame: TypeAlias = tuple[GameResult, str | None]  # the result, and the text of the record if it is kept


class Pool(Protocol):
    """The part of `concurrent.futures.Executor` that the arena uses."""

    def submit(self, function: Callable[[Any], Any], argument: Any, /) -> Future[Any]:
        """Call a function in a worker; return the future result."""
        ...


def play_all(
    pool: Pool, tasks: Iterable[Task], max_pending: int, deadline: float = float("inf")
) -> Iterator[PlayedGame]:
    """Yield games as they end, with at most `max_pending` in the pool; a task is drawn only when it can be submitted.

    At the `deadline` (in the seconds of `time.monotonic`) unfinished games are abandoned. Raises TableeError if a
    worker is killed.
    """
    remaining = iter(tasks)
    pending: set[Future[PlayedGame]] = set()
    while pending := pending | {pool.submit(play_game, task) for task in islice(remaining, max_pending - len(pending))}:
        seconds = None if deadline == float("inf") else max(0.0, deadline - time.monotonic())
        done, pending = wait(pending, seconds, FIRST_COMPLETED)
        if not done:  # the deadline has passed
            return
        try:
            yield from [future.result() for future in done]
        except BrokenExecutor:
            raise TableeError("a worker process was killed; run the same command again to continue") from None


@contextmanager
def processes(count: int) -> Iterator[Pool]:
    """Provide a pool of processes; on exit all of them are terminated, also in the middle of a game."""
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), initializer=_prepare_worker)
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in set(multiprocessing.active_children()) - before:
            child.terminate()
            child.join()


def _prepare_worker() -> None:
    """Make a worker process exit when its parent is killed or terminates it, together with its external bots."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    Thread(target=_exit_with, args=(parent.sentinel,), daemon=True).start()
    signal.signal(signal.SIGTERM, _exit_now)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C


def _exit_with(sentinel: int) -> None:
    wait_for_exit([sentinel])
    _exit_now()


def _exit_now(*_: object) -> None:
    kill_all()
    os._exit(1)


@contextmanager
def ray_cluster(address: str | None, count: int) -> Iterator[Pool]:
    """Provide a pool on the Ray cluster at `address`; with None, start one on this machine with `count` workers."""
    try:
        import ray
    except ImportError:
        raise TableeError("Ray is not installed: pip install 'tablee[ray]'") from None
    options = {"address": address} if address else {"num_cpus": count, "include_dashboard": False}
    ray.init(log_to_driver=False, **options)
    try:
        yield _RayPool(ray)
    finally:
        ray.shutdown()


class _RayPool:
    """Ray tasks behind the interface of `Pool`."""

    def __init__(self, ray: Any) -> None:
        self._remote: Callable[[Any], Any] = ray.remote
        self._remote_functions: dict[Callable[[Any], Any], Any] = {}

    def submit(self, function: Callable[[Any], Any], argument: Any, /) -> Future[Any]:
        if function not in self._remote_functions:
            self._remote_functions[function] = self._remote(function)
        future: Future[Any] = self._remote_functions[function].remote(argument).future()
        return future


def _exercise(game: Game) -> Iterator[None]:
    """Let each bot of the roster decide once."""
    yield from exercise_rules(game)
    match = Match(game, seed=0)
    for name in NAMES:
        make_bot(name, game, 0, seconds=0.01).decide(match.sight(match.to_move), match.legal_moves())
        yield


CONTESTING = Warmup("arena", RULES_STEPS + len(NAMES), _exercise)
