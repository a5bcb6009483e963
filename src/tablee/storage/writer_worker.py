"""The process that appends events for the writer's thread (`writer_process.py`), until its pipe is closed."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection as PipeEnd

from sqlalchemy import Engine, select

from tablee.storage import schema
from tablee.storage.appends import write_appends
from tablee.storage.database import connect, reason, writing
from tablee.storage.rows import Append
from tablee.storage.writer_process import Answer, decode_appends, decode_start, encode


def main() -> None:
    """Append what arrives; the server decides when that ends, not a signal."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    with PipeEnd(sys.stdin.fileno()) as pipe, suppress(EOFError, OSError):
        start = decode_start(pipe.recv_bytes())
        engine = writing(connect(start.database, sender=start.sender))
        pipe.send_bytes(encode(append(engine, [])))
        while True:
            pipe.send_bytes(encode(append(engine, decode_appends(pipe.recv_bytes()))))


def append(engine: Engine, appends: Sequence[Append]) -> Answer:
    """Append in one transaction; without appends, find out whether one can begin."""
    try:
        with engine.connect() as connection:
            if not appends:
                connection.execute(select(schema.events.c.number).limit(1))
            accepted = write_appends(connection, appends)
            connection.commit()
        return Answer(accepted)
    except Exception as error:  # whatever fails: the thread tries each append again
        return Answer(refusal=reason(error) or type(error).__name__)


if __name__ == "__main__":
    main()
