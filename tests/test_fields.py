"""Structured scalars whose fields are attributes: the same dtype for NumPy and kernels, fast in interpreted code."""

import copy
import pickle

import numpy as np
import pytest

from tablee.core.fields import new_state, single_state, with_attributes

INNER = np.dtype([("counter", "u4"), ("words", "u4", (3,))], align=True)
OUTER = np.dtype([("total", "i8"), ("generator", INNER), ("grid", "i1", (2, 4)), ("phase", "i8")], align=True)


def test_fields_are_attributes_and_so_are_fields_of_fields():
    state = new_state(OUTER)
    state.total = -7
    state.grid[1, 2] = 5
    state.generator.counter = 9
    state.generator.words[2] = 4
    assert (state.total, state.grid[1].tolist(), state.generator.counter) == (-7, [0, 0, 5, 0], 9)
    assert (state["total"], state["generator"]["words"].tolist()) == (-7, [0, 0, 4])
    with pytest.raises(AttributeError):
        state.no_such_field = 1


def test_the_dtype_equals_the_one_without_attributes():
    dtype = with_attributes(OUTER)
    assert (dtype, dtype.itemsize, hash(dtype)) == (OUTER, OUTER.itemsize, hash(OUTER))
    assert with_attributes(dtype) is dtype
    plain = np.zeros(1, OUTER)
    plain[0] = (3, (1, (1, 2, 3)), 6, 2)
    copied = np.zeros(1, dtype)
    copied[0] = plain[0]
    assert copied[0].tobytes() == plain[0].tobytes()
    assert copied[0].generator.words.tolist() == [1, 2, 3]


def test_a_scalar_can_be_copied_and_pickled():
    state = new_state(OUTER)
    state.generator.counter = 9
    for twin in (pickle.loads(pickle.dumps(state)), copy.deepcopy(state), copy.copy(state)):
        assert (type(twin), twin.tobytes()) == (type(state), state.tobytes())
        twin.generator.counter = 1
        assert state.generator.counter == 9


def test_a_scalar_shares_the_memory_of_its_array_and_is_read_only_with_it():
    states = np.zeros(2, with_attributes(OUTER))
    states[1].phase = 3
    assert states["phase"].tolist() == [0, 3]
    single = single_state(states[1:])
    single.total = 8
    for state in (single, states[1], single.generator):  # with a reference to its memory, and without
        assert bytes(state.data) == state.tobytes()
    states.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        states[1].phase = 4
