"""What a seat knows of a Xylo table, worlds consistent with it, and observations for learning."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tablee.core.compilation import kernel, lean_kernel
from tablee.core.fractions import fraction
from tablee.core.observation import Layout
from tablee.core.randomness import below, reseed, shuffle
from tablee.core.state import NOBODY, glimpse_head, imagine_head, see_head
from tablee.core.types import Bits, Generator, Index, Move, Numbers, Seat, SightState, State
from tablee.games.xylo.moves import COLOURS, MAX_ROW
from tablee.games.xylo.packets import sort_row
from tablee.games.xylo.rules import MAX_ROUNDS
from tablee.games.xylo.state import (
    ARRANGE,
    DECK,
    HIGHEST,
    LEAD_TIE,
    MAX_ROWS,
    MAX_SEATS,
    NO_CARD,
    NOWHERE,
    PHASES,
    REMOVED,
    TIES,
    UNKNOWN,
    UNKNOWN_VALUE,
    Row,
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
from tablee.games.xylo.worlds import imagine_values

Cards: TypeAlias = npt.NDArray[np.int8]  # (DECK,) cards to deal


@kernel
def see(state: State, seat: Seat, out: SightState) -> None:
    """Write what `seat` knows: all colours, cards face up, the rows it sorted, the cards it looked at (A14).

    While packets are ordered, a seat knows only its own (A16), and only the sorter knows how far it is (A24).
    """
    see_head(state, seat, out)
    for index in range(row_count(state) * state.row_size, DECK):
        out.cards[index] = NO_CARD
    glimpse(state, seat, out)
    see_past(state, out)


@lean_kernel
def glimpse(state: State, seat: Seat, out: SightState) -> None:
    """Write the part of a sight that `observe` reads: rows, trick, points and whose turn it is."""
    glimpse_head(state, seat, out)
    for row in range(row_count(state)):
        see_row(state, seat, row, out)
    is_secret = state.phase == ARRANGE and state.to_move != seat
    out.arranging = UNKNOWN if is_secret else state.arranging
    see_table(state, out)


@kernel
def see_row(state: State, seat: Seat, row: Row, out: SightState) -> None:
    """Write the cards of a row as a seat knows them: of a covered card only the colour, which its back shows."""
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
def covered_for(state: State, seat: Seat, row: Row) -> Bits:
    """Return the cards a seat never saw, a bit each: face down, not sorted by it, not looked at (R7, R8, R22)."""
    if is_sorter(state, seat, row):
        return 0
    covered = int(state.down[row])
    if seat >= 0 and row == row_of(state, seat):
        for peek in range(2):
            if state.peeks[row, peek] != NOWHERE:
                covered &= ~(1 << int(state.peeks[row, peek]))
    return covered


@kernel
def see_table(state: State, out: SightState) -> None:
    """Write what is public about this round, including which cards were looked at (A15)."""
    out.phase = state.phase
    out.rounds_played = state.rounds_played
    out.row_size = state.row_size
    out.trump = state.trump
    out.first = state.first
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
def see_past(state: State, out: SightState) -> None:
    """Write the last trick, the last round and the deck, all of it public."""
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
def sees_move(state: State, move: Move, seat: Seat) -> bool:
    """Whether a seat may know a move: all are public except how others order their packets (A15, A16)."""
    return state.phase != ARRANGE or seat == state.to_move


# Worlds consistent with a sight


@kernel
def imagine(sight: SightState, seat: Seat, generator: Generator) -> None:
    """Fill in the unknown: a random deal consistent with the sight, equal cards in random order."""
    imagine_head(sight, generator)
    if sight.phase == ARRANGE:
        imagine_deal(sight, seat, generator)
    else:
        imagine_values(sight, generator)


@kernel
def imagine_deal(sight: SightState, seat: Seat, generator: Generator) -> None:
    """Deal the cards that are not in the seat's packets to the others, equal cards in random order."""
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
def deal_to_others(state: State, seat: Seat, cards: Cards) -> None:
    """Write cards into the rows that a seat does not sort, and sort these."""
    count = 0
    for row in range(row_count(state)):
        if not is_sorter(state, seat, row):
            for position in range(state.row_size):
                state.cards[row * state.row_size + position] = cards[count]
                count += 1
            sort_row(state, row)


@kernel
def random_progress(state: State, generator: Generator) -> int:
    """Return a random `arranging` for the seat on turn: a packet, and one of its choices with equal probability."""
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


# Disguise


@kernel
def disguise(state: State, seat: Seat, generator: Generator) -> None:
    """Change everything `seat` cannot know: the others' packets or the values of unseen cards, and the generator."""
    reseed(state.generator, generator)
    if state.phase == ARRANGE:
        disguise_packets(state, seat, generator)
    else:
        exchange_values(state, seat, generator)


@kernel
def disguise_packets(state: State, seat: Seat, generator: Generator) -> None:
    """Deal the others' packets again (A16), and change how far the seat on turn is (A24)."""
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
def exchange_values(state: State, seat: Seat, generator: Generator) -> None:
    """Exchange pairs of cards of one colour that the seat never saw, where both rows stay sorted."""
    indices = np.empty(DECK, np.int64)
    count = 0
    for index in range(row_count(state) * state.row_size):
        if is_unseen(state, seat, index):
            indices[count] = index
            count += 1
    shuffle(generator, indices, count)
    for one in range(count):
        for other in range(one):
            if colour_of(int(state.cards[indices[one]])) == colour_of(int(state.cards[indices[other]])):
                exchange(state, indices[one], indices[other])


@kernel
def is_unseen(state: State, seat: Seat, index: Index) -> bool:
    """Whether a seat never saw the value of a card."""
    row, position = index // state.row_size, index % state.row_size
    return (covered_for(state, seat, row) >> position) & 1 == 1


@kernel
def exchange(state: State, one: Index, other: Index) -> None:
    """Exchange two cards, unless a row would no longer be sorted."""
    swap(state, one, other)
    if not (is_in_order(state, one) and is_in_order(state, other)):
        swap(state, one, other)


@kernel
def swap(state: State, one: Index, other: Index) -> None:
    """Exchange two cards."""
    card = state.cards[one]
    state.cards[one] = state.cards[other]
    state.cards[other] = card


@kernel
def is_in_order(state: State, index: Index) -> bool:
    """Whether a card is not higher than its left neighbour and not lower than its right one."""
    value = value_of(int(state.cards[index]))
    position = index % state.row_size
    if position > 0 and value_of(int(state.cards[index - 1])) < value:
        return False
    return position == state.row_size - 1 or value_of(int(state.cards[index + 1])) <= value


# Observations. Rows are relative: 0 is the viewer's own, 1 the next on the left, which the viewer sorted (with two
# players an automaton's); a spectator observes from seat 0.

CELLS = MAX_ROWS * MAX_ROW
VALUES = HIGHEST + 1

OBSERVATION = Layout(
    ("colours", CELLS * COLOURS, "per relative row and position from the left, one-hot: the card's colour, if known"),
    ("values", CELLS * VALUES, "per relative row and position, one-hot: the card's value, if known"),
    ("down", CELLS, "1 where the card lies face down"),
    ("peeked", CELLS, "1 where the owner has looked at the card"),
    ("bids", MAX_ROWS * VALUES, "per relative row, one-hot: the value announced"),
    ("tricks", MAX_ROWS, "tricks won this round per relative row / 14"),
    ("trick_colours", MAX_ROWS * COLOURS, "per relative row, one-hot: colour of the card in the trick"),
    ("trick_values", MAX_ROWS * VALUES, "per relative row, one-hot: value of the card in the trick"),
    ("led", COLOURS, "one-hot: the colour led"),
    ("trump", COLOURS, "one-hot: the trump colour"),
    ("leader", MAX_ROWS, "one-hot: relative row that leads the trick"),
    ("first", MAX_ROWS, "one-hot: relative row that leads the first trick of the round, from which R37 counts"),
    ("on_turn", MAX_ROWS, "one-hot: relative row on turn"),
    ("phase", len(PHASES), "one-hot: arrange, play, announce or not, choose the announcement"),
    ("arranging", MAX_ROW, "one-hot: the position for which the viewer chooses a card"),
    ("packet", 2, "one-hot: which packet the viewer orders"),
    ("seat", 1, "the viewer's seat, counted from 0 / 5: packets are ordered in this order"),
    ("automaton", MAX_ROWS, "per relative row: 1 if it is an automaton's"),
    ("totals", MAX_ROWS, "points per relative row / 50"),
    ("round", 4, "one-hot: first round, second, third, an extra one"),
    ("rounds", 1, "finished rounds / 100"),
    ("left", 1, "tricks left in the round / all its tricks"),
    ("options", 4, "1 if on: without sky, without pink (three players), the leader first in a tie, no ordering"),
)
AT_COLOURS = OBSERVATION.start("colours")
AT_VALUES = OBSERVATION.start("values")
AT_DOWN = OBSERVATION.start("down")
AT_PEEKED = OBSERVATION.start("peeked")
AT_BIDS = OBSERVATION.start("bids")
AT_TRICKS = OBSERVATION.start("tricks")
AT_TRICK_COLOURS = OBSERVATION.start("trick_colours")
AT_TRICK_VALUES = OBSERVATION.start("trick_values")
AT_LED = OBSERVATION.start("led")
AT_TRUMP = OBSERVATION.start("trump")
AT_LEADER = OBSERVATION.start("leader")
AT_FIRST = OBSERVATION.start("first")
AT_ON_TURN = OBSERVATION.start("on_turn")
AT_PHASE = OBSERVATION.start("phase")
AT_ARRANGING = OBSERVATION.start("arranging")
AT_PACKET = OBSERVATION.start("packet")
AT_SEAT = OBSERVATION.start("seat")
AT_AUTOMATON = OBSERVATION.start("automaton")
AT_TOTALS = OBSERVATION.start("totals")
AT_ROUND = OBSERVATION.start("round")
AT_ROUNDS = OBSERVATION.start("rounds")
AT_LEFT = OBSERVATION.start("left")
AT_OPTIONS = OBSERVATION.start("options")


@lean_kernel
def observe(sight: SightState, seat: Seat, out: Numbers) -> None:
    """Write the numbers of OBSERVATION that are not zero."""
    rows = row_count(sight)
    me = row_of(sight, max(seat, 0))
    played = 0
    for relative in range(rows):
        row = (me + relative) % rows
        played += int(sight.won[row])
        observe_row(sight, row, relative, out)
        observe_roles(sight, row, relative, out)
    out[AT_TRUMP + sight.trump] = 1.0
    if sight.trick[sight.leader] != NO_CARD:
        out[AT_LED + colour_of(int(sight.trick[sight.leader]))] = 1.0
    out[AT_PHASE + sight.phase] = 1.0
    if sight.phase == ARRANGE and sight.arranging != UNKNOWN:
        out[AT_ARRANGING + (int(sight.arranging) & 15)] = 1.0
        out[AT_PACKET + (int(sight.arranging) >> 4)] = 1.0
    out[AT_SEAT] = fraction(max(seat, 0), MAX_SEATS)
    out[AT_ROUND + min(sight.rounds_played, 3)] = 1.0
    out[AT_ROUNDS] = fraction(sight.rounds_played, MAX_ROUNDS)
    out[AT_LEFT] = fraction(sight.row_size - 1 - played, sight.row_size - 1)
    if sight.options[REMOVED] != 0:
        out[AT_OPTIONS + sight.options[REMOVED] - 1] = 1.0
    out[AT_OPTIONS + 2] = sight.options[LEAD_TIE]
    out[AT_OPTIONS + 3] = sight.options[TIES]


@lean_kernel
def observe_row(sight: SightState, row: Row, relative: int, out: Numbers) -> None:
    """Write the cards of one row, with few branches: the processor would mispredict many of them."""
    cell = relative * MAX_ROW
    first, down = row * sight.row_size, int(sight.down[row])
    for position in range(sight.row_size):
        card = int(sight.cards[first + position])
        if card >= 0:
            out[AT_COLOURS + (cell + position) * COLOURS + colour_of(card)] = 1.0
            value = value_of(card)
            is_known = value != UNKNOWN_VALUE
            out[AT_VALUES + (cell + position) * VALUES + value * is_known] = is_known
        out[AT_DOWN + cell + position] = (down >> position) & 1
    for peek in range(2):
        if sight.peeks[row, peek] != NOWHERE:
            out[AT_PEEKED + cell + int(sight.peeks[row, peek])] = 1.0
    if sight.bid_at[row] != NOWHERE:
        out[AT_BIDS + relative * VALUES + value_of(card_at(sight, row, int(sight.bid_at[row])))] = 1.0


@lean_kernel
def observe_roles(sight: SightState, row: Row, relative: int, out: Numbers) -> None:
    """Write a row's card in the trick, its tricks and its points."""
    out[AT_TRICKS + relative] = fraction(sight.won[row], 14)
    if sight.trick[row] != NO_CARD:
        card = int(sight.trick[row])
        out[AT_TRICK_COLOURS + relative * COLOURS + colour_of(card)] = 1.0
        out[AT_TRICK_VALUES + relative * VALUES + value_of(card)] = 1.0
    if sight.leader == row:
        out[AT_LEADER + relative] = 1.0
    seat = seat_of(sight, row)
    if seat == NOBODY:
        out[AT_AUTOMATON + relative] = 1.0
        return
    out[AT_TOTALS + relative] = fraction(sight.totals[seat], 50)
    if sight.to_move == seat:
        out[AT_ON_TURN + relative] = 1.0
    if sight.first == seat:
        out[AT_FIRST + relative] = 1.0
