"""A server that restarts when it is killed: imports everything once, then forks a new server process each time.

    python restarting_server.py DATABASE PORT-FILE GAME [process]

Prints the id of each server process. The listening socket stays open, so clients wait instead of being refused.
The wall clock is ahead by the seconds in the file PORT-FILE.wall, which SIGUSR1 has looked at again, and SQLite's disk
is full while PORT-FILE.full exists. With `process`, another process appends events for each server, from the first on.
"""

import os
import signal
import sys
import time
from pathlib import Path


class Faults:
    """What is wrong with the machine: its wall clock, its disk."""

    def __init__(self, port_file):
        from sqlalchemy import Engine, event

        self._wall, self._full = Path(f"{port_file}.wall"), Path(f"{port_file}.full")
        self._real_time = time.time
        self.look()
        time.time = lambda: self._real_time() + self._ahead
        event.listen(Engine, "begin", self._limit_pages)
        signal.signal(signal.SIGUSR1, lambda *_: self.look())

    def look(self):
        self._ahead = float(self._wall.read_text()) if self._wall.exists() else 0.0

    def _limit_pages(self, connection):
        if connection.dialect.name == "sqlite":  # 1 means: no more than there are
            connection.exec_driver_sql(f"PRAGMA max_page_count = {1 if self._full.exists() else 2**32 - 2}")


def write(port_file):
    """Be the process that appends events, on the same machine."""
    from tablee.storage import writer_worker

    Faults(port_file)
    writer_worker.main()


def append_in_processes(port_file):
    """Let every server have a process that appends its events, from the first on."""
    from tablee.storage import store, writer, writer_process

    store.can_help = lambda url: True  # also on one core
    writer.BUSY_EXCESS = 0.0
    writer_process.READY_WAIT = writer_process.START_SECONDS
    writer_process.COMMAND = [sys.executable, __file__, "--write", port_file]


def main(database, port_file, game, writes="thread"):
    import asyncio

    import uvicorn

    from seeds import replace_secrets
    from tablee.core.registry import find_game
    from tablee.server.app import create_app
    from tablee.server.launcher import listening_socket, uvicorn_options
    from tablee.server.settings import Settings
    from tablee.tables import early_choices, undo
    from tablee.tables.warmup import exercise_table

    replace_secrets()
    if writes == "process":
        append_in_processes(port_file)
    early_choices.WORLDS = undo.WORLDS = undo.DISGUISES = 1  # early choices and undo are not tested here
    for _ in exercise_table(find_game(game), bots=("random",)):
        pass
    create_app(Settings(database=":memory:"))  # what it imports and prepares, every process inherits
    listener = listening_socket("127.0.0.1", 0)
    Path(port_file).write_text(str(listener.getsockname()[1]))
    faults = Faults(port_file)  # before the fork, as a signal may come at once
    while True:
        child = os.fork()
        if not child:
            faults.look()
            quick = {"command_rate": 1e6, "table_rate": 1e6, "bot_pause": 0.0}
            settings = Settings(database=database, status="127.0.0.1:0", **quick)
            app = create_app(settings)
            Path(f"{port_file}.status").write_text(f"http://{app.state.status.address}")
            config = uvicorn.Config(app, **uvicorn_options(settings))
            asyncio.run(uvicorn.Server(config).serve([listener]))
            os._exit(0)
        sys.stdout.write(f"{child}\n")
        sys.stdout.flush()
        os.waitpid(child, 0)


if __name__ == "__main__":
    if sys.argv[1] == "--write":
        write(sys.argv[2])
    else:
        main(*sys.argv[1:])
