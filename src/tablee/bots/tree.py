"""Information-set Monte Carlo tree search, for any game and any number of players, as kernels.

Each iteration imagines a fresh world that fits what the searching seat knows, walks down the tree with it, lets a
policy play the rest of the stage, and takes the result back up. A node stands for what the seat on turn knows (a hash
of its sight), so that a player is never allowed to act on what he cannot see; a move's statistics belong to the player
who makes it (max^n). Not every move is possible in every world: `available` counts how often one was.
"""

from __future__ import annotations

import numpy as np

from tablee.core.compiling import kernel
from tablee.core.kernels import evaluate, imagine, legal_moves, play, rate, see, stage
from tablee.core.randomness import next_word

NODE = np.dtype([("key", "u8"), ("first", "i4"), ("visits", "i4")], align=True)
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
        ("first_value", "f8"),
        ("rollout_noise", "f8"),
        ("temperature", "f8"),
        ("iterations", "i8"),
        ("rollout_moves", "i8"),
        ("nodes_by_mover", "i8"),
    ],
    align=True,
)

NONE = -1
SIGHT, WORLD, SEEN = 0, 1, 2  # places in the array of records a search works with
MIX = np.uint64(0x9E3779B97F4A7C15)
SHIFT = np.uint64(29)
DEEPEST = 512


@kernel
def grow(records, words, seat, plan, generator, nodes, edges, size, table, places_of, moves, ratings, results):
    """Run the iterations.

    Shapes: records (3,) with the sight first; words: the same memory as (3, n) unsigned 64-bit; size: (2,) how
    many nodes and edges there are; table: hash table of node numbers, a power of two long, filled with NONE;
    places_of: (moves of the game,) filled with NONE; moves and ratings: (most legal moves,); results: (seats,). Node 0
    is the root.
    """
    path_edges = np.empty(DEEPEST, np.int64)
    path_movers = np.empty(DEEPEST, np.int64)
    node_count, edge_count = size[0], size[1]
    root_stage = stage(records[SIGHT])
    for _ in range(plan.iterations):
        records[WORLD] = records[SIGHT]
        world = records[WORLD]
        imagine(world, seat, generator)
        depth = 0
        is_leaf = False
        while not is_leaf and world.end_reason == 0 and depth < DEEPEST and stage(world) == root_stage:
            count = legal_moves(world, moves)
            if count == 1:
                play(world, moves[0])
                continue
            mover = world.to_move
            see(world, mover if plan.nodes_by_mover else seat, records[SEEN])
            node = find_node(hash_of(words[SEEN], mover), nodes, node_count, table)
            if node == node_count:
                if node_count == len(nodes):
                    break
                node_count += 1
                is_leaf = True
            edge_count = meet_moves(world, node, nodes, edges, edge_count, places_of, moves, count, ratings, plan)
            edge = choose_edge(node, nodes, edges, places_of, moves, count, plan)
            forget_places(node, nodes, edges, places_of)
            if edge == NONE:
                break
            nodes[node].visits += 1
            path_edges[depth] = edge
            path_movers[depth] = mover
            depth += 1
            play(world, edges[edge].move)
        roll_out(world, root_stage, plan, generator, moves, ratings)
        evaluate(world, results)
        for step in range(depth):
            edge = path_edges[step]
            edges[edge].visits += 1
            edges[edge].total += results[path_movers[step]]
    size[0], size[1] = node_count, edge_count


@kernel
def hash_of(words, mover):
    """Return 64 bits that stand for a sight and who is on turn in it."""
    value = np.uint64(mover + 1) * MIX
    for place in range(len(words)):
        value = (value ^ words[place]) * MIX
        value ^= value >> SHIFT
    return value


@kernel
def find_node(key, nodes, node_count, table):
    """Return the node of a key; if there is none, enter `node_count` as its number (while there is room)."""
    mask = np.int64(len(table) - 1)
    slot = np.int64(key & np.uint64(mask))
    while table[slot] != NONE:
        if nodes[table[slot]].key == key:
            return np.int64(table[slot])
        slot = (slot + 1) & mask
    if node_count < len(nodes):
        table[slot] = node_count
        nodes[node_count].key = key
        nodes[node_count].first = NONE
        nodes[node_count].visits = 0
    return np.int64(node_count)


@kernel
def meet_moves(world, node, nodes, edges, edge_count, places_of, moves, count, ratings, plan):
    """Give each legal move an edge, note in `places_of` where each move's edge is, and count what was available."""
    edge = nodes[node].first
    while edge != NONE:
        places_of[edges[edge].move] = edge
        edge = edges[edge].next
    missing = 0
    for index in range(count):
        place = places_of[moves[index]]
        if place == NONE:
            missing += 1
        else:
            edges[place].available += 1
    if missing and edge_count + missing <= len(edges):
        softmax_ratings(world, moves, count, ratings, plan.temperature)
        for index in range(count):
            if places_of[moves[index]] == NONE:
                fresh = edges[edge_count]
                fresh.total = 0.0
                fresh.prior = ratings[index]
                fresh.move = moves[index]
                fresh.next = nodes[node].first
                fresh.visits = 0
                fresh.available = 1
                nodes[node].first = edge_count
                places_of[moves[index]] = edge_count
                edge_count += 1
    return edge_count


@kernel
def softmax_ratings(world, moves, count, ratings, temperature):
    """Turn the policy's ratings into shares."""
    rate(world, moves, count, ratings)
    best = ratings[0]
    for index in range(count):
        best = max(best, ratings[index])
    total = 0.0
    for index in range(count):
        ratings[index] = np.exp((ratings[index] - best) / temperature)
        total += ratings[index]
    for index in range(count):
        ratings[index] /= total


@kernel
def choose_edge(node, nodes, edges, places_of, moves, count, plan):
    """Return the edge of the move that promises most: its mean so far, and a bonus for what was tried little (PUCT)."""
    tried, total = 0, 0.0
    for index in range(count):
        place = places_of[moves[index]]
        if place != NONE:
            tried += edges[place].visits
            total += edges[place].total
    usual = total / tried if tried else 0.5
    best, best_value = NONE, -1.0
    for index in range(count):
        place = places_of[moves[index]]
        if place != NONE:
            edge = edges[place]
            mean = edge.total / edge.visits if edge.visits else usual * plan.first_value
            value = mean + plan.exploration * edge.prior * np.sqrt(np.float64(edge.available)) / (1 + edge.visits)
            if value > best_value:
                best, best_value = place, value
    return best


@kernel
def forget_places(node, nodes, edges, places_of):
    """Leave `places_of` as it was found."""
    edge = nodes[node].first
    while edge != NONE:
        places_of[edges[edge].move] = NONE
        edge = edges[edge].next


@kernel
def roll_out(world, root_stage, plan, generator, moves, ratings):
    """Let the policy play on until the stage is over."""
    for _ in range(plan.rollout_moves):
        if world.end_reason != 0 or stage(world) != root_stage:
            return
        count = legal_moves(world, moves)
        play(world, moves[policy_choice(world, moves, count, ratings, plan.rollout_noise, generator)])


@kernel
def policy_choice(record, moves, count, ratings, noise, generator):
    """Return the place of the best rated move, after shaking the ratings by `noise` (Gumbel: softmax sampling)."""
    if count == 1:
        return 0
    rate(record, moves, count, ratings)
    best, best_value = 0, -np.inf
    for index in range(count):
        value = ratings[index] + noise * gumbel(generator)
        if value > best_value:
            best, best_value = index, value
    return best


@kernel
def gumbel(generator):
    """Draw from the standard Gumbel distribution."""
    share = (next_word(generator) + 0.5) / 4294967296.0
    return -np.log(-np.log(share))
