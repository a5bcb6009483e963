"""One folder per game.

`TABLEE_GAMES` names more, separated as in PATH: folders that hold games, or the folder of a game itself. Their games
need no installation.
"""

from tablee.core.registry import search_path

__path__ = [*__path__, *search_path()]
