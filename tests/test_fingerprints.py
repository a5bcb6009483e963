"""Fingerprints: they change with everything that machine code is made from, and with nothing else."""

import enum
import os
import subprocess
import sys
import types
from collections import namedtuple

import numpy as np
import pytest

from tablee.core import fingerprints
from tablee.core.fingerprints import fingerprint, syntax_digest

SOURCE = '''
def helper(number):
    """A docstring."""
    return number + CONSTANT

def kernel(state, number=3):
    """A docstring."""
    for index in range(4):
        state.points[index] = helper(number) * module.MEMBER + np.int64(2)
    return play(state, number)
'''


class Kernel:
    """Stands for a compiled kernel: what a fingerprint reads of one."""

    def __init__(self, function, **options):
        self.py_func = function
        self.targetoptions = options


def make(source=SOURCE, options=None, stub_target=None, **names):
    """Return the fingerprint of `kernel` in a module with a source and some global names."""
    module = types.ModuleType("a_member_of_tests")
    module.MEMBER = names.pop("member", 5)
    stub = types.FunctionType((lambda state, move: None).__code__, {})
    stub.__stub__ = "play"
    namespace = {"__name__": "tests_of_fingerprints", "np": np, "module": module, "play": stub, "CONSTANT": 1, **names}
    exec(source, namespace)
    if "helper" not in names:
        namespace["helper"] = Kernel(namespace["helper"])
    targets = [] if stub_target is None else [stub_target]
    return fingerprint(Kernel(namespace["kernel"], **(options or {})), lambda name: targets)


def test_the_same_source_has_the_same_fingerprint():
    assert make() == make()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("A docstring.", "Another docstring, longer than before."),
        ("\ndef kernel", "\n\n\n# A comment.\ndef kernel"),
        ("state, number=3", "state: object, number: int = 3"),
        ("def helper(number):", "def helper(number: int) -> int:"),
        ("helper(number) * module.MEMBER", "(helper(number)  *  module.MEMBER)"),
    ],
)
def test_what_machine_code_does_not_depend_on_changes_nothing(old, new):
    assert make(SOURCE.replace(old, new)) == make()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("range(4)", "range(5)"),
        ("number=3", "number=4"),
        ("number + CONSTANT", "number - CONSTANT"),
        ("state.points", "state.totals"),
        ("np.int64(2)", "np.int32(2)"),
        ("play(state, number)", "play(state, index)"),
    ],
)
def test_code_changes_it(old, new):
    changed = SOURCE.replace(old, new)
    assert changed != SOURCE
    assert make(changed) != make()


class Refusal(enum.IntEnum):
    """Two codes."""

    LATE = 1
    EARLY = 2


class Renumbered(enum.IntEnum):
    """The same codes with other numbers."""

    LATE = 2
    EARLY = 1


Renumbered.__qualname__ = Renumbered.__name__ = "Refusal"

STRAIGHT, SWAPPED = namedtuple("Pair", "first second"), namedtuple("Pair", "second first")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (1, 2),
        (1, 1.0),
        (1, True),
        (0.0, -0.0),
        ((1, 2), (2, 1)),
        ((1, (2,)), (1, (3,))),
        (b"a", b"b"),
        (np.arange(3), np.arange(3) + 1),
        (np.arange(3), np.arange(3.0)),
        (np.arange(6), np.arange(6).reshape(2, 3)),
        (np.zeros((2, 2)), np.zeros((2, 2), order="F")),
        (np.int8(1), np.int16(1)),
        (np.dtype("i4"), np.dtype("i8")),
        (np.dtype([("a", "i4")]), np.dtype([("b", "i4")])),
        (np.dtype([("a", "i1"), ("b", "i4")]), np.dtype([("a", "i1"), ("b", "i4")], align=True)),
        (np.int32, np.int64),
        (Refusal, Renumbered),
        (Refusal.LATE, Refusal.EARLY),
        (STRAIGHT, SWAPPED),
        (STRAIGHT(1, 2), STRAIGHT(2, 1)),
        (range(3), range(4)),
        (frozenset({1}), frozenset({2})),
        (None, 0),
        (max, min),
    ],
)
def test_the_values_of_globals_change_it(first, second):
    assert make(CONSTANT=first) == make(CONSTANT=first)
    assert make(CONSTANT=first) != make(CONSTANT=second)


def test_members_of_modules_change_it():
    assert make(member=6) != make(member=5)


def test_a_kernel_called_by_one_in_a_tuple_changes_it():
    inner = [Kernel(eval(f"lambda number: number + {number}")) for number in (1, 2)]
    outer = [Kernel(eval("lambda number: 2 * inner(number)", {"__name__": "m", "inner": kernel})) for kernel in inner]
    assert make(CONSTANT=(outer[0],)) != make(CONSTANT=(outer[1],))


def test_options_change_it():
    assert make(options={"nogil": True}) != make(options={"nogil": False})


def test_the_kernel_that_a_stub_stands_for_changes_it():
    targets = [Kernel(eval(f"lambda state, move: move + {number}")) for number in (1, 2)]
    assert make(stub_target=targets[0]) != make(stub_target=targets[1])
    assert make(stub_target=targets[0]) != make()


def test_kernels_that_refer_to_each_other_have_fingerprints():
    """Recursion is not compiled, but names are looked up generously."""
    namespace = {"__name__": "tests_of_fingerprints"}
    exec("def first(state):\n    return state.second\ndef second(state):\n    return state.first", namespace)
    namespace["first"], namespace["second"] = kernels = [Kernel(namespace[name]) for name in ("first", "second")]
    digests = [fingerprint(kernel, lambda name: []) for kernel in kernels]
    assert digests[0] != digests[1]


def test_closures_change_it():
    def closure(number):
        return Kernel(lambda: number)

    digests = [fingerprint(closure(number), lambda name: []) for number in (1, 1, 2)]
    assert digests[0] == digests[1] != digests[2]


def test_a_function_that_is_no_kernel_is_compared_by_the_syntax_of_its_module(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    digests = []
    for name, result in {"plain_one": "n", "plain_two": "n + 1"}.items():
        (tmp_path / f"{name}.py").write_text(f"def helper(n):\n    return {result}\n")
        function = __import__(name).helper
        function.__module__ = name
        digests.append(list(fingerprints.describe(function))[-1])
    assert digests[0] != digests[1]


def test_the_digest_of_syntax_ignores_comments_docstrings_and_annotations(tmp_path):
    first = (
        '"""Module."""\n\nclass A:\n    """Class."""\n    def b(self, c):\n        """Function."""\n        return c\n'
    )
    same = "class A:\n    # Comment.\n    def b(self, c: int) -> int:\n        'Function'\n\n        return c\n"
    sources = [first, same, first.replace("return c", "return -c")]
    digests = []
    for number, source in enumerate(sources):
        (tmp_path / f"{number}.py").write_text(source)
        digests.append(syntax_digest(tmp_path / f"{number}.py"))
    assert digests[0] == digests[1] != digests[2]


def test_a_kernel_whose_module_is_being_imported_is_looked_at_again(tmp_path):
    """What it refers to may be defined later: nothing that was found too early is kept."""
    (tmp_path / "early.py").write_text(
        "from tablee.core import fingerprints\n"
        "class Kernel:\n    targetoptions = {}\n    def __init__(self, f): self.py_func = f\n"
        "kernel = Kernel(lambda: LATER)\n"
        "before = fingerprints.fingerprint(kernel, lambda name: [])\n"
        "LATER = 1\n"
    )
    code = (
        "import early; from tablee.core.fingerprints import fingerprint; "
        "print(early.before != fingerprint(early.kernel, lambda name: []))"
    )
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "True"
