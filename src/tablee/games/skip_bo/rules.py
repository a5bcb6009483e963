"""The rules of Skip-Bo, in the order of the rulebook (rules.en.md)."""

from __future__ import annotations

from tablee.core.bits import count_of, list_bits, nth_bit
from tablee.core.codes import EndReasonCode, RefusalCode
from tablee.core.compilation import kernel, lean_kernel
from tablee.core.kernels import rank_by_score
from tablee.core.randomness import below, shuffle
from tablee.core.runs import close_gap, open_gap
from tablee.core.state import NOBODY, next_seat
from tablee.core.types import Bits, Generator, Move, Moves, Points, Seat, State
from tablee.games.skip_bo.hands import complete_hand, slots_of, take_from_hand, take_top
from tablee.games.skip_bo.moves import (
    CARD_CODES,
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
    EDITION,
    MAX_DECK,
    MAX_HAND,
    MAX_HELD,
    MAX_SEATS,
    MAX_STOCKED,
    NO_CARD,
    NO_DOUBLE_WILD,
    SERIES_LENGTHS,
    SINGLE_ROUND,
    STOCK_SIZES,
    WILD,
    WILDS,
    Card,
    Cards,
    ends_in_wild,
    pile_end,
    stock_top,
)

TARGET = 500
WIN_POINTS = 25
POINTS_PER_CARD = 5
MAX_ROUNDS = 100
STALL_TURNS = 100  # per seat
MAX_PLAYS = 200  # in one turn
ANY_SERIES = 0b1111  # a bit per series


class Refusal(RefusalCode):
    """Why a move is refused, with the clause."""

    GAME_OVER = "R28"
    NOT_IN_HAND = "R24"
    PILE_IS_EMPTY = "R15"
    MUST_START_WITH_ONE = "R11"
    NOT_NEXT = "R12"
    WILD_ON_WILD = "D8"
    MUST_DISCARD = "R21"


class EndReason(EndReasonCode):
    """Why a game or a round ended: a single round ends the game for its own reason (R27)."""

    TARGET = 1
    ROUND_LIMIT = 2
    EMPTIED = 3
    ALL_PASSED = 4
    STALLED = 5
    ENDLESS_TURN = 6


# Setting up (R2 to R8)


@kernel
def deal(state: State) -> None:
    """Set up the first round: deck and stock sizes of the edition, and the draw for the deal."""
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
def draw_lots(state: State) -> None:
    """Let each seat draw a card: the highest number deals, wilds count nothing (R2); tied seats draw again (D15)."""
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
def highest_lots(state: State, contenders: Bits) -> Bits:
    """Return the contenders, a bit each, that drew the highest number."""
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
def gather_deck(state: State) -> int:
    """Shuffle the whole deck into the draw pile; return its size."""
    pile, deck = state.draw_pile, state.deck
    size = 0
    for card in range(1, CARD_CODES + 1):
        for _ in range(deck[card]):
            pile[size] = card
            size += 1
    shuffle(state.generator, pile, size)
    return size


@kernel
def start_round(state: State) -> None:
    """Shuffle, deal the stocks with their top cards face up; the seat left of the dealer begins (R4 to R8, R16)."""
    clear_table(state)
    state.draw_count = gather_deck(state)
    for index in range(state.seats * state.stock_size):
        state.stocks[index] = take_top(state)
    for seat in range(state.seats):
        state.stock_counts[seat] = state.stock_size
    start_turn(state, next_seat(state, state.dealer))


@kernel
def clear_table(state: State) -> None:
    """Remove all cards: series and discard piles are empty at the start of a round (R8)."""
    state.turns = 0
    state.stalled = 0
    state.passes = 0
    state.discard_count = 0
    state.pile_number = 0
    empty(state.draw_pile, MAX_DECK)
    empty(state.discards, MAX_DECK)
    empty(state.stocks, MAX_STOCKED)
    empty(state.completed, CARD_CODES + 1)
    empty(state.unseen_in_pile, CARD_CODES + 1)
    empty(state.unseen_held, MAX_HELD)
    empty(state.series, SERIES)
    empty(state.series_wilds, SERIES)
    empty(state.hand_counts, MAX_SEATS)
    for seat in range(MAX_SEATS):
        empty(state.hands[seat], MAX_HAND)
        empty(state.hand_piles[seat], MAX_HAND)
        empty(state.pile_counts[seat], PILES)
        empty(state.pile_tops[seat], PILES)


@kernel
def empty(cards: Cards, count: int) -> None:
    """Set the first `count` elements to NO_CARD."""
    for index in range(count):
        cards[index] = NO_CARD


# Series (R7, R9, R11 to R14)


@kernel
def open_series(state: State) -> Bits:
    """Return which card may be laid on which series now: bit 4 * card + series (R11 to R13, D8)."""
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
def series_for(bits: Bits, card: Card) -> Bits:
    """Return the series that a card may be laid on, a bit each, given `open_series`; none for NO_CARD."""
    return (bits >> (SERIES * card)) & ANY_SERIES


@kernel
def refusal_on_series(state: State, card: Card, series: int) -> int:
    """Return why a card may not be laid on a series, 0 if it may."""
    if (series_for(open_series(state), card) >> series) & 1:
        return 0
    if card == WILD:
        return Refusal.WILD_ON_WILD
    return Refusal.MUST_START_WITH_ONE if state.series[series] == 0 else Refusal.NOT_NEXT


@kernel
def lay_on_series(state: State, card: Card, series: int) -> None:
    """Lay a card on a series; a complete series is set aside (R14)."""
    height = int(state.series[series])
    if card == WILD:
        state.series_wilds[series] |= 1 << height
    height += 1
    state.series[series] = height
    if height == state.series_length:
        set_aside(state, series)


@kernel
def set_aside(state: State, series: int) -> None:
    """Move the cards of a complete series to `completed`, from which the next draw pile is made (R14, R26)."""
    wilds, completed = int(state.series_wilds[series]), state.completed
    for number in range(1, state.series_length + 1):
        completed[WILD if (wilds >> (number - 1)) & 1 else number] += 1
    state.series[series] = 0
    state.series_wilds[series] = 0


# A turn (R16 to R24)


@lean_kernel
def legal_moves(state: State, out: Moves) -> int:
    """Write the legal moves of the seat on turn, ascending; return their number."""
    if state.end_reason != 0:
        return 0
    stock, hand, piles, discards = legal_sets(state)
    count = list_bits(stock, STOCK_FIRST, out, 0)
    count = list_bits(hand, HAND_FIRST, out, count)
    count = list_bits(piles, PILE_FIRST, out, count)
    count = list_bits(discards, DISCARD_FIRST, out, count)
    if discards == 0:
        out[count] = PASS
        count += 1
    return count


@lean_kernel
def random_move(state: State, generator: Generator, memory: Moves) -> Move:
    """Draw a legal move without listing them."""
    stock, hand, piles, discards = legal_sets(state)
    hand_end = count_of(stock) + count_of(hand)
    piles_end = hand_end + count_of(piles)
    index = below(generator, piles_end + max(1, count_of(discards)))
    first, bits, before = STOCK_FIRST, stock, 0
    if index >= count_of(stock):
        first, bits, before = HAND_FIRST, hand, count_of(stock)
    if index >= hand_end:
        first, bits, before = PILE_FIRST, piles, hand_end
    if index >= piles_end:
        first, bits, before = DISCARD_FIRST, discards, piles_end
    return PASS if bits == 0 else first + nth_bit(bits, index - before)


@kernel
def legal_sets(state: State) -> tuple[Bits, Bits, Bits, Bits]:
    """Return the legal moves but the pass as sets: from the stock, the hand and the discard piles, and discards.

    Each set counts from the first move of its kind. There is a pass exactly if there is no discard (D7).
    """
    seat = state.to_move
    hand, tops = state.hands[seat], state.pile_tops[seat]
    bits = open_series(state)
    in_hand = 0  # four bits per card, so that equal cards count once
    for slot in range(MAX_HAND):
        in_hand |= ANY_SERIES << (SERIES * int(hand[slot]))
    in_hand >>= SERIES  # drop the bits of NO_CARD
    on_piles = 0
    for pile in range(PILES):
        on_piles |= series_for(bits, int(tops[pile])) << (SERIES * pile)
    return series_for(bits, stock_top(state, seat)), (bits >> SERIES) & in_hand, on_piles, in_hand


@kernel
def refusal(state: State, move: Move) -> int:
    """Return why a move is refused, 0 if it is legal."""
    if state.end_reason != 0:
        return Refusal.GAME_OVER
    move = int(move)
    seat = state.to_move
    if move == PASS:
        return Refusal.MUST_DISCARD if state.hand_counts[seat] > 0 else 0
    if move >= DISCARD_FIRST:
        return 0 if slots_of(state, seat, (move - DISCARD_FIRST) // PILES + 1) else Refusal.NOT_IN_HAND
    if move >= PILE_FIRST:
        top = int(state.pile_tops[seat, (move - PILE_FIRST) // SERIES])
        return refusal_on_series(state, top, (move - PILE_FIRST) % SERIES) if top != NO_CARD else Refusal.PILE_IS_EMPTY
    if move >= HAND_FIRST:
        card = (move - HAND_FIRST) // SERIES + 1
        if not slots_of(state, seat, card):
            return Refusal.NOT_IN_HAND
        return refusal_on_series(state, card, (move - HAND_FIRST) % SERIES)
    return refusal_on_series(state, stock_top(state, seat), move - STOCK_FIRST)


@kernel
def play(state: State, move: Move) -> None:
    """Play a legal move: lay a card or end the turn, then end the round, pass the turn on or continue it.

    Each step is called in one place for all kinds of moves: a long function is inlined once, and CUDA threads that
    play different moves converge again.
    """
    move = int(move)
    seat = state.to_move
    card = take_card(state, seat, move)
    if move >= DISCARD_FIRST:
        if move != PASS:
            lay_on_pile(state, seat, card, (move - DISCARD_FIRST) % PILES)
        reason = end_turn(state, move)
    else:
        lay_on_series(state, card, move % SERIES)
        reason = count_play(state, seat)
    if reason != 0:
        finish_round(state, reason)
    elif move >= DISCARD_FIRST:
        start_turn(state, next_seat(state, seat))
    if state.end_reason == 0:
        complete_hand(state)


@kernel
def take_card(state: State, seat: Seat, move: Move) -> Card:
    """Remove the card of a move from the stock, the hand or a discard pile; NO_CARD for a pass (R24)."""
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
def take_from_stock(state: State, seat: Seat) -> Card:
    """Take the top card of a stock (R19)."""
    card = stock_top(state, seat)
    left = int(state.stock_counts[seat]) - 1
    state.stock_counts[seat] = left
    state.stocks[seat * state.stock_size + left] = NO_CARD
    state.stalled = 0
    return card


@kernel
def take_from_pile(state: State, seat: Seat, pile: int) -> Card:
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
def lay_on_pile(state: State, seat: Seat, card: Card, pile: int) -> None:
    """Lay a card on one of the seat's discard piles (R21)."""
    discards = state.discards
    end = pile_end(state, seat, pile)
    open_gap(discards, end, state.discard_count)
    discards[end] = card
    state.discard_count += 1
    state.pile_counts[seat, pile] += 1
    state.pile_tops[seat, pile] = card


@kernel
def count_play(state: State, seat: Seat) -> int:
    """Count a card played; return why the round ends, 0 if it goes on: empty stock (R25, D9), endless turn (D16)."""
    if state.stock_counts[seat] == 0:
        return EndReason.EMPTIED
    state.passes = 0
    state.plays += 1
    return EndReason.ENDLESS_TURN if state.plays == MAX_PLAYS else 0


@kernel
def end_turn(state: State, move: Move) -> int:
    """End the turn after a discard (R21, D4) or a pass; return why the round ends, 0 if it goes on.

    It ends when all seats have passed in a row, or after too many turns without a stock card (D7).
    """
    if move != PASS:
        state.passes = 0
    else:
        state.passes += 1
        if state.passes == state.seats:
            return EndReason.ALL_PASSED
    state.turns += 1
    state.stalled += 1
    return EndReason.STALLED if state.stalled >= STALL_TURNS * state.seats else 0


@kernel
def start_turn(state: State, seat: Seat) -> None:
    """Give the turn to a seat (R16)."""
    state.to_move = seat
    state.plays = 0


# End of a round, end of the match (R25, R27, R28)


@kernel
def finish_round(state: State, reason: int) -> None:
    """Score the round, then deal the next one or end the match."""
    state.last_end = reason
    state.last_winner = round_winner(state)
    state.last_points = 0
    for seat in range(state.seats):
        state.last_left[seat] = state.stock_counts[seat]
    if state.last_winner != NOBODY:
        state.last_points = points_for(state, state.last_winner)
        state.totals[state.last_winner] += state.last_points
    state.rounds_played += 1
    state.end_reason = end_of_match(state, reason)
    if state.end_reason != 0:
        state.to_move = NOBODY
    else:
        state.dealer = next_seat(state, state.dealer)  # R3
        start_round(state)


@kernel
def round_winner(state: State) -> Seat:
    """Return the seat with the smallest stock (R25); NOBODY if the smallest is shared (D7)."""
    winner, smallest = NOBODY, MAX_DECK
    for seat in range(state.seats):
        count = int(state.stock_counts[seat])
        if count < smallest:
            winner, smallest = seat, count
        elif count == smallest:
            winner = NOBODY
    return winner


@kernel
def points_for(state: State, winner: Seat) -> int:
    """Return the points of the winner: 25, and 5 for each card left in the other stocks (R27)."""
    left = 0
    for seat in range(state.seats):
        if seat != winner:
            left += int(state.stock_counts[seat])
    return WIN_POINTS + POINTS_PER_CARD * left


@kernel
def end_of_match(state: State, reason: int) -> int:
    """Return why the match is over, 0 if another round follows; a single round ends it for its own reason (R27)."""
    if state.options[SINGLE_ROUND] == 1:
        return reason
    if state.last_winner != NOBODY and state.totals[state.last_winner] >= TARGET:
        return EndReason.TARGET
    return EndReason.ROUND_LIMIT if state.rounds_played == MAX_ROUNDS else 0


@kernel
def scores(state: State, out: Points) -> None:
    """Write the points of the finished rounds."""
    for seat in range(state.seats):
        out[seat] = state.totals[seat]


@kernel
def ranks(state: State, out: Points) -> None:
    """Rank the seats: most points first, equal points share a rank (R28, D14, D17)."""
    if state.options[SINGLE_ROUND] == 1 and state.last_winner == NOBODY:
        rank_by_stock(state, out)
    else:
        rank_by_score(state.totals, state.seats, False, out)


@kernel
def rank_by_stock(state: State, out: Points) -> None:
    """Rank the seats of a single round without a winner: the smallest stocks share the first rank (D19)."""
    smallest, sharing = MAX_DECK, 0
    for seat in range(state.seats):
        count = int(state.last_left[seat])
        if count < smallest:
            smallest, sharing = count, 0
        sharing += int(count == smallest)
    for seat in range(state.seats):
        out[seat] = 1 if state.last_left[seat] == smallest else 1 + sharing


@kernel
def finished_rounds(state: State) -> int:
    """Return how many rounds have been scored."""
    return state.rounds_played
