"""Worlds consistent with a sight once the rows are laid out: values for the cards face down, drawn exactly.

In a sorted row each value is one run of cards, so a world is built value by value, from the highest: each row takes a
run, and together the rows take each colour that has this value exactly once. The rest depends only on how far the rows
are filled, so all worlds are the paths of a graph whose nodes are these fills. All deals are equally likely and a run
of n equal cards has n! orders, so a world has a weight of the product of 1 / n! over its runs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tablee.core.compilation import kernel, lean_kernel
from tablee.core.randomness import next_word
from tablee.core.types import Bits, Generator, Index, SightState
from tablee.games.xylo.moves import COLOURS
from tablee.games.xylo.state import (
    HIGHEST,
    MAX_ROWS,
    NO_CARD,
    UNKNOWN_VALUE,
    Row,
    card_at,
    colour_of,
    row_count,
    value_of,
)


class FillGraph(NamedTuple):
    """How far the rows can be filled (nodes), by which runs of cards (edges), and the weights of paths to the end."""

    fills: Any  # (capacity + 1,) int64: per node, four bits per row
    first_edges: Any  # (capacity + 2,) int64: per node, index of its first edge
    weights: Any  # (capacity + 1,) float64: per node, of all paths to the end
    targets: Any  # (capacity,) int64: per edge, the node it leads to
    run_weights: Any  # (capacity,) float64: per edge, the product of 1 / n! over its runs
    reach: Any  # (MAX_ROWS + 1,) int64: the colours that this row or a later one could take now, a bit each
    stack: Any  # (MAX_ROWS + 1, 3) int64: per row of the edge being built, its fill, colours still needed, run length
    stack_weights: Any  # (MAX_ROWS + 1,) float64
    counts: Any  # (3,) int64: NODES, EDGES, and LEVEL, the first node of the level being built


NODES, EDGES, LEVEL = range(3)
FIRST_CAPACITY = 1024


@kernel
def imagine_values(sight: SightState, generator: Generator) -> None:
    """Give the cards face down their values, each world with its probability."""
    draw_world(sight, whole_graph(sight), generator)


@kernel
def write_probabilities(sight: SightState, out: Any) -> None:
    """Write into `out` (DECK, HIGHEST + 1), which is 0, how likely each card of the rows has each value."""
    graph = whole_graph(sight)
    levels = np.zeros(graph.counts[NODES], np.int64)  # values that are laid out before a node
    arrivals = np.zeros(graph.counts[NODES], np.float64)  # how likely a world passes through a node
    arrivals[0] = 1.0
    for number in range(graph.counts[NODES]):
        for edge in range(graph.first_edges[number], graph.first_edges[number + 1]):
            target = graph.targets[edge]
            levels[target] = levels[number] + 1
            if graph.weights[target] == 0.0:  # a dead end
                continue
            passing = arrivals[number] * graph.run_weights[edge] * graph.weights[target] / graph.weights[number]
            arrivals[target] += passing
            for row in range(row_count(sight)):
                first = (graph.fills[number] >> (4 * row)) & 15
                for position in range(first, (graph.fills[target] >> (4 * row)) & 15):
                    out[row * sight.row_size + position, HIGHEST - levels[number]] += passing


@kernel
def whole_graph(sight: SightState) -> FillGraph:
    """Return the graph of all worlds, with its weights."""
    capacity = FIRST_CAPACITY
    graph = new_graph(capacity)
    while not build_graph(sight, graph):
        capacity *= 2
        graph = new_graph(capacity)
    weigh_nodes(graph)
    return graph


@kernel
def new_graph(capacity: int) -> FillGraph:
    """Return an empty graph with room for `capacity` edges; each leads to at most one new node."""
    return FillGraph(
        np.empty(capacity + 1, np.int64),
        np.empty(capacity + 2, np.int64),
        np.empty(capacity + 1, np.float64),
        np.empty(capacity, np.int64),
        np.empty(capacity, np.float64),
        np.zeros(MAX_ROWS + 1, np.int64),
        np.empty((MAX_ROWS + 1, 3), np.int64),
        np.empty(MAX_ROWS + 1, np.float64),
        np.zeros(3, np.int64),
    )


@lean_kernel
def build_graph(sight: SightState, graph: FillGraph) -> bool:
    """Add all nodes and edges, level by level; return False if the capacity is too small."""
    counts = graph.counts
    graph.fills[0] = 0
    counts[NODES] = 1
    first = 0
    for value in range(HIGHEST, -1, -1):
        needed = 0
        for colour in range(COLOURS):
            if sight.sizes[colour] > value:
                needed |= 1 << colour
        counts[LEVEL] = counts[NODES]
        for number in range(first, counts[LEVEL]):
            graph.first_edges[number] = counts[EDGES]
            set_reach(sight, graph, graph.fills[number], value, needed)
            add_edges(sight, graph, graph.fills[number], value, needed)
            if counts[EDGES] == len(graph.targets):
                return False
        first = counts[LEVEL]
    for number in range(first, counts[NODES] + 1):
        graph.first_edges[number] = counts[EDGES]
    return True


@lean_kernel
def set_reach(sight: SightState, graph: FillGraph, fill: int, value: int, needed: Bits) -> None:
    """Set which colours each row and those after it could take at best, to find dead ends early."""
    for row in range(row_count(sight) - 1, -1, -1):
        graph.reach[row] = graph.reach[row + 1]
        for position in range((fill >> (4 * row)) & 15, sight.row_size):
            card = card_at(sight, row, position)
            is_possible = value_of(card) == value or value_of(card) == UNKNOWN_VALUE
            if not is_possible or (needed >> colour_of(card)) & 1 == 0:
                break
            graph.reach[row] |= 1 << colour_of(card)


@lean_kernel
def add_edges(sight: SightState, graph: FillGraph, fill: int, value: int, needed: Bits) -> None:
    """Add an edge for each way in which the rows take runs of a value that use up the needed colours.

    Row by row, shortest runs first, with a stack instead of recursion: Numba cannot load a recursive kernel from its
    cache (it calls address 0).
    """
    start_row(graph, 0, fill, needed, 1.0)
    row, may_end = 0, True
    while row >= 0:
        fill, needed, length = graph.stack[row]
        weight = graph.stack_weights[row]
        is_dead_end = may_end and length == 0 and needed & ~graph.reach[row] != 0
        if is_dead_end or row == row_count(sight):
            if not is_dead_end:
                add_edge(graph, fill, weight)
            row, may_end = row - 1, False
            continue
        position = (fill >> (4 * row)) & 15
        card = card_at(sight, row, position) if position < sight.row_size else NO_CARD
        is_taken = card != NO_CARD and value_of(card) == value
        if may_end and not is_taken:
            row += 1
            start_row(graph, row, fill, needed, weight)
            continue
        is_possible = card != NO_CARD and (is_taken or value_of(card) == UNKNOWN_VALUE)
        if is_possible and (needed >> colour_of(card)) & 1:
            graph.stack[row, 0] = fill + (1 << (4 * row))
            graph.stack[row, 1] = needed ^ (1 << colour_of(card))
            graph.stack[row, 2] = length + 1
            graph.stack_weights[row] = weight / (length + 1)
            may_end = True
        else:
            row, may_end = row - 1, False


@lean_kernel
def start_row(graph: FillGraph, row: Row, fill: int, needed: Bits, weight: float) -> None:
    """Push a row that has taken no card yet."""
    graph.stack[row, 0] = fill
    graph.stack[row, 1] = needed
    graph.stack[row, 2] = 0
    graph.stack_weights[row] = weight


@lean_kernel
def add_edge(graph: FillGraph, fill: int, weight: float) -> None:
    """Add an edge to a node of the next level, which may be new; do nothing when the capacity is used up."""
    counts = graph.counts
    if counts[EDGES] == len(graph.targets):
        return
    target = counts[LEVEL]
    while target < counts[NODES] and graph.fills[target] != fill:
        target += 1
    if target == counts[NODES]:
        graph.fills[target] = fill
        counts[NODES] += 1
    graph.targets[counts[EDGES]] = target
    graph.run_weights[counts[EDGES]] = weight
    counts[EDGES] += 1


@lean_kernel
def weigh_nodes(graph: FillGraph) -> None:
    """Add up the weights from the end; in the last node all rows are filled."""
    last = graph.counts[NODES] - 1
    graph.weights[last] = 1.0
    for number in range(last - 1, -1, -1):
        weight = 0.0
        for edge in range(graph.first_edges[number], graph.first_edges[number + 1]):
            weight += graph.run_weights[edge] * graph.weights[graph.targets[edge]]
        graph.weights[number] = weight


@lean_kernel
def draw_world(sight: SightState, graph: FillGraph, generator: Generator) -> None:
    """Follow a random path from the highest value to the lowest, each edge in proportion to its weight."""
    number = 0
    for value in range(HIGHEST, -1, -1):
        edge = draw_edge(graph, number, generator)
        target = graph.targets[edge]
        for row in range(row_count(sight)):
            first = (graph.fills[number] >> (4 * row)) & 15
            for position in range(first, (graph.fills[target] >> (4 * row)) & 15):
                colour = colour_of(card_at(sight, row, position))
                sight.cards[row * sight.row_size + position] = colour * 16 + value
        number = target


@lean_kernel
def draw_edge(graph: FillGraph, number: Index, generator: Generator) -> Index:
    """Draw an edge of a node, in proportion to its weight."""
    chosen = graph.first_edges[number]
    if graph.first_edges[number + 1] == chosen + 1:
        return chosen
    left = random_share(generator) * graph.weights[number]
    for edge in range(graph.first_edges[number], graph.first_edges[number + 1]):
        weight = graph.run_weights[edge] * graph.weights[graph.targets[edge]]
        if weight > 0.0:
            chosen = edge
            if left < weight:
                break
            left -= weight
    return chosen


@lean_kernel
def random_share(generator: Generator) -> float:
    """Draw a float from 0 to 1, 1 excluded, from 53 bits: those of `uniform` are too few for very unequal graph."""
    high, low = next_word(generator) >> 5, next_word(generator) >> 6
    return (high * 67108864.0 + low) / 9007199254740992.0
