"""Where games are played: processes of this machine, or a Ray cluster."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from itertools import islice
from multiprocessing.connection import wait as wait_for_end
from threading import Thread
from typing import Any, Protocol, TypeAlias

from tablee.arena.matches import GameResult, Task, play_game
from tablee.bots.external import kill_all
from tablee.bots.roster import NAMES, make_bot
from tablee.core.errors import TableeError
from tablee.core.game import Game
from tablee.core.match import Match
from tablee.core.warmup import RULES_STEPS, Warmup, exercise_rules

Played: TypeAlias = tuple[GameResult, str | None]


class Pool(Protocol):
    """Something that runs a function elsewhere."""

    def submit(self, function: Callable[[Any], Any], argument: Any, /) -> Future[Any]:
        """Begin, and promise a result."""
        ...


def play_all(pool: Pool, tasks: Iterable[Task], ahead: int, deadline: float = float("inf")) -> Iterator[Played]:
    """Yield games as they end; `tasks` is asked for the next one when there is somebody to play it.

    After the `deadline` (of `time.monotonic`) games that are not over are not waited for.
    """
    coming = iter(tasks)
    waiting: set[Future[Played]] = set()
    while waiting := waiting | {pool.submit(play_game, task) for task in islice(coming, ahead - len(waiting))}:
        seconds = None if deadline == float("inf") else max(0.0, deadline - time.monotonic())
        ended, waiting = wait(waiting, seconds, FIRST_COMPLETED)
        if not ended:  # the time is up
            return
        try:
            yield from [future.result() for future in ended]
        except BrokenExecutor:
            raise TableeError("a process that played was killed; start again to go on where it was") from None


@contextmanager
def processes(count: int) -> Iterator[Pool]:
    """Play in that many processes; at the end none is left, whatever it was doing."""
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), initializer=_end_with_parent)
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in set(multiprocessing.active_children()) - before:
            child.terminate()
            child.join()


def _end_with_parent() -> None:
    """Let no worker outlive a parent that was killed: nobody would ever tell it to stop."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    Thread(target=_watch, args=(parent.sentinel,), daemon=True).start()
    signal.signal(signal.SIGTERM, _end_now)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer


def _watch(sentinel: int) -> None:
    wait_for_end([sentinel])
    _end_now()


def _end_now(*_: object) -> None:
    kill_all()
    os._exit(1)


@contextmanager
def ray_cluster(address: str | None, count: int) -> Iterator[Pool]:
    """Play on a Ray cluster; without an address, on one of this machine with that many workers."""
    try:
        import ray
    except ImportError:
        raise TableeError("playing on Ray needs it: pip install 'tablee[ray]'") from None
    wishes = {"address": address} if address else {"num_cpus": count, "include_dashboard": False}
    ray.init(log_to_driver=False, **wishes)
    try:
        yield _RayPool(ray)
    finally:
        ray.shutdown()


class _RayPool:
    """Ray as a pool."""

    def __init__(self, ray: Any) -> None:
        self._remote: Callable[[Any], Any] = ray.remote
        self._known: dict[Callable[[Any], Any], Any] = {}

    def submit(self, function: Callable[[Any], Any], argument: Any, /) -> Future[Any]:
        if function not in self._known:
            self._known[function] = self._remote(function)
        promised: Future[Any] = self._known[function].remote(argument).future()
        return promised


def _exercise(game: Game) -> Iterator[None]:
    """Let each bot of the roster decide once."""
    yield from exercise_rules(game)
    match = Match(game, seed=0)
    for name in NAMES:
        make_bot(name, game, 0, seconds=0.01).decide(match.sight(match.to_move), match.legal_moves())
        yield


CONTESTING = Warmup("arena", RULES_STEPS + len(NAMES), _exercise)
