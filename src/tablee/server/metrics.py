"""What is measured, for Prometheus."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest


class Metrics:
    """The figures of one server process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.commands = Counter(
            "tablee_commands", "Commands by kind and result.", ["kind", "result"], registry=self.registry
        )
        self.events = Counter("tablee_events", "Events stored, by kind.", ["kind"], registry=self.registry)
        self.connections = Gauge("tablee_connections", "Open sockets.", registry=self.registry)
        self.tables = Gauge("tablee_tables_in_memory", "Tables in memory.", registry=self.registry)
        self.store_seconds = Histogram("tablee_store_seconds", "From asking to durably stored.", registry=self.registry)
        self.bot_seconds = Histogram(
            "tablee_bot_seconds", "A bot's time for one move.", ["bot"], registry=self.registry
        )
        self.groups = Gauge("tablee_store_commits", "Commits; several appends share one.", registry=self.registry)
        self.bad_messages = Counter("tablee_bad_messages", "Messages that mean nothing.", registry=self.registry)

    def text(self) -> bytes:
        """Return all figures."""
        return generate_latest(self.registry)
