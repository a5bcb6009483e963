"""Batches on a CUDA device: equal to the CPU's, how fast, and what bounds them; one JSON line per figure.

    PYTHONPATH=src python benchmarks/gpu.py [--game NAME ...] [--size 65536 ...] [--picture gpu.png]
    python benchmarks/gpu.py --figures FILE ... --picture gpu.png

Rates are moves per second of the device's clock. A bound of a step is what its bytes alone would take at the rate of a
copy measured in the same run; a rollout is also run with one game in every thread: that shows what divergence costs.
Several of these may run side by side, since compiling takes the longest: only one measures at a time. What they print
can be drawn together, and elsewhere (the second command).
Exits 1 if a state differs, or a demanded rate is not reached.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from machine import description
from tablee.core.registry import all_games, find_game
from tablee.simulation.batch import Batch
from tablee.simulation.cuda import IS_SIMULATED, cuda

EQUAL_GAMES, EQUAL_MOVES, EQUAL_STEPS = 4096, 1000, 20
SECTOR = 32  # bytes: what a device moves at least
SIZES = (1 << 16, 1 << 18, 1 << 20)  # games in a batch
MAX_BYTES = 16 << 30  # of a batch that is measured
RUNS = 3  # the best counts
SIMULATED_MILLISECONDS = 1e-3  # a simulated device has no clock; no action on a real one is as short

# Moves per second on an H200: whole random games inside the kernel; a step with mask and observation.
DEMANDED = {
    "skyjo": (1e9, 2e8),
    "skip_bo": (1e9, 2e8),
    "xylo": (1e9, 2e8),
    "xe_queo": (3e8, 2e8),
    "lexio": (1e8, 5e7),
}


def main() -> None:
    """Check, measure and compare, game by game."""
    arguments = parse_arguments()
    if arguments.figures:
        draw(*read(arguments.figures), arguments.picture)
        return
    tell(
        run=datetime.now(UTC).isoformat(timespec="seconds"),
        command=" ".join(sys.argv),
        device=device(),
        **description(),
    )
    failures, figures = [], {}
    for name in arguments.game or [game.name for game in all_games()]:
        if not check_equality(name, arguments.games, arguments.moves, arguments.steps):
            failures.append(f"{name}: states differ")
        sizes = arguments.size or fitting_sizes(name)
        with alone():
            copied = copy_rate(sizes)
            figures[name] = measure(name, sizes, arguments.length, copied)
        failures += missed(name, figures[name])
    share_with_torch()
    tell(peer="Pgx", measured=False, why="jax and pgx are not installed here") if find_spec("pgx") is None else pgx()
    if arguments.picture:
        draw(figures, device(), arguments.picture)
    tell(failures=failures)
    sys.exit(1 if failures and not IS_SIMULATED else 0)


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="batches on a CUDA device")
    parser.add_argument("--game", action="append", help="only this one (may be repeated)")
    parser.add_argument("--size", type=int, action="append", help="games in a batch (may be repeated; the best counts)")
    parser.add_argument("--length", type=int, default=1000, help="moves of each game in a measured rollout")
    parser.add_argument("--games", type=int, default=EQUAL_GAMES, help="games whose states are compared")
    parser.add_argument("--moves", type=int, default=EQUAL_MOVES, help="moves after which they are")
    parser.add_argument("--steps", type=int, default=EQUAL_STEPS, help="steps whose masks and observations are")
    parser.add_argument("--picture", help="a file to draw the figures into")
    parser.add_argument("--figures", nargs="+", help="files that other runs have printed: only draw those")
    arguments = parser.parse_args()
    if arguments.figures and not arguments.picture:
        parser.error("say with --picture where to draw")
    return arguments


def tell(**figure: Any) -> None:
    """Print a line for programs."""
    print(json.dumps(figure), flush=True)


def device() -> str:
    """Return the device's name."""
    if IS_SIMULATED:
        return "simulated"
    current = cuda.get_current_device()
    name = current.name.decode() if isinstance(current.name, bytes) else str(current.name)
    return f"{name}, compute capability {'.'.join(map(str, current.compute_capability))}"


# Equality


def check_equality(name: str, games: int, moves: int, steps: int) -> bool:
    """Play the same on both; compare masks, observations and rewards at each step, and states byte for byte."""
    begun = time.perf_counter()
    here, there = Batch(name, games, seed=1), Batch(name, games, seed=1, device="cuda")
    made = time.perf_counter() - begun
    steps_agree = all(same_step(here, there) for _ in range(steps))
    here.rollout(moves)
    there.rollout(moves)
    states_agree = here.states.tobytes() == there.on_host(there.states).tobytes()
    returns_agree = here.returns.tobytes() == there.on_host(there.returns).tobytes()
    tell(
        game=name,
        figure="equal to the CPU",
        games=games,
        moves=moves,
        states=states_agree,
        returns=returns_agree,
        finished=int(here.finished.sum()),
        steps=steps,
        steps_agree=steps_agree,
        seconds_to_compile_the_deal=round(made, 1),
        seconds=round(time.perf_counter() - begun, 1),
    )
    return states_agree and returns_agree and steps_agree


def same_step(here: Batch, there: Batch) -> bool:
    """Play one random move in each game of both, and compare all that a step writes."""
    moves = here.random_moves()
    there.random_moves()  # so that both generators stay in step
    here.step(moves)
    there.step(moves)
    names = ("to_move", "counts", "mask", "observations", "rewards", "ended")
    return all(getattr(here, name).tobytes() == there.on_host(getattr(there, name)).tobytes() for name in names)


# Speed


def fitting_sizes(name: str) -> list[int]:
    """Return the usual sizes, without those that would take too much memory."""
    return [size for size in SIZES if size * bytes_per_game(name) <= MAX_BYTES]


@contextmanager
def alone() -> Iterator[None]:
    """Wait until no other run of this program measures."""
    with (Path(tempfile.gettempdir()) / "tablee-gpu.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def seconds_of(action: Callable[[], None]) -> float:
    """Return how long the device takes for something, by its own clock: whether the computer is busy says nothing."""
    begun, ended = cuda.event(), cuda.event()
    begun.record()
    action()
    ended.record()
    ended.synchronize()
    return max(float(begun.elapsed_time(ended)), SIMULATED_MILLISECONDS) / 1000


def copy_rate(sizes: list[int]) -> float:
    """Return the bytes per second that a copy within the device's memory reads and writes."""
    count = max(sizes) * 1024
    source, target = cuda.to_device(np.zeros(count, np.float32)), cuda.device_array(count, np.float32)
    copy = lambda: target.copy_to_device(source)  # noqa: E731
    copy()
    return 2 * 4 * count / min(seconds_of(copy) for _ in range(5))


def measure(name: str, sizes: list[int], length: int, copied: float) -> dict[str, float]:
    """Measure rollouts and steps, each at its best size, and say what bounds them."""
    tell(figure="copy, bytes read and written per second", value=round(copied))
    rollouts = {size: rollout_rate(name, size, length) for size in sizes}
    best = max(rollouts, key=lambda size: rollouts[size])
    tell(game=name, figure="whole random games in the kernel", size=best, moves_per_second=round(rollouts[best]))
    alike = rollout_rate(name, best, length, alike=True)
    tell(
        game=name,
        figure="the same with one game in every thread: no divergence",
        size=best,
        moves_per_second=round(alike),
        divergence_costs=round(alike / rollouts[best], 2),
    )
    steps = {size: step_rate(name, size) for size in sizes}
    best = max(steps, key=lambda size: steps[size][0])
    rate, count = steps[best]
    bound = copied / bytes_of_step(name, count)
    tell(
        game=name,
        figure="step with mask and observation",
        size=best,
        moves_per_second=round(rate),
        legal_moves=round(count, 1),
        bytes=round(bytes_of_step(name, count)),
        bound_by_bytes=round(bound),
        share_of_bound=round(rate / bound, 3),
    )
    game = find_game(name)
    tell(game=name, figure="bytes per game", state=game.kernels.state_type.itemsize, batch=bytes_per_game(name))
    return {"rollout": rollouts[max(rollouts, key=lambda size: rollouts[size])], "step": rate, "bound": bound}


def rollout_rate(name: str, size: int, length: int, alike: bool = False) -> float:
    """Measure random play inside the kernel."""
    batch = Batch(name, size, device="cuda", mask=False, observations=False)
    if alike:
        batch.reset([7] * size)
    batch.rollout(1)
    return size * length / min(seconds_of(lambda: batch.rollout(length)) for _ in range(RUNS))


def step_rate(name: str, size: int, steps: int = 40) -> tuple[float, float]:
    """Measure steps with mask and observation for every game; the moves are drawn outside the measured time."""
    batch = Batch(name, size, device="cuda")
    batch.rollout(100)  # away from the deal, where all games look alike
    batch.step(batch.random_moves())
    count = float(batch.on_host(batch.counts).mean())
    spent = 0.0
    for _ in range(steps):
        moves = batch.random_moves()  # the device is still at it while the step is handed over
        spent += seconds_of(lambda: batch.step(moves))  # noqa: B023
    return size * steps / spent, count


def bytes_of_step(name: str, count: float) -> float:
    """Return what a step must move: the record in and out, the observation and the list out, marks by the sector."""
    game = find_game(name)
    marks = 2 * 2 * min(SECTOR * count, game.moves)  # old marks and new ones, each sector read and written
    return 2 * game.kernels.state_type.itemsize + 4 * game.kernels.observation.size + 4 * count + marks


def bytes_per_game(name: str) -> int:
    """Return the memory that a batch takes for each game."""
    batch = Batch(name, 64)
    return sum(array.nbytes for array in batch._arrays if isinstance(array, np.ndarray)) // 64


def missed(name: str, figures: dict[str, float]) -> list[str]:
    """Return which demanded rates were not reached."""
    wanted = dict(zip(("rollout", "step"), DEMANDED.get(name, (0, 0)), strict=True))
    for kind, least in wanted.items():
        tell(game=name, demanded=kind, at_least=least, measured=round(figures[kind]), holds=figures[kind] >= least)
    return [f"{name}: {kind}" for kind, least in wanted.items() if figures[kind] < least]


# Others


def share_with_torch() -> None:
    """Show that PyTorch uses the arrays without a copy, and hands them on by DLPack."""
    if IS_SIMULATED or find_spec("torch") is None:
        tell(figure="shared with PyTorch", measured=False, why="no PyTorch, or no device")
        return
    import torch

    batch = Batch(find_game(all_games()[0].name), 64, device="cuda")
    tensor = torch.as_tensor(batch.observations, device="cuda")
    same = tensor.data_ptr() == batch.observations.device_ctypes_pointer.value
    again = torch.from_dlpack(tensor).data_ptr() == tensor.data_ptr()
    moves = torch.multinomial(torch.as_tensor(batch.mask, device="cuda").float(), 1).squeeze(1).to(torch.int32)
    refused = int(batch.on_host(batch.refusals(moves)).sum())
    tell(figure="shared with PyTorch", same_memory=same, by_dlpack=again, refused_moves_of_a_masked_policy=refused)


def pgx() -> None:
    """Measure Pgx's sparrow mahjong at several batch sizes, as its own benchmark does."""
    import jax
    import pgx as peer

    environment = peer.make("sparrow_mahjong")
    reset, step = jax.jit(jax.vmap(environment.init)), jax.jit(jax.vmap(environment.step))
    for size in (1 << 12, 1 << 15, 1 << 17):
        state = reset(jax.random.split(jax.random.PRNGKey(0), size))
        moves = state.legal_action_mask.argmax(axis=1)
        jax.block_until_ready(step(state, moves))
        begun = time.perf_counter()
        for _ in range(50):
            state = step(state, state.legal_action_mask.argmax(axis=1))
        jax.block_until_ready(state)
        rate = 50 * size / (time.perf_counter() - begun)
        tell(system="Pgx", game="sparrow_mahjong", size=size, moves_per_second=round(rate))


def read(paths: Sequence[str]) -> tuple[dict[str, dict[str, float]], str]:
    """Return the rates that runs have printed, each game's newest, and on which device."""
    figures: dict[str, dict[str, float]] = {}
    named = "?"
    for line in (line for path in paths for line in Path(path).read_text().splitlines() if line.startswith("{")):
        figure = json.loads(line)
        named = figure.get("device", named)
        if "demanded" in figure:
            figures.setdefault(figure["game"], {})[figure["demanded"]] = figure["measured"]
    return figures, named


def draw(figures: dict[str, dict[str, float]], named: str, path: str) -> None:
    """Draw the rates on a device, with the demanded ones as lines."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(9, 4.5), layout="constrained")
    indices = np.arange(len(figures))
    for shift, kind in enumerate(("rollout", "step")):
        rates = [rates[kind] for rates in figures.values()]
        bars = axes.bar(indices + 0.4 * shift, rates, 0.38, label=kind)
        axes.bar_label(bars, [f"{rate:.2g}" for rate in rates])
        for index, name in zip(indices, figures, strict=True):
            axes.hlines(DEMANDED[name][shift], index + 0.4 * shift - 0.19, index + 0.4 * shift + 0.19, colors="black")
    axes.set(yscale="log", ylabel="moves per second", title=f"{named} (black: demanded)")
    axes.set_xticks(indices + 0.2, list(figures))
    axes.legend(frameon=False)
    figure.savefig(path)


if __name__ == "__main__":
    main()
