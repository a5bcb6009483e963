"""One folder per game. Folders named in `TABLEE_GAMES` are searched too, so that a new game needs no installation."""

import os

__path__ = [*__path__, *filter(None, os.environ.get("TABLEE_GAMES", "").split(os.pathsep))]
