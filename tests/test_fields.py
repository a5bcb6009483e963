"""Records whose fields are attributes: the same type to NumPy and to kernels, quick to read in interpreted code."""

import copy
import pickle

import numpy as np
import pytest

from tablee.core.fields import new_record, only_record, with_attributes

INNER = np.dtype([("counter", "u4"), ("words", "u4", (3,))], align=True)
OUTER = np.dtype([("total", "i8"), ("generator", INNER), ("grid", "i1", (2, 4)), ("phase", "i8")], align=True)


def test_fields_are_read_and_written_as_attributes_also_in_fields():
    record = new_record(OUTER)
    record.total = -7
    record.grid[1, 2] = 5
    record.generator.counter = 9
    record.generator.words[2] = 4
    assert (record.total, record.grid[1].tolist(), record.generator.counter) == (-7, [0, 0, 5, 0], 9)
    assert (record["total"], record["generator"]["words"].tolist()) == (-7, [0, 0, 4])
    with pytest.raises(AttributeError):
        record.no_such_field = 1


def test_the_type_is_the_same_as_without_attributes():
    quick = with_attributes(OUTER)
    assert (quick, quick.itemsize, hash(quick)) == (OUTER, OUTER.itemsize, hash(OUTER))
    assert with_attributes(quick) is quick
    plain = np.zeros(1, OUTER)
    plain[0] = (3, (1, (1, 2, 3)), 6, 2)
    copied = np.zeros(1, quick)
    copied[0] = plain[0]
    assert copied[0].tobytes() == plain[0].tobytes()
    assert copied[0].generator.words.tolist() == [1, 2, 3]


def test_a_record_can_be_copied_and_sent_to_another_process():
    record = new_record(OUTER)
    record.generator.counter = 9
    for twin in (pickle.loads(pickle.dumps(record)), copy.deepcopy(record), copy.copy(record)):
        assert (type(twin), twin.tobytes()) == (type(record), record.tobytes())
        twin.generator.counter = 1
        assert record.generator.counter == 9


def test_a_record_is_the_memory_of_its_array_and_read_only_with_it():
    records = np.zeros(2, with_attributes(OUTER))
    records[1].phase = 3
    assert records["phase"].tolist() == [0, 3]
    alone = only_record(records[1:])
    alone.total = 8
    for record in (alone, records[1], alone.generator):  # how Numba finds a record: quickly, or as NumPy says
        assert bytes(record.data) == record.tobytes()
    records.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        records[1].phase = 4
