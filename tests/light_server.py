"""A server that starts at once and needs little: `python light_server.py PORT DATABASE`.

What is missing in the compile cache is compiled when it is needed. It imagines one world where the real one imagines
several before it offers an early choice or an undo. Bots do not pause.
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
    registry.is_ready = catalogue.is_ready = lambda game: True  # it is, or will be
    early_choices.WORLDS = undo.WORLDS = undo.DISGUISES = 1
    settings = Settings(database=database, bot_pause=0.0, command_rate=1e6, table_rate=1e6)
    uvicorn.run(create_app(settings), host="127.0.0.1", port=port, **uvicorn_options())


if __name__ == "__main__":
    serve(int(sys.argv[1]), sys.argv[2])
