"""Metrics of a server process, for Prometheus."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest


class Metrics:
    """Counters, gauges and histograms of one process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.commands = Counter(
            "tablee_commands", "Commands by kind and result.", ["kind", "result"], registry=self.registry
        )
        self.events = Counter("tablee_events", "Events stored, by kind.", ["kind"], registry=self.registry)
        self.connections = Gauge("tablee_connections", "Open WebSockets.", registry=self.registry)
        self.tables = Gauge("tablee_tables_in_memory", "Tables in memory.", registry=self.registry)
        self.store_seconds = Histogram(
            "tablee_store_seconds", "Time until events are stored durably.", registry=self.registry
        )
        self.bot_seconds = Histogram(
            "tablee_bot_seconds", "A bot's time for one move.", ["bot"], registry=self.registry
        )
        self.commits = Gauge("tablee_store_commits", "Commits; several appends can share one.", registry=self.registry)
        self.bad_messages = Counter(
            "tablee_bad_messages", "WebSocket messages that could not be read.", registry=self.registry
        )

    def text(self) -> bytes:
        """Return all metrics in Prometheus's text format."""
        return generate_latest(self.registry)
