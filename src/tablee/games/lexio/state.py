"""The state of a Lexio table: hands, the combination to beat, plays and passes, chips."""

from __future__ import annotations

from tablee.core.bits import count_of
from tablee.core.codes import ProblemFlag
from tablee.core.compilation import kernel
from tablee.core.state import NOBODY, state_type
from tablee.core.types import Bits, Seat, State
from tablee.games.lexio import GAME
from tablee.games.lexio.catalogue import ALL_TILES, PASS, Tiles, size_of, tiles_of

MAX_SEATS = 5
HAND_SIZE = (0, 0, 13, 12, 13, 12)  # by number of players (R9 to R11, E18)
MAX_NUMBER = (0, 0, 9, 9, 13, 15)  # in the game, by number of players
MAX_PLAYS = 13  # by one seat in a round
CHIPS = 149  # in points at the start: 4 chips of 1, 4 of 5, 5 of 25 (R8)

UNKNOWN = -1  # a hand that the viewer does not know
NOTHING = PASS  # `table` when the seat on turn leads

# Indices and codes of the options
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
        ("deck", "i8"),  # the tiles in the game: bit rank * 4 + suit
        ("hands", "i8", (MAX_SEATS,)),  # a bit per tile, or UNKNOWN
        ("played", "i8", (MAX_SEATS,)),  # tiles that each seat has played in this round
        ("last_hands", "i8", (MAX_SEATS,)),  # tiles left at the end of the previous round
        ("balances", "i4", (MAX_SEATS,)),  # chips, in points
        ("hand_size", "i4"),  # tiles dealt to each seat (R9 to R11, E18)
        ("rounds_played", "i4"),
        ("leader", "i4"),  # seat that led this round
        ("lead_tile", "i4"),  # the weakest tile dealt, known to be the leader's (R12, E20)
        ("table", "i4"),  # the combination to beat, NOTHING if the seat on turn leads
        ("to_beat", "i4"),  # its strength, 0 for NOTHING
        ("holder", "i4"),  # seat that played it, or NOBODY
        ("passes", "i4"),  # consecutive passes since then
        ("last_winner", "i4"),  # of the previous round, NOBODY in the first
        ("plays", "i2", (MAX_SEATS, MAX_PLAYS)),  # moves of each seat in this round, in order, without passes
        ("paid", "i2", (MAX_SEATS, MAX_SEATS)),  # [payer, receiver] in the settlement of the previous round
        # The weakest combination that a seat passed on, by the number of its own plays before; 0 for none. Public.
        ("passed_made", "u2", (MAX_SEATS, MAX_PLAYS)),  # strength of five tiles
        ("passed_few", "u1", (MAX_SEATS, MAX_PLAYS, 3)),  # strengths of one, two and three tiles
        ("hand_counts", "i1", (MAX_SEATS,)),
        ("play_counts", "i1", (MAX_SEATS,)),  # entries of `plays`
    ],
)


class Problem(ProblemFlag):
    """A broken invariant of the state."""

    WRONG_TILES = "a tile is in two places, or not in the game"
    WRONG_HAND = "a hand does not fit its count, or the tiles played from it"
    WRONG_PLAYS = "the plays of a seat are not the tiles it has played"
    WRONG_LEADER = "the weakest tile dealt was not the leader's (R12)"
    WRONG_TURN = "`to_move` does not fit `end_reason`"
    WRONG_TABLE = "the combination to beat does not fit its holder, its strength or the passes"
    WRONG_CHIPS = "the chips do not add up (R41, R42)"


@kernel
def played_tiles(state: State) -> Tiles:
    """Return the tiles that have been played in this round."""
    tiles = 0
    for seat in range(state.seats):
        tiles |= state.played[seat]
    return tiles


@kernel
def problems(state: State) -> Bits:
    """Return the broken invariants, as flags of `Problem`."""
    bits = 0
    if not holds_each_tile_once(state):
        bits |= Problem.WRONG_TILES
    for seat in range(MAX_SEATS):
        if count_of(state.hands[seat]) != state.hand_counts[seat]:
            bits |= Problem.WRONG_HAND
        if state.hand_counts[seat] + count_of(state.played[seat]) != (state.hand_size if seat < state.seats else 0):
            bits |= Problem.WRONG_HAND
        if not plays_are_played(state, seat):
            bits |= Problem.WRONG_PLAYS
    if not leader_fits(state):
        bits |= Problem.WRONG_LEADER
    is_over = state.end_reason != 0
    if is_over != (state.to_move == NOBODY) or state.to_move >= state.seats:
        bits |= Problem.WRONG_TURN
    if not table_fits(state):
        bits |= Problem.WRONG_TABLE
    if sum_of_balances(state) != CHIPS * state.seats:
        bits |= Problem.WRONG_CHIPS
    return bits


@kernel
def holds_each_tile_once(state: State) -> bool:
    """Whether no tile is in two places and all are in the game; with two players some are left out (E18)."""
    seen = 0
    for seat in range(MAX_SEATS):
        for tiles in (state.hands[seat], state.played[seat]):
            if seen & tiles or tiles & ~state.deck:
                return False
            seen |= tiles
    return state.deck & ~ALL_TILES == 0


@kernel
def plays_are_played(state: State, seat: Seat) -> bool:
    """Whether the plays of a seat are the tiles it has played."""
    tiles = 0
    for index in range(MAX_PLAYS):
        move = int(state.plays[seat, index])
        if (move != PASS) != (index < state.play_counts[seat]):
            return False
        tiles |= tiles_of(move)
    return tiles == state.played[seat]


@kernel
def leader_fits(state: State) -> bool:
    """Whether the leader of the round was dealt the weakest tile."""
    dealt = played_tiles(state)
    for seat in range(state.seats):
        dealt |= state.hands[seat]
    weakest = 1 << int(state.lead_tile)
    return dealt & -dealt == weakest and (state.hands[state.leader] | state.played[state.leader]) & weakest != 0


@kernel
def table_fits(state: State) -> bool:
    """Whether the combination to beat was played by its holder, who is not on turn."""
    if state.table == NOTHING:
        return state.to_beat == 0 and state.holder == NOBODY and state.passes == 0
    if state.to_beat <= 0 or not 0 <= state.holder < state.seats or size_of(state.table) == 0:
        return False
    if tiles_of(int(state.table)) & ~state.played[state.holder]:
        return False
    return state.end_reason != 0 or (state.holder + 1 + state.passes) % state.seats == state.to_move


@kernel
def sum_of_balances(state: State) -> int:
    """Return the sum of all balances."""
    total = 0
    for seat in range(MAX_SEATS):
        total += int(state.balances[seat])
    return total
