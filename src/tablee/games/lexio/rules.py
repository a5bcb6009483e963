"""The rules of Lexio, in the order of the rulebook (rules.en.md).

Combinations are numbered in catalogue.py, compared in strength.py and listed in enumeration.py.
"""

from __future__ import annotations

from tablee.core.bits import count_of
from tablee.core.codes import EndReasonCode, RefusalCode
from tablee.core.compilation import kernel, lean_kernel
from tablee.core.kernels import rank_by_score
from tablee.core.randomness import below
from tablee.core.state import NOBODY, next_seat
from tablee.core.types import Move, Moves, Points, Seat, State
from tablee.games.lexio.catalogue import (
    FLUSH_FIRST,
    MIXED_SUITS,
    NUMBERS,
    PASS,
    RANK_OF_TWO,
    STRAIGHT_FIRST,
    SUIT_COUNT,
    SUITS,
    TILES,
    Tiles,
    size_of,
    suits_at,
    tiles_of,
)
from tablee.games.lexio.enumeration import list_fives, list_pairs, list_singles, list_triples
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
from tablee.games.lexio.strength import is_sequence, strength_of, strongest


class Refusal(RefusalCode):
    """Why a move is refused, with the clause."""

    GAME_OVER = "R22"
    MUST_LEAD = "R17"
    CAN_BEAT = "E6"
    NOT_IN_HAND = "R13"
    NO_STRAIGHT = "R44"
    WRONG_SIZE = "R4"
    TOO_WEAK = "R5"


class EndReason(EndReasonCode):
    """Why the game ended."""

    ROUNDS = 1
    EMPTY_PURSE = 2


# Setting up (R8 to R12)


@kernel
def deal(state: State) -> None:
    """Select the tiles (R9 to R11), give each seat its chips (R8), and start the first round."""
    for tile in range(TILES):
        if NUMBERS[tile // SUITS] <= MAX_NUMBER[state.seats]:
            state.deck |= 1 << tile
    state.hand_size = HAND_SIZE[state.seats]
    for seat in range(state.seats):
        state.balances[seat] = CHIPS
    state.last_winner = NOBODY
    start_round(state)


@kernel
def start_round(state: State) -> None:
    """Deal the tiles (R1, R20); the holder of the weakest one leads (R12, E5, E18)."""
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
def deal_tiles(state: State) -> None:
    """Deal each tile to one of the free slots of all hands, each slot with the same probability."""
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
def find_leader(state: State) -> None:
    """Set the holder of the weakest tile dealt as leader (E20); with three or more players it is the cloud 3."""
    for tile in range(TILES):
        for seat in range(state.seats):
            if (state.hands[seat] >> tile) & 1:
                state.lead_tile = tile
                state.leader = seat
                state.to_move = seat
                return


@kernel
def clear_table(state: State) -> None:
    """Remove the combination to beat: the seat on turn leads."""
    state.table = NOTHING
    state.to_beat = 0
    state.holder = NOBODY
    state.passes = 0


# A turn (R12 to R17)


@lean_kernel
def legal_moves(state: State, out: Moves) -> int:
    """Write the legal moves of the seat on turn, ascending; return their number."""
    if state.end_reason != 0:
        return 0
    if state.table == NOTHING:
        return legal_when_leading(state, out)
    return legal_when_following(state, out)


@kernel
def legal_when_leading(state: State, out: Moves) -> int:
    """Write every combination in the hand (R13); the leader may not pass (R17)."""
    hand = state.hands[state.to_move]
    count = list_singles(hand, 0, out, 0)
    count = list_pairs(hand, 0, out, count)
    count = list_triples(hand, 0, out, count)
    return list_fives(state, hand, 0, out, count)


@kernel
def legal_when_following(state: State, out: Moves) -> int:
    """Write the pass (R15, E6) and every stronger combination of the same size (R4, R5, R14)."""
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
    return list_fives(state, hand, to_beat, out, count)


@kernel
def may_pass(state: State) -> bool:
    """Whether a seat that follows may pass: always, or with the option only without a stronger combination (E6)."""
    if state.options[MUST_PLAY] == 0:
        return True
    return strongest(state, state.hands[state.to_move], size_of(state.table)) <= state.to_beat


@kernel
def refusal(state: State, move: Move) -> int:
    """Return why a move is refused, 0 if it is legal."""
    if state.end_reason != 0:
        return Refusal.GAME_OVER
    if move == PASS:
        if state.table == NOTHING:
            return Refusal.MUST_LEAD
        return 0 if may_pass(state) else Refusal.CAN_BEAT
    move = int(move)
    if tiles_of(move) & ~state.hands[state.to_move]:
        return Refusal.NOT_IN_HAND
    if STRAIGHT_FIRST <= move < FLUSH_FIRST and not is_sequence(state, (move - STRAIGHT_FIRST) // MIXED_SUITS):
        return Refusal.NO_STRAIGHT
    if state.table == NOTHING:
        return 0
    if size_of(move) != size_of(state.table):
        return Refusal.WRONG_SIZE
    return 0 if strength_of(state, move) > state.to_beat else Refusal.TOO_WEAK


@kernel
def play(state: State, move: Move) -> None:
    """Play a legal move; deal the next round if one has ended and the game goes on (R20)."""
    finished = state.rounds_played
    play_in_stage(state, move)
    if state.rounds_played > finished and state.end_reason == 0:
        start_round(state)


@kernel
def play_in_stage(state: State, move: Move) -> None:
    """Play a legal move, without the next deal."""
    if move == PASS:
        play_pass(state)
    else:
        play_combination(state, int(move))


@kernel
def play_combination(state: State, move: Move) -> None:
    """Play tiles, which are then to be beaten (R14); a seat without tiles wins the round (R2, R18)."""
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
        state.to_move = next_seat(state, seat)  # R3


@kernel
def play_pass(state: State) -> None:
    """Pass the turn on (R15, R16); when all others have passed, the holder leads (R17, E8)."""
    remember_pass(state)
    state.passes += 1
    state.to_move = next_seat(state, state.to_move)  # R3
    if state.to_move == state.holder:
        clear_table(state)


@kernel
def remember_pass(state: State) -> None:
    """Store the weakest combination of each size that a seat passes on between two of its plays."""
    seat, size = state.to_move, size_of(state.table)
    period = state.play_counts[seat]
    if size == 5:
        stored = state.passed_made[seat, period]
        if stored == 0 or state.to_beat < stored:
            state.passed_made[seat, period] = state.to_beat
    else:
        stored = state.passed_few[seat, period, size - 1]
        if stored == 0 or state.to_beat < stored:
            state.passed_few[seat, period, size - 1] = state.to_beat


# End of a round (R19, R41 to R43), end of the game (R20 to R22)


@kernel
def finish_round(state: State, winner: Seat) -> None:
    """Settle the payments; the game may be over. `play` deals the next round."""
    state.last_winner = winner
    for seat in range(MAX_SEATS):
        state.last_hands[seat] = state.hands[seat]
    settle(state)
    state.rounds_played += 1
    if has_empty_purse(state):
        finish_game(state, EndReason.EMPTY_PURSE)
    elif state.rounds_played >= state.options[ROUNDS]:
        finish_game(state, EndReason.ROUNDS)


@kernel
def settle(state: State) -> None:
    """Let all seats pay those with fewer tiles, the winner having none (R41, R42); all pay at once (E13)."""
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
def pay_all(state: State, payer: Seat) -> None:
    """Write what a seat pays: the difference in tiles to each, fewest tiles first, doubled for its 2s (E4).

    With the option a seat pays no more than it had before the round (E13).
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
def doubling(state: State, hand: Tiles) -> int:
    """Return the factor of a loser's payments: 2 for each 2 in hand, or 2 for any number of 2s (R19, E3)."""
    twos = int(SUIT_COUNT[suits_at(hand, RANK_OF_TWO)])
    if state.options[TWOS] == FLAT:
        twos = min(twos, 1)
    return 1 << twos


@kernel
def has_empty_purse(state: State) -> bool:
    """Whether a seat has no chips left (R22, E14)."""
    for seat in range(state.seats):
        if state.balances[seat] <= 0:
            return True
    return False


@kernel
def finish_game(state: State, reason: int) -> None:
    """End the game (R22)."""
    state.end_reason = reason
    state.to_move = NOBODY


@kernel
def scores(state: State, out: Points) -> None:
    """Write the chips of each seat, in points; they change only when a round is settled."""
    for seat in range(state.seats):
        out[seat] = state.balances[seat]


@kernel
def ranks(state: State, out: Points) -> None:
    """Rank the seats: most chips first (R21), equal chips share a rank (E15)."""
    rank_by_score(state.balances, state.seats, False, out)


@kernel
def finished_rounds(state: State) -> int:
    """Return how many rounds have been settled."""
    return state.rounds_played
