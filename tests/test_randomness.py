"""Random numbers: ChaCha8 as published, no bias, the same numbers interpreted and compiled."""

import json
import os
import secrets
import subprocess
import sys
from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from tablee.core.compilation import is_interpreted
from tablee.core.randomness import (
    GENERATOR,
    KEY_BITS,
    below,
    key_words,
    new_generator,
    next_word,
    reseed,
    secret_seed,
    shuffle,
    softmax_draw,
    softmax_index,
    start,
    uniform,
)
from tablee.testing import assert_uniform

DRAWS = 2_000 if is_interpreted() else 100_000
REJECTING = 2**30 + 1  # nearly a quarter of all words are rejected for this range

# J. Strömbergson, "Test Vectors for the Stream Cipher ChaCha" (draft-strombergson-chacha-test-vectors-01), 256-bit key,
# 8 rounds: all zero; first byte of the key 1; first byte of the IV 1.
PUBLISHED = [
    (
        0,
        0,
        "3e00ef2f895f40d67f5bb8e81f09a5a12c840ec3ce9a7f3b181be188ef711a1e"
        "984ce172b9216f419f445367456d5619314a42a3da86b001387bfdb80e0cfe42"
        "d2aefa0deaa5c151bf0adb6c01f2a5adc0fd581259f9a2aadcf20f8fd566a26b"
        "5032ec38bbc5da98ee0c6f568b872a65a08abf251deb21bb4b56e5d8821e68aa",
    ),
    (
        1,
        0,
        "cf5ee9a0494aa9613e05d5ed725b804b12f4a465ee635acc3a311de8740489ea"
        "289d04f43c7518db56eb4433e498a1238cd8464d3763ddbb9222ee3bd8fae3c8",
    ),
    (
        0,
        1,
        "2b8f4bb3798306ca5130d47c4f8d4ed13aa0edccc1be6942090faeeca0d7599b"
        "7ff0fe616bb25aa0153ad6fdc88b954903c22426d478b97b22b8f9b1db00cf06",
    ),
]


def words(generator, count):
    """Draw words."""
    return [int(next_word(generator)) for _ in range(count)]


@pytest.mark.parametrize(("seed", "stream", "published"), PUBLISHED)
def test_the_words_are_those_of_chacha8(seed, stream, published):
    drawn = words(new_generator(seed, stream), len(published) // 8)
    assert b"".join(word.to_bytes(4, "little") for word in drawn).hex() == published


def test_a_generator_continues_after_the_end_of_a_block():
    generator = new_generator(5)
    first = words(generator, 10)
    assert first + words(generator, 40) == words(new_generator(5), 50)
    assert generator.counter == 4


def test_streams_and_seeds_give_different_words():
    generators = [new_generator(seed, stream) for seed in (0, 1, 2**128, 2**255) for stream in (0, 1, 2**63)]
    assert len({tuple(words(generator, 4)) for generator in generators}) == len(generators)


@pytest.mark.parametrize("bit", [0, 31, 32, 100, 255])
def test_every_bit_of_a_seed_changes_the_words(bit):
    assert words(new_generator(1 << bit), 2) != words(new_generator(0), 2)


def test_start_goes_to_the_beginning_of_a_stream_and_clears_the_block():
    generator = new_generator(9)
    words(generator, 5)
    start(generator, 3)
    assert generator.tobytes() == new_generator(9, 3).tobytes()
    assert words(generator, 20) == words(new_generator(9, 3), 20)


def test_reseed_draws_a_new_key():
    source, generator = new_generator(4), new_generator(1, 2)
    words(generator, 3)
    reseed(generator, source)
    assert list(generator.key) == words(new_generator(4), 8)
    assert (generator.stream, generator.left, generator.counter) == (0, 0, 0)
    reseed(generator, source)
    assert list(generator.key) == words(new_generator(4), 16)[8:]


@pytest.mark.parametrize("seed", [-1, 2**KEY_BITS])
def test_a_seed_outside_the_range_is_refused(seed):
    with pytest.raises(ValueError, match=f"not {seed}"):
        key_words(seed)


def test_secret_seeds_use_the_whole_key(monkeypatch):
    monkeypatch.setattr("tablee.core.randomness.secrets", secrets)  # tests otherwise draw reproducible ones
    seeds = [secret_seed() for _ in range(64)]
    assert len(set(seeds)) == 64
    assert max(seed.bit_length() for seed in seeds) > KEY_BITS - 16


@pytest.mark.parametrize("count", [2, 3, 6, 13, 52])
def test_below_is_uniform(count):
    generator = new_generator(11, count)
    assert_uniform(Counter(int(below(generator, count)) for _ in range(DRAWS)), range(count))


def test_below_one_is_zero():
    generator = new_generator(1)
    assert {int(below(generator, 1)) for _ in range(20)} == {0}


def fitting(generator, count):
    """Draw as `below` should, with Python integers; also return the number of words drawn."""
    for drawn in range(1, 1000):
        product = int(next_word(generator)) * count
        if product % 2**32 >= 2**32 % count:
            return product >> 32, drawn
    raise AssertionError("no word fits")


@pytest.mark.parametrize("count", [3, 2**20 + 7, REJECTING, 2**31 - 1])
def test_below_rejects_words_that_would_favour_some_numbers(count):
    generator, same = new_generator(2), new_generator(2)
    expected = [fitting(same, count) for _ in range(200)]
    assert [int(below(generator, count)) for _ in range(200)] == [number for number, _ in expected]
    assert generator.tobytes() == same.tobytes(), "both have drawn as many words"
    if count == REJECTING:
        assert sum(drawn - 1 for _, drawn in expected) > 30


@pytest.mark.parametrize("size", [2, 3, 4])
def test_every_order_of_a_shuffle_is_equally_likely(size):
    generator = new_generator(3, size)
    counts = Counter()
    for _ in range(DRAWS // 2):
        cards = np.arange(size, dtype=np.int8)
        shuffle(generator, cards, size)
        counts[tuple(cards.tolist())] += 1
    assert_uniform(counts, list(permutations(range(size))))


def test_a_shuffle_does_not_touch_the_entries_after_the_count():
    cards = np.arange(50, dtype=np.int8)
    shuffle(new_generator(3), cards, 20)
    assert sorted(cards[:20]) == list(range(20))
    assert list(cards[:20]) != list(range(20))
    assert list(cards[20:]) == list(range(20, 50))


NUMBERS = """
import json
import numpy as np
from tablee.core.randomness import below, new_generator, shuffle
generator = new_generator(2**200 + 17, 2**40 + 3)
numbers = [int(below(generator, count)) for count in (2, 3, 52, 2**20 + 7, 2**30 + 1, 2**31 - 1) for _ in range(20)]
cards = np.arange(60, dtype=np.int8)
shuffle(generator, cards, 60)
print(json.dumps([numbers, cards.tolist(), generator.tobytes().hex()]))
"""


def test_interpreted_and_compiled_numbers_are_the_same():
    printed = []
    for disabled in ("0", "1"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": disabled}
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", NUMBERS], env=environment, check=True, capture_output=True
        )
        printed.append(json.loads(done.stdout))
    assert printed[0] == printed[1]
    assert len(set(printed[0][0])) > 60


def test_a_generator_is_small_and_has_no_padding():
    assert GENERATOR.itemsize == sum(GENERATOR[name].itemsize for name in GENERATOR.names) == 112


def test_a_uniform_number_uses_one_word_and_is_never_0_or_1():
    generator, same = new_generator(5), new_generator(5)
    for _ in range(20):
        assert uniform(generator) == (int(next_word(same)) + 0.5) / 2**32
    assert 0 < 0.5 / 2**32 < (2**32 - 0.5) / 2**32 < 1


@pytest.mark.parametrize("temperature", [0.25, 0.5, 2.0])
def test_softmax_gives_each_index_its_part_of_the_interval(temperature):
    ratings = np.array([0.3, -50.0, 1.0, 0.3, -0.4])
    weights = np.exp((ratings - 1.0) / temperature)
    marks = (np.arange(2000) + 0.5) / 2000
    drawn = [softmax_index(ratings.copy(), 5, 1.0, temperature, mark) for mark in marks]
    assert drawn == sorted(drawn)
    assert np.bincount(drawn, minlength=5) / 2000 == pytest.approx(weights / weights.sum(), abs=1e-3)


def test_a_softmax_draw_uses_one_word():
    generator, same = new_generator(5), new_generator(5)
    ratings = np.array([0.3, -50.0, 1.0, 0.3, -0.4])
    for _ in range(20):
        expected = softmax_index(ratings.copy(), 5, 1.0, 0.5, uniform(same))
        assert softmax_draw(generator, ratings.copy(), 5, 0.5) == expected


def test_without_temperature_softmax_takes_the_first_of_the_best_and_draws_nothing():
    generator = new_generator(5)
    before = generator.tobytes()
    assert softmax_draw(generator, np.array([0.3, 1.0, -0.4, 1.0]), 4, 0.0) == 1
    assert generator.tobytes() == before
