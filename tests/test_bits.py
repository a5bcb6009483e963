"""Sets of bits and runs of entries, compared with plain Python."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tablee.core.bits import count_of, highest_bit, list_bits, lowest_bit, nth_bit, write_bits, write_elements
from tablee.core.fractions import fraction
from tablee.core.runs import close_gap, open_gap

sets = st.integers(0, 2**63 - 1)
patient = settings(deadline=None)  # the first call compiles


@patient
@given(sets)
def test_bits_are_counted(bits):
    assert count_of(np.int64(bits)) == bits.bit_count()


@patient
@given(sets)
def test_the_lowest_and_the_highest_bit_are_found(bits):
    assert highest_bit(np.int64(bits)) == bits.bit_length() - 1  # -1 for the empty set
    if bits:
        assert lowest_bit(np.int64(bits)) == (bits & -bits).bit_length() - 1


@patient
@given(sets.filter(bool), st.data())
def test_each_bit_is_found_by_its_number(bits, data):
    indices = [index for index in range(63) if (bits >> index) & 1]
    number = data.draw(st.integers(0, len(indices) - 1))
    assert nth_bit(np.int64(bits), number) == indices[number]


@patient
@given(sets, st.integers(0, 5))
def test_bits_are_appended_to_what_is_in_the_list(bits, count):
    out = np.full(80, -1, np.int32)
    indices = [7 + index for index in range(63) if (bits >> index) & 1]
    assert list_bits(np.int64(bits), 7, out, count) == count + len(indices)
    assert out[count : count + len(indices)].tolist() == indices
    assert (out[:count] == -1).all()


@patient
@given(sets, st.integers(0, 5))
def test_a_set_is_written_as_ones_on_a_cpu_and_on_a_device(bits, start):
    ones = [(bits >> index) & 1 for index in range(63)]
    by_width, by_element = np.zeros((2, 70), np.float32)
    by_width[start + 63 :] = 7.0
    write_bits(np.int64(bits), by_width, start, 63)
    write_elements(np.int64(bits), by_element, start)
    assert by_width.tolist() == [0.0] * start + ones + [7.0] * (7 - start)
    assert by_element[start : start + 63].tolist() == ones
    assert by_element.sum() == sum(ones)


@patient
@given(st.integers(-(2**24), 2**24), st.integers(1, 2**24))
def test_a_fraction_has_the_bits_of_a_quotient_that_is_rounded_once(number, limit):
    assert np.float32(fraction(number, limit)).tobytes() == np.float32(number / limit).tobytes()


@patient
@given(st.lists(st.integers(-100, 100), max_size=60), st.data())
def test_a_gap_is_opened_and_closed(cards, data):
    index = data.draw(st.integers(0, len(cards)))
    run = np.zeros(61, np.int8)
    run[: len(cards)] = cards
    open_gap(run, index, len(cards))
    run[index] = 77
    assert run[: len(cards) + 1].tolist() == [*cards[:index], 77, *cards[index:]]
    close_gap(run, index, len(cards) + 1)
    assert run[: len(cards)].tolist() == cards
