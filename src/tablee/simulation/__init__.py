"""Many games at once, to study them: whole random games inside compiled code, on every core."""

from tablee.simulation.results import Results, Tally
from tablee.simulation.running import random_games

__all__ = ["Results", "Tally", "random_games"]
