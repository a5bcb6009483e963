"""The statistics of `imagined_worlds_are_exchangeable`: no false alarms, and what they find."""

import math

import numpy as np
import pytest

from tablee.testing.elements import offset_of
from tablee.testing.imagination_checks import FALSE_ALARM, Statistic, limit_of, statistics_of
from tablee.testing.template.game import GAME
from tablee.testing.template.game.moves import CARDS
from tablee.testing.write_checks import KernelMisuse, WriteOnlyNumbers

GAMES = 200
DTYPE = GAME.kernels.state_type
START = offset_of(DTYPE, "new_game_stock")


def triples_of(draw, seed):
    """Make triples of states that differ in the stock alone: a random order, and what `draw` makes of the cards."""
    chance = np.random.default_rng(seed)
    triples = np.zeros((GAMES, 3, DTYPE.itemsize), np.uint8)
    for number in range(GAMES):
        for index in range(3):
            cards = np.arange(1, CARDS + 1)
            cards = chance.permutation(cards) if index == 0 else draw(cards, chance)
            triples[number, index, START : START + CARDS] = cards
    return triples


def worst(triples):
    statistics = list(statistics_of(GAME, triples))
    return max(statistics, key=lambda statistic: abs(statistic.z)), limit_of(len(statistics))


def test_the_limit_follows_from_hoeffdings_inequality():
    for count in (1, 100, 20_000):
        assert 2 * count * math.exp(-(limit_of(count) ** 2) / 2) == pytest.approx(FALSE_ALARM)


def test_z_is_the_sum_over_the_root_of_the_squares():
    assert Statistic("", np.array([1, 1, -1, 0, 1])).z == pytest.approx(1.0)
    assert Statistic("", np.array([3, 0, 4])).z == pytest.approx(7 / 5)
    assert Statistic("", np.zeros(3, np.int64)).z == 0.0


@pytest.mark.parametrize("seed", range(20))
def test_exchangeable_worlds_raise_no_alarm(seed):
    found, limit = worst(triples_of(lambda cards, chance: chance.permutation(cards), seed))
    assert abs(found.z) < limit, str(found)


def shuffle_half(cards, chance):
    return np.concatenate([chance.permutation(cards[: CARDS // 2]), cards[CARDS // 2 :]])


def swap_pairs(cards, chance):
    """Draw cards of which each is lower than that of the other end."""
    cards = chance.permutation(cards)
    low, high = np.minimum(cards, cards[::-1]), np.maximum(cards, cards[::-1])
    return np.where(np.arange(CARDS) < CARDS // 2, low, high)


@pytest.mark.parametrize(
    "draw",
    [
        lambda cards, chance: cards,
        shuffle_half,
        swap_pairs,
        lambda cards, chance: np.roll(cards, chance.integers(CARDS)),
    ],
    ids=["no shuffle", "half a shuffle", "biased", "a cut"],
)
def test_worlds_that_are_not_random_enough_are_found(draw):
    found, limit = worst(triples_of(draw, seed=1))
    assert abs(found.z) > limit, str(found)


def test_a_statistic_is_told_in_words():
    found, _ = worst(triples_of(lambda cards, chance: cards, seed=1))
    assert str(found).startswith("two worlds are equal more often than a state and a world (z = ")


def test_an_output_may_be_written_once_and_not_read():
    numbers = WriteOnlyNumbers(6, "number {}".format)
    part = numbers[2:5]
    assert (len(numbers), len(part)) == (6, 3)
    numbers[0] = 1.0
    part[0] = 1.0
    numbers[3:5] = 1.0
    with pytest.raises(KernelMisuse, match="writes number 2 of `out` twice"):
        numbers[2] = 1.0
    with pytest.raises(KernelMisuse, match="writes number 4 of `out` twice"):
        part[2] = 1.0
    with pytest.raises(KernelMisuse, match="reads number 5 of `out`"):
        numbers[5] += 1.0
