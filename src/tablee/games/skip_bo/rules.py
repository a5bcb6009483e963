"""The rules of Skip-Bo, in the order of the rulebook (rules.en.md)."""

from __future__ import annotations

from tablee.core.bits import count_of, highest_bit, list_bits, lowest_bit
from tablee.core.compilation import kernel, lean_kernel
from tablee.core.kernels import rank_by_score
from tablee.core.randomness import below, shuffle
from tablee.core.runs import close_gap, open_gap
from tablee.core.state import NOBODY, next_seat
from tablee.games.skip_bo.moves import (
    CODES,
    DISCARD_FIRST,
    HAND_FIRST,
    PASS,
    PILE_FIRST,
    PILES,
    SERIES,
    STOCK_FIRST,
)
from tablee.games.skip_bo.state import (
    COPIES,
    DECK,
    EDITION,
    HELD,
    MAX_HAND,
    MAX_SEATS,
    NO_CARD,
    NO_DOUBLE_WILD,
    SERIES_LENGTHS,
    SINGLE_ROUND,
    STOCK_SIZES,
    STOCKED,
    WILD,
    WILDS,
    can_draw,
    ends_in_wild,
    first_size,
    list_held,
    pile_end,
    refill_size,
    stock_top,
)

TARGET = 500
WIN_POINTS = 25
POINTS_PER_CARD = 5
MAX_ROUNDS = 100
STALL_TURNS = 100  # per seat
MAX_PLAYS = 200  # in one turn
ANY_SERIES = 0b1111  # a bit per series

REASONS = {1: "target", 2: "round_limit", 3: "emptied", 4: "all_passed", 5: "stalled", 6: "endless_turn"}
TARGET_REACHED, ROUND_LIMIT, EMPTIED, ALL_PASSED, STALLED, ENDLESS_TURN = range(1, 7)

REFUSALS = {
    1: ("game_over", "R28"),
    2: ("not_in_hand", "R24"),
    3: ("pile_is_empty", "R15"),
    4: ("must_start_with_one", "R11"),
    5: ("not_next", "R12"),
    6: ("wild_on_wild", "D8"),
    7: ("must_discard", "R21"),
}
GAME_OVER, NOT_IN_HAND, PILE_IS_EMPTY, MUST_START_WITH_ONE, NOT_NEXT, WILD_ON_WILD, MUST_DISCARD = range(1, 8)


# Setting up (R2 to R8)


@kernel
def deal(state):
    """Set up the first round: deck and stocks of the edition, and lots for the deal."""
    edition = state.options[EDITION]
    state.series_length = SERIES_LENGTHS[edition]
    state.stock_size = STOCK_SIZES[edition, state.seats - 2]
    for card in range(1, state.series_length + 1):
        state.deck[card] = COPIES[edition]
    state.deck[WILD] = WILDS[edition]
    state.last_winner = NOBODY
    draw_lots(state)
    start_round(state)
    complete_hand(state)


@kernel
def draw_lots(state):
    """Let each seat draw a card: the highest number deals, wilds do not count (R2); equal highest draw again (D15)."""
    contenders = (1 << state.seats) - 1
    while contenders & (contenders - 1) != 0:
        index = gather_deck(state)
        for seat in range(state.seats):
            index -= 1
            state.lots[seat] = state.draw_pile[index] if (contenders >> seat) & 1 else NO_CARD
        contenders = highest_lots(state, contenders)
    for seat in range(state.seats):
        if (contenders >> seat) & 1:
            state.dealer = seat


@kernel
def highest_lots(state, contenders):
    """Return those contenders, a bit each, who drew the highest number."""
    highest, best = -1, 0
    for seat in range(state.seats):
        if (contenders >> seat) & 1:
            number = 0 if state.lots[seat] == WILD else int(state.lots[seat])
            if number > highest:
                highest, best = number, 0
            if number == highest:
                best |= 1 << seat
    return best


@kernel
def gather_deck(state):
    """Shuffle the whole deck into the draw pile; return its size."""
    pile, deck = state.draw_pile, state.deck
    size = 0
    for card in range(1, CODES + 1):
        for _ in range(deck[card]):
            pile[size] = card
            size += 1
    shuffle(state.generator, pile, size)
    return size


@kernel
def start_round(state):
    """Shuffle, deal the stocks, turn their top cards up, and let the seat left of the dealer begin (R4 to R8, R16)."""
    clear_table(state)
    state.draw_count = gather_deck(state)
    for index in range(state.seats * state.stock_size):
        state.stocks[index] = take_top(state)
    for seat in range(state.seats):
        state.stock_counts[seat] = state.stock_size
    start_turn(state, next_seat(state, state.dealer))


@kernel
def clear_table(state):
    """Take all cards away: series and discard piles are empty at the start (R8)."""
    state.turns = 0
    state.stalled = 0
    state.passes = 0
    state.discard_count = 0
    state.pile_number = 0
    empty(state.draw_pile, DECK)
    empty(state.discards, DECK)
    empty(state.stocks, STOCKED)
    empty(state.completed, CODES + 1)
    empty(state.unseen_in_pile, CODES + 1)
    empty(state.unseen_held, HELD)
    empty(state.series, SERIES)
    empty(state.series_wilds, SERIES)
    empty(state.hand_counts, MAX_SEATS)
    for seat in range(MAX_SEATS):
        empty(state.hands[seat], MAX_HAND)
        empty(state.hand_piles[seat], MAX_HAND)
        empty(state.pile_counts[seat], PILES)
        empty(state.pile_tops[seat], PILES)


@kernel
def empty(ranks, count):
    """Take everything away from a run of places."""
    for index in range(count):
        ranks[index] = NO_CARD


# The draw pile (R6, R26)


@kernel
def take_top(state):
    """Take the top card of the draw pile."""
    state.draw_count -= 1
    card = state.draw_pile[state.draw_count]
    state.draw_pile[state.draw_count] = NO_CARD
    return card


@kernel
def reshuffle(state):
    """Shuffle the completed series into a new draw pile (R26, D6)."""
    number_piles(state)
    pile, completed, unseen = state.draw_pile, state.completed, state.unseen_in_pile
    size = 0
    for card in range(1, CODES + 1):
        for _ in range(completed[card]):
            pile[size] = card
            size += 1
        unseen[card] = completed[card]
        completed[card] = 0
    shuffle(state.generator, pile, size)
    state.draw_count = size
    list_held(state, state.unseen_held)


@kernel
def number_piles(state):
    """Give the reshuffled piles that cards are still held from the numbers 1, 2, ... and the new one the next (D18)."""
    held_from = 0
    for seat in range(state.seats):
        for slot in range(state.hand_counts[seat]):
            held_from |= 1 << int(state.hand_piles[seat, slot])
    held_from >>= 1  # the first pile keeps its 0
    for seat in range(state.seats):
        for slot in range(state.hand_counts[seat]):
            number = int(state.hand_piles[seat, slot])
            if number > 0:
                state.hand_piles[seat, slot] = count_of(held_from & ((1 << number) - 1))
    state.pile_number = count_of(held_from) + 1


# Hands (R17, R20, R22)


@kernel
def complete_hand(state):
    """Let the seat on turn draw at the start of its turn (R17, R22, D12), and when its hand is empty (R20, D3, D7)."""
    is_start = state.plays == 0
    if is_start or state.hand_counts[state.to_move] == 0:
        is_first_turn = is_start and state.turns < state.seats
        fill_hand(state, first_size(state) if is_first_turn else refill_size(state))


@kernel
def fill_hand(state, size):
    """Let the seat on turn draw until it holds `size` cards, or none is left to draw (R22, D7)."""
    seat = state.to_move
    while state.hand_counts[seat] < size and can_draw(state):
        if state.draw_count == 0:
            reshuffle(state)
        add_to_hand(state, seat, take_top(state))


@kernel
def add_to_hand(state, seat, card):
    """Put a drawn card in its place: behind all cards of earlier piles, ascending among those of the same."""
    hand, piles = state.hands[seat], state.hand_piles[seat]
    count = int(state.hand_counts[seat])
    before = 0
    for slot in range(MAX_HAND - 1):
        before += int(slot < count) & (int(piles[slot] != state.pile_number) | int(hand[slot] <= card))
    for index in range(MAX_HAND - 1, 0, -1):
        hand[index] = hand[index - int(index > before)]
    hand[before] = card
    piles[count] = state.pile_number
    state.hand_counts[seat] = count + 1


@kernel
def take_from_hand(state, seat, card):
    """Take a card out of a hand; of equal ones that came from different piles, any (D18)."""
    hand, piles = state.hands[seat], state.hand_piles[seat]
    slot = choose_in_hand(state, seat, card)
    pile = int(piles[slot])
    count = int(state.hand_counts[seat])
    for index in range(MAX_HAND - 1):
        behind = index + int(index >= slot)
        hand[index] = hand[behind]
        piles[index] = piles[behind]
    hand[MAX_HAND - 1] = NO_CARD
    piles[MAX_HAND - 1] = 0
    state.hand_counts[seat] = count - 1
    if pile > 0:
        show_reshuffled(state, card, pile)


@kernel
def choose_in_hand(state, seat, card):
    """Return the place of a card in a hand, by chance if equal ones came from different piles (D18)."""
    copies, piles = slots_of(state, seat, card), state.hand_piles[seat]
    first, last = lowest_bit(copies), highest_bit(copies)
    if piles[first] == piles[last]:
        return first
    for _ in range(below(state.generator, count_of(copies))):
        copies &= copies - 1
    return lowest_bit(copies)


@kernel
def show_reshuffled(state, card, pile):
    """Strike a card off what is unseen of reshuffled piles: now all have seen it again (D18)."""
    if pile == state.pile_number:
        state.unseen_in_pile[card] -= 1
    else:
        list_held(state, state.unseen_held)


@kernel
def slots_of(state, seat, card):
    """Return a bit per place of a hand where a card is."""
    hand = state.hands[seat]
    slots = 0
    for slot in range(MAX_HAND):
        slots |= int(hand[slot] == card) << slot
    return slots


# Series (R7, R9, R11 to R14)


@kernel
def open_series(state):
    """Return a bit per card and series it may be laid on now: bit 4 * card + series (R11 to R13, D8)."""
    heights = state.series
    bits = ANY_SERIES << (SERIES * WILD)
    for series in range(SERIES):
        bits |= 1 << (SERIES * (int(heights[series]) + 1) + series)
    if state.options[NO_DOUBLE_WILD] == 1:
        for series in range(SERIES):
            if ends_in_wild(state, series):
                bits ^= 1 << (SERIES * WILD + series)
    return bits


@kernel
def series_for(bits, card):
    """Return a bit per series that a card may be laid on, out of `open_series`; none for NO_CARD."""
    return (bits >> (SERIES * card)) & ANY_SERIES


@kernel
def refusal_on_series(state, card, series):
    """Say what speaks against laying a card on a series."""
    if (series_for(open_series(state), card) >> series) & 1:
        return 0
    if card == WILD:
        return WILD_ON_WILD
    return MUST_START_WITH_ONE if state.series[series] == 0 else NOT_NEXT


@kernel
def lay(state, card, series):
    """Lay a card on a series; a complete one is set aside and leaves its place (R14)."""
    height = int(state.series[series])
    if card == WILD:
        state.series_wilds[series] |= 1 << height
    height += 1
    state.series[series] = height
    if height == state.series_length:
        set_aside(state, series)


@kernel
def set_aside(state, series):
    """Take a complete series off the table; its cards wait for the next draw pile (R14, R26)."""
    wilds, completed = int(state.series_wilds[series]), state.completed
    for number in range(1, state.series_length + 1):
        completed[WILD if (wilds >> (number - 1)) & 1 else number] += 1
    state.series[series] = 0
    state.series_wilds[series] = 0


# A turn (R16 to R24)


@lean_kernel
def legal_moves(state, out):
    """List the legal moves of the seat on turn, ascending."""
    if state.end_reason != 0:
        return 0
    seat = state.to_move
    hand, tops = state.hands[seat], state.pile_tops[seat]
    bits = open_series(state)
    count = list_bits(series_for(bits, stock_top(state, seat)), STOCK_FIRST, out, 0)
    in_hand = 0  # four bits per card, so that equal ones count once
    for slot in range(MAX_HAND):
        in_hand |= ANY_SERIES << (SERIES * int(hand[slot]))
    in_hand >>= SERIES  # without the places where no card is
    count = list_bits((bits >> SERIES) & in_hand, HAND_FIRST, out, count)
    on_piles = 0
    for pile in range(PILES):
        on_piles |= series_for(bits, int(tops[pile])) << (SERIES * pile)
    count = list_bits(on_piles, PILE_FIRST, out, count)
    count = list_bits(in_hand, DISCARD_FIRST, out, count)
    if in_hand == 0:
        out[count] = PASS
        count += 1
    return count


@kernel
def refusal(state, move):
    """Return 0 for a legal move, else the code of what speaks against it."""
    if state.end_reason != 0:
        return GAME_OVER
    move = int(move)
    seat = state.to_move
    if move == PASS:
        return MUST_DISCARD if state.hand_counts[seat] > 0 else 0
    if move >= DISCARD_FIRST:
        return 0 if slots_of(state, seat, (move - DISCARD_FIRST) // PILES + 1) else NOT_IN_HAND
    if move >= PILE_FIRST:
        top = int(state.pile_tops[seat, (move - PILE_FIRST) // SERIES])
        return refusal_on_series(state, top, (move - PILE_FIRST) % SERIES) if top != NO_CARD else PILE_IS_EMPTY
    if move >= HAND_FIRST:
        card = (move - HAND_FIRST) // SERIES + 1
        if not slots_of(state, seat, card):
            return NOT_IN_HAND
        return refusal_on_series(state, card, (move - HAND_FIRST) % SERIES)
    return refusal_on_series(state, stock_top(state, seat), move - STOCK_FIRST)


@kernel
def play(state, move):
    """Play a legal move: a card is laid or the turn ends, then the round ends, or the next or the same seat goes on.

    Whatever the move, each of these stands here once: what is long is compiled once, and games that a graphics
    processor plays side by side come together again.
    """
    move = int(move)
    seat = state.to_move
    card = take_card(state, seat, move)
    if move >= DISCARD_FIRST:
        if move != PASS:
            lay_aside(state, seat, card, (move - DISCARD_FIRST) % PILES)
        how = end_turn(state, move)
    else:
        lay(state, card, move % SERIES)
        how = count_play(state, seat)
    if how != 0:
        finish_round(state, how)
    elif move >= DISCARD_FIRST:
        start_turn(state, next_seat(state, seat))
    if state.end_reason == 0:
        complete_hand(state)


@kernel
def take_card(state, seat, move):
    """Take the card of a move from the stock, the hand or a discard pile; a pass has none (R24)."""
    if move == PASS:
        return NO_CARD
    if move < HAND_FIRST:
        return take_from_stock(state, seat)
    if PILE_FIRST <= move < DISCARD_FIRST:
        return take_from_pile(state, seat, (move - PILE_FIRST) // SERIES)
    card = (move - HAND_FIRST) // SERIES + 1 if move < PILE_FIRST else (move - DISCARD_FIRST) // PILES + 1
    take_from_hand(state, seat, card)
    return card


@kernel
def take_from_stock(state, seat):
    """Take the top card of a stock (R19)."""
    card = stock_top(state, seat)
    left = int(state.stock_counts[seat]) - 1
    state.stock_counts[seat] = left
    state.stocks[seat * state.stock_size + left] = NO_CARD
    state.stalled = 0
    return card


@kernel
def take_from_pile(state, seat, pile):
    """Take the top card of a discard pile (R15)."""
    card = int(state.pile_tops[seat, pile])
    discards = state.discards
    end = pile_end(state, seat, pile)
    close_gap(discards, end - 1, state.discard_count)
    state.discard_count -= 1
    discards[state.discard_count] = NO_CARD
    state.pile_counts[seat, pile] -= 1
    state.pile_tops[seat, pile] = discards[end - 2] if state.pile_counts[seat, pile] > 0 else NO_CARD
    return card


@kernel
def lay_aside(state, seat, card, pile):
    """Lay a card on an own discard pile (R21)."""
    discards = state.discards
    end = pile_end(state, seat, pile)
    open_gap(discards, end, state.discard_count)
    discards[end] = card
    state.discard_count += 1
    state.pile_counts[seat, pile] += 1
    state.pile_tops[seat, pile] = card


@kernel
def count_play(state, seat):
    """After a play: return why the round ends, 0 if it goes on: an empty stock (R25, D9), an endless turn (D16)."""
    if state.stock_counts[seat] == 0:
        return EMPTIED
    state.passes = 0
    state.plays += 1
    return ENDLESS_TURN if state.plays == MAX_PLAYS else 0


@kernel
def end_turn(state, move):
    """After a discard (R21, D4) or a pass: return why the round ends, 0 if it goes on.

    It ends when all have passed in a row, or after too many turns without a stock card (D7).
    """
    if move != PASS:
        state.passes = 0
    else:
        state.passes += 1
        if state.passes == state.seats:
            return ALL_PASSED
    state.turns += 1
    state.stalled += 1
    return STALLED if state.stalled >= STALL_TURNS * state.seats else 0


@kernel
def start_turn(state, seat):
    """Give the turn to a seat (R16)."""
    state.to_move = seat
    state.plays = 0


# End of a round, end of the match (R25, R27, R28)


@kernel
def finish_round(state, how):
    """Score, and go on to the next round or end the match."""
    state.last_end = how
    state.last_winner = round_winner(state)
    state.last_points = 0
    for seat in range(state.seats):
        state.last_left[seat] = state.stock_counts[seat]
    if state.last_winner != NOBODY:
        state.last_points = points_for(state, state.last_winner)
        state.totals[state.last_winner] += state.last_points
    state.rounds_played += 1
    if state.options[SINGLE_ROUND] == 1:
        finish_game(state, how)
    elif state.last_winner != NOBODY and state.totals[state.last_winner] >= TARGET:
        finish_game(state, TARGET_REACHED)
    elif state.rounds_played == MAX_ROUNDS:
        finish_game(state, ROUND_LIMIT)
    else:
        state.dealer = next_seat(state, state.dealer)  # R3
        start_round(state)


@kernel
def round_winner(state):
    """Return who has the fewest stock cards, none at best (R25); NOBODY if the fewest are shared (D7)."""
    winner, fewest = NOBODY, DECK
    for seat in range(state.seats):
        count = int(state.stock_counts[seat])
        if count < fewest:
            winner, fewest = seat, count
        elif count == fewest:
            winner = NOBODY
    return winner


@kernel
def points_for(state, winner):
    """Return 25 points, and 5 for each card left in the other stocks (R27)."""
    left = 0
    for seat in range(state.seats):
        if seat != winner:
            left += int(state.stock_counts[seat])
    return WIN_POINTS + POINTS_PER_CARD * left


@kernel
def finish_game(state, reason):
    """Nobody is on turn any more (R28)."""
    state.end_reason = reason
    state.to_move = NOBODY


@kernel
def scores(state, out):
    """Write each seat's points of the finished rounds."""
    for seat in range(state.seats):
        out[seat] = state.totals[seat]


@kernel
def ranks(state, out):
    """Most points first; equal points share a place (R28, D14, D17)."""
    rank_by_score(state.totals, state.seats, False, out)
