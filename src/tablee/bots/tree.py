"""Information-set Monte Carlo tree search, for any game and any number of players, as kernels.

Each iteration imagines a fresh world that fits what the searching seat knows, walks down the tree with it, lets a
policy play the rest of the stage, and takes the result back up. A node stands for what a seat knows (a hash of its
sight), so that nobody is allowed to act on what he cannot see; a move's statistics belong to the player who makes it
(max^n). Not every move is possible in every world: `available` counts how often one was.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tablee.core.compilation import kernel, lean_kernel
from tablee.core.kernels import believe, evaluate, imagine, legal_moves, play, rate, see, stage
from tablee.core.randomness import GENERATOR, softmax_draw, uniform
from tablee.core.state import SPECTATOR

NODE = np.dtype([("key", "u8"), ("first", "i4"), ("padding", "i4")], align=True)
EDGE = np.dtype(
    [
        ("total", "f8"),  # sum of the results for the player who moves
        ("prior", "f4"),  # share the policy gives to the move
        ("move", "i4"),
        ("next", "i4"),  # the node's next edge, or NONE
        ("visits", "i4"),
        ("available", "i4"),  # how often the move was legal when its node was visited
    ],
    align=True,
)
# What a search is told: see bots/search.py for the meaning of each.
PLAN = np.dtype(
    [
        ("exploration", "f8"),
        ("first_loss", "f8"),
        ("rollout_noise", "f8"),
        ("temperature", "f8"),
        ("iterations", "i8"),  # to run now
        ("most", "i8"),  # in all
        ("settles", "i8"),
        ("rollout_moves", "i8"),
        ("nodes_by_mover", "i8"),
        ("outside_worlds", "i8"),
    ],
    align=True,
)

NONE = -1
SIGHT, WORLD, SEEN, STRANGER = range(4)  # places in the array of states a search works with
NODES, EDGES, ITERATIONS = range(3)  # places in `counts`
SUM, SQUARES = range(2)  # places in `tally`
FIRST_SPREAD = 0.2  # of the results, until there are some
ENOUGH_RESULTS = 8
BETWEEN_LOOKS = 16  # iterations between two looks at whether the search is settled
MAX_IMAGINED = 16  # worlds that are thrown away at most for want of belief
MIX = np.uint64(0x9E3779B97F4A7C15)
SHIFT = np.uint64(29)
FIRST_SEEN = GENERATOR.itemsize // 8  # word of a state: the generator before it is never seen
MAX_DEPTH = 512


class Tree(NamedTuple):
    """The arrays of a search. Node 0 is the root; `states[STRANGER]` is what a spectator would know."""

    states: Any  # (4,) states: SIGHT (given), WORLD, SEEN, STRANGER
    words: Any  # (4, n) uint64: the same memory
    nodes: Any  # (most,) NODE
    edges: Any  # (most,) EDGE
    table: Any  # (a power of two,) int32: hash table of node numbers, NONE where empty
    edge_of_move: Any  # (moves of the game,) int32: where the present node has a move's edge, else NONE
    moves: Any  # (most legal,) int32
    ratings: Any  # (most legal,) float64
    results: Any  # (seats,) float64
    path: Any  # (MAX_DEPTH, 2) int64: edge and mover of each step
    counts: Any  # (3,) int64: NODES, EDGES, ITERATIONS so far
    tally: Any  # (2,) float64: SUM and SQUARES of the searching seat's results


@kernel
def grow(tree, seat, plan, generator):
    """Run the iterations; the first world of all is the searching seat's, so that node 0 is what it knows."""
    world = tree.states[WORLD]
    root_stage = stage(tree.states[SIGHT])
    for _ in range(plan.iterations):
        if plan.settles and tree.counts[ITERATIONS] % BETWEEN_LOOKS == BETWEEN_LOOKS - 1 and is_settled(tree, plan):
            return
        is_outside = plan.outside_worlds > 0 and tree.counts[ITERATIONS] % plan.outside_worlds == 1
        draw_world(tree.states, SPECTATOR if is_outside else seat, STRANGER if is_outside else SIGHT, generator)
        if tree.counts[ITERATIONS] == 0:
            see(world, SPECTATOR, tree.states[STRANGER])
        depth = descend(tree, seat, root_stage, plan)
        roll_out(tree, root_stage, plan, generator)
        evaluate(world, tree.results)
        back_up(tree, depth, seat, plan.outside_worlds == 0 or is_outside)


@lean_kernel
def is_settled(tree, plan):
    """Say whether no move can any more be visited as often as the one that leads."""
    most, second = 0, 0
    edge_index = tree.nodes[0].first
    while edge_index != NONE:
        visits = tree.edges[edge_index].visits
        if visits > most:
            most, second = visits, most
        elif visits > second:
            second = visits
        edge_index = tree.edges[edge_index].next
    return most - second > plan.most - tree.counts[ITERATIONS]


@kernel
def draw_world(states, viewer, source, generator):
    """Imagine a world that fits what the viewer knows, and likelier the better it fits what the others have done."""
    world = states[WORLD]
    for _ in range(MAX_IMAGINED):
        states[WORLD] = states[source]
        imagine(world, viewer, generator)
        chance = believe(world, viewer)
        if chance >= 1.0 or uniform(generator) < chance:
            return


@lean_kernel
def descend(tree, seat, root_stage, plan):
    """Walk down the tree with the world, and one step out of it; return how many steps are in the path."""
    world = tree.states[WORLD]
    depth = 0
    is_leaf = False
    while not is_leaf and world.end_reason == 0 and depth < MAX_DEPTH and stage(world) == root_stage:
        count = legal_moves(world, tree.moves)
        move = tree.moves[0]
        if count > 1:
            before = tree.counts[NODES]
            edge = choose_edge(tree, seat, count, plan)
            if edge == NONE:
                break
            is_leaf = tree.counts[NODES] > before
            tree.path[depth, 0], tree.path[depth, 1] = edge, world.to_move
            depth += 1
            move = tree.edges[edge].move
        play(world, move)
    return depth


@lean_kernel
def back_up(tree, depth, seat, is_for_all):
    """Add the results to the moves that led to them; what others would do is not learnt where they could not know."""
    for step in range(depth):
        mover = tree.path[step, 1]
        if is_for_all or mover == seat:
            edge = tree.edges[tree.path[step, 0]]
            edge.visits += 1
            edge.total += tree.results[mover]
    tree.counts[ITERATIONS] += 1
    tree.tally[SUM] += tree.results[seat]
    tree.tally[SQUARES] += tree.results[seat] ** 2


@lean_kernel
def hash_of(words, mover):
    """Return 64 bits that stand for a sight and who is on turn in it."""
    value = np.uint64(mover + 1) * MIX
    for index in range(FIRST_SEEN, len(words)):
        value = (value ^ words[index]) * MIX
        value ^= value >> SHIFT
    return value


@lean_kernel
def find_node(tree, key):
    """Return the node of a key, a new one if there is none, NONE if there is no room for it."""
    mask = np.int64(len(tree.table) - 1)
    slot = np.int64(key & np.uint64(mask))
    while tree.table[slot] != NONE:
        if tree.nodes[tree.table[slot]].key == key:
            return np.int64(tree.table[slot])
        slot = (slot + 1) & mask
    node = tree.counts[NODES]
    if node == len(tree.nodes):
        return np.int64(NONE)
    tree.table[slot] = node
    tree.nodes[node].key = key
    tree.nodes[node].first = NONE
    tree.counts[NODES] += 1
    return np.int64(node)


# Choosing a move in the tree


@lean_kernel
def choose_edge(tree, seat, count, plan):
    """Return the edge of the move to try next where the world has come to, NONE if there is no room for any."""
    world = tree.states[WORLD]
    see(world, world.to_move if plan.nodes_by_mover else seat, tree.states[SEEN])
    node = find_node(tree, hash_of(tree.words[SEEN], world.to_move))
    if node == NONE:
        return np.int64(NONE)
    note_edges(tree, node)
    meet_moves(tree, node, count, plan)
    best = most_promising(tree, count, plan)
    forget_edges(tree, node)
    return best


@lean_kernel
def note_edges(tree, node):
    """Note in `edge_of_move` where the edge of each move is."""
    edge = tree.nodes[node].first
    while edge != NONE:
        tree.edge_of_move[tree.edges[edge].move] = edge
        edge = tree.edges[edge].next


@lean_kernel
def forget_edges(tree, node):
    """Leave `edge_of_move` as it was found."""
    edge = tree.nodes[node].first
    while edge != NONE:
        tree.edge_of_move[tree.edges[edge].move] = NONE
        edge = tree.edges[edge].next


@lean_kernel
def meet_moves(tree, node, count, plan):
    """Give each legal move an edge, and count what was available.

    The policy's shares are the same whenever the mover knows the same; in a node that pools worlds in which he knows
    different things they are taken anew.
    """
    missing = 0
    for index in range(count):
        edge_index = tree.edge_of_move[tree.moves[index]]
        if edge_index == NONE:
            missing += 1
        else:
            tree.edges[edge_index].available += 1
    if missing or not plan.nodes_by_mover:
        rate_as_shares(tree, count, plan.temperature)
        for index in range(count):
            edge_index = tree.edge_of_move[tree.moves[index]]
            if edge_index != NONE:
                tree.edges[edge_index].prior = tree.ratings[index]
            elif tree.counts[EDGES] < len(tree.edges):
                add_edge(tree, node, tree.moves[index], tree.ratings[index])


@lean_kernel
def add_edge(tree, node, move, prior):
    """Give a move of a node its edge."""
    edge_index = tree.counts[EDGES]
    edge = tree.edges[edge_index]
    edge.total = 0.0
    edge.prior = prior
    edge.move = move
    edge.next = tree.nodes[node].first
    edge.visits = 0
    edge.available = 1
    tree.nodes[node].first = edge_index
    tree.edge_of_move[move] = edge_index
    tree.counts[EDGES] += 1


@lean_kernel
def rate_as_shares(tree, count, temperature):
    """Turn the policy's ratings into shares."""
    ratings = tree.ratings
    rate(tree.states[WORLD], tree.moves, count, ratings)
    best = ratings[0]
    for index in range(count):
        best = max(best, ratings[index])
    total = 0.0
    for index in range(count):
        ratings[index] = np.exp((ratings[index] - best) / temperature)
        total += ratings[index]
    for index in range(count):
        ratings[index] /= total


@lean_kernel
def most_promising(tree, count, plan):
    """Return the edge with the best mean so far and bonus for what was tried little (PUCT), in spreads of the results.

    An untried move counts as a little worse than the others.
    """
    tried, total = 0, 0.0
    for index in range(count):
        edge_index = tree.edge_of_move[tree.moves[index]]
        if edge_index != NONE:
            tried += tree.edges[edge_index].visits
            total += tree.edges[edge_index].total
    spread = spread_of_results(tree)
    first = (total / tried if tried else 0.5) - plan.first_loss * spread
    best, best_value = np.int64(NONE), -np.inf
    for index in range(count):
        edge_index = tree.edge_of_move[tree.moves[index]]
        if edge_index != NONE:
            edge = tree.edges[edge_index]
            mean = edge.total / edge.visits if edge.visits else first
            bonus = plan.exploration * spread * edge.prior * np.sqrt(float(edge.available)) / (1 + edge.visits)
            if mean + bonus > best_value:
                best, best_value = np.int64(edge_index), mean + bonus
    return best


@lean_kernel
def spread_of_results(tree):
    """Return how much the results differ (their standard deviation), so that bonuses fit games of any noise."""
    number = tree.counts[ITERATIONS]
    if number < ENOUGH_RESULTS:
        return FIRST_SPREAD
    mean = tree.tally[SUM] / number
    return np.sqrt(max(1e-6, tree.tally[SQUARES] / number - mean * mean))


# Simulated play


@lean_kernel
def roll_out(tree, root_stage, plan, generator):
    """Let the policy play on until the stage is over."""
    world, moves, ratings = tree.states[WORLD], tree.moves, tree.ratings
    for _ in range(plan.rollout_moves):
        if world.end_reason != 0 or stage(world) != root_stage:
            return
        count = legal_moves(world, moves)
        play(world, moves[policy_choice(world, moves, count, ratings, plan.rollout_noise, generator)])


@lean_kernel
def policy_choice(world, moves, count, ratings, noise, generator):
    """Draw the index of a move: one rated `noise` higher is e times as likely; without noise it is the best rated."""
    if count == 1:
        return 0
    rate(world, moves, count, ratings)
    return softmax_draw(generator, ratings, count, noise)
