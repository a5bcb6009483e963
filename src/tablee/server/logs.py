"""Structured logs, one JSON object per line. Never a name, an invite, a cookie, a seed, a move or an IP address."""

from __future__ import annotations

import json
import logging
import sys

logger = logging.getLogger("tablee.server")


class JsonFormatter(logging.Formatter):
    """Formats a log record as one line of JSON; of an exception it shows the type and the innermost frame."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, object] = {
            "at": round(record.created, 3),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__
            line["where"] = self.formatException(record.exc_info).splitlines()[-3:-1]
        return json.dumps(line, ensure_ascii=False)


def log(message: str, level: int = logging.INFO, **fields: object) -> None:
    """Write a line to the log, with fields for programs."""
    logger.log(level, message, extra={"fields": fields})


def write_logs_to_stderr() -> None:
    """Configure the logger of a server process."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    logger.handlers = [handler]
    logger.setLevel(logging.INFO)
    logger.propagate = False
