"""A server that starts at once and prints its port: `python light_server.py DATABASE`.

What is missing in the compile cache is compiled on demand. Early choices and undo are judged in one world instead of
several. Bots do not pause. Deals depend on the running test.
"""

import sys

import uvicorn

from seeds import replace_secrets
from tablee.server import catalogue
from tablee.server.app import create_app
from tablee.server.launcher import listening_socket, uvicorn_options
from tablee.server.settings import Settings
from tablee.tables import early_choices, undo


def serve(database: str) -> None:
    """Serve until interrupted."""
    replace_secrets()
    catalogue.compiled_share = lambda game: 1.0  # what is not compiled will be
    early_choices.WORLDS = undo.WORLDS = undo.DISGUISES = 1
    settings = Settings(database=database, bot_pause=0.0, command_rate=1e6, table_rate=1e6, open_per_person=1000)
    server = uvicorn.Server(uvicorn.Config(create_app(settings), **uvicorn_options(settings)))
    listener = listening_socket("127.0.0.1", 0)
    sys.stdout.write(f"{listener.getsockname()[1]}\n")
    sys.stdout.flush()
    server.run([listener])


if __name__ == "__main__":
    serve(sys.argv[1])
