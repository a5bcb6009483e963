"""A server that starts at once and prints its port: `python light_server.py DATABASE [PORT]`.

What is missing in the compile cache is compiled on demand. Early choices and undo are judged in one world instead of
several, and the coach imagines few. Bots do not pause; those of daily tables do not search. Deals depend on the
running test, those of daily tables on the base seed. The day is always the same: a test may run at midnight.
"""

import sys

import uvicorn

from seeds import BASE_SEED, replace_secrets
from tablee.review import coach
from tablee.server import catalogue
from tablee.server.app import create_app
from tablee.server.launcher import listening_socket, uvicorn_options
from tablee.server.settings import Settings
from tablee.tables import early_choices, undo
from tablee.tables.days import beginning_of

NOON = beginning_of("2031-05-04") + 12 * 3600


def serve(database: str, port: int = 0) -> None:
    """Serve until interrupted; port 0 is any that is free."""
    replace_secrets()
    catalogue.compiled_share = lambda game: 1.0  # what is not compiled will be
    coach.DEPTH = "quick"
    early_choices.WORLDS = undo.WORLDS = undo.DISGUISES = 1
    quick = {"bot_pause": 0.0, "command_rate": 1e6, "table_rate": 1e6, "open_per_person": 1000, "daily_bot": "greedy"}
    settings = Settings(database=database, **quick)
    app = create_app(settings)
    app.state.daily.levels = ("random", "greedy")
    app.state.daily._secret = str(BASE_SEED)
    app.state.registry.clock = lambda: NOON
    server = uvicorn.Server(uvicorn.Config(app, **uvicorn_options(settings)))
    listener = listening_socket("127.0.0.1", port)
    sys.stdout.write(f"{listener.getsockname()[1]}\n")
    sys.stdout.flush()
    server.run([listener])


if __name__ == "__main__":
    serve(sys.argv[1], *map(int, sys.argv[2:]))
