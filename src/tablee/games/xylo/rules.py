"""The rules of Xylo, in the order of the rulebook (rules.en.md)."""

from __future__ import annotations

import numpy as np

from tablee.core.bits import count_of, highest_bit, list_bits, lowest_bit, nth_bit
from tablee.core.codes import EndReasonCode, RefusalCode
from tablee.core.compilation import kernel, lean_kernel
from tablee.core.randomness import below, shuffle
from tablee.core.state import NOBODY
from tablee.core.types import Bits, Generator, Index, Move, Moves, Points, State
from tablee.games.xylo.moves import BID_LEFT, BID_RIGHT, COLOURS, KEEP, NEXT_FIRST, PASS, PEEK_FIRST, PLAY_FIRST
from tablee.games.xylo.packets import equal_colours, open_packet, put_next, sort_row
from tablee.games.xylo.scoring import next_first, score_round, standing
from tablee.games.xylo.state import (
    ARRANGE,
    AUTO_TIES,
    BID,
    DECK,
    MAX_ROWS,
    NO_CARD,
    NOWHERE,
    PLAY,
    RED,
    REMOVED,
    TIES,
    WINDOW,
    YELLOW,
    Row,
    card_at,
    has_bid,
    is_down,
    is_trick_empty,
    next_row,
    packet_count,
    row_count,
    row_of,
    seat_of,
)
from tablee.games.xylo.tricks import automaton_position, playable, winner_of

ROUNDS = 3
MAX_ROUNDS = 100

# Cards per colour, red to pink (A1): all colours, or for three players without red and one more. Without pink, yellow
# has ten cards, or it would not be the longest colour.
ALL_COLOURS = 3
DECKS = np.array(
    [
        [0, 0, 9, 8, 7, 6, 5, 4],  # without orange: 13 cards each
        [0, 10, 9, 8, 0, 6, 5, 4],  # without sky: 14 cards each
        [0, 9, 10, 8, 7, 6, 5, 0],  # without pink: 15 cards each
        [11, 10, 9, 8, 7, 6, 5, 4],
    ]
)


class Refusal(RefusalCode):
    """Why a move is refused, with the clause."""

    GAME_OVER = "R36"
    ARRANGE_FIRST = "R2"
    NOT_AMONG_THE_EQUAL = "R2"
    ROWS_ARE_SPREAD = "R5"
    NO_CARD_THERE = "R19"
    ANNOUNCEMENT_STAYS = "R31"
    HIGHEST_CANNOT_LEAD = "R10"
    MUST_FOLLOW = "R14"
    ANNOUNCE_OR_PASS = "R24"
    ONLY_AFTER_PLAYING = "R21"
    TOO_FEW_CARDS = "R30"
    ONE_ANNOUNCEMENT = "A7"
    NO_RIGHT_NEIGHBOUR = "R22"
    MUST_CHOOSE_ONE = "R25"
    LOOK_FIRST = "R22"
    YOUR_LEAD = "A3"


class EndReason(EndReasonCode):
    """Why the game ended."""

    ROUNDS = 1
    TIE_BREAK = 2
    EXTRA_ROUND = 3
    ROUND_LIMIT = 4


# Setting up (R1 to R8)


@kernel
def deal(state: State) -> None:
    """Select the deck (A1) and start the first round; the last seat deals, so that seat 0 leads (R9, A11, A23)."""
    deck = state.options[REMOVED] if state.seats == 3 else ALL_COLOURS
    for colour in range(COLOURS):
        state.sizes[colour] = DECKS[deck, colour]
    state.trump = YELLOW if state.seats == 3 else RED
    for row in range(MAX_ROWS):
        state.last_trick[row] = NO_CARD
        state.last_bids[row] = NO_CARD
    start_round(state)


@kernel
def start_round(state: State) -> None:
    """Shuffle, deal and sort all rows; their sorters may then order equal cards (R1 to R5)."""
    rows = row_count(state)
    count = gather_deck(state)
    shuffle(state.generator, state.cards, count)
    state.row_size = count // rows
    for row in range(MAX_ROWS):
        state.down[row] = (1 << state.row_size) - 1 if row < rows else 0
        state.peeks[row, 0] = NOWHERE
        state.peeks[row, 1] = NOWHERE
        state.bid_at[row] = NOWHERE
        state.won[row] = 0
        state.trick[row] = NO_CARD
        if row < rows:
            sort_row(state, row)
    state.leader = row_of(state, state.first)
    if state.options[TIES] == AUTO_TIES:
        lay_out(state)
    else:
        state.phase = ARRANGE
        state.to_move = 0
        open_packet(state, 0)


@kernel
def gather_deck(state: State) -> int:
    """Write all cards of the deck; return their number."""
    count = 0
    for colour in range(COLOURS):
        for value in range(state.sizes[colour]):
            state.cards[count] = colour * 16 + value
            count += 1
    for index in range(count, DECK):
        state.cards[index] = NO_CARD
    return count


# The order of equal cards (R2, A13)


@kernel
def legal_in_arrange(state: State, out: Moves) -> int:
    """Write `keep` and the colours of the equal cards; return their number."""
    out[0] = KEEP
    return list_bits(equal_colours(state), NEXT_FIRST, out, 1)


@kernel
def refusal_in_arrange(state: State, move: Move) -> int:
    """Return why a move is refused while packets are ordered, 0 if it is legal."""
    if move >= PLAY_FIRST:
        return Refusal.ARRANGE_FIRST
    if move == KEEP or (equal_colours(state) >> (move - NEXT_FIRST)) & 1:
        return 0
    return Refusal.NOT_AMONG_THE_EQUAL


@kernel
def arrange(state: State, move: Move) -> None:
    """Put one of the equal cards next, or keep the rest of the packet as it was dealt (A19)."""
    if move < NEXT_FIRST or put_next(state, move - NEXT_FIRST):
        close_packet(state)


@kernel
def close_packet(state: State) -> None:
    """Continue with the next packet, the next seat, or the layout of the rows (R4, R5)."""
    packet = (state.arranging >> 4) + 1
    if packet < packet_count(state):
        open_packet(state, packet)
    elif state.to_move + 1 < state.seats:
        state.to_move += 1
        open_packet(state, 0)
    else:
        lay_out(state)


@kernel
def lay_out(state: State) -> None:
    """Lay out the rows and turn up the automata's announcements; the first seat leads (R5, R9, R43)."""
    state.arranging = 0
    for row in range(row_count(state)):
        if seat_of(state, row) == NOBODY:
            announce(state, row, state.row_size // 2)
    state.phase = PLAY
    state.to_move = state.first


# Moves in all phases


@lean_kernel
def legal_moves(state: State, out: Moves) -> int:
    """Write the legal moves of the seat on turn, ascending; return their number."""
    if state.end_reason != 0:
        return 0
    phase = state.phase
    if phase == PLAY:
        return list_bits(playable(state, row_of(state, state.to_move)), PLAY_FIRST, out, 0)
    if phase == WINDOW:
        return legal_in_window(state, out)
    if phase == ARRANGE:
        return legal_in_arrange(state, out)
    out[0] = BID_LEFT
    out[1] = BID_RIGHT
    return 2


@lean_kernel
def random_move(state: State, generator: Generator, memory: Moves) -> Move:
    """Draw a legal move; the cards to play are not listed."""
    if state.phase == PLAY:
        cards = playable(state, row_of(state, state.to_move))
        return PLAY_FIRST + nth_bit(cards, below(generator, count_of(cards)))
    return int(memory[below(generator, legal_moves(state, memory))])


@kernel
def refusal(state: State, move: Move) -> int:
    """Return why a move is refused, 0 if it is legal."""
    if state.end_reason != 0:
        return Refusal.GAME_OVER
    if state.phase == ARRANGE:
        return refusal_in_arrange(state, move)
    if move < PLAY_FIRST:
        return Refusal.ROWS_ARE_SPREAD
    if state.phase == BID:
        return 0 if move == BID_LEFT or move == BID_RIGHT else Refusal.MUST_CHOOSE_ONE
    if move == BID_LEFT or move == BID_RIGHT:
        return Refusal.LOOK_FIRST
    if move < PEEK_FIRST:
        return refusal_of_card(state, move - PLAY_FIRST)
    if state.phase == PLAY:
        return refusal_of_early_peek(state, move)
    if move == PASS:
        return Refusal.YOUR_LEAD if is_trick_empty(state) and state.leader == row_of(state, state.to_move) else 0
    return refusal_of_peek(state, move - PEEK_FIRST)


@kernel
def play(state: State, move: Move) -> None:
    """Play a legal move; deal the next round if one has ended and the game goes on (R35)."""
    finished = state.rounds_played
    play_in_stage(state, move)
    if state.rounds_played > finished and state.end_reason == 0:
        start_round(state)


@kernel
def play_in_stage(state: State, move: Move) -> None:
    """Play a legal move, without the next deal; `advance` is called in one place, since it is long and inlined."""
    if move < PLAY_FIRST:
        arrange(state, move)
        return
    row = row_of(state, state.to_move)
    if finishes_turn(state, row, move):
        advance(state, row)


@kernel
def finishes_turn(state: State, row: Row, move: Move) -> bool:
    """Play a card, look or announce for a row; return whether its turn is over."""
    if move == PASS:
        return True
    if move >= BID_LEFT:
        announce(state, row, state.peeks[row, move - BID_LEFT])  # the other card stays in its position (R25 to R28)
        return True
    if move >= PEEK_FIRST:
        peek(state, row, move - PEEK_FIRST)
        return False
    play_card(state, row, move - PLAY_FIRST)
    if may_announce(state, row):  # before the next row plays (R21, A20)
        state.phase = WINDOW
        return False
    return True


# Playing a card (R9 to R20)


@kernel
def refusal_of_card(state: State, position: Index) -> int:
    """Return why a card may not be played, 0 if it may."""
    row = row_of(state, state.to_move)
    is_leading = is_trick_empty(state) and state.leader == row
    if state.phase == WINDOW and not is_leading:
        return Refusal.ANNOUNCE_OR_PASS
    if state.bid_at[row] == position:
        return Refusal.ANNOUNCEMENT_STAYS
    if not is_down(state, row, position):
        return Refusal.NO_CARD_THERE
    if (playable(state, row) >> position) & 1:
        return 0
    return Refusal.HIGHEST_CANNOT_LEAD if is_leading else Refusal.MUST_FOLLOW


@kernel
def play_card(state: State, row: Row, position: Index) -> None:
    """Play a card face up (R11); the last card completes the trick (R13)."""
    state.trick[row] = card_at(state, row, position)
    state.down[row] &= ~(1 << position)
    announce_the_last_card(state, row)
    if state.trick[next_row(state, row)] != NO_CARD:
        finish_trick(state)


@kernel
def finish_trick(state: State) -> None:
    """Give the trick to its winner, who leads the next one (R16 to R18)."""
    winner = winner_of(state.trick, state.leader, row_count(state), state.trump)
    state.won[winner] += 1
    for row in range(row_count(state)):
        state.last_trick[row] = state.trick[row]
        state.trick[row] = NO_CARD
    state.last_leader = state.leader
    state.leader = winner


@kernel
def advance(state: State, row: Row) -> None:
    """Pass the turn from a row to the next seat; automata in between play at once (R12, R44)."""
    while True:
        row = state.leader if is_trick_empty(state) else next_row(state, row)
        if state.down[row] == 0:
            finish_round(state)
            return
        if seat_of(state, row) != NOBODY:
            state.to_move = seat_of(state, row)
            state.phase = PLAY
            return
        play_card(state, row, automaton_position(state, row))


# Announcing (R21 to R31)


@kernel
def may_announce(state: State, row: Row) -> bool:
    """Whether a row has no announcement yet and at least three cards face down (A2, A7)."""
    down = int(state.down[row])
    down &= down - 1
    return not has_bid(state, row) and down & (down - 1) != 0


@kernel
def peekable(down: Bits) -> Bits:
    """Return the cards that have another one to their right, a bit each; gaps do not matter (R22, R23)."""
    return down & ~(1 << highest_bit(down))


@kernel
def legal_in_window(state: State, out: Moves) -> int:
    """Write the cards to look at, and the pass, or the cards to lead if the seat leads next (R21, A3)."""
    row = row_of(state, state.to_move)
    count = 0
    is_leading = is_trick_empty(state) and state.leader == row
    if is_leading:
        count = list_bits(playable(state, row), PLAY_FIRST, out, 0)
    count = list_bits(peekable(int(state.down[row])), PEEK_FIRST, out, count)
    if not is_leading:
        out[count] = PASS
        count += 1
    return count


@kernel
def refusal_of_early_peek(state: State, move: Move) -> int:
    """Return why a seat that must play a card cannot look at cards or pass."""
    row = row_of(state, state.to_move)
    if move == PASS:
        return Refusal.ONLY_AFTER_PLAYING
    if has_bid(state, row):
        return Refusal.ONE_ANNOUNCEMENT
    down = int(state.down[row])
    down &= down - 1
    return Refusal.TOO_FEW_CARDS if down & (down - 1) == 0 else Refusal.ONLY_AFTER_PLAYING


@kernel
def refusal_of_peek(state: State, position: Index) -> int:
    """Return why a seat may not look at a card and the next one to its right, 0 if it may."""
    row = row_of(state, state.to_move)
    if not is_down(state, row, position):
        return Refusal.NO_CARD_THERE
    return 0 if (peekable(int(state.down[row])) >> position) & 1 else Refusal.NO_RIGHT_NEIGHBOUR


@kernel
def peek(state: State, row: Row, position: Index) -> None:
    """Look at a card and the next one to its right, hidden from the others (R22, R23)."""
    state.peeks[row, 0] = position
    state.peeks[row, 1] = lowest_bit(int(state.down[row]) & (-2 << position))
    state.phase = BID


@kernel
def announce(state: State, row: Row, position: Index) -> None:
    """Take a card out of the row and turn it up as the announcement (R28, R31)."""
    state.bid_at[row] = position
    state.down[row] &= ~(1 << int(position))


@kernel
def announce_the_last_card(state: State, row: Row) -> None:
    """Announce the only card left if the row has no announcement (R29, R30)."""
    down = int(state.down[row])
    if not has_bid(state, row) and down & (down - 1) == 0:
        announce(state, row, lowest_bit(down))


# End of a round (R32 to R37, R45, R46)


@kernel
def finish_round(state: State) -> None:
    """Score the round; the game may be over (R36, R40). `play` deals the next round."""
    for row in range(row_count(state)):
        state.last_bids[row] = card_at(state, row, state.bid_at[row])
        state.last_won[row] = state.won[row]
    score_round(state)
    state.rounds_played += 1
    reason = end_of_game(state)
    if reason == 0:
        state.first = next_first(state)
    else:
        state.end_reason = reason
        state.to_move = NOBODY
        state.phase = PLAY


# End of the game (R36, R38 to R40, R47)


@kernel
def end_of_game(state: State) -> int:
    """Return why the game is over, 0 if another round follows (R36, R38 to R40, A9, A21)."""
    if state.rounds_played < ROUNDS:
        return 0
    best, highest = 0, 0
    for seat in range(state.seats):
        best = max(best, standing(state, seat))
        highest = max(highest, int(state.totals[seat]))
    at_best, at_highest = 0, 0
    for seat in range(state.seats):
        at_best += 1 if standing(state, seat) == best else 0
        at_highest += 1 if state.totals[seat] == highest else 0
    if at_best == 1:
        if at_highest > 1:
            return EndReason.TIE_BREAK
        return EndReason.ROUNDS if state.rounds_played == ROUNDS else EndReason.EXTRA_ROUND
    return EndReason.ROUND_LIMIT if state.rounds_played == MAX_ROUNDS else 0


@kernel
def scores(state: State, out: Points) -> None:
    """Write the points of the finished rounds."""
    for seat in range(state.seats):
        out[seat] = state.totals[seat]


@kernel
def ranks(state: State, out: Points) -> None:
    """Rank the seats: most points first, equal totals by the tie-break (R38, R39, A22)."""
    for seat in range(state.seats):
        rank = 1
        for other in range(state.seats):
            if standing(state, other) > standing(state, seat):
                rank += 1
        out[seat] = rank


@kernel
def finished_rounds(state: State) -> int:
    """Return how many rounds have been scored."""
    return state.rounds_played
