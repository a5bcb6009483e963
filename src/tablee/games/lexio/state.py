"""The record of a Lexio table: hands, the combination to beat, what was played and passed on, chips."""

from __future__ import annotations

from tablee.core.bits import count_of
from tablee.core.compilation import kernel
from tablee.core.state import NOBODY, state_type
from tablee.games.lexio import GAME
from tablee.games.lexio.catalogue import ALL_TILES, PASS, size_of, tiles_of

MAX_SEATS = 5
HAND_SIZE = (0, 0, 13, 12, 13, 12)  # by number of players (R9 to R11, E18)
MAX_NUMBER = (0, 0, 9, 9, 13, 15)  # in the game, by number of players
MAX_PLAYS = 13  # by one seat in a round
CHIPS = 149  # at the start: 4 of 1, 4 of 5, 5 of 25 (R8)

UNKNOWN = -1  # a hand that the viewer cannot see
NOTHING = PASS  # `table` when the seat on turn leads

# Places of the options
STRAIGHT_TIEBREAK = GAME.option_index("straight_tiebreak")
FLUSH = GAME.option_index("flush")
TWOS = GAME.option_index("twos")
MUST_PLAY = GAME.option_index("must_play")
CAP_PAYMENTS = GAME.option_index("cap_payments")
ROUNDS = GAME.option_index("rounds")
HIGHEST_DECIDES = GAME.option("straight_tiebreak").code("highest")
KICKERS_DECIDE = GAME.option("flush").code("kickers")
FLAT = GAME.option("twos").code("flat")

STATE = state_type(
    GAME,
    [
        ("deck", "i8"),  # the tiles in the game, a bit each: rank * 4 + suit
        ("hands", "i8", (MAX_SEATS,)),  # a bit per tile, or UNKNOWN
        ("played", "i8", (MAX_SEATS,)),  # tiles that each seat has played in this round
        ("last_hands", "i8", (MAX_SEATS,)),  # what each had left when the previous round ended
        ("balances", "i4", (MAX_SEATS,)),  # chips, in points
        ("hand_size", "i4"),  # how many tiles each seat gets (R9 to R11, E18)
        ("rounds_played", "i4"),
        ("leader", "i4"),  # who led this round
        ("lead_tile", "i4"),  # why: the weakest tile dealt, known to be his (R12, E20)
        ("table", "i4"),  # the combination to beat, NOTHING if the seat on turn leads
        ("to_beat", "i4"),  # its strength, 0 for NOTHING
        ("holder", "i4"),  # who played it, or NOBODY
        ("passes", "i4"),  # in a row since then
        ("last_winner", "i4"),  # of the previous round, NOBODY in the first
        ("plays", "i2", (MAX_SEATS, MAX_PLAYS)),  # moves of each seat in this round, in order, passes left out
        ("paid", "i2", (MAX_SEATS, MAX_SEATS)),  # [from, to] when the previous round was settled
        # The weakest that a seat passed on after so many plays of its own, 0 for nothing: it is remembered by all.
        ("passed_made", "u2", (MAX_SEATS, MAX_PLAYS)),  # strength of five tiles
        ("passed_few", "u1", (MAX_SEATS, MAX_PLAYS, 3)),  # strengths of one, two, three tiles
        ("hand_counts", "i1", (MAX_SEATS,)),
        ("play_counts", "i1", (MAX_SEATS,)),  # entries of `plays`
    ],
)

PROBLEMS = (
    "a tile is in two places or not in the game",
    "a hand is not as large as its count, or not as the plays left it",
    "the plays of a seat are not the tiles it has played",
    "the weakest tile dealt was not its leader's (R12)",
    "the seat on turn does not fit the end of the game",
    "the combination to beat does not fit its holder, its strength or the passes",
    "the chips do not add up (R41, R42)",
)


@kernel
def out_of_hands(state):
    """Return the tiles that have been played in this round."""
    tiles = 0
    for seat in range(state.seats):
        tiles |= state.played[seat]
    return tiles


@kernel
def problems(state):
    """Return a bit per broken invariant."""
    bits = 0
    if not holds_each_tile_once(state):
        bits |= 1
    for seat in range(MAX_SEATS):
        if count_of(state.hands[seat]) != state.hand_counts[seat]:
            bits |= 2
        if state.hand_counts[seat] + count_of(state.played[seat]) != (state.hand_size if seat < state.seats else 0):
            bits |= 2
        if not plays_are_played(state, seat):
            bits |= 4
    if not leader_fits(state):
        bits |= 8
    is_over = state.end_reason != 0
    if is_over != (state.to_move == NOBODY) or state.to_move >= state.seats:
        bits |= 16
    if not table_fits(state):
        bits |= 32
    if sum_of_balances(state) != CHIPS * state.seats:
        bits |= 64
    return bits


@kernel
def holds_each_tile_once(state):
    """Say whether no tile is in two places and all are in the game; with two players some stay out (E18)."""
    seen = 0
    for seat in range(MAX_SEATS):
        for tiles in (state.hands[seat], state.played[seat]):
            if seen & tiles or tiles & ~state.deck:
                return False
            seen |= tiles
    return state.deck & ~ALL_TILES == 0


@kernel
def plays_are_played(state, seat):
    """Say whether a seat's list of moves and its set of played tiles agree."""
    tiles = 0
    for index in range(MAX_PLAYS):
        move = int(state.plays[seat, index])
        if (move != PASS) != (index < state.play_counts[seat]):
            return False
        tiles |= tiles_of(move)
    return tiles == state.played[seat]


@kernel
def leader_fits(state):
    """Say whether the leader of the round was dealt the weakest tile."""
    dealt = out_of_hands(state)
    for seat in range(state.seats):
        dealt |= state.hands[seat]
    weakest = 1 << int(state.lead_tile)
    return dealt & -dealt == weakest and (state.hands[state.leader] | state.played[state.leader]) & weakest != 0


@kernel
def table_fits(state):
    """Say whether the combination to beat was played by its holder, who is not on turn."""
    if state.table == NOTHING:
        return state.to_beat == 0 and state.holder == NOBODY and state.passes == 0
    if state.to_beat <= 0 or not 0 <= state.holder < state.seats or size_of(state.table) == 0:
        return False
    if tiles_of(int(state.table)) & ~state.played[state.holder]:
        return False
    return state.end_reason != 0 or (state.holder + 1 + state.passes) % state.seats == state.to_move


@kernel
def sum_of_balances(state):
    """Add up the chips of all."""
    total = 0
    for seat in range(MAX_SEATS):
        total += int(state.balances[seat])
    return total
