"""Many games at once, for research: stepped in batches or played out inside compiled code, on CPU cores or CUDA."""

from tablee.simulation.batch import Batch
from tablee.simulation.random_play import random_games
from tablee.simulation.results import Results, Tally

__all__ = ["Batch", "Results", "Tally", "random_games"]
