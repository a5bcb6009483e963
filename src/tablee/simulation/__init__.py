"""Many games at once, for research: stepped in batches or played out inside compiled code, on CPU cores or CUDA."""

from tablee.simulation.batch import Batch
from tablee.simulation.random_play import random_games
from tablee.simulation.results import Results, Tally
from tablee.simulation.steps import NO_MOVE

__all__ = ["NO_MOVE", "Batch", "Results", "Tally", "random_games"]
