"""Checks that `imagine` draws worlds as random as they should be."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tablee.core.compilation import is_interpreted
from tablee.core.game import Game, Setup
from tablee.core.randomness import new_generator
from tablee.core.state import SPECTATOR
from tablee.testing.budget import Budget
from tablee.testing.buffers import new_buffers
from tablee.testing.elements import element_name, offset_of
from tablee.testing.exchange import draw_triple
from tablee.testing.nonconformity import Nonconformity, raised_by_game, viewer_name
from tablee.testing.positions import random_match, random_positions
from tablee.testing.walk import MOVE
from tablee.testing.walk_checks import deal_into

FALSE_ALARM = 1e-5  # probability per run, of all statistics at all setups together
MAX_MOVES = 10 if is_interpreted() else 300  # before a position at which worlds are compared
SHARE_OF_DEALS = 1 / 3  # of the positions that are compared
NOT_COMPARED = ("generator", "viewer", "padding")
TRUE, FIRST, SECOND = range(3)  # indices of the states in a triple

Triples = npt.NDArray[np.uint8]  # (games, 3, bytes): a state and two worlds imagined for one viewer
Fields = dict[str, npt.NDArray[Any]]  # by name, (games, 3, ...): the same, as numbers


class Statistic(NamedTuple):
    """A number per game that is as likely to be positive as negative if `imagine` is right."""

    sentence: str  # what a large sum means; `{more}` is "more" or "less", `{larger}` "larger" or "smaller"
    differences: npt.NDArray[np.integer]

    @property
    def z(self) -> float:
        """The sum in units of its standard deviation, which the signs alone decide."""
        squares = float((self.differences.astype(np.int64) ** 2).sum())
        return float(self.differences.sum()) / math.sqrt(squares) if squares else 0.0

    def __str__(self) -> str:
        more, larger = ("more", "larger") if self.z > 0 else ("less", "smaller")
        return f"{self.sentence.format(more=more, larger=larger)} (z = {self.z:.1f})"


def imagined_worlds_are_exchangeable(game: Game, budget: Budget) -> None:
    """Check that no statistic tells the states of random games from the worlds imagined of them.

    One position of each game is compared, so that games are independent. If `imagine` is right, each difference keeps
    its size and changes its sign when the state and a world are exchanged, which are equally likely: given the sizes,
    the sum of n differences is a sum of n fair signs with weights. By Hoeffding's inequality its |z| exceeds t with a
    probability of at most 2 exp(-t^2 / 2), without any assumption on distributions; `limit_of` divides `FALSE_ALARM`
    among all statistics and setups.
    """
    setups = [setup for setup in budget.view_setups(game) if budget.pairs_at(game, setup)]
    for setup in setups:
        triples = draw_triples(game, budget, setup)
        if not len(triples):
            what = "no worlds can be compared: they have problems, or allow none of the moves that are legal"
            raise Nonconformity(game, what, setup=setup, seed=budget.seed)
        statistics = list(statistics_of(game, triples))
        limit = limit_of(len(statistics) * len(setups))
        worst = max(statistics, key=lambda statistic: abs(statistic.z), default=None)
        if worst is not None and abs(worst.z) > limit:
            what = "`imagine` does not draw worlds with the probability that `deal` and `play` give them"
            raise Nonconformity(game, f"{what}: {worst}", setup=setup, seed=budget.seed)


def imagined_worlds_vary(game: Game, budget: Budget) -> None:
    """Check that different generators give different worlds where there is a choice, and always different futures."""
    had_choice, varied = False, False
    for match in random_positions(game, seed=budget.seed, max_moves=MAX_MOVES):
        for viewer in range(SPECTATOR, match.seats):
            sight = match.sight(viewer)
            worlds = [sight.imagine(new_generator(budget.seed, 1 + stream)) for stream in range(2)]
            where: dict[str, Any] = {"setup": match.setup, "seed": match.seed, "move": len(match.moves)}
            keys = [world.generator.key for world in worlds]
            if (keys[0] == keys[1]).all() and keys[0].any():  # that it has no key is found by `imagined_worlds_fit`
                what = f"two worlds imagined for {viewer_name(viewer)} have the same key in their generators"
                raise Nonconformity(game, f"{what}; use `imagine_head`", **where)
            contents = [_compared_content(game, state) for state in (match.state, *worlds)]
            had_choice |= contents[TRUE] != contents[FIRST]
            varied |= contents[FIRST] != contents[SECOND]
        budget.tried.count(match.setup, positions=1, worlds=2 * (match.seats + 1))
    if had_choice and not varied:
        what = "`imagine` gives the same world with every generator"
        raise Nonconformity(game, what, setup=game.setup(), seed=budget.seed)


def limit_of(statistics: int) -> float:
    """Return the |z| that one of so many statistics exceeds with a probability below FALSE_ALARM."""
    return math.sqrt(2 * math.log(2 * max(1, statistics) / FALSE_ALARM))


def draw_triples(game: Game, budget: Budget, setup: Setup) -> Triples:
    """Play random games, each to a random position; return the state and two imagined worlds of each."""
    buffers = new_buffers(game)
    length = len(random_match(game, setup, budget.seed, MAX_MOVES).moves)
    chance = np.random.default_rng(budget.seed)
    triples = np.zeros((budget.pairs_at(game, setup), 3, game.kernels.state_type.itemsize), np.uint8)
    is_drawn = np.zeros(len(triples), np.bool_)
    for number in range(len(triples)):
        deal_into(game, setup, buffers, budget.seed, stream=number + 1)
        viewer = SPECTATOR + number % (setup.seats + 1)
        # The deal, where nothing is known of the others' choices, and early positions more often than late ones
        moves = 0 if chance.random() < SHARE_OF_DEALS else int((length + 1) ** chance.random()) - 1
        try:
            is_drawn[number] = draw_triple(buffers, viewer, moves, triples[number])
        except Exception as error:  # kernels of third parties may raise anything
            where: dict[str, Any] = {"setup": setup, "seed": budget.seed, "stream": number + 1}
            raise raised_by_game(game, error, move=int(buffers.found[MOVE]), **where) from error
    budget.tried.count(setup, games=len(triples), positions=len(triples), worlds=2 * len(triples))
    return triples[is_drawn]


def statistics_of(game: Game, triples: Triples) -> Iterator[Statistic]:
    """Yield every statistic that is not zero in every game."""
    states = triples.reshape(-1).view(game.kernels.state_type).reshape(len(triples), 3)
    fields = {name: states[name] for name in states.dtype.names or () if name not in NOT_COMPARED}
    for statistic in (*_bits(game, triples), *_values(game, fields), *_neighbours(fields), *_agreements(fields)):
        if statistic.differences.any():
            yield statistic


def _bits(game: Game, triples: Triples) -> Iterator[Statistic]:
    """Yield for each bit of each hidden byte whether it is set in the state and not in the world, or the reverse."""
    dtype = game.kernels.state_type
    is_compared = _compared_bytes(dtype) & (triples[:, TRUE] != triples[:, FIRST]).any(axis=0)
    for byte in np.flatnonzero(is_compared):
        true, first = (np.unpackbits(triples[:, index, byte, None], axis=1).astype(np.int8) for index in (TRUE, FIRST))
        name = element_name(dtype, int(byte))
        for bit in range(8):
            sentence = f"bit {7 - bit} of `{name}` is set {{more}} often in states than in worlds"
            yield Statistic(sentence, true[:, bit] - first[:, bit])


def _values(game: Game, fields: Fields) -> Iterator[Statistic]:
    """Yield for each hidden element, and the sum of each field, whether it is larger in the state or in the world."""
    for name, values in fields.items():
        true, first = (values[:, index].reshape(len(values), -1).astype(np.int64) for index in (TRUE, FIRST))
        totals = np.sign(true.sum(axis=1) - first.sum(axis=1))
        yield Statistic(f"the sum of `{name}` is {{larger}} in states than in worlds", totals)
        for index in np.flatnonzero((true != first).any(axis=0)):
            byte = offset_of(game.kernels.state_type, name) + int(index) * values.dtype.itemsize
            sentence = f"`{element_name(game.kernels.state_type, byte)}` is {{larger}} in states than in worlds"
            is_larger, is_smaller = true[:, index] > first[:, index], true[:, index] < first[:, index]
            yield Statistic(sentence, is_larger.astype(np.int8) - is_smaller)


def _neighbours(fields: Fields) -> Iterator[Statistic]:
    """Yield how many more elements of a field are smaller than, or equal to, the next one in the state."""
    for name, values in fields.items():
        for relation, compare in (("ascend", np.less), ("are equal", np.equal)):
            rows = values.reshape(len(values), 3, -1)
            counts = compare(rows[:, :, :-1], rows[:, :, 1:]).sum(axis=2)
            sentence = f"neighbours in `{name}` {relation} {{more}} often in states than in worlds"
            yield Statistic(sentence, counts[:, TRUE] - counts[:, FIRST])


def _agreements(fields: Fields) -> Iterator[Statistic]:
    """Yield in how many more elements two worlds agree than the state and a world."""
    is_same = np.ones((len(next(iter(fields.values()))), 2), np.bool_)
    for name, values in fields.items():
        rows = values.reshape(len(values), 3, -1)
        agreeing = rows[:, FIRST, None] == rows[:, (SECOND, TRUE)]
        counts = agreeing.sum(axis=2)
        is_same &= agreeing.all(axis=2)
        yield Statistic(
            f"two worlds agree {{more}} often in `{name}` than a state and a world", counts[:, 0] - counts[:, 1]
        )
    same = is_same.astype(np.int8)
    yield Statistic("two worlds are equal {more} often than a state and a world", same[:, 0] - same[:, 1])


def _compared_content(game: Game, state: Any) -> bytes:
    """Return the bytes of a state that are compared."""
    return np.frombuffer(state.tobytes(), np.uint8)[_compared_bytes(game.kernels.state_type)].tobytes()


def _compared_bytes(dtype: np.dtype[Any]) -> npt.NDArray[np.bool_]:
    """Return which bytes of a state are compared: all but those that differ by construction."""
    compared = np.ones(dtype.itemsize, np.bool_)
    for name in NOT_COMPARED:
        if dtype.fields is not None and name in dtype.fields:
            field, offset = dtype.fields[name][:2]
            compared[offset : offset + field.itemsize] = False
    return compared
