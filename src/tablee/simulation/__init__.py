"""Many games at once, to study them: stepped as batches or played out inside compiled code, on CPU cores or CUDA."""

from tablee.simulation.batch import Batch
from tablee.simulation.results import Results, Tally
from tablee.simulation.running import random_games

__all__ = ["Batch", "Results", "Tally", "random_games"]
