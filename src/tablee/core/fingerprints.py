"""Fingerprints of kernels: digests of everything that their machine code is made from.

Numba compiles the bytecode of a function together with the values of the globals it refers to, and with the kernels it
calls. A fingerprint covers exactly these, so that it changes with every constant, wherever that comes from, and not
with comments, docstrings, annotations or line numbers. Names are looked up generously: an attribute named like a global
counts as a reference to it, which may compile too much but never too little.
"""

from __future__ import annotations

import ast
import enum
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from tablee.core.cache_files import digest_of

UNCHANGING = {"numba", "numpy", *sys.stdlib_module_names}  # packages whose versions are in every fingerprint
PLAIN = (bool, int, float, complex, str, bytes, range, slice, enum.Enum, np.dtype)  # told apart by `repr`
HAS_DOCSTRING = 0x4000000  # flag of code objects since Python 3.13


class Part(NamedTuple):
    """What one kernel contributes to its own fingerprint and to those of all that call it."""

    digest: bytes  # of its code, its options and the values it refers to
    calls: tuple[Any, ...]  # the kernels it refers to
    stubs: frozenset[str]  # the names of the stubs it refers to


def fingerprint(kernel: Any, kernels_of_stub: Callable[[str], Iterable[Any]]) -> str:
    """Return the digest of a compiled kernel and of all that it calls, by way of stubs too."""
    parts: dict[Any, Part] = {}
    waiting = [kernel]
    while waiting:
        found = waiting.pop()
        if found not in parts:
            parts[found] = part = part_of(found)
            waiting += part.calls
            waiting += (target for name in part.stubs for target in kernels_of_stub(name))
    return digest_of([parts[kernel].digest, *sorted(part.digest for part in parts.values())])


_parts: dict[Any, Part] = {}


def part_of(kernel: Any) -> Part:
    """Return what one kernel contributes; it is computed once, unless its module is still being imported."""
    if kernel in _parts:
        return _parts[kernel]
    part = _part_of(kernel.py_func, kernel.targetoptions)
    module = sys.modules.get(kernel.py_func.__module__)
    if not getattr(getattr(module, "__spec__", None), "_initializing", False):
        _parts[kernel] = part
    return part


def _part_of(function: FunctionType, options: dict[str, Any]) -> Part:
    texts: list[str | bytes] = [
        _full_name(function),
        repr(sorted(options.items())),
        *_describe_code(function.__code__, function.__doc__),
        *describe(function.__defaults__),
        *describe(tuple(sorted((function.__kwdefaults__ or {}).items()))),
    ]
    calls: list[Any] = []
    stubs: set[str] = set()
    for name, value in _references(function):
        if isinstance(getattr(value, "py_func", None), FunctionType):
            calls.append(value)
            texts += [name, _full_name(value.py_func)]
        elif hasattr(value, "__stub__"):
            stubs.add(value.__stub__)
            texts += [name, "stub", value.__stub__]
        else:
            texts += [name, *describe(value)]
    return Part(digest_of(texts).encode(), tuple(calls), frozenset(stubs))


def _full_name(function: FunctionType) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def _describe_code(code: CodeType, docstring: str | None) -> Iterator[str | bytes]:
    """Yield what bytecode consists of; a docstring, always its first constant, is left out."""
    yield code.co_code
    flags = code.co_flags & ~HAS_DOCSTRING
    yield repr((code.co_argcount, code.co_kwonlyargcount, flags, code.co_names, code.co_varnames))
    for index, constant in enumerate(code.co_consts):
        if isinstance(constant, CodeType):
            yield from _describe_code(constant, None)
        else:
            yield from describe(None if index == 0 and constant == docstring else constant)


def _references(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield the globals and the closure of a function with names; of tuples the items, of modules the members named."""
    names = sorted(_all_names(function.__code__))
    found = [(name, function.__globals__[name]) for name in names if name in function.__globals__]
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    found += [(name, cell.cell_contents) for name, cell in cells]
    for name, value in found:
        yield name, value
        if isinstance(value, tuple):
            yield from ((f"{name}[{index}]", item) for index, item in enumerate(value))
        if isinstance(value, ModuleType) and not _is_unchanging(value.__name__):
            yield from ((f"{name}.{member}", vars(value)[member]) for member in names if member in vars(value))


def _all_names(code: CodeType) -> set[str]:
    inner = (_all_names(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*inner)


def describe(value: Any) -> Iterator[str | bytes]:
    """Yield texts that tell a value from others of its kind.

    Numba cannot compile what is not mentioned here: of that, the type is enough.
    """
    yield type(value).__qualname__
    if value is None or isinstance(value, PLAIN):
        yield repr(value)
    elif isinstance(value, np.ndarray | np.generic):
        yield from (repr(value.dtype), repr(value.shape), repr(value.strides), value.tobytes())
    elif isinstance(value, frozenset):
        yield repr(sorted(map(repr, value)))
    elif isinstance(value, tuple | list):
        yield str(len(value))
        for item in value:
            yield from describe(item)
    elif isinstance(value, type):
        yield from _describe_class(value)
    elif callable(value) and not _is_unchanging(module := getattr(value, "__module__", None) or "builtins"):
        yield from (module, getattr(value, "__qualname__", ""), syntax_digest(_file_of(module)))
    elif callable(value) or isinstance(value, ModuleType):
        yield getattr(value, "__name__", None) or str(value)


def _describe_class(kind: type) -> Iterator[str]:
    yield f"{kind.__module__}.{kind.__qualname__}"
    yield repr(getattr(kind, "_fields", ()))
    if issubclass(kind, enum.Enum):
        yield repr([(name, member.value) for name, member in kind.__members__.items()])


def _is_unchanging(module: str) -> bool:
    return module.partition(".")[0] in UNCHANGING


def _file_of(module: str) -> Path | None:
    file = getattr(sys.modules.get(module), "__file__", None)
    return None if file is None else Path(file)


@cache
def syntax_digest(source: Path | None) -> str:
    """Digest the abstract syntax of a source file, without its docstrings and annotations."""
    return "" if source is None else digest_of([ast.dump(bare_syntax(source))])


def bare_syntax(source: Path) -> ast.Module:
    """Return the abstract syntax of a source file, without its docstrings and annotations."""
    tree = ast.parse(source.read_bytes())
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module) and ast.get_docstring(node, clean=False):
            del node.body[0]
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
    return tree
