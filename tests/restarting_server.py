"""A server that restarts when it is killed: imports everything once, then forks a new server process each time.

    python restarting_server.py DATABASE PORT-FILE GAME

Prints the id of each server process. The listening socket stays open, so clients wait instead of being refused.
"""

import os
import sys
from pathlib import Path


def main(database, port_file, game):
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
    early_choices.WORLDS = undo.WORLDS = undo.DISGUISES = 1  # early choices and undo are not tested here
    for _ in exercise_table(find_game(game), bots=("random",)):
        pass
    listener = listening_socket("127.0.0.1", 0)
    Path(port_file).write_text(str(listener.getsockname()[1]))
    while True:
        child = os.fork()
        if not child:
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
    main(*sys.argv[1:])
