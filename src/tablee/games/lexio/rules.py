"""The rules of Lexio, in the order of the rulebook (rules.en.md).

The combinations are numbered in catalogue.py and compared in strength.py.
"""

from __future__ import annotations

from tablee.core.bits import count_of, lowest_bit
from tablee.core.compilation import kernel, lean_kernel
from tablee.core.kernels import rank_by_score
from tablee.core.randomness import below
from tablee.core.state import NOBODY
from tablee.games.lexio.catalogue import (
    BINOMIAL,
    FIFTH_TILES,
    FLUSH_FIRST,
    FOUR_FIRST,
    FULL_FIRST,
    MIXED_SUITS,
    NUMBERS,
    PAIR_COUNT,
    PAIR_FIRST,
    PAIRS_BESIDE,
    PAIRS_IN,
    PASS,
    RANK_OF_TWO,
    RANKS,
    SEQUENCE,
    SEQUENCE_RANKS,
    SEQUENCES,
    SINGLE_FIRST,
    STRAIGHT_FIRST,
    SUIT_COUNT,
    SUIT_FLUSHES,
    SUITS,
    SUITS_IN,
    TILES,
    TRIPLE_COUNT,
    TRIPLE_FIRST,
    TRIPLES_IN,
    count_in_suit,
    flush_number,
    four_ranks,
    mixed_number,
    pair_ranks,
    ranks_in,
    ranks_in_suit,
    size_of,
    suits_at,
    tiles_of,
    triple_ranks,
)
from tablee.games.lexio.state import (
    CAP_PAYMENTS,
    CHIPS,
    FLAT,
    HAND_SIZE,
    MAX_NUMBER,
    MAX_PLAYS,
    MAX_SEATS,
    MUST_PLAY,
    NOTHING,
    ROUNDS,
    TWOS,
)
from tablee.games.lexio.strength import (
    FLUSH_FLOOR,
    FOUR_FLOOR,
    FULL_FLOOR,
    STRAIGHT_FLUSH_FLOOR,
    deciding_position,
    is_sequence,
    strength_of,
    strength_of_flush,
    strongest,
)

REASONS = {1: "rounds", 2: "empty_purse"}
ROUNDS_PLAYED, EMPTY_PURSE = 1, 2

REFUSALS = {
    1: ("game_over", "R22"),
    2: ("must_lead", "R17"),
    3: ("can_beat", "E6"),
    4: ("not_in_hand", "R13"),
    5: ("no_straight", "R44"),
    6: ("wrong_size", "R4"),
    7: ("too_weak", "R5"),
}
GAME_OVER, MUST_LEAD, CAN_BEAT, NOT_IN_HAND, NO_STRAIGHT, WRONG_SIZE, TOO_WEAK = range(1, 8)


# Setting up (R8 to R12)


@kernel
def deal(state):
    """Choose the tiles (R9 to R11), give each seat its chips (R8), and set up the first round."""
    for tile in range(TILES):
        if NUMBERS[tile // SUITS] <= MAX_NUMBER[state.seats]:
            state.deck |= 1 << tile
    state.hand_size = HAND_SIZE[state.seats]
    for seat in range(state.seats):
        state.balances[seat] = CHIPS
    state.last_winner = NOBODY
    start_round(state)


@kernel
def start_round(state):
    """Deal the tiles (R1, R20) and let the holder of the weakest lead (R12, E5, E18)."""
    for seat in range(MAX_SEATS):
        state.hands[seat] = 0
        state.played[seat] = 0
        state.hand_counts[seat] = 0
        state.play_counts[seat] = 0
        for index in range(MAX_PLAYS):
            state.plays[seat, index] = PASS
            state.passed_made[seat, index] = 0
            for few in range(3):
                state.passed_few[seat, index, few] = 0
    deal_tiles(state)
    clear_table(state)
    find_leader(state)


@kernel
def deal_tiles(state):
    """Give each tile to one of the places that are still free, each place with the same chance."""
    size = state.hand_size
    left = count_of(state.deck)
    for tile in range(TILES):
        if (state.deck >> tile) & 1:
            index = below(state.generator, left)
            left -= 1
            seat = 0
            while seat < state.seats and index >= size - state.hand_counts[seat]:
                index -= size - state.hand_counts[seat]
                seat += 1
            if seat < state.seats:
                state.hands[seat] |= 1 << tile
                state.hand_counts[seat] += 1


@kernel
def find_leader(state):
    """Call the tiles from the weakest up: whoever has the first leads (E20). Unless two play it is the cloud 3."""
    for tile in range(TILES):
        for seat in range(state.seats):
            if (state.hands[seat] >> tile) & 1:
                state.lead_tile = tile
                state.leader = seat
                state.to_move = seat
                return


@kernel
def clear_table(state):
    """Nothing is to be beaten: the seat on turn leads."""
    state.table = NOTHING
    state.to_beat = 0
    state.holder = NOBODY
    state.passes = 0


# A turn (R12 to R17)


@lean_kernel
def legal_moves(state, out):
    """List the legal moves of the seat on turn, ascending."""
    if state.end_reason != 0:
        return 0
    if state.table == NOTHING:
        return legal_in_lead(state, out)
    return legal_in_answer(state, out)


@kernel
def legal_in_lead(state, out):
    """List every combination in the hand (R13); the leader may not pass (R17)."""
    hand = state.hands[state.to_move]
    count = list_singles(hand, 0, out, 0)
    count = list_pairs(hand, 0, out, count)
    count = list_triples(hand, 0, out, count)
    return list_mades(state, hand, 0, out, count)


@kernel
def legal_in_answer(state, out):
    """List passing (R15, E6) and every stronger combination of the same size (R4, R5, R14)."""
    hand = state.hands[state.to_move]
    size, to_beat = size_of(state.table), int(state.to_beat)
    count = 0
    if may_pass(state):
        out[0] = PASS
        count = 1
    if state.hand_counts[state.to_move] < size:
        return count
    if size == 1:
        return list_singles(hand, to_beat, out, count)
    if size == 2:
        return list_pairs(hand, to_beat, out, count)
    if size == 3:
        return list_triples(hand, to_beat, out, count)
    return list_mades(state, hand, to_beat, out, count)


@kernel
def may_pass(state):
    """Say whether one who does not lead may pass: always, or with the option only if he has nothing stronger (E6)."""
    if state.options[MUST_PLAY] == 0:
        return True
    return strongest(state, state.hands[state.to_move], size_of(state.table)) <= state.to_beat


@kernel
def refusal(state, move):
    """Return 0 for a legal move, else the code of what speaks against it."""
    if state.end_reason != 0:
        return GAME_OVER
    if move == PASS:
        if state.table == NOTHING:
            return MUST_LEAD
        return 0 if may_pass(state) else CAN_BEAT
    move = int(move)
    if tiles_of(move) & ~state.hands[state.to_move]:
        return NOT_IN_HAND
    if STRAIGHT_FIRST <= move < FLUSH_FIRST and not is_sequence(state, (move - STRAIGHT_FIRST) // MIXED_SUITS):
        return NO_STRAIGHT
    if state.table == NOTHING:
        return 0
    if size_of(move) != size_of(state.table):
        return WRONG_SIZE
    return 0 if strength_of(state, move) > state.to_beat else TOO_WEAK


@kernel
def play(state, move):
    """Play a legal move."""
    if move == PASS:
        play_pass(state)
    else:
        play_combination(state, int(move))


@kernel
def play_combination(state, move):
    """Lay tiles on the table to be beaten (R14); whoever has none left wins the round (R2, R18)."""
    seat = state.to_move
    tiles = tiles_of(move)
    state.hands[seat] &= ~tiles
    state.played[seat] |= tiles
    state.hand_counts[seat] -= size_of(move)
    state.plays[seat, state.play_counts[seat]] = move
    state.play_counts[seat] += 1
    state.table = move
    state.to_beat = strength_of(state, move)
    state.holder = seat
    state.passes = 0
    if state.hands[seat] == 0:
        finish_round(state, seat)
    else:
        state.to_move = next_seat(state)


@kernel
def play_pass(state):
    """Leave the turn to the next (R15, R16); when all others have passed, the holder leads again (R17, E8)."""
    remember_pass(state)
    state.passes += 1
    state.to_move = next_seat(state)
    if state.to_move == state.holder:
        clear_table(state)


@kernel
def next_seat(state):
    """Return the seat on the left of the one on turn (R3)."""
    return state.to_move + 1 if state.to_move + 1 < state.seats else 0


@kernel
def remember_pass(state):
    """Note the weakest combination of each size that a seat passes on between two of its plays."""
    seat, size = state.to_move, size_of(state.table)
    period = state.play_counts[seat]
    if size == 5:
        noted = state.passed_made[seat, period]
        if noted == 0 or state.to_beat < noted:
            state.passed_made[seat, period] = state.to_beat
    else:
        noted = state.passed_few[seat, period, size - 1]
        if noted == 0 or state.to_beat < noted:
            state.passed_few[seat, period, size - 1] = state.to_beat


# The combinations in a hand that are stronger than what is to be beaten (R23 to R31)


@kernel
def list_singles(hand, to_beat, out, count):
    """List the single tiles (R24, R33)."""
    rest = hand >> to_beat << to_beat
    while rest != 0:
        out[count] = SINGLE_FIRST + lowest_bit(rest)
        count += 1
        rest &= rest - 1
    return count


@kernel
def list_pairs(hand, to_beat, out, count):
    """List the pairs (R25); between equal numbers the one with the sun is stronger (R34)."""
    rest = pair_ranks(hand) & (-1 << to_beat // SUITS * SUITS)
    while rest != 0:
        rank = lowest_bit(rest) // SUITS
        suits = suits_at(hand, rank)
        if suits >> max(0, to_beat - rank * SUITS) != 0:
            for index in range(PAIR_COUNT[suits]):
                out[count] = PAIR_FIRST + rank * 6 + PAIRS_IN[suits, index]
                count += 1
        rest &= rest - 1
    return count


@kernel
def list_triples(hand, to_beat, out, count):
    """List the triples (R26); their numbers always differ (E10)."""
    rest = triple_ranks(hand) & (-1 << to_beat * SUITS)
    while rest != 0:
        rank = lowest_bit(rest) // SUITS
        suits = suits_at(hand, rank)
        for index in range(TRIPLE_COUNT[suits]):
            out[count] = TRIPLE_FIRST + rank * 4 + TRIPLES_IN[suits, index]
            count += 1
        rest &= rest - 1
    return count


@kernel
def list_mades(state, hand, to_beat, out, count):
    """List the combinations of five tiles; any stronger kind will do (R32, E9)."""
    if state.hand_counts[state.to_move] < 5:
        return count
    if to_beat <= FLUSH_FLOOR:
        count = list_straights(state, hand, to_beat, out, count)
    if to_beat <= FULL_FLOOR:
        count = list_flushes(state, hand, to_beat, out, count)
    else:
        count = list_straight_flushes(state, hand, to_beat, out, count)
    if to_beat <= FOUR_FLOOR:
        count = list_fulls(hand, to_beat - FULL_FLOOR, out, count)
    if to_beat <= STRAIGHT_FLUSH_FLOOR:
        count = list_fours(hand, to_beat - FOUR_FLOOR, out, count)
    return count


@kernel
def list_straights(state, hand, to_beat, out, count):
    """List the straights of several suits (R27, R44)."""
    ranks = ranks_in(hand)
    for sequence in range(to_beat // SUITS, SEQUENCES):
        if ranks & SEQUENCE_RANKS[sequence] == SEQUENCE_RANKS[sequence] and is_sequence(state, sequence):
            strong_suits = (0b1111 << max(0, to_beat - sequence * SUITS)) & 0b1111
            count = list_sequence(hand, sequence, deciding_position(state, sequence), strong_suits, out, count)
    return count


@kernel
def list_sequence(hand, sequence, decider, strong_suits, out, count):
    """List one straight in all suits in hand, where the deciding tile has one of the strong suits."""
    base = STRAIGHT_FIRST + sequence * MIXED_SUITS
    first = suits_at_position(hand, sequence, 0, decider, strong_suits)
    second = suits_at_position(hand, sequence, 1, decider, strong_suits)
    third = suits_at_position(hand, sequence, 2, decider, strong_suits)
    fourth = suits_at_position(hand, sequence, 3, decider, strong_suits)
    fifth = suits_at_position(hand, sequence, 4, decider, strong_suits)
    for a in range(SUIT_COUNT[first]):
        one = SUITS_IN[first, a] << 8
        for b in range(SUIT_COUNT[second]):
            two = one | SUITS_IN[second, b] << 6
            for c in range(SUIT_COUNT[third]):
                three = two | SUITS_IN[third, c] << 4
                for d in range(SUIT_COUNT[fourth]):
                    four = three | SUITS_IN[fourth, d] << 2
                    for e in range(SUIT_COUNT[fifth]):
                        five = four | SUITS_IN[fifth, e]
                        if five % 341 != 0:  # five of one suit are listed with the flushes
                            out[count] = base + mixed_number(five)
                            count += 1
    return count


@kernel
def suits_at_position(hand, sequence, index, decider, strong_suits):
    """Return the suits in hand for one tile of a straight."""
    suits = suits_at(hand, SEQUENCE[sequence, index])
    return suits & strong_suits if index == decider else suits


@kernel
def list_flushes(state, hand, to_beat, out, count):
    """List five tiles of one suit, straight flushes among them (R28, R31, R45)."""
    for suit in range(SUITS):
        if count_in_suit(hand, suit) >= 5:
            count = list_suit(state, ranks_in_suit(hand, suit), suit, to_beat, out, count)
    return count


@kernel
def list_suit(state, ranks, suit, to_beat, out, count):
    """List the sets of five ranks in the order of their numbers: the highest rank first decides."""
    base = FLUSH_FIRST + suit * SUIT_FLUSHES
    packed, size = pack(ranks)
    for e in range(4, size):
        top = (packed >> (e * 4)) & 15
        for d in range(3, e):
            fourth = (packed >> (d * 4)) & 15
            number_above = BINOMIAL[5, top] + BINOMIAL[4, fourth]
            above = 1 << top | 1 << fourth
            for c in range(2, d):
                third = (packed >> (c * 4)) & 15
                for b in range(1, c):
                    second = (packed >> (b * 4)) & 15
                    for a in range(b):
                        first = (packed >> (a * 4)) & 15
                        number = number_above + BINOMIAL[3, third] + BINOMIAL[2, second] + first
                        chosen = above | 1 << third | 1 << second | 1 << first
                        if to_beat <= FLUSH_FLOOR or strength_of_flush(state, number, chosen, suit) > to_beat:
                            out[count] = base + number
                            count += 1
    return count


@kernel
def pack(ranks):
    """Return the ranks of a set as a list in one number, four bits each, lowest first, and how many they are."""
    packed, size = 0, 0
    for rank in range(RANKS):
        if (ranks >> rank) & 1:
            packed |= rank << (size * 4)
            size += 1
    return packed, size


@kernel
def list_straight_flushes(state, hand, to_beat, out, count):
    """List the straight flushes alone (R31, R39)."""
    for suit in range(SUITS):
        ranks = ranks_in_suit(hand, suit)
        for sequence in range(SEQUENCES):
            wanted = SEQUENCE_RANKS[sequence]
            if ranks & wanted == wanted and is_sequence(state, sequence):
                if STRAIGHT_FLUSH_FLOOR + sequence * SUITS + suit >= to_beat:
                    out[count] = FLUSH_FIRST + suit * SUIT_FLUSHES + flush_number(wanted)
                    count += 1
    return count


@kernel
def list_fulls(hand, to_beat, out, count):
    """List a triple with a pair (R29); the triple alone is compared (R38, E11)."""
    rest = triple_ranks(hand) & (-1 << max(0, to_beat) * SUITS)
    while rest != 0:
        rank = lowest_bit(rest) // SUITS
        suits = suits_at(hand, rank)
        for index in range(TRIPLE_COUNT[suits]):
            base = FULL_FIRST + (rank * 4 + TRIPLES_IN[suits, index]) * PAIRS_BESIDE
            count = list_pairs_beside(hand, rank, base, out, count)
        rest &= rest - 1
    return count


@kernel
def list_pairs_beside(hand, rank, base, out, count):
    """List the full houses of one triple."""
    rest = pair_ranks(hand) & ~(1 << rank * SUITS)
    while rest != 0:
        other = lowest_bit(rest) // SUITS
        suits = suits_at(hand, other)
        pair_base = base + (other if other < rank else other - 1) * 6
        for index in range(PAIR_COUNT[suits]):
            out[count] = pair_base + PAIRS_IN[suits, index]
            count += 1
        rest &= rest - 1
    return count


@kernel
def list_fours(hand, to_beat, out, count):
    """List four of a kind with any fifth tile (R30), which does not count (E11)."""
    fours = four_ranks(hand) & (-1 << max(0, to_beat) * SUITS)
    while fours != 0:
        rank = lowest_bit(fours) // SUITS
        base = FOUR_FIRST + rank * FIFTH_TILES
        rest = hand & ~(0b1111 << rank * SUITS)
        while rest != 0:
            tile = lowest_bit(rest)
            out[count] = base + (tile if tile < rank * SUITS else tile - SUITS)
            count += 1
            rest &= rest - 1
        fours &= fours - 1
    return count


# End of a round (R19, R41 to R43), end of the game (R20 to R22)


@kernel
def finish_round(state, winner):
    """Settle, and go on to the next round or end the game."""
    state.last_winner = winner
    for seat in range(MAX_SEATS):
        state.last_hands[seat] = state.hands[seat]
    settle(state)
    state.rounds_played += 1
    if has_empty_purse(state):
        finish_game(state, EMPTY_PURSE)
    elif state.rounds_played >= state.options[ROUNDS]:
        finish_game(state, ROUNDS_PLAYED)
    else:
        start_round(state)


@kernel
def settle(state):
    """Let everyone pay whoever has fewer tiles; the winner has none (R41, R42). All pay at once (E13)."""
    for payer in range(MAX_SEATS):
        for receiver in range(MAX_SEATS):
            state.paid[payer, receiver] = 0
    for payer in range(state.seats):
        pay_all(state, payer)
    for payer in range(state.seats):
        for receiver in range(state.seats):
            state.balances[payer] -= state.paid[payer, receiver]
            state.balances[receiver] += state.paid[payer, receiver]


@kernel
def pay_all(state, payer):
    """Note what a seat pays: the difference of tiles for each, the fewest tiles first, doubled for its 2s (E4).

    With the option nobody pays more than he had before the round (E13).
    """
    tiles = int(state.hand_counts[payer])
    factor = doubling(state, state.hands[payer])
    purse = int(state.balances[payer])
    for fewer in range(tiles):
        for receiver in range(state.seats):
            if state.hand_counts[receiver] == fewer:
                amount = (tiles - fewer) * factor
                if state.options[CAP_PAYMENTS] == 1:
                    amount = min(amount, purse)
                    purse -= amount
                state.paid[payer, receiver] = amount


@kernel
def doubling(state, hand):
    """Return what a loser's payments are multiplied by: 2 for each 2 in hand (R19, E3), or 2 for any number of them."""
    twos = SUIT_COUNT[suits_at(hand, RANK_OF_TWO)]
    if state.options[TWOS] == FLAT:
        twos = min(twos, 1)
    return 1 << twos


@kernel
def has_empty_purse(state):
    """Say whether a seat has no chips left (R22, E14)."""
    for seat in range(state.seats):
        if state.balances[seat] <= 0:
            return True
    return False


@kernel
def finish_game(state, reason):
    """Nobody is on turn any more (R22)."""
    state.end_reason = reason
    state.to_move = NOBODY


@kernel
def scores(state, out):
    """Write each seat's chips."""
    for seat in range(state.seats):
        out[seat] = state.balances[seat]


@kernel
def ranks(state, out):
    """Most chips first (R21); equal chips share the victory (E15)."""
    rank_by_score(state.balances, state.seats, False, out)
