"""Settings of a server: from the command line, which passes them to worker processes in the environment."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from typing import Any

PREFIX = "TABLEE_"


@dataclass(frozen=True)
class Settings:
    """All settings; each can also be given as TABLEE_<NAME> in the environment."""

    database: str = "tablee.db"  # a file for SQLite, or postgresql://…
    secret: str = ""  # what cookies are signed with; without it, one that the database keeps
    status: str = ""  # HOST:PORT or HOST:FIRST-LAST of health and metrics (server/status.py), or off
    address: str = ""  # the public URL if a proxy hides it: https://tablee.example
    bot_pause: float = 0.7  # minimum seconds before a bot moves, so that people can follow
    bot_seconds: float = 5.0  # maximum seconds that a bot thinks about a move
    bot_threads: int = 2
    bots: str = ""  # a file that lists external bots (docs/bots.md)
    command_rate: float = 20.0  # commands per second and person
    table_rate: float = 0.5  # new tables per second and person
    tables_per_person: int = 50  # not counting finished ones
    connections_per_person: int = 20
    connections: int = 12_000  # per process
    connections_per_address: int = 256  # an IPv4 address, or the /64 network of an IPv6 address
    watched_per_connection: int = 50
    silence: float = 60.0  # seconds without a message after which a connection is closed

    def environment(self) -> dict[str, str]:
        """Return the environment variables for worker processes."""
        return {_variable(field.name): str(getattr(self, field.name)) for field in fields(self)}

    @classmethod
    def from_environment(cls) -> Settings:
        """Read the settings from the environment; what is not set there has its default."""
        found: dict[str, Any] = {}
        for field in fields(cls):
            text = os.environ.get(_variable(field.name))
            if text is not None:
                kind: type[Any] = type(field.default)
                found[field.name] = kind(text)
        return cls(**found)


def _variable(name: str) -> str:
    return f"{PREFIX}{name.upper()}"
