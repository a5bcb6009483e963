"""`tablee doctor`: whether a server could start here and do its work, and what to do where it could not.

Nothing is changed: no database is created or migrated, and what is written to try it out is rolled back.
"""

from __future__ import annotations

import os
import shutil
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError

from tablee.core.compilation import cache_folder, is_interpreted
from tablee.core.errors import TableeError
from tablee.core.registry import all_games
from tablee.server.launcher import check_setup
from tablee.server.reach import LOOPBACK, local_url
from tablee.server.settings import Settings
from tablee.server.status import OFF, default_status_address, parse_status_address
from tablee.server.warmup import is_compiled
from tablee.storage.database import connect, database_url, sqlite_file, usable, writing
from tablee.storage.lock import holder
from tablee.storage.migration import check_known, newest_revision, revision

OK, WARNING, FAILED = "ok", "warning", "failed"
LITTLE_SPACE, TOO_LITTLE_SPACE = 2**30, 100 * 2**20  # bytes
MAX_CLOCK_DIFFERENCE = 2.0  # seconds
EARLIEST = 1_735_689_600.0  # 2025-01-01: a clock before it has not been set
EVERYWHERE = ("0.0.0.0", "::")
PATIENCE = 3.0  # seconds for an answer over the network


@dataclass(frozen=True)
class Finding:
    """The result of a check; `key` and `values` name its text among the words, below `doctor`."""

    check: str
    state: str  # OK, WARNING or FAILED
    key: str
    values: dict[str, Any]


def finding(check: str, state: str, key: str, **values: Any) -> Finding:
    """Return a finding."""
    return Finding(check, state, key, values)


def examine(settings: Settings, host: str, port: int) -> Iterator[Finding]:
    """Yield the findings about everything that a server with these settings needs."""
    yield from examine_settings(settings)
    yield from examine_use(settings.database, host, port)
    yield from examine_database(settings.database)
    yield from examine_clock(settings.database)
    yield from examine_permissions(settings.database)
    yield from examine_address(settings, host, port)
    yield from examine_cache()


def examine_settings(settings: Settings) -> Iterator[Finding]:
    """Check what settings name: external bots, games, the address of health and metrics."""
    try:
        check_setup(settings, workers=1)
    except TableeError as error:
        yield finding("settings", FAILED, "error", why=error)
    else:
        yield finding("settings", OK, "settings")


# Database and disk


def examine_use(database: str, host: str, port: int) -> Iterator[Finding]:
    """Check that no other server uses a SQLite file."""
    try:
        file = sqlite_file(database_url(database))
    except TableeError:  # the check of the database says why
        return
    process = None if file is None else holder(file)
    if process is not None:
        state = OK if _is_served(host, port) else FAILED
        yield finding("database", state, "in_use", file=file, process=process)


def examine_database(database: str) -> Iterator[Finding]:
    """Check that the database can be reached, read and written, its schema, its integrity, and the disk."""
    try:
        url = database_url(database)
    except TableeError as error:
        yield finding("database", FAILED, "error", why=error)
        return
    file = sqlite_file(url)
    if file is not None:
        yield from _examine_space("disk", file.absolute().parent)
    if file is not None and not file.exists():
        yield _new_file(file)
        return
    engine = connect(url, makes_private=False)
    try:
        with usable(engine):
            yield from _examine_schema(engine)
            yield from _examine_content(engine)
    except TableeError as error:
        yield finding("database", FAILED, "error", why=error)
    finally:
        engine.dispose()


def _new_file(file: Path) -> Finding:
    folder = file.absolute().parent
    if not folder.is_dir():
        return finding("database", FAILED, "no_folder", folder=folder)
    if not os.access(folder, os.W_OK):
        return finding("database", FAILED, "folder_not_writable", folder=folder)
    return finding("database", OK, "new_file", file=file)


def _examine_schema(engine: Engine) -> Iterator[Finding]:
    current, newest = revision(engine), newest_revision()
    check_known(current)
    if current is None:
        yield finding("schema", OK, "schema_new")
    elif current != newest:
        yield finding("schema", WARNING, "schema_old", current=current, newest=newest)
    else:
        yield finding("schema", OK, "schema_current", current=current)


def _examine_content(engine: Engine) -> Iterator[Finding]:
    with writing(engine).connect() as connection:  # rolled back at the end
        connection.execute(text("CREATE TABLE tablee_doctor (number INTEGER)"))
        connection.execute(text("INSERT INTO tablee_doctor VALUES (1)"))
        connection.rollback()
    yield finding("database", OK, "writable")
    if engine.dialect.name == "sqlite":
        with engine.connect() as connection:
            damage = [row[0] for row in connection.execute(text("PRAGMA quick_check(1)"))]
        yield finding("integrity", OK, "intact") if damage == ["ok"] else finding("integrity", FAILED, "damaged")


def _examine_space(check: str, folder: Path) -> Iterator[Finding]:
    if not folder.is_dir():
        return
    free = shutil.disk_usage(folder).free
    state = FAILED if free < TOO_LITTLE_SPACE else WARNING if free < LITTLE_SPACE else OK
    key = "space" if state == OK else "little_space"
    yield finding(check, state, key, megabytes=free // 2**20, folder=folder)


# The clock


def examine_clock(database: str) -> Iterator[Finding]:
    """Compare the system's clock with that of the database, or with what was stored last."""
    if time.time() < EARLIEST:
        yield finding("clock", FAILED, "clock_unset")
        return
    try:
        ahead = _database_ahead(database)
    except (TableeError, SQLAlchemyError):  # the check of the database says why
        yield finding("clock", WARNING, "clock_unknown")
        return
    if ahead is None or abs(ahead) <= MAX_CLOCK_DIFFERENCE:
        yield finding("clock", OK, "clock_right")
    else:
        yield finding("clock", FAILED, "clock_differs", seconds=round(ahead, 1))


def _database_ahead(database: str) -> float | None:
    """Return by how many seconds PostgreSQL's clock is ahead, or the last change in a SQLite file; None without any."""
    url = database_url(database)
    file = sqlite_file(url)
    if file is not None and not file.exists():
        return None
    engine = connect(url, makes_private=False)
    try:
        with engine.connect() as connection:
            if file is None:
                now = connection.execute(text("SELECT extract(epoch FROM clock_timestamp())")).scalar_one()
                return float(now) - time.time()
            if revision(engine) is None:
                return None
            last = connection.execute(text("SELECT max(updated_at) FROM tables")).scalar()
            return max(0.0, float(last) - time.time()) if last is not None else None
    finally:
        engine.dispose()


# Addresses


def examine_address(settings: Settings, host: str, port: int) -> Iterator[Finding]:
    """Check that the server can listen and that others can reach it, and the address of health and metrics."""
    yield _listens(host, port)
    yield from _examine_network(host, port)
    status = settings.status or default_status_address(port)
    if status == OFF:
        yield finding("status", OK, "status_off")
        return
    try:
        status_host, ports = parse_status_address(status)
    except TableeError:  # the check of the settings says why
        return
    free = next((number for number in ports if _can_bind(status_host, number) is None), None)
    if free is None:
        yield finding("status", FAILED, "status_taken", address=status)
    else:
        yield finding("status", OK, "status_free", address=f"{status_host}:{free}")


def _listens(host: str, port: int) -> Finding:
    why = _can_bind(host, port)
    if why is None:
        return finding("address", OK, "address_free", address=f"{host}:{port}")
    if _is_served(host, port):
        return finding("address", OK, "address_served", address=f"{host}:{port}")
    return finding("address", FAILED, "address_taken", address=f"{host}:{port}", why=why)


def _can_bind(host: str, port: int) -> str | None:
    """Return why an address cannot be listened on, None if it can."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        return error.strerror or str(error)
    return None


def _is_served(host: str, port: int) -> bool:
    """Whether a server of Tablée answers there."""
    host = LOOPBACK if host in EVERYWHERE else host
    try:
        with urlopen(f"{local_url(host, port)}/api/games", timeout=PATIENCE) as response:
            return bool(response.headers.get_content_type() == "application/json")
    except OSError:
        return False


def _examine_network(host: str, port: int) -> Iterator[Finding]:
    """Check that a connection to this machine's own address in its network arrives; a firewall may refuse others."""
    if host not in EVERYWHERE:
        is_local = host in ("localhost", "::1") or host.startswith("127.")
        yield finding("network", OK, "only_here" if is_local else "one_interface", host=host)
        return
    own = own_address()
    if own is None:
        yield finding("network", WARNING, "no_network")
    elif _is_reachable(own, port):
        yield finding("network", OK, "reachable", url=f"http://{own}:{port}/")
    else:
        yield finding("network", FAILED, "unreachable", url=f"http://{own}:{port}/")


def own_address() -> str | None:
    """Return the address of this machine in its network; no packet is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for documentation: only the route counts
        except OSError:
            return None
        own = str(probe.getsockname()[0])
    return None if own.startswith("127.") or own == "0.0.0.0" else own


def _is_reachable(own: str, port: int) -> bool:
    listener = None
    if _can_bind("0.0.0.0", port) is None:
        listener = socket.create_server(("0.0.0.0", port))
    try:
        with socket.create_connection((own, port), timeout=PATIENCE):
            return True
    except OSError:
        return False
    finally:
        if listener is not None:
            listener.close()


# Compile cache and permissions


def examine_cache() -> Iterator[Finding]:
    """Check where compiled kernels are kept, and whether the games are compiled."""
    if is_interpreted():
        yield finding("cache", WARNING, "interpreted")
        return
    wanted = os.environ.get("TABLEE_CACHE")
    folder = cache_folder()
    if wanted and not folder.absolute().is_relative_to(Path(wanted).absolute()):
        yield finding("cache", FAILED, "cache_not_writable", folder=wanted, instead=folder)
        return
    yield from _examine_space("cache", folder)
    missing = [game.name for game in all_games() if not is_compiled(game)]
    if missing:
        yield finding("cache", WARNING, "not_compiled", games=", ".join(missing))
    else:
        yield finding("cache", OK, "compiled", folder=folder)


def examine_permissions(database: str) -> Iterator[Finding]:
    """Check that secrets are readable by their owner alone, and that the server is not run as root."""
    named = [os.environ[name] for name in ("TABLEE_DATABASE_FILE", "TABLEE_SECRET_FILE") if name in os.environ]
    try:
        file = sqlite_file(database_url(database))
    except TableeError:
        file = None
    open_files = [path for path in (*map(Path, named), *([file] if file else [])) if _is_open_to_others(path)]
    for path in open_files:
        yield finding("permissions", WARNING, "readable_by_others", file=path)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        yield finding("permissions", WARNING, "root")
    elif not open_files:
        yield finding("permissions", OK, "private")


def _is_open_to_others(path: Path) -> bool:
    return path.exists() and bool(path.stat().st_mode & 0o077)
