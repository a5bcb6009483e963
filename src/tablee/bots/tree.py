"""Information-set Monte Carlo tree search, for any game and any number of players, as kernels.

Each iteration imagines a new world consistent with what the searching seat knows, descends the tree with it, lets a
policy play the rest of the stage, and backs the results up the path. A node stands for what a seat knows (a hash of
its sight), so that no player can act on hidden information. The statistics of a move are those of the player who makes
it (max^n). Not every move is legal in every world: `available` counts the visits in which it was.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tablee.core.compilation import kernel, lean_kernel
from tablee.core.kernels import believe, evaluate, imagine, legal_moves, play_in_stage, rate, see, stage
from tablee.core.randomness import GENERATOR, softmax_draw, uniform
from tablee.core.state import SPECTATOR
from tablee.core.types import Generator, Index, Move, Moves, Ratings, Seat, State, States

NODE = np.dtype([("key", "u8"), ("first", "i4"), ("padding", "i4")], align=True)  # `first` edge, or NONE
EDGE = np.dtype(
    [
        ("total", "f8"),  # sum of the results for the player who moves
        ("prior", "f4"),  # the policy's probability of the move
        ("move", "i4"),
        ("next", "i4"),  # the node's next edge, or NONE
        ("visits", "i4"),
        ("available", "i4"),  # visits of the node in which the move was legal
    ],
    align=True,
)
# The settings of a search as kernels read them (bots/settings.py explains them), and how far to run.
PLAN = np.dtype(
    [
        ("exploration", "f8"),
        ("fpu_reduction", "f8"),
        ("rollout_noise", "f8"),
        ("temperature", "f8"),
        ("iterations", "i8"),  # to run in this call
        ("max_iterations", "i8"),  # of the whole search
        ("stops_early", "i8"),  # 1: end the search once its most visited move cannot change
        ("rollout_moves", "i8"),
        ("nodes_by_mover", "i8"),
        ("spectator_interval", "i8"),
    ],
    align=True,
)
Plan: TypeAlias = Any  # one structured scalar of dtype PLAN

NONE = -1
SIGHT, WORLD, NODE_SIGHT, SPECTATOR_SIGHT = range(4)  # indices into `Tree.states`
NODES, EDGES, ITERATIONS = range(3)  # indices into `Tree.counts`
SUM, SQUARES = range(2)  # indices into `Tree.tally`
INITIAL_SPREAD = 0.2  # of the results, until there are MIN_RESULTS
MIN_RESULTS = 8
EARLY_STOP_INTERVAL = 16  # iterations between two checks for an early stop
MAX_WORLDS_TRIED = 16  # per iteration; the last one is used even if `believe` rejects it
HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)
HASH_SHIFT = np.uint64(29)
FIRST_HASHED_WORD = GENERATOR.itemsize // 8  # the generator at the start of a state is never visible
MAX_DEPTH = 512


class Tree(NamedTuple):
    """The arrays of a search. Node 0 is the root."""

    states: Any  # (4,) states: SIGHT (of the searching seat), WORLD, NODE_SIGHT, SPECTATOR_SIGHT
    words: Any  # (4, n) uint64: the same memory as `states`
    nodes: Any  # (max nodes,) NODE
    edges: Any  # (max edges,) EDGE
    table: Any  # (a power of two,) int32: hash table of node indices, NONE where empty
    edge_of_move: Any  # (moves of the game,) int32: edge of each move of the current node, else NONE
    moves: Any  # (max_legal_moves,) int32
    ratings: Any  # (max_legal_moves,) float64
    results: Any  # (seats,) float64
    path: Any  # (MAX_DEPTH, 2) int64: edge and mover of each step
    counts: Any  # (3,) int64: NODES, EDGES, ITERATIONS so far
    tally: Any  # (2,) float64: SUM and SQUARES of the searching seat's results


@kernel
def run_iterations(tree: Tree, seat: Seat, plan: Plan, generator: Generator) -> None:
    """Run `plan.iterations` iterations; the first uses a world of the searching seat, so that node 0 is its sight."""
    world = tree.states[WORLD]
    root_stage = stage(tree.states[SIGHT])
    for _ in range(plan.iterations):
        if plan.stops_early and tree.counts[ITERATIONS] % EARLY_STOP_INTERVAL == EARLY_STOP_INTERVAL - 1:
            if is_decided(tree, plan):
                return
        by_spectator = plan.spectator_interval > 0 and tree.counts[ITERATIONS] % plan.spectator_interval == 1
        draw_world(
            tree.states, SPECTATOR if by_spectator else seat, SPECTATOR_SIGHT if by_spectator else SIGHT, generator
        )
        if tree.counts[ITERATIONS] == 0:
            see(world, SPECTATOR, tree.states[SPECTATOR_SIGHT])
        depth = descend(tree, seat, root_stage, plan)
        roll_out(world, tree.moves, tree.ratings, root_stage, plan, generator)
        evaluate(world, tree.results)
        back_up(tree, depth, seat, plan.spectator_interval == 0 or by_spectator)


@lean_kernel
def is_decided(tree: Tree, plan: Plan) -> bool:
    """Whether no other root move can reach the visits of the leading one any more."""
    most, second = 0, 0
    edge_index = tree.nodes[0].first
    while edge_index != NONE:
        visits = tree.edges[edge_index].visits
        if visits > most:
            most, second = visits, most
        elif visits > second:
            second = visits
        edge_index = tree.edges[edge_index].next
    return bool(most - second > plan.max_iterations - tree.counts[ITERATIONS])


@kernel
def draw_world(states: States, viewer: Seat, source: Index, generator: Generator) -> None:
    """Imagine a world from the viewer's sight at index `source`, accepted with the chance that `believe` gives."""
    world = states[WORLD]
    for _ in range(MAX_WORLDS_TRIED):
        states[WORLD] = states[source]
        imagine(world, viewer, generator)
        chance = believe(world, viewer)
        if chance >= 1.0 or uniform(generator) < chance:
            return


@lean_kernel
def descend(tree: Tree, seat: Seat, root_stage: int, plan: Plan) -> int:
    """Descend the tree with the world and add at most one node; return the number of steps in the path."""
    world = tree.states[WORLD]
    depth = 0
    is_leaf = False
    while not is_leaf and world.end_reason == 0 and depth < MAX_DEPTH and stage(world) == root_stage:
        count = legal_moves(world, tree.moves)
        move = tree.moves[0]
        if count > 1:
            nodes_before = tree.counts[NODES]
            edge = select_edge(tree, seat, count, plan)
            if edge == NONE:
                break
            is_leaf = tree.counts[NODES] > nodes_before
            tree.path[depth, 0], tree.path[depth, 1] = edge, world.to_move
            depth += 1
            move = tree.edges[edge].move
        play_in_stage(world, move)
    return depth


@lean_kernel
def back_up(tree: Tree, depth: int, seat: Seat, counts_for_all: bool) -> None:
    """Add the results to the moves of the path; to those of the other seats only if `counts_for_all`."""
    for step in range(depth):
        mover = tree.path[step, 1]
        if counts_for_all or mover == seat:
            edge = tree.edges[tree.path[step, 0]]
            edge.visits += 1
            edge.total += tree.results[mover]
    tree.counts[ITERATIONS] += 1
    tree.tally[SUM] += tree.results[seat]
    tree.tally[SQUARES] += tree.results[seat] ** 2


@lean_kernel
def hash_sight(words: Any, mover: Seat) -> Any:
    """Return a 64-bit hash of a sight, given as words, and of the seat on turn.

    Two chains, over every other word: a multiplication waits for the one before it in its chain only.
    """
    even = np.uint64(mover + 1) * HASH_FACTOR
    odd = ~even
    pairs = (len(words) - FIRST_HASHED_WORD) // 2
    for pair in range(pairs):
        index = FIRST_HASHED_WORD + 2 * pair
        even = mix(even, words[index])
        odd = mix(odd, words[index + 1])
    if FIRST_HASHED_WORD + 2 * pairs < len(words):
        even = mix(even, words[len(words) - 1])
    return mix(even, odd)


@lean_kernel
def mix(value: Any, word: Any) -> Any:
    """Add a word to a hash."""
    value = (value ^ word) * HASH_FACTOR
    return value ^ (value >> HASH_SHIFT)


@lean_kernel
def find_or_add_node(tree: Tree, key: Any) -> Index:
    """Return the node with this key, added if there is none; NONE if the tree is full."""
    mask = np.int64(len(tree.table) - 1)
    slot = np.int64(key & np.uint64(mask))
    while tree.table[slot] != NONE:
        if tree.nodes[tree.table[slot]].key == key:
            return int(tree.table[slot])
        slot = (slot + 1) & mask
    node = tree.counts[NODES]
    if node == len(tree.nodes):
        return NONE
    tree.table[slot] = node
    tree.nodes[node].key = key
    tree.nodes[node].first = NONE
    tree.counts[NODES] += 1
    return int(node)


# Selection of a move in the tree


@lean_kernel
def select_edge(tree: Tree, seat: Seat, count: int, plan: Plan) -> Index:
    """Return the edge to follow among the `count` legal moves of the world; NONE if the tree is full."""
    world = tree.states[WORLD]
    see(world, world.to_move if plan.nodes_by_mover else seat, tree.states[NODE_SIGHT])
    node = find_or_add_node(tree, hash_sight(tree.words[NODE_SIGHT], world.to_move))
    if node == NONE:
        return NONE
    index_edges(tree, node)
    update_edges(tree, node, count, plan)
    edge = best_edge(tree, count, plan)
    clear_edge_index(tree, node)
    return int(edge)


@lean_kernel
def index_edges(tree: Tree, node: Index) -> None:
    """Write the edges of a node into `edge_of_move`."""
    edge = tree.nodes[node].first
    while edge != NONE:
        tree.edge_of_move[tree.edges[edge].move] = edge
        edge = tree.edges[edge].next


@lean_kernel
def clear_edge_index(tree: Tree, node: Index) -> None:
    """Reset `edge_of_move` to NONE for the moves of a node."""
    edge = tree.nodes[node].first
    while edge != NONE:
        tree.edge_of_move[tree.edges[edge].move] = NONE
        edge = tree.edges[edge].next


@lean_kernel
def update_edges(tree: Tree, node: Index, count: int, plan: Plan) -> None:
    """Count each legal move as available, and add missing edges with their priors.

    The priors of a node by mover never change. A node by the searching seat's sight pools worlds in which the mover
    knows different things, so its priors are computed at each visit.
    """
    missing = 0
    for index in range(count):
        edge_index = tree.edge_of_move[tree.moves[index]]
        if edge_index == NONE:
            missing += 1
        else:
            tree.edges[edge_index].available += 1
    if missing or not plan.nodes_by_mover:
        compute_priors(tree, count, plan.temperature)
        for index in range(count):
            edge_index = tree.edge_of_move[tree.moves[index]]
            if edge_index != NONE:
                tree.edges[edge_index].prior = tree.ratings[index]
            elif tree.counts[EDGES] < len(tree.edges):
                add_edge(tree, node, tree.moves[index], tree.ratings[index])


@lean_kernel
def add_edge(tree: Tree, node: Index, move: Move, prior: float) -> None:
    """Add the edge of a move to a node."""
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
def compute_priors(tree: Tree, count: int, temperature: float) -> None:
    """Write the softmax of the policy's ratings into `tree.ratings`.

    Exact powers: the approximate ones of `softmax_draw` would change the decisions of a seed.
    """
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
def best_edge(tree: Tree, count: int, plan: Plan) -> Index:
    """Return the legal edge with the highest mean plus exploration bonus (PUCT), NONE if no move has an edge.

    The bonus is measured in spreads of the results. An unvisited move has the node's mean less `fpu_reduction`.
    """
    visits, total = 0, 0.0
    for index in range(count):
        edge_index = tree.edge_of_move[tree.moves[index]]
        if edge_index != NONE:
            visits += tree.edges[edge_index].visits
            total += tree.edges[edge_index].total
    spread = result_spread(tree)
    unvisited_mean = (total / visits if visits else 0.5) - plan.fpu_reduction * spread
    best, best_value = NONE, -np.inf
    for index in range(count):
        edge_index = tree.edge_of_move[tree.moves[index]]
        if edge_index != NONE:
            edge = tree.edges[edge_index]
            mean = edge.total / edge.visits if edge.visits else unvisited_mean
            bonus = plan.exploration * spread * edge.prior * np.sqrt(float(edge.available)) / (1 + edge.visits)
            if mean + bonus > best_value:
                best, best_value = int(edge_index), mean + bonus
    return best


@lean_kernel
def result_spread(tree: Tree) -> float:
    """Return the standard deviation of the results, so that bonuses fit games of any variance."""
    number = tree.counts[ITERATIONS]
    if number < MIN_RESULTS:
        return INITIAL_SPREAD
    mean = tree.tally[SUM] / number
    return float(np.sqrt(max(1e-6, tree.tally[SQUARES] / number - mean * mean)))


# Rollouts


@lean_kernel
def roll_out(world: State, moves: Moves, ratings: Ratings, root_stage: int, plan: Plan, generator: Generator) -> None:
    """Play the world by the policy until the stage ends, `rollout_moves` at most; `moves` and `ratings` are memory."""
    for _ in range(plan.rollout_moves):
        if world.end_reason != 0 or stage(world) != root_stage:
            return
        count = legal_moves(world, moves)
        chosen = choose_by_policy(world, moves, count, ratings, plan.rollout_noise, generator)
        play_in_stage(world, moves[chosen])


@lean_kernel
def choose_by_policy(
    world: State, moves: Moves, count: int, ratings: Ratings, noise: float, generator: Generator
) -> Index:
    """Return the index of a move drawn by softmax with temperature `noise`; without noise, of the best rated."""
    if count == 1:
        return 0
    rate(world, moves, count, ratings)
    return int(softmax_draw(generator, ratings, count, noise))
