"""Health of a server process: whether its event loop runs, and whether it can store what people do."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from tablee.server.logs import Incidents, incidents, log
from tablee.server.metrics import Metrics
from tablee.storage import Store, StoreError
from tablee.storage.observer import WRITE, WRITER_PROCESS

TICK_SECONDS = 0.1
LAG_SECONDS = 1.0  # a timer that runs this late is an incident
MAX_SILENCE = 10.0  # seconds without a tick, after which a process is not alive
FRESH_SECONDS = 1.0  # a commit this recent shows that writing works
RECENT_SECONDS = 10.0  # how long a failure counts if nobody tries again; probes go on
PROBE_SECONDS = 5.0  # how long a probe may take


class StorageHealth:
    """Observes the store: counts, logs each outage once, and remembers what fails at present."""

    def __init__(
        self, metrics: Metrics, reported: Incidents = incidents, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.written_at = float("-inf")  # the last commit
        self._metrics = metrics
        self._incidents = reported
        self._clock = clock
        self._failing: dict[str, tuple[float, str]] = {}  # operation -> when and why it failed last

    def answered(self, operation: str, seconds: float) -> None:
        """Note a success; it ends an outage."""
        if operation == WRITE:
            self.written_at = self._clock()
            self._metrics.commits.inc()
            self._metrics.commit_seconds.observe(seconds)
        elif operation == WRITER_PROCESS:
            log("writer process started", seconds=round(seconds, 1))
        if self._failing.pop(operation, None) is not None:
            self._incidents.end(_name(operation))

    def failed(self, operation: str, why: str) -> None:
        """Note a failure."""
        self._failing[operation] = (self._clock(), why)
        self._metrics.store_failures.labels(operation).inc()
        self._incidents.report(_name(operation), logging.ERROR, why=why)

    @property
    def problem(self) -> str | None:
        """What has failed lately and not succeeded since, None if all is well; without its process, a server writes."""
        limit = self._clock() - RECENT_SECONDS
        failing = sorted((each, why) for each, why in self._failing.copy().items() if each != WRITER_PROCESS)
        return "; ".join(f"{_name(operation)}: {why}" for operation, (at, why) in failing if at > limit) or None


def _name(operation: str) -> str:
    return f"storage {operation} fails"


class ProcessHealth:
    """Answers whether this process is alive and ready; may be asked from any thread."""

    def __init__(
        self, store: Store, storage: StorageHealth, metrics: Metrics, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._store = store
        self._storage = storage
        self._metrics = metrics
        self._clock = clock
        self._ticked_at = clock()
        self._is_open = False
        self._watch: asyncio.Task[None] | None = None
        self._prober = ThreadPoolExecutor(1, thread_name_prefix="probe")
        self._probe: Future[None] | None = None

    def start(self) -> None:
        """Measure the running event loop and the garbage collector from now on; the process is open."""
        self._watch = asyncio.create_task(self._watch_loop())
        self._metrics.collector_pauses.start()
        self._metrics.queued.set_function(lambda: self._store.queued)
        self._is_open = True

    def stop(self) -> None:
        """Stop measuring; the process is no longer ready."""
        self._is_open = False
        self._metrics.collector_pauses.stop()
        self._prober.shutdown(wait=False, cancel_futures=True)
        if self._watch is not None:
            self._watch.cancel()

    async def _watch_loop(self) -> None:
        while True:
            asked = time.monotonic()
            await asyncio.sleep(TICK_SECONDS)
            self.tick(time.monotonic() - asked - TICK_SECONDS)

    def tick(self, lag: float) -> None:
        """Note that the event loop runs, so many seconds later than it should."""
        self._ticked_at = self._clock()
        self._metrics.loop_lag.observe(max(0.0, lag))
        if lag > LAG_SECONDS:
            incidents.report("event loop lags", seconds=round(lag, 2))
        incidents.end_quiet()

    def death(self) -> str | None:
        """Return why the process should be restarted, None if it is alive."""
        silence = self._clock() - self._ticked_at
        return f"the event loop has not run for {silence:.0f} s" if silence > MAX_SILENCE else None

    def unreadiness(self) -> str | None:
        """Return why no people should be sent here, None if the process is ready. Waits up to PROBE_SECONDS."""
        if not self._is_open:
            return "the server is not open"
        return self.death() or self._why_not_writable() or self._storage.problem

    def _why_not_writable(self) -> str | None:
        """Write to the store unless that has just worked; at most one write is under way."""
        if self._storage.problem is None and self._clock() - self._storage.written_at < FRESH_SECONDS:
            return None
        probe = self._probe
        if probe is None or probe.done():
            probe = self._probe = self._prober.submit(self._store.probe)
        try:
            probe.result(PROBE_SECONDS)
        except TimeoutError:
            return f"the database has not answered for {PROBE_SECONDS:.0f} s"
        except StoreError as error:
            return str(error)
        return None
