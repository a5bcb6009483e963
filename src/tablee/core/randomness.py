"""The random number generator inside every state: ChaCha8 with a 256-bit key.

The same key and stream always give the same numbers: a change here is a change of `VERSION`, which every record names.
A player who sees some of the numbers cannot work out the others (docs/decisions/0002-chacha8.md).
"""

from __future__ import annotations

import secrets
from typing import Any, TypeAlias

import numpy as np

from tablee.core.compilation import is_interpreted, kernel, lean_kernel
from tablee.core.fields import new_state
from tablee.core.powers import quick_power
from tablee.core.twins import substitute
from tablee.core.types import Generator, Index, Ratings

VERSION = 1
KEY_BITS = 256

GENERATOR = np.dtype(
    [
        ("stream", "u8"),  # which of the key's sequences of numbers; in a batch the number of the game
        ("key", "u4", (8,)),  # secret
        ("block", "u4", (16,)),  # the words being drawn
        ("counter", "u4"),  # number of the next block
        ("left", "u4"),  # words of the block not drawn yet
    ],
    align=True,
)

MASK = 0xFFFFFFFF
WORD_RANGE = MASK + 1
EXPAND = (0x61707865, 0x3320646E, 0x79622D32, 0x6B206574)  # "expand 32-byte k"
DOUBLE_ROUNDS = 4
# A word, and a type with room for the sum of two. Interpreted, Python's integers are several times as fast as NumPy's.
WORD, WIDE = (int, int) if is_interpreted() else (np.uint32, np.int64)
substitute(__name__, WORD=int, WIDE=int)

Word: TypeAlias = Any  # an unsigned 32-bit integer: np.uint32 compiled, int interpreted


def key_words(seed: int) -> np.ndarray:
    """Return the eight key words of a seed, lowest first."""
    if not 0 <= seed < 1 << KEY_BITS:
        raise ValueError(f"a seed is a whole number from 0 to 2**{KEY_BITS} - 1, not {seed}")
    return np.array([(seed >> (32 * word)) & MASK for word in range(8)], dtype=np.uint32)


def secret_seed() -> int:
    """Draw a seed that cannot be guessed."""
    return secrets.randbits(KEY_BITS)


def new_generator(seed: int, stream: int = 0) -> Generator:
    """Make a generator outside any state, for bots and simulations."""
    generator = new_state(GENERATOR)
    generator["key"] = key_words(seed)
    generator["stream"] = stream
    return generator


@kernel
def start(generator: Generator, stream: int | np.uint64) -> None:
    """Go to the beginning of one of the key's streams; nothing remains of the block drawn from before."""
    generator.stream = stream
    generator.counter = 0
    generator.left = 0
    for word in range(16):
        generator.block[word] = 0


@kernel
def next_word(generator: Generator) -> int:
    """Draw 32 bits, as a number from 0 to 2**32 - 1."""
    if generator.left == 0:
        fill_block(generator)
    generator.left -= np.uint32(1)
    return np.int64(generator.block[15 - np.int64(generator.left)])  # type: ignore[return-value]


@kernel
def below(generator: Generator, count: int) -> int:
    """Draw an integer from 0 to count - 1, each with exactly the same probability (Lemire's method).

    The loop calls `next_word` in one place: the code that computes a block is long, and inlined at each call.
    """
    while True:
        product = next_word(generator) * np.int64(count)
        low = product & MASK
        if low >= count or low >= (WORD_RANGE - count) % count:
            return product >> 32  # type: ignore[return-value]


@kernel
def shuffle(generator: Generator, cards: Any, count: int) -> None:
    """Put the first `count` entries in random order, each order with the same probability."""
    for last in range(count - 1, 0, -1):
        other = below(generator, last + 1)
        card = cards[last]
        cards[last] = cards[other]
        cards[other] = card


@lean_kernel
def uniform(generator: Generator) -> float:
    """Draw a float between 0 and 1, both excluded, from 32 bits."""
    return (next_word(generator) + 0.5) / WORD_RANGE


@lean_kernel
def softmax_draw(generator: Generator, ratings: Ratings, count: int, temperature: float) -> Index:
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
def softmax_index(ratings: Ratings, count: int, best: float, temperature: float, mark: float) -> Index:
    """Return the index whose part of the interval from 0 to 1 holds `mark`; ratings become cumulative weights.

    Powers and sums are computed one after the other: the processor computes several powers at once.
    """
    for index in range(count):
        ratings[index] = quick_power((ratings[index] - best) / temperature)
    total = 0.0
    for index in range(count):
        total += ratings[index]
        ratings[index] = total
    chosen = 0
    for index in range(count):
        chosen += int(ratings[index] <= mark * total)
    return chosen


@kernel
def reseed(generator: Generator, source: Generator) -> None:
    """Give `generator` a new key drawn from `source`, and start it."""
    for word in range(8):
        generator.key[word] = np.uint32(next_word(source))
    start(generator, np.uint64(0))


def stay_out_of_line() -> None:
    """Have the calling kernel called, not inlined, on a CUDA device; interpreted, do nothing."""


if not is_interpreted():
    substitute(__name__, stay_out_of_line=stay_out_of_line)
    from tablee.core.numba_internals import stay_out_of_line


@kernel
def fill_block(generator: Generator) -> None:
    """Compute the next block of sixteen words (D. J. Bernstein, ChaCha, 8 rounds, 64-bit nonce = the stream)."""
    stay_out_of_line()
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
def quarter_round(a: Word, b: Word, c: Word, d: Word) -> tuple[Word, Word, Word, Word]:
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
def add(a: Word, b: Word) -> Word:
    """Add modulo 2**32, with 64 bits in between, so that interpreted and compiled code agree."""
    return WORD((WIDE(a) + WIDE(b)) & MASK)


@kernel
def rotate(word: Word, bits: int) -> Word:
    """Rotate left."""
    wide = WIDE(word)
    return WORD(((wide << bits) | (wide >> (32 - bits))) & MASK)
