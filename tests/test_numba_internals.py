"""What `core/numba_internals.py` relies on: each test fails when a release of Numba changes it."""

import re
import subprocess
import sys
import tomllib
from collections import namedtuple
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tablee.core.compilation import inlined_kernel, is_interpreted, kernel, lean_kernel

if is_interpreted():
    pytest.skip("nothing is compiled", allow_module_level=True)

import numba
from llvmlite import ir
from numba.core import types

from tablee.core import compilation, numba_internals
from tablee.core.fields import new_state
from tablee.core.stubs import bind_stubs, stub

ROOT = Path(__file__).parents[1]
STATE = np.dtype([("field_of_this_test", "i8"), ("seats", "i8")])


def llvm(dispatcher):
    """Return the optimised LLVM code of the only signature of a kernel that was just compiled."""
    (code,) = dispatcher.inspect_llvm().values()
    return code


def uncached(decorator, function):
    """Return a kernel that is compiled in this process, whatever is in the cache."""
    dispatcher = decorator(function)
    dispatcher._cache.load_overload = lambda sig, target_context: None
    return dispatcher


# Arrays on the stack


def sum_of_squares(count):
    """Add up squares that were written into a local array."""
    squares = numba_internals.local_array(8)
    for index in range(8):
        squares[index] = index * index
    total = 0
    for index in range(count):
        total += squares[index]
    return total + len(squares)


def test_a_local_array_is_on_the_stack():
    compiled = uncached(lean_kernel, sum_of_squares)
    assert compiled(5) == 0 + 1 + 4 + 9 + 16 + 8
    assert "NRT" not in llvm(compiled)


# Reference counts


def swap(run, other):
    """Give arrays on, as a step of a batch does."""
    for index in range(len(run)):
        run[index], other[index] = other[index], run[index]
    return run


def test_a_lean_kernel_counts_no_references():
    numbers = np.arange(4)
    counting, lean = uncached(kernel, swap), uncached(lean_kernel, swap)
    counting(numbers, numbers.copy())
    lean(numbers, numbers.copy())
    assert "NRT_incref" in llvm(counting)
    assert "NRT" not in llvm(lean)


def test_a_lean_kernel_that_allocates_is_refused():
    @lean_kernel
    def allocate(count):
        return np.zeros(count)

    with pytest.raises(numba.TypingError):
        allocate(3)


# Options


def test_kernels_release_the_gil_and_divide_by_zero_as_numpy_does():
    divide = uncached(kernel, lambda number: 1.0 / number)
    assert divide(0.0) == np.inf
    assert divide.targetoptions["nogil"] is True


def test_no_wrapper_for_c_is_compiled():
    triple = uncached(kernel, lambda number: number * 3)
    assert triple(2) == 6
    assert "cfunc" not in llvm(triple)
    assert "cfunc" in llvm_with_wrapper()


def llvm_with_wrapper():
    """Return the code of a function compiled with Numba's usual options."""
    usual = numba.njit(lambda number: number * 3)
    usual(2)
    return llvm(usual)


# Widened calls


@kernel
def double(number):
    return number * 2


@inlined_kernel
def increase(number):
    return number + 1


def test_a_kernel_is_compiled_once_whatever_the_width_of_its_arguments():
    @numba.njit
    def combine(narrow, wide):
        return double(narrow) + double(wide) + double(5) + increase(7)

    assert combine(np.int8(100), 1 << 40) == 200 + (1 << 41) + 10 + 8
    assert double.signatures == [(numba.int64,)]
    assert increase.signatures == []


# Stubs


@stub
def answer_of_this_test(state, number):
    """Stand for the kernel below."""


@kernel
def answer(state, number):
    state.field_of_this_test = number
    return number + 1


def test_a_stub_is_typed_and_called_as_the_kernel_of_the_game():
    bind_stubs(SimpleNamespace(state_type=STATE, answer_of_this_test=answer))

    @numba.njit
    def ask(state):
        return answer_of_this_test(state, np.int8(4))

    state = new_state(STATE)
    assert ask(state) == 5
    assert state.field_of_this_test == 4
    assert len(answer.signatures) == 1, "and compiled for int64, as other calls"
    with pytest.raises(numba.TypingError):
        ask(new_state(np.dtype([("field_of_no_game", "i8")])))


# The cache


def test_a_compiled_kernel_is_kept_and_loaded_again(tmp_path, monkeypatch):
    monkeypatch.setattr(compilation, "cache_folder", lambda: tmp_path)

    def quadruple(number):
        return number * 4

    announced = []
    with compilation.on_compilation(lambda: announced.append(1)):
        first, second = kernel(quadruple), kernel(quadruple)
        assert first(2) == second(2) == 8
    assert sum(first.stats.cache_misses.values()) == 1
    assert sum(second.stats.cache_hits.values()) == 1
    assert sum(second.stats.cache_misses.values()) == 0
    assert announced == [1]
    assert len(list(tmp_path.rglob("*.machine_code"))) == 1
    assert str(tmp_path) in first.stats.cache_path


def test_types_are_told_apart_by_the_names_of_their_fields():
    straight, swapped = namedtuple("Pair", "first second"), namedtuple("Pair", "second first")
    kinds = [types.NamedTuple((types.int64, types.float64), pair) for pair in (straight, swapped)]
    assert str(kinds[0]) == str(kinds[1])
    assert numba_internals.describe_type(kinds[0]) != numba_internals.describe_type(kinds[1])


def test_the_states_of_a_signature_are_found_wherever_they_are():
    state_type = numba_internals.type_of_states(STATE)
    arrays = namedtuple("Arrays", "states count")(np.zeros(2, STATE), 3)
    for value in (new_state(STATE), np.zeros(2, STATE), (1, (np.zeros(2, STATE),)), arrays):
        assert list(numba_internals._state_types(numba.typeof(value))) == [state_type]
    assert list(numba_internals._state_types(numba.typeof((1, np.zeros(2))))) == []


# CUDA


def test_a_state_is_copied_by_words():
    def copy(target, source):
        numba_internals.copy_words(target, source)

    copied = uncached(kernel, copy)
    long = np.dtype([("numbers", "i8", (19,)), ("bytes", "u1", (8,))])  # more words than are loaded at once
    source, target = new_state(long), new_state(long)
    source["numbers"], source["bytes"] = np.arange(1, 20), np.arange(21, 29)
    copied(target, source)
    assert target.tobytes() == source.tobytes()
    assert "load i64" in llvm(copied) or "load <" in llvm(copied)
    assert "memcpy" not in llvm(copied)


def test_only_on_a_cuda_device_a_kernel_stays_out_of_line():
    attributes = set()
    _, generate = numba_internals._typed_nothing(None)
    builder = SimpleNamespace(function=SimpleNamespace(attributes=attributes))
    on_cuda = SimpleNamespace(get_dummy_value=lambda: None)
    generate(on_cuda, builder, None, ())
    assert attributes == {"noinline"}

    def call():
        numba_internals.stay_out_of_line()

    on_cpu = uncached(kernel, call)
    on_cpu()
    assert "noinline" not in llvm(on_cpu)


def test_what_a_kernel_is_compiled_for_is_a_constant():
    _, generate = numba_internals._typed_target(None)
    assert generate(SimpleNamespace(get_constant=lambda kind, value: value), None, None, ()) is True

    def choose(number):
        if numba_internals.is_on_cuda():
            return number * 12345
        return number + 1

    on_cpu = uncached(kernel, choose)
    assert on_cpu(2) == 3
    assert "12345" not in llvm(on_cpu)


def test_the_cuda_module_can_be_imported():
    assert hasattr(numba_internals.import_cuda(), "jit")


GLOBAL_MEMORY, CONSTANT_MEMORY = 1, 4  # as NVIDIA's compiler numbers them


def test_only_small_tables_are_in_constant_memory():
    numba_internals.import_cuda()
    from numba.cuda.target import CUDATargetContext, CUDATypingContext

    class Context(CUDATargetContext):
        def get_abi_sizeof(self, kind):
            return 8  # without NVIDIA's compiler

    context = Context(CUDATypingContext())
    context.refresh()
    found = []
    for count in (32, 33, 32):
        module = ir.Module()
        function = ir.Function(module, ir.FunctionType(ir.VoidType(), ()), "kernel")
        table = np.arange(count)
        context.make_constant_array(ir.IRBuilder(function.append_basic_block()), numba.typeof(table), table)
        (memory,) = (value.addrspace for value in module.global_values if isinstance(value, ir.GlobalVariable))
        found.append(memory)
    assert found == [CONSTANT_MEMORY, GLOBAL_MEMORY, CONSTANT_MEMORY]


# The supported range


def test_the_installed_version_is_in_the_supported_range():
    requirement = next(
        text
        for text in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
        if text.startswith("numba")
    )
    oldest, newest = re.fullmatch(r"numba>=([\d.]+),<([\d.]+)", requirement).groups()
    installed = tuple(int(number) for number in numba.__version__.split(".")[:2])
    assert tuple(map(int, oldest.split("."))) <= installed < tuple(map(int, newest.split(".")))


def test_nothing_else_uses_private_names_of_numba():
    """Public are `numba` itself, `numba.core.types`, `numba.extending` and `numba.cuda`."""
    package = Path(numba_internals.__file__).parents[1]
    private = re.compile(r"from numba\.(?!extending\b)\w|import numba\.|_nrt|row_stack|get_call_template|lower_builtin")
    found = {path.name for path in package.rglob("*.py") if private.search(path.read_text())}
    assert found == {"numba_internals.py"}


def test_importing_it_prints_no_warning():
    code = "import tablee.core.numba_internals"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
