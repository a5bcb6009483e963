"""Games are played before their kernels are compiled, by interpreted twins, and go over to machine code in play."""

import json
import os
import subprocess
import sys

import pytest

from tablee import all_games

# Plays the start of each game; prints the number of kernels loaded and compiled, and the digests of the positions.
PLAY = """
import json, sys
from tablee import Match, all_games
from tablee.bots.roster import make_bot
from tablee.core import twins
from tablee.core.compilation import cache_counts, is_interpreted
from tablee.tables.undo import reveals_nothing

twins.wait_for_machine_code(True)
digests = []
for game in all_games():
    match = Match(game, seed=7)
    for _ in range(12):
        for seat in range(match.seats):
            match.view(seat)
        chosen = make_bot("greedy", game, 3).decide(match.sight(match.to_move), match.legal_moves())
        match.play(chosen.move)
        match.events(0)
    assert is_interpreted() or not reveals_nothing(match.sight(match.to_move), match.legal_moves()[0])
    digests.append(match.digest())
counts = (0, 0) if is_interpreted() else cache_counts()
print(json.dumps([counts, digests]))
"""

# Loads the kernels of a game in a thread between two moves.
GO_OVER = """
import json, threading
from tablee import Match
from tablee.core import twins
from tablee.core.compilation import cache_counts
from tablee.core.warmup import exercise_rules

twins.wait_for_machine_code(True)
match = Match("xe_queo", seed=7)
counts = [cache_counts()]

def load():
    with twins.loading():
        for _ in exercise_rules(match.game):
            pass

thread = threading.Thread(target=load)
thread.start()
thread.join()
counts.append(cache_counts())
kernel = match.game.kernels.legal_moves
twins.twin_of(kernel.py_func).__code__ = (lambda state, out: 1 / 0).__code__  # it is not called any more
for _ in range(12):
    match.play(match.legal_moves()[0])
print(json.dumps([counts, match.digest()]))
"""


def run(script, cache, **environment):
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **cache, "NUMBA_DISABLE_JIT": "0", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_nothing_is_compiled_while_a_process_waits_and_the_games_are_the_same(tmp_path):
    empty = {"TABLEE_CACHE": str(tmp_path)}
    counts, digests = run(PLAY, empty)
    assert counts == [0, 0]
    assert len(set(digests)) == len(all_games())
    assert run(PLAY, empty, NUMBA_DISABLE_JIT="1") == [[0, 0], digests]


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="it compiles")
def test_a_match_goes_over_to_machine_code_between_two_moves():
    [before, after], digest = run(GO_OVER, {})
    assert before == [0, 0]
    assert sum(after) > 0
    interpreted = """
import json
from tablee import Match
match = Match("xe_queo", seed=7)
for _ in range(12):
    match.play(match.legal_moves()[0])
print(json.dumps(match.digest()))
"""
    assert run(interpreted, {}, NUMBA_DISABLE_JIT="1") == digest
