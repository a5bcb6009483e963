"""Metrics of a server process, for Prometheus."""

from __future__ import annotations

import gc
import time
from collections import Counter as Totals
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cache
from typing import get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, Metric
from prometheus_client.registry import Collector

from tablee.protocol.shown import Phase
from tablee.server.logs import Incidents, incidents

SLOW_SECONDS = 1.0  # a command that takes longer is slow
SHORT_TIMES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)  # seconds
MAX_PAUSES = 10_000  # of the garbage collector, kept until the metrics are read


class Metrics:
    """Counters, gauges and histograms of one process."""

    def __init__(self, reported: Incidents = incidents) -> None:
        self.registry = CollectorRegistry()
        self.registry.register(_IncidentTotals(reported))
        self._add_requests()
        self._add_storage()
        self._add_process()
        self._commands_of = cache(self.commands.labels)  # to look one up takes as long as to decode a message
        self._events_of = cache(self.events.labels)

    def _add_requests(self) -> None:
        registry = self.registry
        self.commands = Counter(
            "tablee_commands", "Commands by kind and result.", ["kind", "result"], registry=registry
        )
        self.command_seconds = Histogram(
            "tablee_command_seconds", "Time until a command is answered.", buckets=SHORT_TIMES, registry=registry
        )
        self.slow_commands = Counter(
            "tablee_slow_commands",
            f"Commands that took more than {SLOW_SECONDS:g} s, by kind.",
            ["kind"],
            registry=registry,
        )
        self.refused = Counter(
            "tablee_refused",
            "Refused connections, requests and messages, by where and why.",
            ["where", "reason"],
            registry=registry,
        )
        self.bad_messages = Counter(
            "tablee_bad_messages", "WebSocket messages that could not be read.", registry=registry
        )
        self.connections = Gauge("tablee_connections", "Open WebSockets.", registry=registry)
        self.events = Counter("tablee_events", "Events stored, by kind.", ["kind"], registry=registry)
        self.tables = Gauge("tablee_tables_in_memory", "Tables in memory, by phase.", ["phase"], registry=registry)
        self.bot_seconds = Histogram("tablee_bot_seconds", "A bot's time for one move.", ["bot"], registry=registry)
        self.bots_thinking = Gauge(
            "tablee_bots_thinking", "Moves that bots think about or wait to think about.", registry=registry
        )

    def _add_storage(self) -> None:
        registry = self.registry
        self.store_seconds = Histogram(
            "tablee_store_seconds", "Time until events are stored durably, waiting included.", registry=registry
        )
        self.commit_seconds = Histogram(
            "tablee_commit_seconds", "Time of one commit.", buckets=SHORT_TIMES, registry=registry
        )
        self.commits = Counter("tablee_store_commits", "Commits; several appends can share one.", registry=registry)
        self.store_failures = Counter(
            "tablee_store_failures",
            "Requests that the database refused, by operation.",
            ["operation"],
            registry=registry,
        )
        self.queued = Gauge("tablee_store_queued", "Appends that wait to be written.", registry=registry)

    def _add_process(self) -> None:
        self.loop_lag = Histogram(
            "tablee_event_loop_lag_seconds",
            "How much later than asked the event loop runs a timer.",
            buckets=SHORT_TIMES,
            registry=self.registry,
        )
        self.collector_pauses = CollectorPauses(self.registry)

    def refuse(self, where: str, reason: str) -> None:
        """Count a refusal."""
        self.refused.labels(where, reason).inc()

    def count_command(self, kind: str, result: str, seconds: float) -> None:
        """Count a command, and how long it took."""
        self._commands_of(kind, result).inc()
        self.command_seconds.observe(seconds)
        if seconds > SLOW_SECONDS:
            self.slow_commands.labels(kind).inc()

    def count_event(self, kind: str) -> None:
        """Count a stored event."""
        self._events_of(kind).inc()

    def count_tables(self, phases: Iterable[str]) -> None:
        """Set how many tables are in memory, from the phase of each."""
        counts = Totals(phases)
        for phase in {*get_args(Phase), *counts}:
            self.tables.labels(phase).set(counts[phase])

    def text(self) -> bytes:
        """Return all metrics in Prometheus's text format."""
        self.collector_pauses.read()
        return generate_latest(self.registry)


class CollectorPauses:
    """Pauses of Python's garbage collector, from `start` to `stop`.

    The collector can run while a metric holds its lock, so what it calls only notes the pause.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self._histogram = Histogram(
            "tablee_collector_pause_seconds",
            "Pauses of Python's garbage collector, by generation; of the youngest only those over 1 ms.",
            ["generation"],
            buckets=SHORT_TIMES,
            registry=registry,
        )
        self._pauses: deque[tuple[int, float]] = deque(maxlen=MAX_PAUSES)
        self._began_at = 0.0

    def start(self) -> None:
        """Measure from now on."""
        gc.callbacks.append(self._collecting)

    def stop(self) -> None:
        """Measure no longer."""
        if self._collecting in gc.callbacks:
            gc.callbacks.remove(self._collecting)

    def _collecting(self, phase: str, details: dict[str, int]) -> None:
        if phase == "start":
            self._began_at = time.perf_counter()
            return
        seconds = time.perf_counter() - self._began_at
        if details["generation"] > 0 or seconds > SHORT_TIMES[0]:
            self._pauses.append((details["generation"], seconds))

    def read(self) -> None:
        """Take the pauses noted so far into the histogram."""
        while self._pauses:
            generation, seconds = self._pauses.popleft()
            self._histogram.labels(str(generation)).observe(seconds)


class _IncidentTotals(Collector):
    """How often each incident was reported."""

    def __init__(self, reported: Incidents) -> None:
        self._reported = reported

    def collect(self) -> Iterator[Metric]:
        family = CounterMetricFamily("tablee_incidents", "Failures by name, as in the log.", labels=["name"])
        for name, total in sorted(self._reported.totals.items()):
            family.add_metric([name], total)
        yield family
