"""Who is told whether the database answers, and how long it takes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from tablee.storage.database import reason

# Operations. `probe` is a write that shows whether writing works, `listen` the connection for notices, `writer process`
# the process that writes for a busy server: if it fails, the server writes itself.
READ, WRITE, PROBE, LISTEN, WRITER_PROCESS = "read", "write", "probe", "listen", "writer process"


class StoreObserver(Protocol):
    """Gets the result of every operation, in the thread that carried it out."""

    def answered(self, operation: str, seconds: float) -> None:
        """Note that the database did what was asked."""

    def failed(self, operation: str, why: str) -> None:
        """Note that the database refused or did not answer; `why` holds no values of a row."""


class Unobserved:
    """Ignores all results."""

    def answered(self, operation: str, seconds: float) -> None:
        """Do nothing."""

    def failed(self, operation: str, why: str) -> None:
        """Do nothing."""


@contextmanager
def observed(observer: StoreObserver, operation: str) -> Iterator[None]:
    """Tell an observer whether what is done meanwhile succeeds; exceptions go on."""
    begun = time.monotonic()
    try:
        yield
    except Exception as error:
        observer.failed(operation, reason(error))
        raise
    observer.answered(operation, time.monotonic() - begun)
