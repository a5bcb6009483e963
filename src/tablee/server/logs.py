"""Structured logs, one JSON object per line. Never a name, an invite, a cookie, a seed, a move or an IP address.

Everything that a process logs goes through `JsonFormatter`, also what uvicorn and asyncio log, warnings and uncaught
exceptions. Of an exception it shows the type and where it was raised, never the text, which may hold secrets.
Failures that repeat are `incident`s: one line when they begin, one a minute while they go on, one when they end.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
import traceback
from asyncio import AbstractEventLoop
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any

logger = logging.getLogger("tablee.server")

MAX_FRAMES = 2  # the innermost ones, in a line about an exception
MAX_MESSAGE_LENGTH = 300  # of other packages
REPEAT_SECONDS = 60.0  # between two lines about an incident that goes on
QUIET_SECONDS = 60.0  # without a failure, after which an incident has ended


class JsonFormatter(logging.Formatter):
    """Formats a log record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, object] = {
            "at": round(record.created, 3),
            "level": record.levelname.lower(),
            "message": _first_line(record),
            **getattr(record, "fields", {}),
        }
        if record.name != logger.name:
            line["logger"] = record.name
        if record.exc_info and record.exc_info[0] is not None:
            line |= describe_exception(record.exc_info[1])
        return json.dumps(line, ensure_ascii=False, default=str)


def _first_line(record: logging.LogRecord) -> str:
    return (record.getMessage().splitlines() or [""])[0][:MAX_MESSAGE_LENGTH]


def describe_exception(error: BaseException | None) -> dict[str, object]:
    """Return the type of an exception and its innermost frames, without its text."""
    frames = traceback.extract_tb(error.__traceback__)[-MAX_FRAMES:] if error is not None else []
    return {
        "error": type(error).__name__,
        "where": [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in frames],
    }


def log(message: str, level: int = logging.INFO, **fields: object) -> None:
    """Write a line to the log, with fields for programs."""
    logger.log(level, message, extra={"fields": fields})


# Incidents


@dataclass
class Incident:
    """A failure that has begun and may repeat."""

    level: int
    began_at: float  # of the monotonic clock, as the other times
    failed_at: float
    logged_at: float
    count: int = 0


class Incidents:
    """Failures that repeat, by name; may be used from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.totals: Counter[str] = Counter()  # name -> failures since the process started
        self._clock = clock
        self._lock = threading.Lock()
        self._present: dict[str, Incident] = {}

    def report(self, name: str, level: int = logging.WARNING, **fields: object) -> None:
        """Count a failure; it is logged if it is the first, or if the last line is REPEAT_SECONDS old."""
        now = self._clock()
        with self._lock:
            self.totals[name] += 1
            is_new = name not in self._present
            incident = self._present.setdefault(name, Incident(level, now, now, now))
            incident.count += 1
            incident.failed_at = now
            is_due = now - incident.logged_at >= REPEAT_SECONDS
            if is_due:
                incident.logged_at = now
        if is_new:
            log(f"{name}: began", level, **fields)
        elif is_due:
            log(f"{name}: goes on", level, count=incident.count, seconds=round(now - incident.began_at, 1), **fields)

    def end(self, name: str) -> None:
        """Log that a failure has ended, if it had begun."""
        with self._lock:
            incident = self._present.pop(name, None)
        if incident is not None:
            seconds = round(self._clock() - incident.began_at, 1)
            log(f"{name}: ended", min(incident.level, logging.INFO), count=incident.count, seconds=seconds)

    def end_quiet(self) -> None:
        """End every incident that has not been reported for QUIET_SECONDS."""
        limit = self._clock() - QUIET_SECONDS
        with self._lock:
            quiet = [name for name, incident in self._present.items() if incident.failed_at < limit]
        for name in quiet:
            self.end(name)

    def present(self) -> list[str]:
        """Return the names of the incidents that go on."""
        with self._lock:
            return sorted(self._present)


incidents = Incidents()  # of this process
incident = incidents.report


# Whatever a process writes to standard error


def write_logs_to_stderr() -> None:
    """Make all that this process says lines of JSON on standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    logger.setLevel(logging.INFO)
    logging.captureWarnings(True)
    sys.excepthook = _log_uncaught
    threading.excepthook = lambda failed: _log_uncaught(failed.exc_type, failed.exc_value, failed.exc_traceback)
    sys.unraisablehook = lambda failed: _log_uncaught(failed.exc_type, failed.exc_value, failed.exc_traceback)


def log_uncaught_in(loop: AbstractEventLoop) -> None:
    """Log exceptions that no task of an event loop has handled, without the texts that asyncio would add."""
    loop.set_exception_handler(_log_context)


def _log_context(_: AbstractEventLoop, context: dict[str, Any]) -> None:
    fields = describe_exception(context["exception"]) if context.get("exception") else {}
    log("uncaught in a task", logging.ERROR, what=str(context.get("message", ""))[:MAX_MESSAGE_LENGTH], **fields)


def _log_uncaught(kind: type[BaseException], error: BaseException | None, _: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt | SystemExit):
        return
    log("uncaught", logging.CRITICAL, **describe_exception(error or kind()))
