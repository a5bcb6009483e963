"""Structured logs: one JSON object per line. Never a name, an invite, a cookie, a seed, a move or an address."""

from __future__ import annotations

import json
import logging
import sys
from typing import Any

log = logging.getLogger("tablee.server")


class AsJson(logging.Formatter):
    """Writes a record as one line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, Any] = {
            "at": round(record.created, 3),
            "level": record.levelname.lower(),
            "what": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__
            line["where"] = self.formatException(record.exc_info).splitlines()[-3:-1]
        return json.dumps(line, ensure_ascii=False)


def note(what: str, level: int = logging.INFO, **fields: Any) -> None:
    """Log that something happened."""
    log.log(level, what, extra={"fields": fields})


def write_logs_to_stderr() -> None:
    """Set the logs up, for a server process."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(AsJson())
    log.handlers = [handler]
    log.setLevel(logging.INFO)
    log.propagate = False
