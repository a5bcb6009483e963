"""A server that starts at once: `python light_server.py PORT DATABASE`.

What is missing in the compile cache is compiled on demand. Early choices and undo are judged in one world instead of
several. Bots do not pause.
"""

import sys

import uvicorn

from tablee.server import catalogue, registry
from tablee.server.app import create_app
from tablee.server.launcher import uvicorn_options
from tablee.server.settings import Settings
from tablee.tables import early_choices, undo


def serve(port: int, database: str) -> None:
    """Serve until interrupted."""
    registry.is_ready = catalogue.is_ready = lambda game: True  # what is not compiled will be
    early_choices.WORLDS = undo.WORLDS = undo.DISGUISES = 1
    settings = Settings(database=database, bot_pause=0.0, command_rate=1e6, table_rate=1e6)
    uvicorn.run(create_app(settings), host="127.0.0.1", port=port, **uvicorn_options())


if __name__ == "__main__":
    serve(int(sys.argv[1]), sys.argv[2])
