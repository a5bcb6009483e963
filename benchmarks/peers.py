"""Steps per second with mask and observation, compared with other libraries on one core; one JSON line per figure.

    python benchmarks/peers.py [--seconds 2] [--game NAME ...] [--picture peers.png]

Peers: OpenSpiel (C++), RLCard's card games, PettingZoo classic, Pgx. Those that are not installed are reported and left
out, with their requirements. A step is a random legal move, the mask (or list) of the next legal moves, and the
observation of the seat on turn. Tablée and Pgx run batches of several sizes, of which the best counts. Our PettingZoo
environments are stepped too, one game at a time and by the same program as PettingZoo's own. Rates are per second of
processor time, the best of several runs, except those of two cores. Pgx cannot be limited to one core from within: run
this under `taskset -c 0` for a fair comparison.

All games are printed. The required ratios are those of the game most like the peer's: Skyjo with four seats, Lexio
for a climbing game; single games of ours must be at least as fast as the fastest of PettingZoo. Exits 1 if one does not
hold.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

from cores import separate_cores
from json_lines import print_line
from machine import description
from tablee.core.registry import all_games
from tablee.simulation.batch import Batch
from tablee.simulation.speed import rate

SIZES = (256, 1024)  # games in a batch of Tablée
ROUNDS = 3  # of measuring peers and Tablée in turns, the best counts: the speed of a machine varies
STEPS = 16  # of a batch per call
PGX_SIZES = (64, 512, 2048)
MIN_ON_TWO_CORES = 1.8
LARGE, TURNS = 65_536, 5  # games in a batch on two threads; comparisons of one and two threads
# Games are made GAMES_PER_CHECK at a time until they take MIN_BYTES, to measure the memory of one.
GAMES_PER_CHECK, MAX_GAMES, MIN_BYTES = 250, 20_000, 8 << 20

REQUIREMENTS = (  # system, its game, our game, the least ratio
    ("RLCard", "uno", "skyjo", 20),
    ("RLCard", "leduc-holdem", "skyjo", 10),
    ("RLCard", "limit-holdem", "skyjo", 10),
    ("RLCard", "gin-rummy", "skyjo", 20),
    ("PettingZoo", "leduc_holdem", "skyjo", 20),
    ("PettingZoo", "texas_holdem", "skyjo", 20),
    ("PettingZoo", "connect_four", "skyjo", 20),
    ("PettingZoo", "tictactoe", "skyjo", 20),
    ("Pgx", "sparrow_mahjong", "skyjo", 10),
    ("OpenSpiel", "crazy_eights", "skyjo", 10),
    ("RLCard", "doudizhu", "lexio", 20),
)


def main() -> None:
    """Measure Tablée and the peers, and compare."""
    parser = argparse.ArgumentParser(description="steps per second, compared with other libraries")
    parser.add_argument("--seconds", type=float, default=2.0, help="of measurement per figure, at least")
    parser.add_argument("--game", action="append", help="only this game of Tablée (may be repeated)")
    parser.add_argument("--picture", help="draw the figures into this file")
    arguments = parser.parse_args()
    print_line(run=datetime.now(UTC).isoformat(timespec="seconds"), command=" ".join(sys.argv), **description())
    names = arguments.game or [game.name for game in all_games()]
    peers: dict[tuple[str, str], float] = {}
    ours: dict[str, float] = {}
    single: dict[str, float] = {}
    for turn in range(ROUNDS):
        for key, value in peer_rates(arguments.seconds / ROUNDS, measures_memory=turn == 0):
            peers[key] = max(value, peers.get(key, 0.0))
        for name in names:
            ours[name] = max(our_rate(name, arguments.seconds / ROUNDS), ours.get(name, 0.0))
            single[name] = max(single_rate(name, arguments.seconds / ROUNDS), single.get(name, 0.0))
    failures = [*compare(ours, peers), *compare_single(single, peers), *on_two_cores(ours)]
    import_times()
    if arguments.picture:
        draw(ours, peers, arguments.picture)
    print_line(failures=failures)
    sys.exit(1 if failures else 0)


# Tablée


def our_rate(name: str, seconds: float) -> float:
    """Measure batches on one thread; return the rate at the best size."""
    return max(batch_rate(name, size, seconds) for size in SIZES)


def batch_rate(name: str, size: int, seconds: float) -> float:
    """Measure a batch of one size."""
    batch = Batch(name, size, threads=1)
    value = rate(lambda times: step(batch, times), seconds)
    memory = sum(array.nbytes for array in batch._arrays if hasattr(array, "nbytes") and array.ndim) // size
    seats = batch.setup.seats
    print_line(system="tablee", game=name, seats=seats, size=size, steps_per_second=round(value), bytes_per_game=memory)
    return value


def single_rate(name: str, seconds: float) -> float:
    """Measure our PettingZoo environment, one game at a time."""
    from tablee.adapters.pettingzoo import TableEnv

    value = rate(zoo_player(TableEnv(name)), seconds)
    print_line(system="tablee through PettingZoo", game=name, steps_per_second=round(value))
    return value


def step(batch: Batch, times: int) -> int:
    """Make random steps; return the number of moves."""
    for _ in range(times * STEPS):
        batch.step(batch.random_moves())
    return times * STEPS * batch.size


def on_two_cores(names: Iterable[str]) -> list[str]:
    """Measure one and two threads by elapsed time; return the games that miss the required ratio."""
    allowed = os.sched_getaffinity(0)
    if len(allowed) < 2:
        print_line(figure="two cores over one", measured=False, why="this process may use one core only")
        return []
    pair, gain = separate_cores(allowed)
    print_line(figure="two cores over one", processors=pair, gain_of_additions=round(gain, 2))
    os.sched_setaffinity(0, pair)
    try:
        ratios = {name: two_threads(name) for name in names}
    finally:
        os.sched_setaffinity(0, allowed)
    if gain < MIN_ON_TWO_CORES:
        print_line(figure="two cores over one", measured=False, why="the two processors are threads of one core")
        return []
    return [f"two cores over one in {name}" for name, ratio in ratios.items() if ratio < MIN_ON_TWO_CORES]


def two_threads(name: str) -> float:
    """Measure one and two threads in turns, so that other programs slow both alike."""
    batches = [Batch(name, LARGE, threads=threads) for threads in (1, 2)]
    for batch in batches:  # touches the memory, and starts the threads
        step(batch, 1)
    ratio = median(time_of(batches[0]) / time_of(batches[1]) for _ in range(TURNS))
    print_line(figure="two threads over one", game=name, size=LARGE, ratio=round(ratio, 2), at_least=MIN_ON_TWO_CORES)
    return ratio


def time_of(batch: Batch) -> float:
    """Return the elapsed seconds of some steps."""
    start = time.perf_counter()
    step(batch, 1)
    return time.perf_counter() - start


# Peers


def peer_rates(seconds: float, measures_memory: bool) -> Iterator[tuple[tuple[str, str], float]]:
    """Yield the rate of each peer's game that can be measured; memory only in the first round, before it is reused."""
    for (system, game), (make_player, make_game) in PEERS.items():
        try:
            value = rate(make_player(game), seconds)
            memory = {"bytes_per_game": memory_per_game(lambda: make_game(game))} if measures_memory else {}  # noqa: B023
        except Exception as why:  # a peer that is missing or broken is reported
            print_line(system=system, game=game, measured=False, why=f"{type(why).__name__}: {why}")
            continue
        print_line(system=system, game=game, steps_per_second=round(value), **memory)
        yield (system, game), value
    if find_spec("pgx") is None:
        print_line(system="Pgx", game="sparrow_mahjong", measured=False, why="pgx is not installed")
    else:
        yield ("Pgx", "sparrow_mahjong"), max(pgx_rate(size, seconds) for size in PGX_SIZES)


def memory_per_game(make: Callable[[], Any]) -> int:
    """Return by how many bytes this process grows with each game after its deal."""
    games = [make()]
    before = resident_bytes()
    while resident_bytes() - before < MIN_BYTES and len(games) < MAX_GAMES:
        games += [make() for _ in range(GAMES_PER_CHECK)]
    return (resident_bytes() - before) // (len(games) - 1)


def resident_bytes() -> int:
    """Return the resident memory of this process."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def rlcard_player(name: str) -> Callable[[int], int]:
    """Return a function that plays random games of RLCard, whose states have observation and legal actions."""
    import rlcard

    environment = rlcard.make(name)
    chooser = random.Random(0)

    def play(games: int) -> int:
        steps = 0
        for _ in range(games):
            state, _ = environment.reset()
            while not environment.is_over():
                state, _ = environment.step(chooser.choice(list(state["legal_actions"])))
                steps += 1
        return steps

    return play


def rlcard_game(name: str) -> Any:
    """Return a dealt game of RLCard."""
    import rlcard

    environment = rlcard.make(name)
    environment.reset()
    return environment


def classic_player(name: str) -> Callable[[int], int]:
    """Return a function that plays random games of PettingZoo classic."""
    return zoo_player(classic_game(name))


def zoo_player(environment: Any) -> Callable[[int], int]:
    """Return a function that plays random games of a PettingZoo environment.

    Legal moves are read from the info where it lists them, as ours does, else from the mask.
    """
    chooser = random.Random(0)

    def play(games: int) -> int:
        steps = 0
        for seed in range(games):
            environment.reset(seed=seed)
            for _ in environment.agent_iter():
                observation, _, ended, truncated, info = environment.last()
                move = None
                if not ended and not truncated:
                    legal = info.get("legal_moves")
                    move = int(chooser.choice(observation["action_mask"].nonzero()[0] if legal is None else legal))
                environment.step(move)
                steps += move is not None
        return steps

    return play


def classic_game(name: str) -> Any:
    """Return a dealt game of PettingZoo."""
    environment = import_module(f"pettingzoo.classic.{name}_v{CLASSIC_VERSIONS[name]}").env()
    environment.reset(seed=0)
    return environment


def openspiel_player(name: str) -> Callable[[int], int]:
    """Return a function that plays random games of OpenSpiel, with the observation tensor of the player on turn."""
    import pyspiel

    game = pyspiel.load_game(name)
    chooser = random.Random(0)

    def play(games: int) -> int:
        steps = 0
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                moves = state.legal_actions()
                if not state.is_chance_node():
                    state.observation_tensor()
                    steps += 1
                state.apply_action(moves[int(chooser.random() * len(moves))])
        return steps

    return play


def openspiel_game(name: str) -> Any:
    """Return a game of OpenSpiel, dealt at random."""
    import pyspiel

    state = pyspiel.load_game(name).new_initial_state()
    while state.is_chance_node():
        state.apply_action(random.choice(state.legal_actions()))
    return state


RLCARD_GAMES = ("leduc-holdem", "limit-holdem", "uno", "gin-rummy", "doudizhu")
CLASSIC_VERSIONS = {"leduc_holdem": 4, "texas_holdem": 4, "connect_four": 3, "tictactoe": 3}
PEERS: dict[tuple[str, str], tuple[Callable[[str], Callable[[int], int]], Callable[[str], Any]]] = {
    **{("RLCard", name): (rlcard_player, rlcard_game) for name in RLCARD_GAMES},
    **{("PettingZoo", name): (classic_player, classic_game) for name in CLASSIC_VERSIONS},
    ("OpenSpiel", "crazy_eights"): (openspiel_player, openspiel_game),
}


def pgx_rate(size: int, seconds: float) -> float:
    """Measure Pgx's sparrow mahjong at one batch size, with random moves drawn inside the compiled step."""
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental.wrappers import auto_reset

    environment = pgx.make("sparrow_mahjong")
    deal = jax.vmap(environment.init)
    advance = jax.vmap(auto_reset(environment.step, environment.init))

    @jax.jit
    def steps(state: Any, key: Any) -> Any:
        def one(state: Any, key: Any) -> tuple[Any, None]:
            choosing, dealing = jax.random.split(key)
            scores = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
            moves = jax.random.categorical(choosing, scores, axis=1)
            return advance(state, moves, jax.random.split(dealing, size)), None

        return jax.lax.scan(one, state, jax.random.split(key, STEPS))[0]

    state = jax.jit(deal)(jax.random.split(jax.random.PRNGKey(0), size))
    jax.block_until_ready(steps(state, jax.random.PRNGKey(1)))

    def play(times: int) -> int:
        current = state
        for number in range(times):
            current = steps(current, jax.random.PRNGKey(number))
        jax.block_until_ready(current)
        return times * STEPS * size

    value = rate(play, seconds)
    memory = sum(leaf.nbytes for leaf in jax.tree_util.tree_leaves(state)) // size
    print_line(system="Pgx", game="sparrow_mahjong", size=size, steps_per_second=round(value), bytes_per_game=memory)
    return value


# Comparison


def compare(ours: dict[str, float], peers: dict[tuple[str, str], float]) -> list[str]:
    """Print the ratio of each of our games to each peer; return the requirements that do not hold."""
    failures = []
    for system, game, required, least in REQUIREMENTS:
        if (system, game) not in peers:
            print_line(over=f"{system} {game}", measured=False)
            continue
        for name, value in ours.items():
            ratio = value / peers[system, game]
            verdict = {"at_least": least, "holds": ratio >= least} if name == required else {}
            print_line(ratio=round(ratio, 1), of=name, over=f"{system} {game}", **verdict)
            if not verdict.get("holds", True):
                failures.append(f"{name} over {system} {game}")
    return failures


def compare_single(single: dict[str, float], peers: dict[tuple[str, str], float]) -> list[str]:
    """Print the ratio of our single games to PettingZoo's fastest; return those that are slower."""
    theirs = {game: value for (system, game), value in peers.items() if system == "PettingZoo"}
    if not theirs:
        print_line(over="PettingZoo's fastest, one game at a time", measured=False)
        return []
    fastest = max(theirs, key=lambda game: theirs[game])
    failures = []
    for name, value in single.items():
        ratio = value / theirs[fastest]
        print_line(
            ratio=round(ratio, 2),
            of=f"{name} through PettingZoo",
            over=f"PettingZoo {fastest}",
            at_least=1,
            holds=ratio >= 1,
        )
        failures += [f"{name} through PettingZoo over PettingZoo {fastest}"] if ratio < 1 else []
    return failures


def import_times() -> None:
    """Measure the import time of each system in a new process."""
    modules = {"tablee": "tablee.simulation", "OpenSpiel": "pyspiel", "RLCard": "rlcard", "PettingZoo": "pettingzoo"}
    if find_spec("pgx") is not None:
        modules["Pgx"] = "pgx"
    for system, module in modules.items():
        command = f"import time; b = time.process_time(); import {module}; print(time.process_time() - b)"
        done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            print_line(system=system, figure=f"import {module}", seconds=round(float(done.stdout.split()[-1]), 2))


def draw(ours: dict[str, float], peers: dict[tuple[str, str], float], path: str) -> None:
    """Draw all rates as bars."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    bars = {**{f"{system} {game}": value for (system, game), value in peers.items()}, **ours}
    figure, axes = pyplot.subplots(figsize=(9, 4.5), layout="constrained")
    drawn = axes.barh(list(bars), list(bars.values()), color=["#999999"] * len(peers) + ["#2e7d5b"] * len(ours))
    axes.bar_label(drawn, [f"{value:,.0f}" for value in bars.values()], padding=3)
    axes.set(xscale="log", xlabel="steps per second with mask and observation, one core")
    axes.margins(x=0.2)
    figure.savefig(path)


if __name__ == "__main__":
    main()
