"""Chance, inside the record: ChaCha8 with a 256-bit key, drawn from by kernels.

The same key and stream give the same numbers for ever: a change here is a change of `VERSION`, which every saved game
names. A player who sees some of the numbers cannot work out the others (docs/decisions/0002-chacha8.md).
"""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np

from tablee.core.compilation import is_interpreted, kernel, lean_kernel
from tablee.core.fields import new_state
from tablee.core.powers import quick_power

VERSION = 1
KEY_BITS = 256

GENERATOR = np.dtype(
    [
        ("stream", "u8"),  # which of the key's sequences; game number in a batch
        ("key", "u4", (8,)),  # the secret
        ("block", "u4", (16,)),  # the block being handed out
        ("counter", "u4"),  # number of the next block
        ("left", "u4"),  # words of the block not handed out yet
    ],
    align=True,
)

MASK = 0xFFFFFFFF
WORD_RANGE = MASK + 1
EXPAND = (0x61707865, 0x3320646E, 0x79622D32, 0x6B206574)  # "expand 32-byte k"
DOUBLE_ROUNDS = 4
# Words, and room for the sum of two. Interpreted, Python's own numbers are several times as fast as NumPy's.
WORD, WIDE = (int, int) if is_interpreted() else (np.uint32, np.int64)


def key_words(seed: int) -> np.ndarray:
    """Return the eight key words of a seed, lowest first."""
    if not 0 <= seed < 1 << KEY_BITS:
        raise ValueError(f"a seed is a whole number from 0 to 2**{KEY_BITS} - 1, not {seed}")
    return np.array([(seed >> (32 * word)) & MASK for word in range(8)], dtype=np.uint32)


def secret_seed() -> int:
    """Draw a seed that nobody can guess."""
    return secrets.randbits(KEY_BITS)


def new_generator(seed: int, stream: int = 0) -> Any:
    """Make a generator of its own, outside any record (for bots and simulations)."""
    generator = new_state(GENERATOR)
    generator["key"] = key_words(seed)
    generator["stream"] = stream
    return generator


@kernel
def start(generator, stream):
    """Go to the beginning of one of the key's sequences; nothing remains of the block handed out before."""
    generator.stream = stream
    generator.counter = 0
    generator.left = 0
    for word in range(16):
        generator.block[word] = 0


@kernel
def next_word(generator):
    """Draw 32 bits."""
    if generator.left == 0:
        fill_block(generator)
    generator.left -= np.uint32(1)
    return np.int64(generator.block[15 - np.int64(generator.left)])


@kernel
def below(generator, count):
    """Draw a whole number from 0 to count - 1, each with exactly the same chance (Lemire's method).

    The loop draws in one place: what makes a block of words is long, and would else be there twice.
    """
    while True:
        product = next_word(generator) * np.int64(count)
        low = product & MASK
        if low >= count or low >= (WORD_RANGE - count) % count:
            return product >> 32


@kernel
def shuffle(generator, cards, count):
    """Put the first `count` entries in random order, each order with the same chance."""
    for last in range(count - 1, 0, -1):
        other = below(generator, last + 1)
        card = cards[last]
        cards[last] = cards[other]
        cards[other] = card


@lean_kernel
def uniform(generator):
    """Draw a float between 0 and 1, both excluded, from 32 bits."""
    return (next_word(generator) + 0.5) / WORD_RANGE


@lean_kernel
def softmax_draw(generator, ratings, count, temperature):
    """Draw an index below `count`: one rated `temperature` higher is e times as likely.

    At a temperature of 0 it is the first of the best rated, and nothing is drawn. Overwrites `ratings`.
    """
    best = ratings[0]
    for index in range(1, count):
        best = max(best, ratings[index])
    if temperature > 0.0:
        return softmax_index(ratings, count, best, temperature, uniform(generator))
    chosen = 0
    while ratings[chosen] < best:
        chosen += 1
    return chosen


@lean_kernel
def softmax_index(ratings, count, best, temperature, mark):
    """Return the index whose part of the interval from 0 to 1 holds `mark`; ratings become cumulative weights."""
    total = 0.0
    for index in range(count):
        total += quick_power((ratings[index] - best) / temperature)
        ratings[index] = total
    chosen = 0
    for index in range(count):
        chosen += int(ratings[index] <= mark * total)
    return chosen


@kernel
def reseed(generator, source):
    """Give `generator` a fresh key drawn from `source`, and start it."""
    for word in range(8):
        generator.key[word] = np.uint32(next_word(source))
    start(generator, np.uint64(0))


@kernel
def fill_block(generator):
    """Compute the next block of sixteen words (D. J. Bernstein, ChaCha, 8 rounds, 64-bit nonce = the stream)."""
    key = generator.key
    first, second, third, fourth = (
        np.uint32(EXPAND[0]),
        np.uint32(EXPAND[1]),
        np.uint32(EXPAND[2]),
        np.uint32(EXPAND[3]),
    )
    low = np.uint32(generator.stream & np.uint64(MASK))
    high = np.uint32(generator.stream >> np.uint64(32))
    a0, a1, a2, a3 = first, second, third, fourth
    b0, b1, b2, b3 = key[0], key[1], key[2], key[3]
    c0, c1, c2, c3 = key[4], key[5], key[6], key[7]
    d0, d1, d2, d3 = generator.counter, np.uint32(0), low, high
    for _ in range(DOUBLE_ROUNDS):
        a0, b0, c0, d0 = quarter_round(a0, b0, c0, d0)
        a1, b1, c1, d1 = quarter_round(a1, b1, c1, d1)
        a2, b2, c2, d2 = quarter_round(a2, b2, c2, d2)
        a3, b3, c3, d3 = quarter_round(a3, b3, c3, d3)
        a0, b1, c2, d3 = quarter_round(a0, b1, c2, d3)
        a1, b2, c3, d0 = quarter_round(a1, b2, c3, d0)
        a2, b3, c0, d1 = quarter_round(a2, b3, c0, d1)
        a3, b0, c1, d2 = quarter_round(a3, b0, c1, d2)
    block = generator.block
    block[0], block[1], block[2], block[3] = add(a0, first), add(a1, second), add(a2, third), add(a3, fourth)
    block[4], block[5], block[6], block[7] = add(b0, key[0]), add(b1, key[1]), add(b2, key[2]), add(b3, key[3])
    block[8], block[9], block[10], block[11] = add(c0, key[4]), add(c1, key[5]), add(c2, key[6]), add(c3, key[7])
    block[12], block[13], block[14], block[15] = add(d0, generator.counter), d1, add(d2, low), add(d3, high)
    generator.counter += np.uint32(1)
    generator.left = 16


@kernel
def quarter_round(a, b, c, d):
    """Mix four words."""
    a = add(a, b)
    d = rotate(d ^ a, 16)
    c = add(c, d)
    b = rotate(b ^ c, 12)
    a = add(a, b)
    d = rotate(d ^ a, 8)
    c = add(c, d)
    b = rotate(b ^ c, 7)
    return a, b, c, d


@kernel
def add(a, b):
    """Add modulo 2**32; by way of 64 bits, so that interpreted and compiled agree."""
    return WORD((WIDE(a) + WIDE(b)) & MASK)


@kernel
def rotate(word, bits):
    """Rotate left."""
    wide = WIDE(word)
    return WORD(((wide << bits) | (wide >> (32 - bits))) & MASK)
