"""Every game for OpenSpiel: `pyspiel.load_game("tablee_skyjo(players=3,rows=True)")` once this is imported.

A game takes its own options as parameters, beside those of `parameters.PARAMETERS`. Chance is drawn at every deal, at
every shuffle, and whenever a move turns up a piece that no seat knows (docs/research.md).
"""

from tablee.adapters.openspiel.game import TableGame, register_games
from tablee.adapters.openspiel.observers import TableObserver
from tablee.adapters.openspiel.state import TableState

__all__ = ["TableGame", "TableObserver", "TableState", "register_games"]

register_games()
