"""Batches on a CUDA device: equality with the CPU, speed, and what limits it; prints one JSON line per figure.

    PYTHONPATH=src python benchmarks/gpu.py [--game NAME ...] [--size 65536 ...] [--picture gpu.png]
    PYTHONPATH=src python benchmarks/gpu.py --baseline FOLDER [--pairs 5] [--game NAME ...] [--size 262144 ...]
    python benchmarks/gpu.py --figures FILE ... --picture gpu.png

Rates are moves per second by the device's clock. The bound of a step is the time to move its bytes at the rate of a
copy measured in the same run. A rollout is also measured with the same game in every thread, which shows the cost of
divergence. Several processes may run at once, since compilation takes longest: only one measures at a time. The second
command compares with the package of another commit, whose files are in a folder (`git archive COMMIT src | tar -x -C
FOLDER`): a process per game and tree compiles, then the two trees take turns as in `regression.py`. The third draws
what the first has printed. Exits 1 if a state differs, a required rate is not reached, or a rate is certainly below
`--least` (0.95) of the other commit's.
"""

from __future__ import annotations

import argparse
import fcntl
import io
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from importlib.util import find_spec
from itertools import product
from pathlib import Path

import numpy as np

import cuda_rates
from cuda_rates import rollout_rate, seconds_of, step_rate
from json_lines import print_line
from machine import description
from regression import ROOT, ask, receive, report, send, worker
from tablee.core.errors import BadMove
from tablee.core.registry import all_games, find_game
from tablee.simulation.batch import Batch
from tablee.simulation.cuda_memory import IS_SIMULATED, cuda
from tablee.simulation.rewards import POTENTIAL

EQUAL_GAMES, EQUAL_MOVES, EQUAL_STEPS = 4096, 1000, 20
SETTINGS = (  # other rewards, ends and arrays, compared on a small batch
    {"reward": "round", "episode": "round", "max_moves": 60},
    {"reward": "potential", "max_moves": 40, "mask": False},
    {"reward": "points", "max_moves": 25, "auto_reset": False, "checked": True},
)
SETTINGS_GAMES, SETTINGS_STEPS = 256, 60
SECTOR = 32  # bytes, the smallest memory transaction
SIZES = (1 << 16, 1 << 18, 1 << 20)  # games in a batch
MAX_BYTES = 16 << 30  # of a measured batch
MAX_SIZE = {"rollout": 1 << 18, "step": 1 << 20}  # games in a batch that is compared with another commit's
WARM_UP_GAMES = 64
RUNS = 3  # the best counts

# Moves per second on an H200: whole random games inside the kernel; steps with mask and observation.
REQUIRED = {
    "skyjo": (1e9, 2e8),
    "skip_bo": (1e9, 2e8),
    "xylo": (1e9, 2e8),
    "xe_queo": (3e8, 2e8),
    "lexio": (1e8, 5e7),
}


def main() -> None:
    """Check equality and measure speed, game by game."""
    arguments = parse_arguments()
    if arguments.figures:
        draw(*read(arguments.figures), arguments.picture)
        return
    print_line(
        run=datetime.now(UTC).isoformat(timespec="seconds"),
        command=" ".join(sys.argv),
        device=device(),
        **description(),
    )
    names = arguments.game or [game.name for game in all_games()]
    if arguments.baseline:
        sys.exit(compare_with(Path(arguments.baseline), names, arguments))
    failures, figures = [], {}
    for name in names:
        if not check_equality(name, arguments.games, arguments.moves, arguments.steps):
            failures.append(f"{name}: states differ")
        failures += [f"{name}: {settings}" for settings in SETTINGS if not check_settings(name, settings)]
        if not check_faults(name):
            failures.append(f"{name}: numbers that are no moves")
        sizes = arguments.size or fitting_sizes(name)
        with exclusive_lock():
            copied = copy_rate(sizes)
            figures[name] = measure(name, sizes, arguments.length, copied)
        failures += missed_rates(name, figures[name])
    share_with_torch()
    print_line(peer="Pgx", measured=False, why="jax and pgx are not installed") if find_spec("pgx") is None else pgx()
    if arguments.picture:
        draw(figures, device(), arguments.picture)
    print_line(failures=failures)
    sys.exit(1 if failures and not IS_SIMULATED else 0)


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="batches on a CUDA device")
    parser.add_argument("--game", action="append", help="only this one (may be repeated)")
    parser.add_argument("--size", type=int, action="append", help="games in a batch (may be repeated; the best counts)")
    parser.add_argument("--length", type=int, default=1000, help="moves of each game in a measured rollout")
    parser.add_argument("--games", type=int, default=EQUAL_GAMES, help="games whose states are compared")
    parser.add_argument("--moves", type=int, default=EQUAL_MOVES, help="moves after which states are compared")
    parser.add_argument(
        "--steps", type=int, default=EQUAL_STEPS, help="steps whose masks and observations are compared"
    )
    parser.add_argument("--baseline", metavar="FOLDER", help="compare with the package in this folder's src, in turns")
    parser.add_argument("--pairs", type=int, default=5, help="turns of both trees, at least 2")
    parser.add_argument("--least", type=float, default=0.95, help="the ratio below which a rate fails")
    parser.add_argument("--picture", help="draw the figures into this file")
    parser.add_argument("--figures", nargs="+", help="only draw the output of other runs, from these files")
    arguments = parser.parse_args()
    if arguments.figures and not arguments.picture:
        parser.error("--figures needs --picture")
    if arguments.baseline and not Path(arguments.baseline, "src", "tablee").is_dir():
        parser.error(f"--baseline: there is no src/tablee in {arguments.baseline}")
    if arguments.pairs < 2:
        parser.error(f"--pairs {arguments.pairs}: an interval needs at least 2")
    return arguments


def device() -> str:
    """Return the device's name."""
    if IS_SIMULATED:
        return "simulated"
    current = cuda.get_current_device()
    name = current.name.decode() if isinstance(current.name, bytes) else str(current.name)
    return f"{name}, compute capability {'.'.join(map(str, current.compute_capability))}"


# Equality


def check_equality(name: str, games: int, moves: int, steps: int) -> bool:
    """Play the same moves on both devices; compare each step, and finally states and returns, byte for byte."""
    start = time.perf_counter()
    on_cpu, on_cuda = Batch(name, games, seed=1), Batch(name, games, seed=1, device="cuda")
    compiled = time.perf_counter() - start
    steps_agree = all(same_step(on_cpu, on_cuda) for _ in range(steps))
    on_cpu.rollout(moves)
    on_cuda.rollout(moves)
    states_agree = on_cpu.states.tobytes() == on_cuda.on_host(on_cuda.states).tobytes()
    returns_agree = on_cpu.returns.tobytes() == on_cuda.on_host(on_cuda.returns).tobytes()
    print_line(
        game=name,
        figure="equal to the CPU",
        games=games,
        moves=moves,
        states=states_agree,
        returns=returns_agree,
        finished=int(on_cpu.finished.sum()),
        steps=steps,
        steps_agree=steps_agree,
        seconds_to_compile_the_deal=round(compiled, 1),
        seconds=round(time.perf_counter() - start, 1),
    )
    return states_agree and returns_agree and steps_agree


def same_step(on_cpu: Batch, on_cuda: Batch) -> bool:
    """Play one random move in each game on both devices, and compare everything that a step writes."""
    moves = on_cpu.random_moves()
    on_cuda.random_moves()  # keeps both generators in step
    on_cpu.step(moves)
    on_cuda.step(moves)
    names = ("to_move", "counts", "mask", "observations", "ended", "truncated", "ranks", "scores")
    same_rewards = rounding(on_cpu.rewards, on_cuda.on_host(on_cuda.rewards)) == 0.0 or is_shaped(on_cpu)
    return same_rewards and all(same_bytes(on_cpu, on_cuda, name) for name in names)


def same_bytes(on_cpu: Batch, on_cuda: Batch, name: str) -> bool:
    """Return whether an array is the same on both devices."""
    return getattr(on_cpu, name).tobytes() == on_cuda.on_host(getattr(on_cuda, name)).tobytes()


def rounding(one: np.ndarray, other: np.ndarray) -> float:
    """Return the largest difference of two arrays."""
    return float(np.abs(one - other).max(initial=0.0))


def is_shaped(batch: Batch) -> bool:
    """Return whether rewards are by potentials, in which exponentials may be rounded differently."""
    return batch.rule.kind == POTENTIAL


def check_settings(name: str, settings: dict[str, object]) -> bool:
    """Compare everything else that a batch offers on both devices, and that a saved batch goes on on the other one."""
    batches = [Batch(name, SETTINGS_GAMES, seed=2, device=device, **settings) for device in ("cpu", "cuda")]  # type: ignore[arg-type]
    agree, difference = True, 0.0
    for step in range(SETTINGS_STEPS):
        agree &= same_step(*batches)
        difference = max(difference, rounding(batches[0].rewards, batches[1].on_host(batches[1].rewards)))
        if step % 10 == 9:
            agree &= same_answers(*batches)
            for batch in batches:
                batch.play_until(step % batch.setup.seats)
            agree &= same_bytes(*batches, "states")
    file = io.BytesIO()
    batches[0].save(file)
    file.seek(0)
    loaded = Batch.load(file, device="cuda")
    agree &= same_step(batches[0], loaded) and same_bytes(batches[0], loaded, "states")
    print_line(game=name, figure="settings", **settings, agree=bool(agree), largest_difference_of_rewards=difference)
    return bool(agree) and difference < 1e-9


def same_answers(on_cpu: Batch, on_cuda: Batch) -> bool:
    """Compare what the methods of both return."""
    seats = np.arange(on_cpu.size) % (on_cpu.setup.seats + 1) - 1
    found = []
    for batch in (on_cpu, on_cuda):
        arrays = [batch.observe(seats), batch.full_state(), *batch.packed_legal(), batch.refusals(batch.random_moves())]
        if batch.auto_reset:
            legal, counts = batch.final_legal()
            arrays += [batch.final_observations(0), batch.final_states, counts, legal]
        if batch.game.kernels.move_features is not None:
            arrays.append(batch.move_features(packed=True))
        found.append([batch.on_host(array).tobytes() for array in arrays])
    return found[0] == found[1]


def check_faults(name: str) -> bool:
    """Check that numbers on the device that are no moves leave their games alone and are reported."""
    batch = Batch(name, 64, device="cuda")
    moves = batch.on_host(batch.random_moves())
    moves[5], moves[6] = -7, 1 << 30
    before = batch.on_host(batch.states)
    batch.step(cuda.to_device(moves))
    cuda.synchronize()
    after = batch.on_host(batch.states)
    kept = [index for index in range(64) if after[index].tobytes() == before[index].tobytes()]
    try:
        batch.step(batch.random_moves())
        message = ""
    except BadMove as error:
        message = str(error)
    batch.step(batch.random_moves())
    print_line(game=name, figure="numbers on the device that are no moves", kept=kept, error=message)
    return {5, 6} <= set(kept) and "no move" in message


# Speed


def fitting_sizes(name: str) -> list[int]:
    """Return the sizes whose masks and observations, which are most of a batch, fit into MAX_BYTES."""
    game = find_game(name)
    return [size for size in SIZES if size * (game.moves + 4 * game.kernels.observation.size) <= MAX_BYTES]


@contextmanager
def exclusive_lock() -> Iterator[None]:
    """Wait until no other process of this program measures."""
    with (Path(tempfile.gettempdir()) / "tablee-gpu.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def copy_rate(sizes: list[int]) -> float:
    """Return the bytes per second, read and written, of a copy within the device's memory."""
    count = max(sizes) * 1024
    source, target = cuda.to_device(np.zeros(count, np.float32)), cuda.device_array(count, np.float32)
    copy = lambda: target.copy_to_device(source)  # noqa: E731
    copy()
    return 2 * 4 * count / min(seconds_of(copy) for _ in range(5))


def measure(name: str, sizes: list[int], length: int, copied: float) -> dict[str, float]:
    """Measure rollouts and steps, each at its best size, with the cost of divergence and the bound by bytes."""
    print_line(figure="copy, bytes read and written per second", value=round(copied))
    rollouts = {size: rollout_rate(name, size, length, RUNS) for size in sizes}
    best = max(rollouts, key=lambda size: rollouts[size])
    print_line(game=name, figure="whole random games in the kernel", size=best, moves_per_second=round(rollouts[best]))
    uniform = rollout_rate(name, best, length, RUNS, same_game=True)
    print_line(
        game=name,
        figure="the same with the same game in every thread: no divergence",
        size=best,
        moves_per_second=round(uniform),
        divergence_costs=round(uniform / rollouts[best], 2),
    )
    steps = {size: step_rate(name, size) for size in sizes}
    best = max(steps, key=lambda size: steps[size][0])
    rate, count = steps[best]
    bound = copied / bytes_of_step(name, count)
    print_line(
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
    print_line(game=name, figure="bytes per game", state=game.kernels.state_type.itemsize, batch=bytes_per_game(name))
    return {"rollout": rollouts[max(rollouts, key=lambda size: rollouts[size])], "step": rate, "bound": bound}


def bytes_of_step(name: str, count: float) -> float:
    """Return the bytes that a step moves: the state twice, observation, list of moves, and mask entries by sector."""
    game = find_game(name)
    marks = 2 * 2 * min(SECTOR * count, game.moves)  # old and new entries, each sector read and written
    return 2 * game.kernels.state_type.itemsize + 4 * game.kernels.observation.size + 4 * count + marks


def bytes_per_game(name: str) -> int:
    """Return the memory of a batch per game."""
    batch = Batch(name, 64)
    return sum(array.nbytes for array in batch._arrays if isinstance(array, np.ndarray)) // 64


def missed_rates(name: str, figures: dict[str, float]) -> list[str]:
    """Print the required rates; return those that were not reached."""
    required = dict(zip(("rollout", "step"), REQUIRED.get(name, (0, 0)), strict=True))
    for kind, least in required.items():
        print_line(
            game=name, required=kind, at_least=least, measured=round(figures[kind]), holds=figures[kind] >= least
        )
    return [f"{name}: {kind}" for kind, least in required.items() if figures[kind] < least]


# Another commit


def compare_with(baseline: Path, names: list[str], arguments: argparse.Namespace) -> bool:
    """Measure this tree and another in turns; return whether a rate is certainly below `--least` of the other's."""
    lengths = {"rollout": arguments.length, "step": 2 * arguments.steps}
    failed = False
    with ExitStack() as stack:
        pairs = {name: [stack.enter_context(rate_worker(tree)) for tree in (ROOT, baseline)] for name in names}
        compile_all(pairs)
        stack.enter_context(exclusive_lock())
        for name, figure in product(names, cuda_rates.FIGURES):
            sizes = arguments.size or [size for size in fitting_sizes(name) if size <= MAX_SIZE[figure]]
            question = name, figure, max(sizes), lengths[figure]
            failed |= compare(pairs[name], question, arguments.pairs, arguments.least)
    return failed


@contextmanager
def rate_worker(tree: Path) -> Iterator[subprocess.Popen[str]]:
    """Start a process that measures the package of a tree, and check that it has found that one."""
    with worker(tree.resolve(), cuda_rates.__file__) as process:
        found = Path(receive(process))
        if not found.is_relative_to(tree.resolve()):
            raise SystemExit(f"found {found} instead of the package in {tree}")
        yield process


def compile_all(pairs: dict[str, list[subprocess.Popen[str]]]) -> None:
    """Have all processes compile at once, and wait for the last."""
    started = time.perf_counter()
    for (name, pair), figure in product(pairs.items(), cuda_rates.FIGURES):
        for process in pair:
            send(process, name, figure, WARM_UP_GAMES, 1)
    for pair, _ in product(pairs.values(), cuda_rates.FIGURES):
        for process in pair:
            receive(process)
    print_line(figure="compiled", processes=2 * len(pairs), seconds=round(time.perf_counter() - started, 1))


def compare(pair: list[subprocess.Popen[str]], question: tuple[str, str, int, int], turns: int, least: float) -> bool:
    """Measure one rate in turns (this, other, other, this, …), print it; return whether ours is certainly slower."""
    rates: list[list[float]] = [[], []]
    for turn in range(turns):
        for tree in (0, 1) if turn % 2 == 0 else (1, 0):
            rates[tree].append(ask(pair[tree], *question))
    name, figure, size, _ = question
    ratios = [our_rate / their_rate for our_rate, their_rate in zip(*rates, strict=True)]
    ours, theirs = ([round(rate) for rate in side] for side in rates)
    return report(name, figure, ratios, least, size=size, ours=ours, theirs=theirs)


# Peers


def share_with_torch() -> None:
    """Check that PyTorch uses the arrays without a copy, also through DLPack."""
    if IS_SIMULATED or find_spec("torch") is None:
        print_line(figure="shared with PyTorch", measured=False, why="no PyTorch, or no device")
        return
    import torch

    batch = Batch(find_game(all_games()[0].name), 64, device="cuda")
    tensor = torch.as_tensor(batch.observations, device="cuda")
    same = tensor.data_ptr() == batch.observations.device_ctypes_pointer.value
    again = torch.from_dlpack(tensor).data_ptr() == tensor.data_ptr()
    moves = torch.multinomial(torch.as_tensor(batch.mask, device="cuda").float(), 1).squeeze(1).to(torch.int32)
    refused = int(batch.on_host(batch.refusals(moves)).sum())
    print_line(
        figure="shared with PyTorch", same_memory=same, by_dlpack=again, refused_moves_of_a_masked_policy=refused
    )


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
        start = time.perf_counter()
        for _ in range(50):
            state = step(state, state.legal_action_mask.argmax(axis=1))
        jax.block_until_ready(state)
        rate = 50 * size / (time.perf_counter() - start)
        print_line(system="Pgx", game="sparrow_mahjong", size=size, moves_per_second=round(rate))


def read(paths: Sequence[str]) -> tuple[dict[str, dict[str, float]], str]:
    """Return the rates in the output of other runs, the latest of each game, and the name of the device."""
    figures: dict[str, dict[str, float]] = {}
    device_name = "?"
    for line in (line for path in paths for line in Path(path).read_text().splitlines() if line.startswith("{")):
        figure = json.loads(line)
        device_name = figure.get("device", device_name)
        if "required" in figure:
            figures.setdefault(figure["game"], {})[figure["required"]] = figure["measured"]
    return figures, device_name


def draw(figures: dict[str, dict[str, float]], device_name: str, path: str) -> None:
    """Draw the rates of a device, with the required ones as lines."""
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
            axes.hlines(REQUIRED[name][shift], index + 0.4 * shift - 0.19, index + 0.4 * shift + 0.19, colors="black")
    axes.set(yscale="log", ylabel="moves per second", title=f"{device_name} (black: required)")
    axes.set_xticks(indices + 0.2, list(figures))
    axes.legend(frameon=False)
    figure.savefig(path)


if __name__ == "__main__":
    main()
