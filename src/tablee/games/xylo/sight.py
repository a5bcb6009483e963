"""What a seat knows of a Xylo table, worlds that fit it, and numbers for learning."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tablee.core.compilation import kernel, lean_kernel
from tablee.core.observation import Layout
from tablee.core.randomness import below, next_word, reseed, shuffle
from tablee.core.state import NOBODY, glimpse_head, imagine_head, see_head
from tablee.games.xylo.moves import COLOURS, MAX_ROW
from tablee.games.xylo.rules import sort_row
from tablee.games.xylo.state import (
    ARRANGE,
    DECK,
    HIGHEST,
    MAX_ROWS,
    MAX_SEATS,
    NO_CARD,
    NOWHERE,
    UNKNOWN,
    UNKNOWN_VALUE,
    card_at,
    colour_of,
    is_sorter,
    next_tie,
    packet_count,
    packet_row,
    row_count,
    row_of,
    seat_of,
    value_of,
)


@kernel
def see(state, seat, out):
    """Write what `seat` knows: all colours, what was revealed, the rows it sorted, the cards it looked at (A14).

    While packets are put in order, nobody knows more than his own packet (A16); how far its sorter is, he alone (A24).
    """
    see_head(state, seat, out)
    for index in range(row_count(state) * state.row_size, DECK):
        out.cards[index] = NO_CARD
    glimpse(state, seat, out)
    see_past(state, out)


@lean_kernel
def glimpse(state, seat, out):
    """Write the part of a sight that `observe` reads: the rows, the trick, the points and whose turn it is."""
    glimpse_head(state, seat, out)
    for row in range(row_count(state)):
        see_row(state, seat, row, out)
    is_secret = state.phase == ARRANGE and state.to_move != seat
    out.arranging = UNKNOWN if is_secret else state.arranging
    see_table(state, out)


@kernel
def see_row(state, seat, row, out):
    """Write the cards of a row as a seat knows them: of a covered one the back, and so the colour."""
    first = row * state.row_size
    if state.phase == ARRANGE and not is_sorter(state, seat, row):
        for index in range(first, first + state.row_size):
            out.cards[index] = UNKNOWN
        return
    covered = covered_for(state, seat, row)
    for position in range(state.row_size):
        is_covered = (covered >> position) & 1
        out.cards[first + position] = state.cards[first + position] | (is_covered * UNKNOWN_VALUE)


@kernel
def covered_for(state, seat, row):
    """Return where a seat never saw the card, as bits: face down, not sorted by it, not looked at (R7, R8, R22)."""
    if is_sorter(state, seat, row):
        return 0
    covered = int(state.down[row])
    if seat >= 0 and row == row_of(state, seat):
        for peek in range(2):
            if state.peeks[row, peek] != NOWHERE:
                covered &= ~(1 << int(state.peeks[row, peek]))
    return covered


@kernel
def see_table(state, out):
    """Write what everybody sees of this round in any case, which cards were looked at included (A15)."""
    out.phase = state.phase
    out.rounds_played = state.rounds_played
    out.row_size = state.row_size
    out.trump = state.trump
    out.leader = state.leader
    for seat in range(MAX_SEATS):
        out.totals[seat] = state.totals[seat]
    for row in range(MAX_ROWS):
        out.down[row] = state.down[row]
        out.peeks[row, 0] = state.peeks[row, 0]
        out.peeks[row, 1] = state.peeks[row, 1]
        out.bid_at[row] = state.bid_at[row]
        out.won[row] = state.won[row]
        out.trick[row] = state.trick[row]


@kernel
def see_past(state, out):
    """Write the last trick, the last round, and what was known from the beginning."""
    out.first = state.first
    out.last_leader = state.last_leader
    for seat in range(MAX_SEATS):
        out.round_scores[seat] = state.round_scores[seat]
    for row in range(MAX_ROWS):
        out.last_trick[row] = state.last_trick[row]
        out.last_bids[row] = state.last_bids[row]
        out.last_won[row] = state.last_won[row]
    for colour in range(COLOURS):
        out.sizes[colour] = state.sizes[colour]


@kernel
def sees_move(state, move, seat):
    """How a packet is put in order is its sorter's secret; all other moves are open (A15, A16)."""
    return state.phase != ARRANGE or seat == state.to_move


# Worlds that fit


@kernel
def imagine(sight, seat, generator):
    """Fill in the unknown: any deal that fits, equal cards in any order."""
    imagine_head(sight, generator)
    if sight.phase == ARRANGE:
        imagine_deal(sight, seat, generator)
    else:
        imagine_values(sight, generator)


@kernel
def imagine_deal(sight, seat, generator):
    """Deal the cards that the seat has not got to the other packets, and let their sorters order equal ones anyhow."""
    unseen = np.zeros(COLOURS, np.int64)
    for colour in range(COLOURS):
        unseen[colour] = (1 << int(sight.sizes[colour])) - 1
    for index in range(DECK):
        if sight.cards[index] >= 0:
            unseen[colour_of(int(sight.cards[index]))] ^= 1 << value_of(int(sight.cards[index]))
    cards = np.empty(DECK, np.int8)
    count = 0
    for colour in range(COLOURS):
        for value in range(sight.sizes[colour]):
            if (unseen[colour] >> value) & 1:
                cards[count] = colour * 16 + value
                count += 1
    shuffle(generator, cards, count)
    deal_to_others(sight, seat, cards)
    if sight.to_move != seat:
        sight.arranging = random_progress(sight, generator)


@kernel
def deal_to_others(state, seat, cards):
    """Give cards to the rows that a seat does not sort."""
    count = 0
    for row in range(row_count(state)):
        if not is_sorter(state, seat, row):
            for position in range(state.row_size):
                state.cards[row * state.row_size + position] = cards[count]
                count += 1
            sort_row(state, row)


@kernel
def random_progress(state, generator):
    """Return how far the seat on turn may be with its packets: any choice it meets is as likely as any other."""
    packet = below(generator, packet_count(state))
    row = packet_row(state, state.to_move, packet)
    last = state.row_size - 1
    count = 0
    chosen = last
    position = next_tie(state, row, 0)
    while position < last:
        count += 1
        if below(generator, count) == 0:
            chosen = position
        position = next_tie(state, row, position + 1)
    return packet * 16 + chosen


# Once the rows are spread, a world is a choice of values for the cards face down. In a sorted row each value is one
# run, so a world is built value by value, from the highest: each row takes a run of cards, and together they take each
# colour that has this value exactly once. How far the rows are filled is all that matters for the rest. A deal is as
# likely as any other and a run of n equal cards has n! orders, so a world weighs the product of 1 / n! over its runs.


class Worlds(NamedTuple):
    """How far rows can be filled (states), by which runs (edges), and the weight of all ways to the end."""

    fills: Any  # (capacity + 1,) int64: per state, four bits per row
    first_edges: Any  # (capacity + 2,) int64: per state, where its edges begin
    weights: Any  # (capacity + 1,) float64: per state, of all that can follow
    targets: Any  # (capacity,) int64: per edge, the state it leads to
    run_weights: Any  # (capacity,) float64: per edge, the product of 1 / n! over its runs
    reach: Any  # (MAX_ROWS + 1,) int64: a bit per colour that this row or one after it could take now
    ways: Any  # (MAX_ROWS + 1, 3) int64: per row of the way being tried, its fill, wanted colours, length of its run
    way_weights: Any  # (MAX_ROWS + 1,) float64
    counts: Any  # (3,) int64: STATES, EDGES, and LEVEL, the first state of the level being made


STATES, EDGES, LEVEL = range(3)
FIRST_CAPACITY = 1024


@kernel
def imagine_values(sight, generator):
    """Give the cards face down their values, each world with its chance."""
    capacity = FIRST_CAPACITY
    worlds = new_worlds(capacity)
    while not find_worlds(sight, worlds):
        capacity *= 2
        worlds = new_worlds(capacity)
    weigh_worlds(worlds)
    draw_world(sight, worlds, generator)


@kernel
def new_worlds(capacity):
    """Make room for so many edges; each leads to at most one new state."""
    return Worlds(
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
def find_worlds(sight, worlds):
    """List all states and edges, level by level; return False if there is not enough room."""
    counts = worlds.counts
    worlds.fills[0] = 0
    counts[STATES] = 1
    first = 0
    for value in range(HIGHEST, -1, -1):
        wanted = 0
        for colour in range(COLOURS):
            if sight.sizes[colour] > value:
                wanted |= 1 << colour
        counts[LEVEL] = counts[STATES]
        for number in range(first, counts[LEVEL]):
            worlds.first_edges[number] = counts[EDGES]
            find_reach(sight, worlds, worlds.fills[number], value, wanted)
            add_runs(sight, worlds, worlds.fills[number], value, wanted)
            if counts[EDGES] == len(worlds.targets):
                return False
        first = counts[LEVEL]
    for number in range(first, counts[STATES] + 1):
        worlds.first_edges[number] = counts[EDGES]
    return True


@lean_kernel
def find_reach(sight, worlds, fill, value, wanted):
    """Note which colours the rows from each one on could take at best, to leave a hopeless way early."""
    for row in range(row_count(sight) - 1, -1, -1):
        worlds.reach[row] = worlds.reach[row + 1]
        for position in range((fill >> (4 * row)) & 15, sight.row_size):
            card = card_at(sight, row, position)
            is_possible = value_of(card) == value or value_of(card) == UNKNOWN_VALUE
            if not is_possible or (wanted >> colour_of(card)) & 1 == 0:
                break
            worlds.reach[row] |= 1 << colour_of(card)


@lean_kernel
def add_runs(sight, worlds, fill, value, wanted):
    """Let the rows take runs of a value that use up the wanted colours; each way is an edge.

    Row by row, shortest runs first, with a stack instead of a recursion: Numba cannot load a recursive kernel from its
    cache (it calls address 0).
    """
    enter_row(worlds, 0, fill, wanted, 1.0)
    row, may_end = 0, True
    while row >= 0:
        fill, wanted, length = worlds.ways[row]
        weight = worlds.way_weights[row]
        is_hopeless = may_end and length == 0 and wanted & ~worlds.reach[row] != 0
        if is_hopeless or row == row_count(sight):
            if not is_hopeless:
                add_edge(worlds, fill, weight)
            row, may_end = row - 1, False
            continue
        position = (fill >> (4 * row)) & 15
        card = card_at(sight, row, position) if position < sight.row_size else NO_CARD
        is_taken = card != NO_CARD and value_of(card) == value
        if may_end and not is_taken:
            row += 1
            enter_row(worlds, row, fill, wanted, weight)
            continue
        is_possible = card != NO_CARD and (is_taken or value_of(card) == UNKNOWN_VALUE)
        if is_possible and (wanted >> colour_of(card)) & 1:
            worlds.ways[row, 0] = fill + (1 << (4 * row))
            worlds.ways[row, 1] = wanted ^ (1 << colour_of(card))
            worlds.ways[row, 2] = length + 1
            worlds.way_weights[row] = weight / (length + 1)
            may_end = True
        else:
            row, may_end = row - 1, False


@lean_kernel
def enter_row(worlds, row, fill, wanted, weight):
    """Begin with a row that has taken nothing yet."""
    worlds.ways[row, 0] = fill
    worlds.ways[row, 1] = wanted
    worlds.ways[row, 2] = 0
    worlds.way_weights[row] = weight


@lean_kernel
def add_edge(worlds, fill, weight):
    """Note an edge to a state of the next level, which may be new; nothing once the room is used up."""
    counts = worlds.counts
    if counts[EDGES] == len(worlds.targets):
        return
    target = counts[LEVEL]
    while target < counts[STATES] and worlds.fills[target] != fill:
        target += 1
    if target == counts[STATES]:
        worlds.fills[target] = fill
        counts[STATES] += 1
    worlds.targets[counts[EDGES]] = target
    worlds.run_weights[counts[EDGES]] = weight
    counts[EDGES] += 1


@lean_kernel
def weigh_worlds(worlds):
    """Add up the weights from the end; the last state has all rows filled."""
    last = worlds.counts[STATES] - 1
    worlds.weights[last] = 1.0
    for number in range(last - 1, -1, -1):
        weight = 0.0
        for edge in range(worlds.first_edges[number], worlds.first_edges[number + 1]):
            weight += worlds.run_weights[edge] * worlds.weights[worlds.targets[edge]]
        worlds.weights[number] = weight


@lean_kernel
def draw_world(sight, worlds, generator):
    """Walk from the highest value to the lowest, taking each edge with its share of the weight."""
    number = 0
    for value in range(HIGHEST, -1, -1):
        edge = draw_edge(worlds, number, generator)
        target = worlds.targets[edge]
        for row in range(row_count(sight)):
            first = (worlds.fills[number] >> (4 * row)) & 15
            for position in range(first, (worlds.fills[target] >> (4 * row)) & 15):
                colour = colour_of(card_at(sight, row, position))
                sight.cards[row * sight.row_size + position] = colour * 16 + value
        number = target


@lean_kernel
def draw_edge(worlds, number, generator):
    """Choose an edge of a state by weight."""
    chosen = worlds.first_edges[number]
    if worlds.first_edges[number + 1] == chosen + 1:
        return chosen
    left = random_share(generator) * worlds.weights[number]
    for edge in range(worlds.first_edges[number], worlds.first_edges[number + 1]):
        weight = worlds.run_weights[edge] * worlds.weights[worlds.targets[edge]]
        if weight > 0.0:
            chosen = edge
            if left < weight:
                break
            left -= weight
    return chosen


@lean_kernel
def random_share(generator):
    """Draw a float from 0 to 1, 1 excluded, from 53 bits: those of `uniform` are too few for very unequal worlds."""
    high, low = next_word(generator) >> 5, next_word(generator) >> 6
    return (high * 67108864.0 + low) / 9007199254740992.0


# Disguise


@kernel
def disguise(state, seat, generator):
    """Change all that `seat` cannot notice: the others' packets, or the values of hidden cards."""
    reseed(state.generator, generator)
    if state.phase == ARRANGE:
        disguise_packets(state, seat, generator)
    else:
        exchange_values(state, seat, generator)


@kernel
def disguise_packets(state, seat, generator):
    """Deal the others' packets anew (A16), and let the seat on turn be anywhere in its own (A24)."""
    cards = np.empty(DECK, np.int8)
    count = 0
    for row in range(row_count(state)):
        if not is_sorter(state, seat, row):
            for position in range(state.row_size):
                cards[count] = card_at(state, row, position)
                count += 1
    shuffle(generator, cards, count)
    deal_to_others(state, seat, cards)
    if state.to_move != seat:
        state.arranging = random_progress(state, generator)


@kernel
def exchange_values(state, seat, generator):
    """Let pairs of cards of one colour that the seat never saw exchange their values, where both rows stay sorted."""
    ranks = np.empty(DECK, np.int64)
    count = 0
    for index in range(row_count(state) * state.row_size):
        if is_unseen(state, seat, index):
            ranks[count] = index
            count += 1
    shuffle(generator, ranks, count)
    for one in range(count):
        for other in range(one):
            if colour_of(int(state.cards[ranks[one]])) == colour_of(int(state.cards[ranks[other]])):
                exchange(state, ranks[one], ranks[other])


@kernel
def is_unseen(state, seat, index):
    """Say whether a seat never saw the face of a card."""
    row, position = index // state.row_size, index % state.row_size
    return (covered_for(state, seat, row) >> position) & 1 == 1


@kernel
def exchange(state, one, other):
    """Exchange two cards, and back again if a row is then not sorted."""
    swap(state, one, other)
    if not (is_in_order(state, one) and is_in_order(state, other)):
        swap(state, one, other)


@kernel
def swap(state, one, other):
    """Exchange two cards."""
    card = state.cards[one]
    state.cards[one] = state.cards[other]
    state.cards[other] = card


@kernel
def is_in_order(state, index):
    """Say whether a card is not higher than its left neighbour and not lower than its right one."""
    value = value_of(int(state.cards[index]))
    position = index % state.row_size
    if position > 0 and value_of(int(state.cards[index - 1])) < value:
        return False
    return position == state.row_size - 1 or value_of(int(state.cards[index + 1])) <= value


# Numbers for learning. Rows are relative: 0 is the viewer's own, 1 the next on the left, which he sorted (with two
# players an automaton's); a spectator looks from seat 0.

CELLS = MAX_ROWS * MAX_ROW
VALUES = HIGHEST + 1

OBSERVATION = Layout(
    ("colours", CELLS * COLOURS, "per relative row and position from the left, one-hot: the card's colour, if known"),
    ("values", CELLS * VALUES, "per relative row and position, one-hot: the card's value, if known"),
    ("down", CELLS, "1 where the card lies face down"),
    ("peeked", CELLS, "1 where the owner has looked at the card"),
    ("bid", CELLS, "1 where the announcement card came from"),
    ("bids", MAX_ROWS * VALUES, "per relative row, one-hot: the value announced"),
    ("tricks", MAX_ROWS, "tricks won this round per relative row / 14"),
    ("trick_colours", MAX_ROWS * COLOURS, "per relative row, one-hot: colour of the card in the trick"),
    ("trick_values", MAX_ROWS * VALUES, "per relative row, one-hot: value of the card in the trick"),
    ("led", COLOURS, "one-hot: the colour led"),
    ("trump", COLOURS, "one-hot: the trump colour"),
    ("leader", MAX_ROWS, "one-hot: relative row that leads the trick"),
    ("on_turn", MAX_ROWS, "one-hot: relative row on turn"),
    ("phase", 4, "one-hot: arrange, play, announce or not, choose the announcement"),
    ("arranging", MAX_ROW, "one-hot: the position for which the viewer chooses a card"),
    ("packet", 2, "one-hot: which of his packets the viewer puts in order"),
    ("automaton", MAX_ROWS, "1 where the relative row is an automaton's"),
    ("totals", MAX_ROWS, "points per relative row / 50"),
    ("round", 4, "one-hot: first round, second, third, an extra one"),
    ("left", 1, "share of the round's tricks still to come"),
)
SEEN_COLOURS = OBSERVATION.start("colours")
SEEN_VALUES = OBSERVATION.start("values")
SEEN_DOWN = OBSERVATION.start("down")
SEEN_PEEKED = OBSERVATION.start("peeked")
SEEN_BID = OBSERVATION.start("bid")
SEEN_BIDS = OBSERVATION.start("bids")
SEEN_TRICKS = OBSERVATION.start("tricks")
SEEN_TRICK_COLOURS = OBSERVATION.start("trick_colours")
SEEN_TRICK_VALUES = OBSERVATION.start("trick_values")
SEEN_LED = OBSERVATION.start("led")
SEEN_TRUMP = OBSERVATION.start("trump")
SEEN_LEADER = OBSERVATION.start("leader")
SEEN_ON_TURN = OBSERVATION.start("on_turn")
SEEN_PHASE = OBSERVATION.start("phase")
SEEN_ARRANGING = OBSERVATION.start("arranging")
SEEN_PACKET = OBSERVATION.start("packet")
SEEN_AUTOMATON = OBSERVATION.start("automaton")
SEEN_TOTALS = OBSERVATION.start("totals")
SEEN_ROUND = OBSERVATION.start("round")
SEEN_LEFT = OBSERVATION.start("left")


@lean_kernel
def observe(sight, seat, out):
    """Write the numbers of OBSERVATION that are not zero."""
    rows = row_count(sight)
    me = row_of(sight, max(seat, 0))
    played = 0
    for relative in range(rows):
        row = (me + relative) % rows
        played += int(sight.won[row])
        observe_row(sight, row, relative, out)
        observe_roles(sight, row, relative, out)
    out[SEEN_TRUMP + sight.trump] = 1.0
    if sight.trick[sight.leader] != NO_CARD:
        out[SEEN_LED + colour_of(int(sight.trick[sight.leader]))] = 1.0
    out[SEEN_PHASE + sight.phase] = 1.0
    if sight.phase == ARRANGE and sight.arranging != UNKNOWN:
        out[SEEN_ARRANGING + (int(sight.arranging) & 15)] = 1.0
        out[SEEN_PACKET + (int(sight.arranging) >> 4)] = 1.0
    out[SEEN_ROUND + min(sight.rounds_played, 3)] = 1.0
    out[SEEN_LEFT] = (sight.row_size - 1 - played) / (sight.row_size - 1)


@lean_kernel
def observe_row(sight, row, relative, out):
    """Write the cards of one row; without a question asked of each, which a processor would guess wrong often."""
    cell = relative * MAX_ROW
    first, down = row * sight.row_size, int(sight.down[row])
    for position in range(sight.row_size):
        card = int(sight.cards[first + position])
        if card >= 0:
            out[SEEN_COLOURS + (cell + position) * COLOURS + colour_of(card)] = 1.0
            value = value_of(card)
            is_known = value != UNKNOWN_VALUE
            out[SEEN_VALUES + (cell + position) * VALUES + value * is_known] = is_known
        out[SEEN_DOWN + cell + position] = (down >> position) & 1
    for peek in range(2):
        if sight.peeks[row, peek] != NOWHERE:
            out[SEEN_PEEKED + cell + int(sight.peeks[row, peek])] = 1.0
    if sight.bid_at[row] != NOWHERE:
        position = int(sight.bid_at[row])
        out[SEEN_BID + relative * MAX_ROW + position] = 1.0
        out[SEEN_BIDS + relative * VALUES + value_of(card_at(sight, row, position))] = 1.0


@lean_kernel
def observe_roles(sight, row, relative, out):
    """Write a row's part in the trick, its tricks and its points."""
    out[SEEN_TRICKS + relative] = sight.won[row] / 14
    if sight.trick[row] != NO_CARD:
        card = int(sight.trick[row])
        out[SEEN_TRICK_COLOURS + relative * COLOURS + colour_of(card)] = 1.0
        out[SEEN_TRICK_VALUES + relative * VALUES + value_of(card)] = 1.0
    if sight.leader == row:
        out[SEEN_LEADER + relative] = 1.0
    seat = seat_of(sight, row)
    if seat == NOBODY:
        out[SEEN_AUTOMATON + relative] = 1.0
        return
    out[SEEN_TOTALS + relative] = sight.totals[seat] / 50
    if sight.to_move == seat:
        out[SEEN_ON_TURN + relative] = 1.0
