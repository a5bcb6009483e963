"""The rules of Skyjo, in the order of the rulebook (rules.en.md)."""

from __future__ import annotations

from tablee.core.bits import list_bits
from tablee.core.codes import EndReasonCode, RefusalCode
from tablee.core.compilation import kernel, lean_kernel
from tablee.core.kernels import rank_by_score
from tablee.core.randomness import shuffle
from tablee.core.state import NOBODY, next_seat
from tablee.core.types import Bits, Index, Move, Moves, Points, Seat, State
from tablee.games.skyjo.moves import DISCARD, DRAW, FLIP_FIRST, SWAP_FIRST, TAKE
from tablee.games.skyjo.state import (
    ALL_CELLS,
    AUTO_OPENING,
    CELLS,
    CHOOSE,
    CLEAR_ROWS,
    COLUMN_BITS,
    COLUMNS,
    COPIES,
    DECK,
    DOUBLE_NEGATIVE,
    DRAWN,
    FLIP,
    HIGHEST_SUM_STARTS,
    LOWEST,
    MAX_SEATS,
    NO_CARD,
    OPEN_FIRST,
    OPEN_SECOND,
    OPENING,
    ROW_BITS,
    STALL_TURNS,
    START,
    TAKEN,
    VALUES,
    column_is_equal,
    has_finished,
    is_gone,
    is_hidden,
    is_open,
    row_is_equal,
)

TARGET = 100
MAX_ROUNDS = 100


class Refusal(RefusalCode):
    """Why a move is refused, with the clause."""

    GAME_OVER = "R21"
    OPEN_TWO_FIRST = "R3"
    CHOOSE_A_PILE_FIRST = "R8"
    MUST_EXCHANGE = "R9"
    EXCHANGE_OR_DISCARD = "R12"
    MUST_FLIP = "R13"
    ALREADY_OPEN = "R13"
    CARD_IS_GONE = "B13"


class EndReason(EndReasonCode):
    """Why the game ended."""

    TARGET = 1
    ROUND_LIMIT = 2


# Setting up (R1 to R6)


@kernel
def deal(state: State) -> None:
    """Set up the first round."""
    for value in range(VALUES):
        state.deck[value] = COPIES[value]
    for seat in range(MAX_SEATS):
        for cell in range(CELLS):
            state.final_grid[seat, cell] = NO_CARD
    state.last_ender = NOBODY
    state.doubled = NOBODY
    start_round(state)


@kernel
def start_round(state: State) -> None:
    """Shuffle, deal twelve hidden cards to each seat, and begin the opening (R1 to R4)."""
    index = 0
    for value in range(VALUES):
        for _ in range(state.deck[value]):
            state.piles[index] = value + LOWEST
            index += 1
    shuffle(state.generator, state.piles, index)
    state.draw_count = index
    state.discard_count = 0
    for value in range(VALUES):
        state.recycled[value] = 0
    for seat in range(MAX_SEATS):
        state.opened[seat] = 0
        state.gone[seat] = 0 if seat < state.seats else ALL_CELLS
        for cell in range(CELLS):
            state.grid[seat, cell] = take_top(state) if seat < state.seats else NO_CARD
    state.held = NO_CARD
    state.ender = NOBODY
    state.stalled = 0
    state.to_move = 0
    state.phase = OPEN_FIRST
    if state.options[OPENING] == AUTO_OPENING:
        for seat in range(state.seats):
            state.opened[seat] = 0b11
        start_turns(state)


@kernel
def play_opening(state: State, cell: Index) -> None:
    """Turn up one of the first two cards (R3); the seats choose in order, hidden from the others (B12)."""
    seat = state.to_move
    state.opened[seat] |= 1 << cell
    if state.phase == OPEN_FIRST:
        state.phase = OPEN_SECOND
    elif seat + 1 < state.seats:
        state.to_move = seat + 1
        state.phase = OPEN_FIRST
    else:
        start_turns(state)


@kernel
def start_turns(state: State) -> None:
    """Turn up the first discard (R5) and set the seat that begins (R6, B1)."""
    put_on_discard(state, take_top(state))
    state.to_move = state.last_ender
    if state.last_ender == NOBODY or state.options[START] == HIGHEST_SUM_STARTS:
        state.to_move = seat_with_highest_sum(state)
    state.phase = CHOOSE


@kernel
def seat_with_highest_sum(state: State) -> Seat:
    """Return the seat with the highest open sum (R6); ties: the higher single card, then the lower seat (B2)."""
    best_seat, best_sum, best_card = 0, -100, -100
    for seat in range(state.seats):
        total, highest = 0, -100
        for cell in range(CELLS):
            if is_open(state, seat, cell):
                total += int(state.grid[seat, cell])
                highest = max(highest, int(state.grid[seat, cell]))
        if total > best_sum or (total == best_sum and highest > best_card):
            best_seat, best_sum, best_card = seat, total, highest
    return best_seat


# The piles


@kernel
def take_top(state: State) -> int:
    """Take the top card of the draw pile."""
    state.draw_count -= 1
    card = state.piles[state.draw_count]
    state.piles[state.draw_count] = NO_CARD
    return card


@kernel
def put_on_discard(state: State, card: int) -> None:
    """Put a card on top of the discard pile."""
    state.discard_count += 1
    state.piles[DECK - state.discard_count] = card


@kernel
def recycle_discard(state: State) -> None:
    """Shuffle all but the top of the discard into a new draw pile (B11)."""
    first = DECK - state.discard_count
    top = state.piles[first]
    count = state.discard_count - 1
    for index in range(count):
        card = state.piles[first + 1 + index]
        state.piles[index] = card
        state.recycled[card - LOWEST] += 1
    for index in range(max(count, first), DECK - 1):
        state.piles[index] = NO_CARD
    state.piles[DECK - 1] = top
    state.draw_count = count
    state.discard_count = 1
    shuffle(state.generator, state.piles, count)


# A turn (R8 to R13)


@lean_kernel
def legal_moves(state: State, out: Moves) -> int:
    """List the legal moves of the seat on turn, ascending."""
    if state.end_reason != 0:
        return 0
    phase = state.phase
    seat = state.to_move
    if phase == CHOOSE:
        out[0] = DRAW
        out[1] = TAKE
        return 2
    gone = int(state.gone[seat])
    if phase == TAKEN:
        return list_bits(ALL_CELLS ^ gone, SWAP_FIRST, out, 0)
    if phase == DRAWN:
        out[0] = DISCARD
        return list_bits(ALL_CELLS ^ gone, SWAP_FIRST, out, 1)
    return list_bits(ALL_CELLS ^ (gone | int(state.opened[seat])), FLIP_FIRST, out, 0)


@kernel
def refusal(state: State, move: Move) -> int:
    """Return 0 for a legal move, else why it is refused, a `Refusal`."""
    if state.end_reason != 0:
        return Refusal.GAME_OVER
    phase = state.phase
    if phase == CHOOSE:
        return 0 if move == DRAW or move == TAKE else Refusal.CHOOSE_A_PILE_FIRST
    if phase == TAKEN or phase == DRAWN:
        if move >= SWAP_FIRST:
            return Refusal.CARD_IS_GONE if is_gone(state, state.to_move, move - SWAP_FIRST) else 0
        if phase == TAKEN:
            return Refusal.MUST_EXCHANGE
        return 0 if move == DISCARD else Refusal.EXCHANGE_OR_DISCARD
    if move < FLIP_FIRST or move >= SWAP_FIRST:
        return Refusal.MUST_FLIP if phase == FLIP else Refusal.OPEN_TWO_FIRST
    if is_gone(state, state.to_move, move - FLIP_FIRST):
        return Refusal.CARD_IS_GONE
    return Refusal.ALREADY_OPEN if is_open(state, state.to_move, move - FLIP_FIRST) else 0


@kernel
def play(state: State, move: Move) -> None:
    """Play a legal move; deal the next round if one has ended and the game goes on (R21)."""
    finished = state.rounds_played
    play_in_stage(state, move)
    if state.rounds_played > finished and state.end_reason == 0:
        start_round(state)


@kernel
def play_in_stage(state: State, move: Move) -> None:
    """Play a legal move, without the next deal."""
    if move >= SWAP_FIRST:
        play_swap(state, move - SWAP_FIRST)
    elif move >= FLIP_FIRST:
        if state.phase == FLIP:
            play_flip(state, move - FLIP_FIRST)
        else:
            play_opening(state, move - FLIP_FIRST)
    elif move == DRAW:
        play_draw(state)
    elif move == TAKE:
        play_take(state)
    else:
        play_discard(state)


@kernel
def play_draw(state: State) -> None:
    """Draw the top card, which only the seat on turn sees (R8, R12)."""
    if state.draw_count == 0:
        recycle_discard(state)
    state.held = take_top(state)
    state.phase = DRAWN


@kernel
def play_take(state: State) -> None:
    """Take the top of the discard; it must then be exchanged (R9)."""
    index = DECK - state.discard_count
    state.held = state.piles[index]
    state.piles[index] = NO_CARD
    state.discard_count -= 1
    state.phase = TAKEN


@kernel
def play_swap(state: State, cell: Index) -> None:
    """Put the card in hand face up into a cell, and the card from there on the discard pile (R9, R10, R12)."""
    seat = state.to_move
    was_hidden = is_hidden(state, seat, cell)
    old = state.grid[seat, cell]
    show_held(state)
    state.grid[seat, cell] = state.held
    state.held = NO_CARD
    state.opened[seat] |= 1 << cell
    put_on_discard(state, old)
    finish_turn(state, cell, was_hidden)


@kernel
def play_discard(state: State) -> None:
    """Discard the drawn card; a hidden card must then be turned up (R13)."""
    show_held(state)
    put_on_discard(state, state.held)
    state.held = NO_CARD
    state.phase = FLIP


@kernel
def play_flip(state: State, cell: Index) -> None:
    """Turn up a hidden card (R13)."""
    state.opened[state.to_move] |= 1 << cell
    finish_turn(state, cell, True)


@kernel
def show_held(state: State) -> None:
    """Count a card out of a reshuffled draw pile once everybody sees it."""
    if state.phase == DRAWN and state.recycled[state.held - LOWEST] > 0:
        state.recycled[state.held - LOWEST] -= 1


@kernel
def finish_turn(state: State, cell: Index, opened_a_card: bool) -> None:
    """Clear equal lines, then end the round or pass the turn (R14 to R16, B5, B9, B14)."""
    seat = state.to_move
    clear_lines(state, seat, cell)
    state.stalled = 0 if opened_a_card else state.stalled + 1
    if state.ender == NOBODY and has_finished(state, seat):
        state.ender = seat
    next_mover = next_seat(state, seat)
    is_stalled = state.ender == NOBODY and state.stalled >= state.options[STALL_TURNS] * state.seats
    if next_mover == state.ender or is_stalled:
        finish_round(state)
    else:
        state.to_move = next_mover
        state.phase = CHOOSE


# The special rule (R14)


@kernel
def clear_lines(state: State, seat: Seat, cell: Index) -> None:
    """Clear the column of a cell, and with the option its row, if all its cards are open and equal (R14, B8)."""
    cells = equal_lines(state, seat, cell)
    if cells:
        clear_cells(state, seat, cells)


@kernel
def equal_lines(state: State, seat: Seat, cell: Index) -> Bits:
    """Return the cells to clear: the cell's column and its row, checked together before either leaves (B17)."""
    column, row = cell % COLUMNS, cell // COLUMNS
    cells = 0
    if column_is_equal(state, seat, column):
        cells = COLUMN_BITS << column
    if state.options[CLEAR_ROWS] == 1 and row_is_equal(state, seat, row):
        cells |= ROW_BITS << (row * COLUMNS)
    return cells


@kernel
def clear_cells(state: State, seat: Seat, cells: Bits) -> None:
    """Move cards to the discard pile, on top of the exchanged or discarded one (B6)."""
    for cell in range(CELLS):
        if (cells >> cell) & 1:
            put_on_discard(state, state.grid[seat, cell])
            state.grid[seat, cell] = NO_CARD
    state.opened[seat] &= ALL_CELLS ^ cells
    state.gone[seat] |= cells


# End of a round, end of the game (R15 to R22)


@kernel
def finish_round(state: State) -> None:
    """Turn everything up and score; the game may be over. `play` deals the next round."""
    for seat in range(state.seats):
        for cell in range(CELLS):
            state.final_grid[seat, cell] = state.grid[seat, cell]
        turn_up_all(state, seat)
        state.round_scores[seat] = sum_of_cards(state, seat)
    double_the_ender(state)
    state.rounds_played += 1
    is_reached = False
    for seat in range(state.seats):
        state.totals[seat] += state.round_scores[seat]
        is_reached = is_reached or state.totals[seat] >= TARGET
    state.last_ender = state.ender
    if is_reached:
        finish_game(state, EndReason.TARGET)
    elif state.rounds_played == MAX_ROUNDS:
        finish_game(state, EndReason.ROUND_LIMIT)


@kernel
def turn_up_all(state: State, seat: Seat) -> None:
    """Open the hidden cards (R17) and apply the special rule once more (R18)."""
    state.opened[seat] = ALL_CELLS ^ state.gone[seat]
    clear_cells(state, seat, all_equal_lines(state, seat))


@kernel
def all_equal_lines(state: State, seat: Seat) -> Bits:
    """Return the cells to clear in a whole tableau, all lines checked before any leaves (B17)."""
    cells = 0
    for cell in range(CELLS):
        if cell < COLUMNS or cell % COLUMNS == 0:
            cells |= equal_lines(state, seat, cell)
    return cells


@kernel
def sum_of_cards(state: State, seat: Seat) -> int:
    """Return the sum of a tableau (R19); an empty one counts 0 (B9)."""
    total = 0
    for cell in range(CELLS):
        if not is_gone(state, seat, cell):
            total += int(state.grid[seat, cell])
    return total


@kernel
def double_the_ender(state: State) -> None:
    """Double the points of the seat that ended the round without being strictly lowest (R20, B3, B4)."""
    ender = state.ender
    state.doubled = NOBODY
    if ender == NOBODY or (state.round_scores[ender] <= 0 and state.options[DOUBLE_NEGATIVE] == 0):
        return
    for seat in range(state.seats):
        if seat != ender and state.round_scores[seat] <= state.round_scores[ender]:
            state.round_scores[ender] *= 2
            state.doubled = ender
            return


@kernel
def finish_game(state: State, reason: EndReason) -> None:
    """End the game (R21)."""
    state.end_reason = reason
    state.to_move = NOBODY
    state.phase = CHOOSE


@kernel
def scores(state: State, out: Points) -> None:
    """Write the points of the finished rounds."""
    for seat in range(state.seats):
        out[seat] = state.totals[seat]


@kernel
def ranks(state: State, out: Points) -> None:
    """Rank the seats: fewest points first, equal points share a rank (R22, B15)."""
    rank_by_score(state.totals, state.seats, True, out)


@kernel
def finished_rounds(state: State) -> int:
    """Return how many rounds have been scored."""
    return state.rounds_played
