"""Source mutation: change one thing in a game's `rules.py` or `sight.py` and see whether the game's own tests notice.

    NUMBA_DISABLE_JIT=1 python tools/mutants.py skyjo [--file sight.py] [--sample 200] [--jobs 2]

The tests are collected once. Each mutant is tried in a fork of that process, in which the code of the mutated function
is replaced; only the tests that reach the mutated lines run, those that found mutants before first, until one fails. A
test that takes far more processor time than usual counts as failed. Mutants listed in the game's
`tests/equivalent_mutants.toml` behave like the original for the reason given there and are tried only with `--recheck`.
Exits 1 if a mutant survives that is not listed, or if one is listed that does not exist any more or is killed.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import resource
import signal
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import FrameType, FunctionType, ModuleType
from typing import Any, NamedTuple

import pytest
from _pytest.runner import runtestprotocol

from tablee.core.compilation import is_interpreted
from tablee.core.registry import find_game

FILES = ("rules.py", "sight.py")
EQUIVALENT = "equivalent_mutants.toml"
MODULE_LEVEL = "<module>"
TIMED_OUT = "(took too long)"
NOT_IMPORTED = "(cannot be imported)"
# A test may take this much processor time: so much more than usual, and some seconds besides.
TIME_FACTOR, EXTRA_SECONDS = 10, 5
MAX_MEMORY = 8 << 30  # bytes of address space; a mutant may build an endless list

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
}


# Finding mutants


class Key(NamedTuple):
    """What identifies a mutant, whatever stands above it in the file."""

    file: str
    function: str  # or MODULE_LEVEL
    line: str  # the source of the mutated lines
    mutated: str  # the same lines after the mutation
    occurrence: int = 1  # among equal ones, in the order of the file


@dataclass(frozen=True)
class Mutant:
    """A source file with one thing changed."""

    key: Key
    lines: range  # numbers of the mutated lines
    kind: str
    source: str

    def __str__(self) -> str:
        where = f"{self.key.file}:{self.lines[0]} {self.key.function}: {self.kind}"
        return f"{where}\n  - {self.key.line}\n  + {self.key.mutated}"


def find_mutants(path: Path) -> list[Mutant]:
    """Return the mutants of a source file, in its order."""
    source = path.read_text(encoding="utf-8")
    mutants, equal_ones = [], Counter[Key]()
    for found in _mutations_in(ast.parse(source), MODULE_LEVEL):
        mutant = _mutant(path.name, source, *found)
        equal_ones[mutant.key] += 1
        mutants.append(replace(mutant, key=mutant.key._replace(occurrence=equal_ones[mutant.key])))
    return mutants


def _mutations_in(node: ast.AST, function: str) -> Iterator[tuple[str, str, ast.AST, str]]:
    """Yield function, kind, node and the node's new source for every mutation in a part of the syntax tree."""
    if isinstance(node, ast.FunctionDef) and function == MODULE_LEVEL:
        function = node.name
    for kind, new in mutations(node):
        yield function, kind, node, new
    for child in _mutable_children(node):
        yield from _mutations_in(child, function)


def _mutable_children(node: ast.AST) -> Iterable[ast.AST]:
    """Return the parts of a node that run: neither decorators, annotations, nor aliases of types."""
    if isinstance(node, ast.FunctionDef):
        return [*node.args.defaults, *node.body]
    if isinstance(node, ast.AnnAssign):
        return [node.value] if node.value is not None and ast.unparse(node.annotation) != "TypeAlias" else []
    return ast.iter_child_nodes(node)


def mutations(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the kind and the new source of every mutation of one node, its parts left as they are."""
    match node:
        case ast.Compare():
            for index, operator in enumerate(node.ops):
                changed = copy.deepcopy(node)
                changed.ops[index] = COMPARISONS[type(operator)]()
                yield "comparison", ast.unparse(changed)
        case ast.BoolOp():
            junction: ast.boolop = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield "boolean", f"({ast.unparse(ast.BoolOp(junction, node.values))})"
        case ast.UnaryOp(op=ast.Not()):
            yield "boolean", f"({ast.unparse(node.operand)})"
        case ast.BinOp() if type(node.op) in ARITHMETIC:
            changed_operation = ast.BinOp(node.left, ARITHMETIC[type(node.op)](), node.right)
            yield "arithmetic", f"({ast.unparse(changed_operation)})"
        case ast.AugAssign() if type(node.op) in ARITHMETIC:
            yield "arithmetic", ast.unparse(ast.AugAssign(node.target, ARITHMETIC[type(node.op)](), node.value))
        case ast.Constant(value=bool()):
            yield "boolean", str(not node.value)
        case ast.Constant(value=int() | float() as number):
            yield "constant", repr(number + 1)
            yield "constant", f"({number - 1!r})"
        case ast.Expr(value=ast.Call()):
            yield "dropped call", "pass"


def _mutant(file: str, source: str, function: str, kind: str, node: Any, new: str) -> Mutant:
    """Write the new source of a node into the file."""
    lines = source.splitlines(keepends=True)
    first, last = node.lineno - 1, node.end_lineno - 1
    before = lines[first].encode()[: node.col_offset].decode()
    after = lines[last].encode()[node.end_col_offset :].decode()
    old_lines, new_lines = "".join(lines[first : last + 1]), before + new + after
    key = Key(file, function, _on_one_line(old_lines), _on_one_line(new_lines))
    mutated = "".join(lines[:first]) + new_lines + "".join(lines[last + 1 :])
    return Mutant(key, range(node.lineno, node.end_lineno + 1), kind, mutated)


def _on_one_line(source: str) -> str:
    return " ".join(source.split())


def sample(mutants: Sequence[Mutant], count: int, seed: int) -> list[Mutant]:
    """Return one mutant of each of `count` stretches of equal length, or all if there are no more than that."""
    if count == 0 or len(mutants) <= count:
        return list(mutants)
    numbers = random.Random(seed)
    ends = [index * len(mutants) // count for index in range(count + 1)]
    return [mutants[numbers.randrange(start, end)] for start, end in pairwise(ends)]


def read_equivalent(path: Path) -> dict[Key, str]:
    """Read which mutants are known to behave like the original, and why."""
    if not path.is_file():
        return {}
    return {
        Key(entry["file"], entry["function"], entry["line"], mutated, entry.get("occurrence", 1)): entry["reason"]
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["equivalent"]
        for mutated in entry["mutated"]
    }


# Trying mutants


def install(mutant: Mutant, module: ModuleType) -> None:
    """Make a loaded module behave like the mutant: replace a function's code, or the values that its own lines made."""
    namespace = dict(vars(module))
    exec(compile(mutant.source, str(module.__file__), "exec"), namespace)
    if mutant.key.function != MODULE_LEVEL:
        getattr(module, mutant.key.function).__code__ = namespace[mutant.key.function].__code__
        return
    original = dict(vars(module))
    package = module.__name__.rpartition(".")[0]
    importers = [other for name, other in sys.modules.items() if name.startswith(package)]
    for name in original.keys() & namespace.keys():
        if not isinstance(original[name], FunctionType):
            for other in importers:
                if vars(other).get(name) is original[name]:
                    setattr(other, name, namespace[name])


@dataclass
class Suite:
    """What is known about a game's tests: the lines each reaches, its processor time, how many mutants it killed."""

    lines: dict[str, set[tuple[str, int]]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    kills: Counter[str] = field(default_factory=Counter)

    def select(self, items: Iterable[pytest.Item], mutant: Mutant) -> list[pytest.Item]:
        """Return the tests to run for a mutant, those most likely to kill it soon first."""
        touched = {(mutant.key.file, line) for line in mutant.lines}
        reached = [item for item in items if mutant.key.function == MODULE_LEVEL or touched & self.lines[item.nodeid]]
        return sorted(reached, key=lambda item: self.seconds[item.nodeid] / (1 + self.kills[item.nodeid]))


def has_passed(item: pytest.Item, following: pytest.Item | None) -> bool:
    """Run one test; return whether it passed."""
    return not any(report.failed for report in runtestprotocol(item, nextitem=following, log=False))


def measure(items: Sequence[pytest.Item], modules: Iterable[ModuleType]) -> Suite:
    """Run the tests against the original, in a fork; raise SystemExit if one fails."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        _silence()
        files = {str(module.__file__): Path(str(module.__file__)).name for module in modules}
        for item in items:
            started = time.process_time()
            passed = has_passed(item, None)
            seconds = time.process_time() - started
            reached = _reached_lines(item, files) if passed else set()
            os.write(writer, (repr((item.nodeid, passed, seconds, sorted(reached))) + "\n").encode())
        os._exit(0)
    os.close(writer)
    suite = Suite()
    with os.fdopen(reader) as results:
        for result in results:
            name, passed, seconds, reached = ast.literal_eval(result)
            if not passed:
                raise SystemExit(f"{name} fails without a mutation")
            suite.seconds[name], suite.lines[name] = seconds, set(reached)
            _show_progress(f"running the tests without a mutation: {len(suite.seconds)} of {len(items)}")
    os.wait()
    if len(suite.seconds) < len(items):
        raise SystemExit(f"the tests ended after {len(suite.seconds)} of {len(items)}")
    return suite


def _reached_lines(item: pytest.Item, files: dict[str, str]) -> set[tuple[str, int]]:
    """Run a test once more; return the lines of these files that it reached."""
    reached: set[tuple[str, int]] = set()

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        file = files.get(frame.f_code.co_filename)
        if file is None:
            return None
        reached.add((file, frame.f_lineno))
        return trace

    sys.settrace(trace)
    has_passed(item, None)
    sys.settrace(None)
    return reached


def start_trial(mutant: Mutant, module: ModuleType, items: Sequence[pytest.Item], suite: Suite) -> tuple[int, int]:
    """Try a mutant in a fork; return its process and the pipe that will have the name of the test that failed."""
    reader, writer = os.pipe()
    process = os.fork()
    if process:
        os.close(writer)
        return process, reader
    os.close(reader)
    _silence()
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    try:
        install(mutant, module)
    except Exception:  # a mutated line of the module itself may raise anything
        os.write(writer, NOT_IMPORTED.encode())
        os._exit(0)
    for item, following in zip(items, [*items[1:], None], strict=True):
        signal.setitimer(signal.ITIMER_PROF, TIME_FACTOR * suite.seconds[item.nodeid] + EXTRA_SECONDS)
        if not has_passed(item, following):
            os.write(writer, item.nodeid.encode())
            os._exit(0)
    os._exit(0)


def finish_trial(reader: int, status: int) -> str:
    """Return what killed a mutant; nothing if it survived."""
    with os.fdopen(reader) as pipe:
        killer = pipe.read()
    if os.WIFSIGNALED(status):
        return TIMED_OUT if os.WTERMSIG(status) == signal.SIGPROF else f"(signal {os.WTERMSIG(status)})"
    return killer


def _silence() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def _show_progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


@dataclass
class MutationRun:
    """A pytest plugin that tries mutants instead of running the tests once."""

    folder: Path
    package: str
    files: Sequence[str]
    count: int = 0  # mutants per file; 0 for all
    seed: int = 1
    jobs: int = 1
    skipped: Collection[Key] = ()  # not tried
    killers: dict[str, dict[Mutant, str]] = field(default_factory=dict)  # by file, in its order

    def start(self) -> None:
        """Collect the tests and try the mutants."""
        options = ["-qq", "--capture=no", "-p", "no:cacheprovider", "-p", "no:xdist"]
        pytest.main([*options, str(self.folder / "tests")], plugins=[self])

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try the mutants of every file."""
        if session.testsfailed:
            raise session.Interrupted(f"{session.testsfailed} errors during collection")
        modules = {file: import_module(f"{self.package}.{Path(file).stem}") for file in self.files}
        import_module("scipy.stats")  # which tests of chances import: once here, not once in every fork
        suite = measure(session.items, modules.values())
        for file, module in modules.items():
            mutants = sample(find_mutants(self.folder / file), self.count, self.seed)
            tried = [mutant for mutant in mutants if mutant.key not in self.skipped]
            killers = self.try_all(tried, module, session.items, suite)
            self.killers[file] = {mutant: killers.get(mutant, "") for mutant in mutants}
        return True

    def try_all(
        self, mutants: Sequence[Mutant], module: ModuleType, items: Sequence[pytest.Item], suite: Suite
    ) -> dict[Mutant, str]:
        """Try mutants, `jobs` at a time; return what killed each."""
        waiting, running, killers = list(reversed(mutants)), dict[int, tuple[Mutant, int]](), dict[Mutant, str]()
        while waiting or running:
            while waiting and len(running) < self.jobs:
                mutant = waiting.pop()
                process, reader = start_trial(mutant, module, suite.select(items, mutant), suite)
                running[process] = mutant, reader
            process, status = os.wait()
            mutant, reader = running.pop(process)
            killers[mutant] = finish_trial(reader, status)
            suite.kills[killers[mutant]] += 1
            survivors = sum(not killer for killer in killers.values())
            _show_progress(f"{module.__name__}: {len(killers)} of {len(mutants)} mutants, {survivors} survived")
            if not killers[mutant]:
                _show_progress("")
                print(f"survived: {mutant}", flush=True)
        return killers


# Reporting


def report(run: MutationRun, equivalent: dict[Key, str]) -> list[str]:
    """Print a table; return what is wrong: survivors that are not listed, listed ones that were killed or are gone."""
    wrong = []
    print("| file | mutants | killed | equivalent | score |\n|---|---|---|---|---|")
    for file, killers in run.killers.items():
        listed = [mutant for mutant in killers if mutant.key in equivalent]
        killed = sum(bool(killer) for killer in killers.values())
        same = sum(not killers[mutant] for mutant in listed)
        score = killed / max(len(killers) - same, 1)
        print(f"| `{run.folder.name}/{file}` | {len(killers)} | {killed} | {same} | {score:.1%} |")
        wrong += [f"{mutant}\n  survives" for mutant in killers if not killers[mutant] and mutant not in listed]
        wrong += [f"{m}\n  is listed as equivalent, but {killers[m]} kills it" for m in listed if killers[m]]
        existing = {mutant.key for mutant in find_mutants(run.folder / file)}
        wrong += [
            f"{key}\n  is listed, but does not exist"
            for key in sorted(equivalent)
            if key.file == file and key not in existing
        ]
    return wrong


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the mutants of a game; return the exit status."""
    parser = argparse.ArgumentParser(description="Try mutants of a game's source against its own tests.")
    parser.add_argument("game")
    parser.add_argument("--file", action="append", help=f"a module of the game (default: {' and '.join(FILES)})")
    parser.add_argument("--sample", type=int, default=0, help="mutants per file, spread evenly (default: all)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--recheck", action="store_true", help="try the mutants listed as equivalent too")
    chosen = parser.parse_args(arguments)
    if not is_interpreted():
        parser.error("mutants are tried interpreted: set NUMBA_DISABLE_JIT=1")
    game = find_game(chosen.game)
    equivalent = read_equivalent(game.folder / "tests" / EQUIVALENT)
    run = MutationRun(
        game.folder,
        game.package,
        files=chosen.file or FILES,
        count=chosen.sample,
        seed=chosen.seed,
        jobs=chosen.jobs,
        skipped=() if chosen.recheck else equivalent,
    )
    run.start()
    wrong = report(run, equivalent)
    print("\n".join(wrong))
    return 1 if wrong or not run.killers else 0


if __name__ == "__main__":
    sys.exit(main())
