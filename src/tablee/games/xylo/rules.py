"""The rules of Xylo, in the order of the rulebook (rules.en.md)."""

from __future__ import annotations

import numpy as np

from tablee.core.bits import highest_bit, list_bits, lowest_bit
from tablee.core.compilation import kernel, lean_kernel
from tablee.core.randomness import shuffle
from tablee.core.state import NOBODY
from tablee.games.xylo.moves import BID_LEFT, BID_RIGHT, COLOURS, KEEP, NEXT_FIRST, PASS, PEEK_FIRST, PLAY_FIRST
from tablee.games.xylo.state import (
    ARRANGE,
    AUTO_TIES,
    BID,
    DECK,
    LEAD_TIE,
    LEADER_FIRST,
    MAX_ROWS,
    NO_CARD,
    NOWHERE,
    PLAY,
    RED,
    REMOVED,
    TIES,
    WINDOW,
    YELLOW,
    card_at,
    colour_of,
    has_bid,
    is_down,
    is_trick_empty,
    next_row,
    next_tie,
    packet_count,
    packet_row,
    row_count,
    row_of,
    seat_of,
    value_of,
)

ROUNDS = 3
MAX_ROUNDS = 100
BONUS = 5

# Cards per colour, red to pink (A1): everything; and for three players without red and one more colour. Should pink be
# left out, yellow is taken for the colour of ten cards, or it would not be the longest.
ALL_COLOURS = 3
DECKS = np.array(
    [
        [0, 0, 9, 8, 7, 6, 5, 4],  # without orange: 13 cards each
        [0, 10, 9, 8, 0, 6, 5, 4],  # without sky: 14 each
        [0, 9, 10, 8, 7, 6, 5, 0],  # without pink: 15 each
        [11, 10, 9, 8, 7, 6, 5, 4],
    ]
)

REASONS = {1: "rounds", 2: "tie_break", 3: "extra_round", 4: "round_limit"}
BEST_TOTAL, TIE_BREAK, EXTRA_ROUND, ROUND_LIMIT = range(1, 5)

REFUSALS = {
    1: ("game_over", "R36"),
    2: ("arrange_first", "R2"),
    3: ("not_among_the_equal", "R2"),
    4: ("rows_are_spread", "R5"),
    5: ("no_card_there", "R19"),
    6: ("announcement_stays", "R31"),
    7: ("highest_cannot_lead", "R10"),
    8: ("must_follow", "R14"),
    9: ("announce_or_pass", "R24"),
    10: ("only_after_playing", "R21"),
    11: ("too_few_cards", "R30"),
    12: ("one_announcement", "A7"),
    13: ("no_right_neighbour", "R22"),
    14: ("must_choose_one", "R25"),
    15: ("look_first", "R22"),
    16: ("your_lead", "A3"),
}
(
    GAME_OVER,
    ARRANGE_FIRST,
    NOT_AMONG_THE_EQUAL,
    ROWS_ARE_SPREAD,
    NO_CARD_THERE,
    ANNOUNCEMENT_STAYS,
    HIGHEST_CANNOT_LEAD,
    MUST_FOLLOW,
    ANNOUNCE_OR_PASS,
    ONLY_AFTER_PLAYING,
    TOO_FEW_CARDS,
    ONE_ANNOUNCEMENT,
    NO_RIGHT_NEIGHBOUR,
    MUST_CHOOSE_ONE,
    LOOK_FIRST,
    YOUR_LEAD,
) = range(1, 17)


# Setting up (R1 to R8)


@kernel
def deal(state):
    """Choose the deck (A1) and set up the first round; the last seat deals, so that seat 0 leads (R9, A11)."""
    deck = state.options[REMOVED] if state.seats == 3 else ALL_COLOURS
    for colour in range(COLOURS):
        state.sizes[colour] = DECKS[deck, colour]
    state.trump = YELLOW if state.seats == 3 else RED
    for row in range(MAX_ROWS):
        state.last_trick[row] = NO_CARD
        state.last_bids[row] = NO_CARD
    start_round(state)


@kernel
def start_round(state):
    """Shuffle, deal and sort a row for everybody; who sorts may then order equal cards (R1 to R5)."""
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
        spread(state)
    else:
        state.phase = ARRANGE
        state.to_move = 0
        open_packet(state, 0)


@kernel
def gather_deck(state):
    """Write all cards of the deck; return how many."""
    count = 0
    for colour in range(COLOURS):
        for value in range(state.sizes[colour]):
            state.cards[count] = colour * 16 + value
            count += 1
    for index in range(count, DECK):
        state.cards[index] = NO_CARD
    return count


@kernel
def sort_row(state, row):
    """Put the highest card to the left; equal ones stay in the order in which they were dealt (R1, A19)."""
    first = row * state.row_size
    for index in range(first + 1, first + state.row_size):
        card = int(state.cards[index])
        while index > first and value_of(int(state.cards[index - 1])) < value_of(card):
            state.cards[index] = state.cards[index - 1]
            index -= 1
        state.cards[index] = card


# The order of equal cards (R2, A13)


@kernel
def arranged_row(state):
    """Return the row whose equal cards the seat on turn puts in order."""
    return packet_row(state, state.to_move, state.arranging >> 4)


@kernel
def arranged_position(state):
    """Return the position for which it chooses a card."""
    return state.arranging & 15


@kernel
def open_packet(state, packet):
    """Let the seat on turn put the equal cards of a packet in order."""
    row = packet_row(state, state.to_move, packet)
    state.arranging = packet * 16 + next_tie(state, row, 0)


@kernel
def equal_colours(state):
    """Return a bit per colour of the equal cards of which one comes next; none if the packet has no equals."""
    row, position = arranged_row(state), arranged_position(state)
    if position == state.row_size - 1:
        return 0
    value = value_of(card_at(state, row, position))
    colours = 0
    while position < state.row_size and value_of(card_at(state, row, position)) == value:
        colours |= 1 << colour_of(card_at(state, row, position))
        position += 1
    return colours


@kernel
def legal_in_arrange(state, out):
    """List `keep`, and the colours of the equal cards."""
    out[0] = KEEP
    return list_bits(equal_colours(state), NEXT_FIRST, out, 1)


@kernel
def refusal_in_arrange(state, move):
    """Say what speaks against a move while packets are put in order."""
    if move >= PLAY_FIRST:
        return ARRANGE_FIRST
    if move == KEEP or (equal_colours(state) >> (move - NEXT_FIRST)) & 1:
        return 0
    return NOT_AMONG_THE_EQUAL


@kernel
def arrange(state, move):
    """Leave the rest of the packet as it was dealt (A19), or put one of the equal cards next."""
    if move < NEXT_FIRST or put_next(state, move - NEXT_FIRST):
        close_packet(state)


@kernel
def put_next(state, colour):
    """Put an equal card next, the others move up behind it; return whether no more equal ones are to be ordered."""
    row, position = arranged_row(state), arranged_position(state)
    first = row * state.row_size + position
    index = first
    while colour_of(int(state.cards[index])) != colour:
        index += 1
    card = state.cards[index]
    while index > first:
        state.cards[index] = state.cards[index - 1]
        index -= 1
    state.cards[first] = card
    tie = next_tie(state, row, position + 1)
    if tie == state.row_size - 1:
        return True
    state.arranging += tie - position
    return False


@kernel
def close_packet(state):
    """Go on to the next packet, the next seat, or the spreading of the rows (R4, R5)."""
    packet = (state.arranging >> 4) + 1
    if packet < packet_count(state):
        open_packet(state, packet)
    elif state.to_move + 1 < state.seats:
        state.to_move += 1
        open_packet(state, 0)
    else:
        spread(state)


@kernel
def spread(state):
    """Lay the rows out, turn up the automata's announcements, and let the first player lead (R5, R9, R43)."""
    state.arranging = 0
    for row in range(row_count(state)):
        if seat_of(state, row) == NOBODY:
            announce(state, row, state.row_size // 2)
    state.phase = PLAY
    state.to_move = state.first


# What may be done


@lean_kernel
def legal_moves(state, out):
    """List the legal moves of the seat on turn, ascending."""
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


@kernel
def refusal(state, move):
    """Return 0 for a legal move, else the code of what speaks against it."""
    if state.end_reason != 0:
        return GAME_OVER
    if state.phase == ARRANGE:
        return refusal_in_arrange(state, move)
    if move < PLAY_FIRST:
        return ROWS_ARE_SPREAD
    if state.phase == BID:
        return 0 if move == BID_LEFT or move == BID_RIGHT else MUST_CHOOSE_ONE
    if move == BID_LEFT or move == BID_RIGHT:
        return LOOK_FIRST
    if move < PEEK_FIRST:
        return refusal_of_card(state, move - PLAY_FIRST)
    if state.phase == PLAY:
        return refusal_of_early_peek(state, move)
    if move == PASS:
        return YOUR_LEAD if is_trick_empty(state) and state.leader == row_of(state, state.to_move) else 0
    return refusal_of_peek(state, move - PEEK_FIRST)


@kernel
def play(state, move):
    """Play a legal move; going on stands here once, for whatever brings it about: it is long."""
    if move < PLAY_FIRST:
        arrange(state, move)
        return
    row = row_of(state, state.to_move)
    if act(state, row, move):
        go_on(state, row)


@kernel
def act(state, row, move):
    """Play a card, look or announce for a row; return whether it has nothing more to do in this trick."""
    if move == PASS:
        return True
    if move >= BID_LEFT:
        announce(state, row, state.peeks[row, move - BID_LEFT])  # the other one stays where it was (R25 to R28)
        return True
    if move >= PEEK_FIRST:
        peek(state, row, move - PEEK_FIRST)
        return False
    lay(state, row, move - PLAY_FIRST)
    if may_announce(state, row):  # before anybody else plays (R21, A20)
        state.phase = WINDOW
        return False
    return True


# Playing a card (R9 to R20)


@kernel
def playable(state, row):
    """Return a bit per position that a row may play."""
    down = int(state.down[row])
    if is_trick_empty(state):
        return leadable(down)
    follows = of_colour(state, row, colour_of(int(state.trick[state.leader])))
    return follows if follows else down


@kernel
def leadable(down):
    """Leave out the leftmost card (R10, A5), unless it is the last one (R20)."""
    others = down & (down - 1)
    return others if others else down


@kernel
def of_colour(state, row, colour):
    """Return a bit per card face down in a row that has a colour (R14, A6)."""
    bits = 0
    for position in range(state.row_size):
        if colour_of(card_at(state, row, position)) == colour:
            bits |= 1 << position
    return bits & int(state.down[row])


@kernel
def refusal_of_card(state, position):
    """Say what speaks against playing a card."""
    row = row_of(state, state.to_move)
    is_leading = is_trick_empty(state) and state.leader == row
    if state.phase == WINDOW and not is_leading:
        return ANNOUNCE_OR_PASS
    if state.bid_at[row] == position:
        return ANNOUNCEMENT_STAYS
    if not is_down(state, row, position):
        return NO_CARD_THERE
    if (playable(state, row) >> position) & 1:
        return 0
    return HIGHEST_CANNOT_LEAD if is_leading else MUST_FOLLOW


@kernel
def lay(state, row, position):
    """Reveal a card (R11); the last one to play completes the trick (R13)."""
    state.trick[row] = card_at(state, row, position)
    state.down[row] &= ~(1 << position)
    announce_the_last_card(state, row)
    if state.trick[next_row(state, row)] != NO_CARD:
        finish_trick(state)


@kernel
def finish_trick(state):
    """Give the trick to its winner, who leads the next one (R16 to R18)."""
    winner = winner_of(state.trick, state.leader, row_count(state), state.trump)
    state.won[winner] += 1
    for row in range(row_count(state)):
        state.last_trick[row] = state.trick[row]
        state.trick[row] = NO_CARD
    state.last_leader = state.leader
    state.leader = winner


@kernel
def winner_of(trick, leader, rows, trump):
    """Return the row of the highest trump, else of the highest card of the colour led (R16, R17)."""
    led = colour_of(int(trick[leader]))
    best, most = leader, -1
    for row in range(rows):
        card = int(trick[row])
        strength = value_of(card)
        if colour_of(card) == trump:
            strength += 32
        elif colour_of(card) == led:
            strength += 16
        if strength > most:
            best, most = row, strength
    return best


@kernel
def go_on(state, row):
    """After a row has played and announced what it would, let the next one play; automata do so at once (R12, R44)."""
    while True:
        row = state.leader if is_trick_empty(state) else next_row(state, row)
        if state.down[row] == 0:
            finish_round(state)
            return
        if seat_of(state, row) != NOBODY:
            state.to_move = seat_of(state, row)
            state.phase = PLAY
            return
        lay(state, row, automaton_position(state, row))


# Announcing (R21 to R31)


@kernel
def may_announce(state, row):
    """Say whether a row has no announcement yet and three cards or more face down (A2, A7)."""
    down = int(state.down[row])
    down &= down - 1
    return not has_bid(state, row) and down & (down - 1) != 0


@kernel
def peekable(down):
    """Return a bit per card that has another one to its right, across a gap or not (R22, R23)."""
    return down & ~(1 << highest_bit(down))


@kernel
def legal_in_window(state, out):
    """List what can be looked at; else it is the next player's turn, or one's own to lead (R21, A3)."""
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
def refusal_of_early_peek(state, move):
    """Say why there is nothing to look at, or to decline, when a card must be played first."""
    row = row_of(state, state.to_move)
    if move == PASS:
        return ONLY_AFTER_PLAYING
    if has_bid(state, row):
        return ONE_ANNOUNCEMENT
    down = int(state.down[row])
    down &= down - 1
    return TOO_FEW_CARDS if down & (down - 1) == 0 else ONLY_AFTER_PLAYING


@kernel
def refusal_of_peek(state, position):
    """Say what speaks against looking at a card and the next one to its right."""
    row = row_of(state, state.to_move)
    if not is_down(state, row, position):
        return NO_CARD_THERE
    return 0 if (peekable(int(state.down[row])) >> position) & 1 else NO_RIGHT_NEIGHBOUR


@kernel
def peek(state, row, position):
    """Look secretly at a card and the next one to its right (R22, R23)."""
    state.peeks[row, 0] = position
    state.peeks[row, 1] = lowest_bit(int(state.down[row]) & (-2 << position))
    state.phase = BID


@kernel
def announce(state, row, position):
    """Take a card out of the row and show it (R28, R31)."""
    state.bid_at[row] = position
    state.down[row] &= ~(1 << int(position))


@kernel
def announce_the_last_card(state, row):
    """Who has not announced and has a single card left announces that one (R29, R30)."""
    down = int(state.down[row])
    if not has_bid(state, row) and down & (down - 1) == 0:
        announce(state, row, lowest_bit(down))


# Automata (R43, R44)


@kernel
def automaton_position(state, row):
    """Return an automaton's choice: the lowest card of the colour led, else the lowest trump, else the lowest (A10).

    The lowest lies rightmost.
    """
    if not is_trick_empty(state):
        follows = of_colour(state, row, colour_of(int(state.trick[state.leader])))
        if follows:
            return highest_bit(follows)
        trumps = of_colour(state, row, state.trump)
        if trumps:
            return highest_bit(trumps)
    return highest_bit(int(state.down[row]))


# End of a round (R32 to R37, R45, R46)


@kernel
def finish_round(state):
    """Score, and go on to the next round or end the game (R35, R36, R40)."""
    for row in range(row_count(state)):
        state.last_bids[row] = card_at(state, row, state.bid_at[row])
        state.last_won[row] = state.won[row]
    score_round(state)
    state.rounds_played += 1
    reason = end_of_game(state)
    if reason == 0:
        state.first = next_first(state)
        start_round(state)
    else:
        state.end_reason = reason
        state.to_move = NOBODY
        state.phase = PLAY


@kernel
def is_met(state, row):
    """Say whether a row won as many tricks as it had announced in the last finished round (R33)."""
    return value_of(int(state.last_bids[row])) == state.last_won[row]


@kernel
def score_round(state):
    """Give a point per trick, five for a met announcement (R32 to R34); met automata take points away (R45, R46)."""
    automata = 0
    for row in range(row_count(state)):
        if seat_of(state, row) == NOBODY and is_met(state, row):
            automata += 1
    for seat in range(state.seats):
        row = row_of(state, seat)
        points = 0
        if automata == 0:
            points += int(state.last_won[row])
        if automata < 2 and is_met(state, row):
            points += BONUS
        state.round_scores[seat] = points
        state.totals[seat] += points


@kernel
def next_first(state):
    """Return who leads the next round: the lowest total; of several, the next clockwise (R37, A8, A17)."""
    begin = 0 if state.options[LEAD_TIE] == LEADER_FIRST else 1
    lowest = (state.first + begin) % state.seats
    for step in range(begin + 1, begin + state.seats):
        seat = (state.first + step) % state.seats
        if state.totals[seat] < state.totals[lowest]:
            lowest = seat
    return lowest


# End of the game (R36, R38 to R40, R47)


@kernel
def end_of_game(state):
    """Return why the game is over, 0 if another round must be played (R36, R38 to R40, A9, A21)."""
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
            return TIE_BREAK
        return BEST_TOTAL if state.rounds_played == ROUNDS else EXTRA_ROUND
    return ROUND_LIMIT if state.rounds_played == MAX_ROUNDS else 0


@kernel
def standing(state, seat):
    """Return a number that ranks seats: points, then a met announcement with fewer tricks (R38, R39, A9, A18)."""
    row = row_of(state, seat)
    rank = 32 * int(state.totals[seat])
    if is_met(state, row):
        rank += 16 - int(state.last_won[row])
    return rank


@kernel
def scores(state, out):
    """Write each seat's points of the finished rounds."""
    for seat in range(state.seats):
        out[seat] = state.totals[seat]


@kernel
def ranks(state, out):
    """Most points first; the tie-break separates equal totals (R38, R39, A22)."""
    for seat in range(state.seats):
        index = 1
        for other in range(state.seats):
            if standing(state, other) > standing(state, seat):
                index += 1
        out[seat] = index
