"""Interpreted and compiled kernels make the same records: a second interpreter plays the same games."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import subprocess
import sys
from typing import Any

from tablee.core.compilation import is_interpreted
from tablee.core.game import Game
from tablee.core.match import Match
from tablee.core.randomness import new_generator
from tablee.core.state import SPECTATOR
from tablee.testing.budget import Budget, one_by_one
from tablee.testing.nonconformity import Nonconformity
from tablee.testing.positions import random_positions

SEED = 6
MAX_MOVES = 80
LOOKED_EVERY = 10


def modes_agree(game: Game, budget: Budget) -> None:
    """Check that interpreted kernels give the same digests, move by move (nothing to compare with where they run)."""
    if is_interpreted():
        return
    here, there = play_digests(game), digests_interpreted(game)
    for setup, digests in here.items():
        for number, (compiled, interpreted) in enumerate(zip(digests, there[setup])):
            if compiled != interpreted:
                what = f"at {setup}, compiled kernels give {compiled}, interpreted ones {interpreted}"
                raise Nonconformity(game, what, seed=SEED, move=number)
        if len(digests) != len(there[setup]):
            raise Nonconformity(game, f"at {setup}, the match is longer compiled than interpreted", seed=SEED)


def digests_interpreted(game: Game) -> dict[str, list[str]]:
    """Let an interpreter without compiled kernels play the same matches."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", f"from {__name__} import print_digests; print_digests({game.package!r})"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Nonconformity(game, f"it cannot be played interpreted:\n{done.stderr}")
    digests: dict[str, list[str]] = json.loads(done.stdout)
    return digests


def play_digests(game: Game) -> dict[str, list[str]]:
    """Play a match at each of some setups; return the digest after each move, now and then with what viewers know."""
    found = {}
    for setup in one_by_one(game):
        generator = new_generator(SEED, 1)
        matches = random_positions(game, setup, SEED, MAX_MOVES)
        found[str(setup)] = [_digest(match, generator) for match in matches]
    return found


def _digest(match: Match, generator: Any) -> str:
    """Digest a position; now and then with what viewers know, imagine and observe."""
    if len(match.moves) % LOOKED_EVERY:
        return match.digest()
    whole = hashlib.blake2b(match.digest().encode(), digest_size=8)
    for seat in range(SPECTATOR, match.seats):
        sight = match.sight(seat)
        twin = match.copy().state
        match.game.kernels.disguise(twin, seat, generator)
        imagined = sight.imagine(generator)
        for part in (sight.to_bytes(), imagined.tobytes(), twin.tobytes(), sight.observe().tobytes()):
            whole.update(part)
    return whole.hexdigest()


def print_digests(package: str) -> None:
    """Print the digests of the game in a package as JSON, for the process that compares."""
    sys.stdout.write(json.dumps(play_digests(importlib.import_module(package).GAME)))
