"""Everything that depends on Numba's internals, which may change with any release. Imports Numba.

Nothing else in the package uses a private name or an undocumented option of Numba. Each use says why it is needed and
has a test in `tests/test_numba_internals.py` that fails when a release changes it. The supported range of versions is
in pyproject.toml; `make numba-range` runs the tests with the oldest of them.
"""

from __future__ import annotations

import pickle
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import llvmlite
import numba
import numpy as np
from llvmlite import ir
from numba.core.caching import _Cache
from numba.core.cgutils import alloca_once, false_bit
from numba.core.compiler import CompileResult
from numba.core.cpu import CPUContext
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import intrinsic, lower_builtin
from numba.np.arrayobj import populate_array

from tablee.core import cache_files, compilation, fingerprints, stubs, twins

types: Any = numba.types

# Compiling


def compile_lazily(function: Any, **options: Any) -> Any:
    """Return a dispatcher that compiles a function when it is first called and keeps the machine code in our cache."""
    # Nothing takes the address of a kernel, for which Numba would compile a wrapper for C.
    options = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True, **options}
    dispatcher = numba.njit(**options)(function)
    _widen_calls(dispatcher)
    dispatcher._cache = KernelCache(dispatcher)
    _interpret_while_waiting(dispatcher)
    return dispatcher


def _interpret_while_waiting(dispatcher: Any) -> None:
    """Have the dispatcher call the interpreted twin where it would compile or load, while this process waits.

    The dispatcher calls `_compile_for_args` for arguments of types that it has no machine code for, and then what that
    returns, with the same arguments.
    """
    compile_for_arguments = dispatcher._compile_for_args

    def twin_or_compiled(*arguments: Any, **keywords: Any) -> Any:
        if twins.is_interpreting():
            return twins.twin_of(dispatcher.py_func)
        return compile_for_arguments(*arguments, **keywords)

    dispatcher._compile_for_args = twin_or_compiled


def compile_for(dispatcher: Any, arguments: tuple[Any, ...]) -> Any:
    """Return the compiled function for arguments of these types, as Python calls it."""
    return dispatcher.compile(tuple(numba.typeof(argument) for argument in arguments))


# Numba counts references to every array that a function is given, by atomic additions: a step of a batch, which passes
# seventeen on several times, takes nearly three times as long with them (docs/decisions/0031-lean-steps.md). No public
# option turns that off.
WITHOUT_REFERENCE_COUNTS = {"_nrt": False}


def _widen_calls(dispatcher: Any) -> None:
    """Have calls from other kernels converted to int64 for every signed integer.

    Numba would compile it for each width of its arguments and for each constant. The dispatcher decides in
    `get_call_template` for which types a call from compiled code is compiled.
    """
    exact_template = dispatcher.get_call_template

    def widened(argument: Any) -> Any:
        plain = types.unliteral(argument)
        return types.int64 if isinstance(plain, types.Integer) and plain.signed else plain

    def wide_template(arguments: Any, keywords: Any) -> Any:
        return exact_template([widened(argument) for argument in arguments], keywords)

    dispatcher.get_call_template = wide_template


# Stubs


def forward_calls(function: Any, kernel_for: Callable[[Any], Any]) -> None:
    """Forward calls of a function from kernels to the kernel that `kernel_for` returns for the type of the state.

    A call goes straight to that kernel. With the public `overload`, a function between the two would be compiled too.
    """

    def chosen(state_type: Any) -> Any:
        kernel = kernel_for(state_type)
        return None if kernel is None else types.Dispatcher(kernel)

    class StubTemplate(AbstractTemplate):
        key = function

        def generic(self, arguments: Any, keywords: Any) -> Any:
            kernel_type = chosen(arguments[0])
            return None if kernel_type is None else kernel_type.get_call_type(self.context, arguments, keywords)

    infer_global(function, types.Function(StubTemplate))

    @lower_builtin(function, types.VarArg(types.Any))
    def call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.get_function(chosen(signature.args[0]), signature)(builder, arguments)


def type_of_states(dtype: np.dtype[Any]) -> Any:
    """Return Numba's type of one state."""
    return numba.from_dtype(dtype)


# The compile cache


class KernelCache(_Cache):
    """Machine code of one kernel: a file per signature and fingerprint.

    Numba's own cache looks at the file in which the function is defined: it compiles again after a change of a comment,
    and does not after a change in an imported module (docs/decisions/0004-compile-cache.md).
    """

    def __init__(self, dispatcher: Any) -> None:
        self._dispatcher = dispatcher
        self._function: FunctionType = dispatcher.py_func
        self._paths: dict[Any, Path] = {}

    @property
    def cache_path(self) -> str:
        """The folder of the files."""
        return str(self._folder)

    @property
    def _folder(self) -> Path:
        return compilation.cache_folder() / self._function.__module__

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled for a signature, None if nothing was."""
        target_context.refresh()
        content = cache_files.read(self._path(sig, target_context.codegen()))
        if content is None:
            compilation.announce_compilation()
            return None
        return CompileResult._rebuild(target_context, *pickle.loads(content))

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled for a signature."""
        if data.lifted or data.library.has_dynamic_globals:
            name = f"{self._function.__module__}.{self._function.__qualname__}"
            warnings.warn(f"{name} is compiled in every process: it refers to pointers or large arrays", stacklevel=2)
            return
        cache_files.write(self._path(sig, data.codegen), dumps(data._reduce()))

    def _path(self, signature: Any, codegen: Any) -> Path:
        arguments, result = normalize_signature(signature)
        key = (tuple(arguments), result)
        if key not in self._paths:
            described = cache_files.digest_of([*map(describe_type, arguments), str(result)])
            version = cache_files.digest_of([self._fingerprint(arguments), repr(codegen.magic_tuple())])
            name = f"{self._function.__qualname__}-{described}-{version}{cache_files.SUFFIX}"
            self._paths[key] = self._folder / name.replace("<", "").replace(">", "")
        return self._paths[key]

    def _fingerprint(self, arguments: Any) -> str:
        """Return the fingerprint of the function for the games whose states are among its arguments."""
        games = list(stubs.bound_kernels({state for argument in arguments for state in _state_types(argument)}))
        return fingerprints.fingerprint(self._dispatcher, lambda name: [getattr(kernels, name) for kernels in games])

    def enable(self) -> None:
        """Do nothing: it is always enabled."""

    def disable(self) -> None:
        """Do nothing: it is always enabled."""

    def flush(self) -> None:
        """Do nothing: a file is never wrong."""


@cache
def describe_type(kind: Any) -> str:
    """Digest a type; the text that Numba has for it lacks the names of a tuple's fields and the members of an enum."""
    described: list[str | bytes] = [str(kind)]
    if instance_class := getattr(kind, "instance_class", None):
        described += fingerprints.describe(instance_class)
    described += [describe_type(part) for part in _parts_of(kind)]
    return cache_files.digest_of(described)


def _state_types(kind: Any) -> Iterator[Any]:
    """Yield the types of structures that a type is made from, itself included."""
    if isinstance(kind, types.Record):
        yield kind
    for part in _parts_of(kind):
        yield from _state_types(part)


def _parts_of(kind: Any) -> Iterator[Any]:
    if isinstance(kind, types.BaseTuple):
        yield from kind.types
    elif isinstance(kind, types.Buffer | types.NestedArray | types.Optional):
        yield kind.type if isinstance(kind, types.Optional) else kind.dtype


def compiler_digest() -> str:
    """Digest what all machine code depends on: the versions, and this module."""
    versions = [sys.version, numba.__version__, llvmlite.__version__, np.__version__]
    return cache_files.digest_of([*versions, fingerprints.syntax_digest(Path(__file__))])


# Instructions of the processor
#
# CPUs and CUDA devices have them. LLVM recognises them in Python code for a CPU; NVIDIA's compiler does not, and needs
# about twenty instructions for each.


def _word_instruction(instruction: Callable[[Any, Any], Any]) -> Any:
    """Return a function that kernels can call for an instruction on one 64-bit integer."""

    def typed(_context: Any, _bits: Any) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return instruction(builder, arguments[0])

        return types.int64(types.int64), generate

    return intrinsic(typed)


# `false_bit`: the result for zero is defined.
count_bits = _word_instruction(lambda builder, bits: builder.ctpop(bits))
zeros_below = _word_instruction(lambda builder, bits: builder.cttz(bits, false_bit))
zeros_above = _word_instruction(lambda builder, bits: builder.ctlz(bits, false_bit))


def _typed_copy(_context: Any, target: Any, source: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> None:
        words = [builder.bitcast(pointer, ir.IntType(64).as_pointer()) for pointer in arguments]
        indices = [ir.IntType(32)(index) for index in range(target.size // 8)]
        for part in (indices[first : first + 16] for first in range(0, len(indices), 16)):
            loaded = [builder.load(builder.gep(words[1], [index])) for index in part]
            for index, word in zip(part, loaded, strict=True):
                builder.store(word, builder.gep(words[0], [index]))

    return types.void(target, source), generate


# (target, source), two states of one type whose size is a multiple of 8 bytes. NVIDIA's compiler copies structures byte
# by byte, and a thread waits for each byte.
copy_words: Any = intrinsic(_typed_copy)


def _local_array_maker(number: Any) -> Any:
    """Return a function that kernels can call for an array on the stack, of a constant size and 64-bit numbers.

    It is there until the kernel returns. Arrays that NumPy makes are allocated, which takes longer than most kernels,
    and which CUDA does not have.
    """
    kind = types.Array(number, 1, "C")

    def typed(_context: Any, count: Any) -> Any:
        if not isinstance(count, types.IntegerLiteral):
            return None

        def generate(context: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
            memory = alloca_once(builder, context.get_data_type(number), count.literal_value)
            array = context.make_array(kind)(context, builder)
            shape, stride = (context.get_constant(types.intp, size) for size in (count.literal_value, 8))
            populate_array(array, memory, shape=(shape,), strides=(stride,), itemsize=stride, meminfo=None)
            return array._getvalue()

        return kind(count), generate

    return intrinsic(prefer_literal=True)(typed)


local_array = _local_array_maker(types.int64)
local_float_array = _local_array_maker(types.float64)


def _typed_nothing(_context: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
        if not isinstance(context, CPUContext):
            builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.none(), generate


# NVIDIA's compiler inlines every function, at each call; the kernel then needs registers for all of them together.
stay_out_of_line: Any = intrinsic(_typed_nothing)


def _typed_target(_context: Any) -> Any:
    def generate(context: Any, _builder: Any, _signature: Any, _arguments: Any) -> Any:
        return context.get_constant(types.boolean, not isinstance(context, CPUContext))

    return types.boolean(), generate


# A constant for LLVM, which leaves out the branch that is never taken.
is_on_cuda: Any = intrinsic(_typed_target)


# CUDA

MAX_CONSTANT_BYTES = 256  # of a table in a device's constant memory


def import_cuda() -> Any:
    """Import and return `numba.cuda`: numba-cuda 0.30 needs `np.row_stack`, which NumPy 2.5 no longer has."""
    if "row_stack" not in dir(np):
        np.row_stack = np.vstack
    from numba import cuda

    if not numba.config.ENABLE_CUDASIM:  # type: ignore[attr-defined]
        _keep_tables_in_global_memory()
    return cuda


@cache
def _keep_tables_in_global_memory() -> None:
    """Have CUDA kernels read larger tables from global memory.

    Numba puts all tables of a module into constant memory, which gives a warp one element at a time: its threads wait
    for each other wherever they read different elements.
    """
    from numba.cuda.cudadrv import nvvm
    from numba.cuda.target import CUDATargetContext

    make_constant_array, constant_memory = CUDATargetContext.make_constant_array, nvvm.ADDRSPACE_CONSTANT

    def make_table(context: Any, builder: Any, kind: Any, table: np.ndarray) -> Any:
        nvvm.ADDRSPACE_CONSTANT = nvvm.ADDRSPACE_GLOBAL if table.nbytes > MAX_CONSTANT_BYTES else constant_memory
        try:
            return make_constant_array(context, builder, kind, table)
        finally:
            nvvm.ADDRSPACE_CONSTANT = constant_memory

    CUDATargetContext.make_constant_array = make_table  # type: ignore[method-assign]
