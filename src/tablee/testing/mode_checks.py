"""A check that interpreted and compiled kernels give the same states: a second process plays the same games."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import re
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

MAX_MOVES = 80
SIGHT_STRIDE = 10  # one position in this many is digested with what viewers know


def modes_agree(game: Game, budget: Budget) -> None:
    """Check that interpreted kernels give the same digests, move by move; skipped in an interpreted process."""
    if is_interpreted():
        return
    setups = {str(setup): setup for setup in budget.view_setups(game)}
    interpreted = digests_interpreted(game, budget.seed)
    for text, digests in play_digests(game, budget.seed).items():
        if text not in setups:
            continue
        where: dict[str, Any] = {"setup": setups[text], "seed": budget.seed}
        for number, (one, other) in enumerate(zip(digests, interpreted[text])):
            if one != other:
                what = f"compiled kernels give the state {one}, interpreted ones {other}"
                raise Nonconformity(game, what, **where, move=number)
        if len(digests) != len(interpreted[text]):
            raise Nonconformity(game, "the match has a different length interpreted", **where)


def digests_interpreted(game: Game, seed: int) -> dict[str, list[str]]:
    """Return the digests of the same matches, played by a process with interpreted kernels."""
    script = f"from {__name__} import print_digests; print_digests({game.package!r}, {seed})"
    digests: dict[str, list[str]] = json.loads(run_interpreted(game, script))
    return digests


def run_interpreted(game: Game, script: str) -> str:
    """Run a script in a process with interpreted kernels that finds the same games; return what it prints."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise _raised_interpreted(game, done.stderr)
    return done.stdout


def _raised_interpreted(game: Game, trace: str) -> Nonconformity:
    """Return what another process has raised, with the line of the game; the whole trace if it is not the game's."""
    lines = re.findall(rf'File "{re.escape(str(game.folder))}/(.+)", line (\d+)', trace)
    if not lines:
        return Nonconformity(game, f"it cannot be played with interpreted kernels:\n{trace}")
    file, line = lines[-1]
    error = trace.strip().splitlines()[-1]
    return Nonconformity(game, f"with interpreted kernels, {error}", location=f"{file}, line {line}")


def play_digests(game: Game, seed: int) -> dict[str, list[str]]:
    """Play a match at several setups; return the digest after each move, by setup."""
    found = {}
    for setup in one_by_one(game):
        generator = new_generator(seed, 1)
        matches = random_positions(game, setup, seed, MAX_MOVES)
        found[str(setup)] = [_digest(match, generator) for match in matches]
    return found


def _digest(match: Match, generator: Any) -> str:
    """Digest a position, one in SIGHT_STRIDE with what viewers know, imagine and observe."""
    if len(match.moves) % SIGHT_STRIDE:
        return match.digest()
    digest = hashlib.blake2b(match.digest().encode(), digest_size=8)
    for seat in range(SPECTATOR, match.seats):
        sight = match.sight(seat)
        twin = match.copy().state
        match.game.kernels.disguise(twin, seat, generator)
        imagined = sight.imagine(generator)
        for part in (sight.to_bytes(), imagined.tobytes(), twin.tobytes(), sight.observe().tobytes()):
            digest.update(part)
    return digest.hexdigest()


def print_digests(package: str, seed: int) -> None:
    """Print the digests of the game in a package as JSON."""
    sys.stdout.write(json.dumps(play_digests(importlib.import_module(package).GAME, seed)))
