"""Settings of a server: from the command line, which passes them to worker processes in the environment."""

from __future__ import annotations

import difflib
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tablee.core.errors import BadSetup

PREFIX = "TABLEE_"
BACKGROUND = "background"
FROM_FILES = ("database", "secret")  # can also be in the file that TABLEE_<NAME>_FILE names
# Variables that are no settings of a server
OTHERS = ("cache", "cache_report", "commit", "data", "games", "languages", "networks", "only", "quiet")
FOLDERS = ("games", "networks")  # of these
MAY_BE_ZERO = ("bot_pause",)
# Kubernetes sets variables for a service of this name, and the tests some for the processes that they start.
NO_MISTAKES = re.compile(r"TABLEE_(SERVICE_(HOST|PORT)\w*|PORT(_\d+_\w+)?|TEST_\w+)")


@dataclass(frozen=True)
class Settings:
    """All settings; each can also be given as TABLEE_<NAME> in the environment. Raises BadSetup for impossible ones."""

    database: str = "tablee.db"  # a file for SQLite, or postgresql://…
    secret: str = ""  # what cookies are signed with; without it, one that the database keeps
    status: str = ""  # HOST:PORT or HOST:FIRST-LAST of health and metrics (server/status.py), or off
    address: str = ""  # the public URL if a proxy hides it: https://tablee.example
    hosts: str = ""  # further names under which the server is reached, separated by commas
    network: str = ""  # the URL of this machine in its local network, if others there can reach the server
    compiler: str = ""  # BACKGROUND: another process compiles the games, and they are interpreted until they are loaded
    bot_pause: float = 0.7  # minimum seconds before a bot moves, so that people can follow
    bot_seconds: float = 5.0  # maximum seconds that a bot thinks about a move
    bot_threads: int = 2
    daily_bot: str = "club"  # who plays the other seats of daily tables
    review_seconds: float = 300.0  # maximum seconds that the review of a finished game takes
    bots: str = ""  # a file that lists external bots (docs/bots.md)
    webhook: str = ""  # a URL that is told when it is a person's turn who asked for it (docs/hosting.md)
    command_rate: float = 20.0  # commands per second and person
    table_rate: float = 0.5  # new tables per second and person
    tables_per_person: int = 50  # not counting finished ones
    open_per_person: int = 5  # open tables that wait for players
    open_per_address: int = 60  # the same, made from one address under any names: fewer than the lobby lists
    unseated_per_person: int = 5  # tables being played that a person made without sitting there
    connections_per_person: int = 20
    connections: int = 12_000  # per process
    connections_per_address: int = 256  # an IPv4 address, or the /64 network of an IPv6 address
    watched_per_connection: int = 50
    silence: float = 60.0  # seconds without a message after which a connection is closed

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, str):
                continue
            limit = "at least 0" if field.name in MAY_BE_ZERO else "more than 0"
            if not (math.isfinite(value) and (value > 0 or (value == 0 and field.name in MAY_BE_ZERO))):
                raise BadSetup(f"{variable(field.name)}={value} is not possible: it must be {limit}")
        self._check_texts()

    def _check_texts(self) -> None:
        if not _is_url(self.address):
            raise BadSetup(f"{variable('address')}={self.address} is not a URL such as https://tablee.example")
        if not _is_url(self.webhook):  # which may hold a secret
            raise BadSetup(f"{variable('webhook')} is not a URL such as https://tablee.example/turns")
        if re.search(r"[^\w., -]", self.hosts):
            raise BadSetup(f"{variable('hosts')}={self.hosts} is not possible: it must be names separated by commas")
        if self.compiler not in ("", BACKGROUND):
            raise BadSetup(f"{variable('compiler')}={self.compiler} is not possible: it must be {BACKGROUND}")

    def environment(self) -> dict[str, str]:
        """Return the environment variables for worker processes."""
        return {variable(field.name): str(getattr(self, field.name)) for field in fields(self)}

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """Read the settings; what is not set has its default. Raises BadSetup for unknown names and bad values."""
        _check_names(environment)
        _check_folders(environment)
        found: dict[str, Any] = {}
        for field in fields(cls):
            text = environment.get(variable(field.name))
            file = environment.get(f"{variable(field.name)}_FILE") if field.name in FROM_FILES else None
            if file is not None:
                if text is not None:
                    raise BadSetup(f"both {variable(field.name)} and {variable(field.name)}_FILE are set; keep one")
                text = _read_secret(field.name, file)
            if text is not None:
                found[field.name] = _parse(field.name, type(field.default), text)
        return cls(**found)


def variable(name: str) -> str:
    """Return the environment variable of a setting."""
    return f"{PREFIX}{name.upper()}"


def known_variables() -> set[str]:
    """Return all environment variables that Tablée reads."""
    names = {variable(field.name) for field in fields(Settings)} | {variable(name) for name in OTHERS}
    return names | {f"{variable(name)}_FILE" for name in FROM_FILES}


def _check_names(environment: Mapping[str, str]) -> None:
    known = known_variables()
    for name in environment:
        if name.startswith(PREFIX) and name not in known and not NO_MISTAKES.fullmatch(name):
            raise BadSetup(f"{name} in the environment is no setting of Tablée; {_suggestion(name, known)}")


def _check_folders(environment: Mapping[str, str]) -> None:
    for name in map(variable, FOLDERS):
        for folder in filter(None, environment.get(name, "").split(os.pathsep)):
            if not Path(folder).is_dir():
                raise BadSetup(f"{name} names {folder}, which is not a folder")


def _is_url(text: str) -> bool:
    """Whether a text is the URL of a web server, or empty."""
    try:
        url = urlsplit(text)
        return not text or (url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0)
    except ValueError:
        return False


def _suggestion(name: str, known: set[str]) -> str:
    """Return the tail of the error about an unknown variable."""
    names = [other.removeprefix(PREFIX) for other in known]
    near = difflib.get_close_matches(name.removeprefix(PREFIX), names, n=1, cutoff=0.7)
    return f"did you mean {PREFIX}{near[0]}?" if near else "docs/hosting.md lists them all"


def _read_secret(name: str, file: str) -> str:
    try:
        text = Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise BadSetup(f"{variable(name)}_FILE={file} cannot be read: {why}") from None
    if not text:
        raise BadSetup(f"{variable(name)}_FILE={file} is empty")
    return text


def _parse(name: str, kind: type[Any], text: str) -> Any:
    try:
        return kind(text)
    except ValueError:
        wanted = "a whole number" if kind is int else "a number"
        raise BadSetup(f"{variable(name)}={text} is not {wanted}") from None
