"""How a server is set up: by the command line, which passes it on to worker processes in the environment."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from typing import Any

PREFIX = "TABLEE_"


@dataclass(frozen=True)
class Settings:
    """Everything one may choose; each can also be said as TABLEE_<NAME> in the environment."""

    database: str = "tablee.db"  # a file for SQLite, or postgresql://…
    address: str = ""  # where people reach the server, if a proxy hides it: https://tablee.example
    bot_pause: float = 0.7  # seconds that a bot waits at least, so that people can follow
    bot_seconds: float = 5.0  # that a bot may think about one move
    bot_threads: int = 2
    bots: str = ""  # a file that lists outside bots (docs/bots.md)
    command_rate: float = 20.0  # commands per second and person
    table_rate: float = 0.5  # new tables per second and person
    tables_per_person: int = 50  # that are not over
    connections_per_person: int = 20
    connections: int = 12_000  # in all, per process
    watched_per_connection: int = 50
    silence: float = 60.0  # seconds after which a connection that says nothing is closed

    def environment(self) -> dict[str, str]:
        """Return it as variables for worker processes."""
        return {f"{PREFIX}{field.name.upper()}": str(getattr(self, field.name)) for field in fields(self)}

    @classmethod
    def from_environment(cls) -> Settings:
        """Read the variables."""
        kinds: dict[str, Any] = {field.name: type(field.default) for field in fields(cls)}
        found: dict[str, Any] = {}
        for field in fields(cls):
            text = os.environ.get(f"{PREFIX}{field.name.upper()}")
            if text is not None:
                found[field.name] = kinds[field.name](text)
        return cls(**found)
