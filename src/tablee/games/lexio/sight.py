"""What a seat knows of a Lexio table, worlds consistent with it, and observations for learning."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tablee.core.bits import count_of, lowest_bit, write_bits
from tablee.core.compilation import kernel, lean_kernel
from tablee.core.fractions import fraction
from tablee.core.observation import Layout
from tablee.core.randomness import below, reseed
from tablee.core.state import glimpse_head, imagine_head, see_head
from tablee.core.targets import is_on_cuda
from tablee.core.types import Generator, Index, Move, Numbers, Seat, SightState, State
from tablee.games.lexio.catalogue import FLUSHES, RANKS, SEQUENCES, SUITS, TILES, Tiles, tiles_of
from tablee.games.lexio.state import (
    CAP_PAYMENTS,
    CHIPS,
    FLUSH,
    KICKERS_DECIDE,
    MAX_PLAYS,
    MAX_SEATS,
    MUST_PLAY,
    ROUNDS,
    STRAIGHT_TIEBREAK,
    TWOS,
    UNKNOWN,
    played_tiles,
)
from tablee.games.lexio.strength import CombinationKind, kind_of, strongest

Limits: TypeAlias = npt.NDArray[np.int64]  # (MAX_SEATS,) tiles below this one may be in the hand of a seat


@kernel
def see(state: State, seat: Seat, out: SightState) -> None:
    """Write what `seat` knows: everything but the others' hands, which are shown at the end of a round (E19)."""
    see_head(state, seat, out)
    glimpse(state, seat, out)
    out.hand_size = state.hand_size
    out.to_beat = state.to_beat
    out.passes = state.passes
    out.last_winner = state.last_winner
    for other in range(MAX_SEATS):
        out.last_hands[other] = state.last_hands[other]
        for receiver in range(MAX_SEATS):
            out.paid[other, receiver] = state.paid[other, receiver]
    see_plays(state, out)


@lean_kernel
def glimpse(state: State, seat: Seat, out: SightState) -> None:
    """Write the part of a sight that `observe` reads: the tiles and passes of this round, and the chips."""
    glimpse_head(state, seat, out)
    out.deck = state.deck
    out.rounds_played = state.rounds_played
    out.leader = state.leader
    out.lead_tile = state.lead_tile
    out.table = state.table
    out.holder = state.holder
    for other in range(MAX_SEATS):
        is_shown = other == seat or other >= state.seats or state.end_reason != 0
        out.hands[other] = state.hands[other] if is_shown else UNKNOWN
        out.played[other] = state.played[other]
        out.balances[other] = state.balances[other]
        out.hand_counts[other] = state.hand_counts[other]
        out.play_counts[other] = state.play_counts[other]
        for index in range(MAX_PLAYS):
            out.passed_made[other, index] = state.passed_made[other, index]
            for few in range(3):
                out.passed_few[other, index, few] = state.passed_few[other, index, few]
    if state.options[MUST_PLAY] == 1:
        see_plays(state, out)


@kernel
def see_plays(state: State, out: SightState) -> None:
    """Write the plays of this round."""
    for seat in range(MAX_SEATS):
        for index in range(MAX_PLAYS):
            out.plays[seat, index] = state.plays[seat, index]


@kernel
def sees_move(state: State, move: Move, seat: Seat) -> bool:
    """Whether a seat may know a move: all moves are public."""
    return True


# Worlds consistent with a sight


@kernel
def imagine(sight: SightState, seat: Seat, generator: Generator) -> None:
    """Fill in the others' hands: each deal of the unseen tiles has the same probability.

    The leader of the round was dealt the lead tile, and no weaker one was dealt (R12, E20). With the option of E6, a
    pass shows that the hand held nothing stronger, and only the deals consistent with all passes remain.
    """
    imagine_head(sight, generator)
    deal_unseen(sight, seat, generator)


@kernel
def disguise(state: State, seat: Seat, generator: Generator) -> None:
    """Change everything `seat` cannot know: the others' hands, the tiles left out, the generator."""
    reseed(state.generator, generator)
    deal_unseen(state, seat, generator)


@kernel
def deal_unseen(state: State, seat: Seat, generator: Generator) -> None:
    """Deal the tiles that a seat has not seen to the hands that it does not see."""
    if state.end_reason != 0:
        return
    unseen = unseen_by(state, seat)
    known = unseen & (1 << int(state.lead_tile))
    unseen &= ~known
    if state.options[MUST_PLAY] == 1:
        deal_as_passed(state, seat, unseen, known, generator)
    else:
        deal_freely(state, seat, unseen, known, generator)


@kernel
def unseen_by(state: State, seat: Seat) -> Tiles:
    """Return the tiles that may be in a hand that a seat does not see."""
    unseen = state.deck & ~played_tiles(state) & ~((1 << int(state.lead_tile)) - 1)
    return unseen & ~state.hands[seat] if seat >= 0 else unseen


@kernel
def known_of(state: State, seat: Seat, known: Tiles) -> Tiles:
    """Return the known tiles of an unseen hand: `known` in that of the leader."""
    return known if seat == state.leader else 0


@kernel
def deal_freely(state: State, seat: Seat, unseen: Tiles, known: Tiles, generator: Generator) -> None:
    """Deal each tile to one of the free slots of the unseen hands, each slot with the same probability."""
    room = np.zeros(MAX_SEATS, np.int64)
    for other in range(state.seats):
        if other != seat:
            state.hands[other] = known_of(state, other, known)
            room[other] = state.hand_counts[other] - count_of(state.hands[other])
    left = count_of(unseen)
    for tile in range(TILES):
        if (unseen >> tile) & 1:
            index = below(generator, left)
            left -= 1
            other = 0
            while other < state.seats and index >= room[other]:
                index -= room[other]
                other += 1
            if other < state.seats:
                state.hands[other] |= 1 << tile
                room[other] -= 1


MAX_DEALS = 1_000_000  # random play needs a few deals, and some hundreds at worst


@kernel
def deal_as_passed(state: State, seat: Seat, unseen: Tiles, known: Tiles, generator: Generator) -> None:
    """Deal until the hand of every seat that passed held nothing stronger (E6).

    Passes on single tiles are limits, within which every deal has the same probability. Deals inconsistent with a pass
    on more tiles are rejected, so the accepted ones have the same probability too.
    """
    limits = np.zeros(MAX_SEATS, np.int64)
    for other in range(state.seats):
        limits[other] = weakest_tile_passed(state, other)
    for _ in range(MAX_DEALS):
        if deal_within(state, seat, unseen, known, limits, generator):
            return
    deal_freely(state, seat, unseen, known, generator)


@kernel
def weakest_tile_passed(state: State, seat: Seat) -> int:
    """Return the strength of the weakest single tile that a seat passed on in this round, TILES if there is none."""
    weakest = TILES
    for period in range(min(int(state.play_counts[seat]) + 1, MAX_PLAYS)):
        passed = int(state.passed_few[seat, period, 0])
        if 0 < passed < weakest:
            weakest = passed
    return weakest


@kernel
def deal_within(state: State, seat: Seat, unseen: Tiles, known: Tiles, limits: Limits, generator: Generator) -> bool:
    """Deal once, the lowest limit first; return whether the deal is consistent with all passes.

    A hand with a lower limit takes its tiles from those that all later hands could take as well, so the number of
    deals left to the later hands does not depend on them: each deal within the limits has the same probability.
    """
    dealt = 0
    for _ in range(state.seats):
        following = -1
        for other in range(state.seats):
            if other != seat and not (dealt >> other) & 1 and (following < 0 or limits[other] < limits[following]):
                following = other
        if following < 0:
            return True
        within = unseen & ((1 << limits[following]) - 1)
        hand = known_of(state, following, known)
        hand |= random_tiles(within, state.hand_counts[following] - count_of(hand), generator)
        state.hands[following] = hand
        unseen &= ~hand
        dealt |= 1 << following
        if not fits_passes(state, following):
            return False
    return True


@kernel
def random_tiles(tiles: Tiles, count: int, generator: Generator) -> Tiles:
    """Return `count` of the tiles, each selection with the same probability."""
    taken = 0
    left = count_of(tiles)
    for tile in range(TILES):
        if count > 0 and (tiles >> tile) & 1:
            if below(generator, left) < count:
                taken |= 1 << tile
                count -= 1
            left -= 1
    return taken


@kernel
def fits_passes(state: State, seat: Seat) -> bool:
    """Whether a hand, with the tiles played from it since, held nothing stronger at any of its passes."""
    hand = state.hands[seat]
    for period in range(int(state.play_counts[seat]), -1, -1):
        if not fits_period(state, seat, period, hand):
            return False
        if period > 0:
            hand |= tiles_of(int(state.plays[seat, period - 1]))
    return True


@kernel
def fits_period(state: State, seat: Seat, period: int, hand: Tiles) -> bool:
    """Whether a hand is consistent with the pairs, triples and five tiles passed on between two plays."""
    for size in (2, 3, 5):
        weakest = int(state.passed_made[seat, period] if size == 5 else state.passed_few[seat, period, size - 1])
        if weakest > 0 and strongest(state, hand, size) > weakest:
            return False
    return True


# Observations. Seats are relative: 0 is the viewer, 1 the next on the left (a spectator observes from seat 0).

RULE_OPTIONS = (STRAIGHT_TIEBREAK, FLUSH, TWOS, MUST_PLAY, CAP_PAYMENTS)
LATEST = 2 * MAX_PLAYS

# Strengths above all those of one, two, three and five tiles. Five tiles have kinds, each with a range of FLUSHES
# strengths (strength.py), of which most use but few: counted without gaps, or spread over the whole range.
LIMIT_ONE, LIMIT_TWO, LIMIT_THREE, LIMIT_FIVE = TILES + 1, TILES + 1, RANKS + 1, 5 * FLUSHES + 1
STRENGTHS_BY_KIND = (SEQUENCES * SUITS, FLUSHES, RANKS, RANKS, SEQUENCES * SUITS)
GAPS_BEFORE = np.array([kind * FLUSHES - sum(STRENGTHS_BY_KIND[:kind]) for kind in range(5)])
STEPS = np.array([FLUSHES // count for count in STRENGTHS_BY_KIND])
TOP_FLUSH_STEP = FLUSHES // TILES  # of flushes that are compared by their top tile (E2)
PASSES_LIMIT = (sum(STRENGTHS_BY_KIND) + 1) * LIMIT_THREE * LIMIT_TWO  # float32 holds every integer up to it

OBSERVATION = Layout(
    ("hand", TILES, "1 per tile in the viewer's hand; tiles weak to strong: 3N 3E 3L 3S 4N … 2S"),
    (
        "unseen",
        TILES,
        "1 per tile that the viewer has not seen and that may be in another hand: none is weaker than the lead tile",
    ),
    ("leader", MAX_SEATS, "one-hot: relative seat that led the round, while it holds the weakest tile dealt"),
    (
        "played",
        MAX_SEATS * TILES,
        "per relative seat: 1 per tile it has played in this round; with the option `must_play` (26 - n) / 26, where n "
        "is the number of its plays before",
    ),
    ("table", TILES, "1 per tile of the combination to beat"),
    (
        "kind",
        len(CombinationKind),
        f"one-hot: kind of that combination: {', '.join(kind.key for kind in CombinationKind)}",
    ),
    ("holder", MAX_SEATS, "one-hot: relative seat that played it"),
    ("on_turn", MAX_SEATS, "one-hot: relative seat on turn"),
    ("seated", MAX_SEATS, "per relative seat: 1 if it is in the game"),
    ("counts", MAX_SEATS, "tiles in hand per relative seat / 13"),
    (
        "passed_on",
        MAX_SEATS * 4,
        "per relative seat: the weakest 1, 2, 3, 5 tiles passed on in this round; 0: none, 1: weak",
    ),
    (
        "passes",
        MAX_SEATS * MAX_PLAYS,
        "per relative seat and number of its plays before: the weakest 2, 3, 5 tiles passed on, as one number: "
        f"((five * {LIMIT_THREE} + three) * {LIMIT_TWO} + two) / {PASSES_LIMIT}, strengths counted from 1, 0: none",
    ),
    ("balances", MAX_SEATS, "chips per relative seat / 149"),
    ("seat", 1, "the viewer's seat, counted from 0 / 5: equal receivers of capped payments are paid in this order"),
    ("rounds_left", 1, "rounds left, this one included / 5"),
    (
        "options",
        len(RULE_OPTIONS),
        "1 if on: highest tile decides straights, kickers, flat twos, must play, capped payments",
    ),
)
AT_HAND = OBSERVATION.start("hand")
AT_UNSEEN = OBSERVATION.start("unseen")
AT_LEADER = OBSERVATION.start("leader")
AT_PLAYED = OBSERVATION.start("played")
AT_TABLE = OBSERVATION.start("table")
AT_KIND = OBSERVATION.start("kind")
AT_HOLDER = OBSERVATION.start("holder")
AT_ON_TURN = OBSERVATION.start("on_turn")
AT_SEATED = OBSERVATION.start("seated")
AT_COUNTS = OBSERVATION.start("counts")
AT_PASSED_ON = OBSERVATION.start("passed_on")
AT_PASSES = OBSERVATION.start("passes")
AT_BALANCES = OBSERVATION.start("balances")
AT_SEAT = OBSERVATION.start("seat")
AT_ROUNDS_LEFT = OBSERVATION.start("rounds_left")
AT_OPTIONS = OBSERVATION.start("options")


@lean_kernel
def observe(sight: SightState, seat: Seat, out: Numbers) -> None:
    """Write the numbers of OBSERVATION that are not zero."""
    me = max(seat, 0)
    if sight.hands[me] != UNKNOWN:
        write_bits(sight.hands[me], out, AT_HAND, TILES)
    if sight.end_reason == 0:
        write_bits(unseen_by(sight, seat), out, AT_UNSEEN, TILES)
    write_bits(tiles_of(int(sight.table)), out, AT_TABLE, TILES)
    out[AT_KIND + kind_of(sight, int(sight.table))] = 1.0
    for relative in range(sight.seats):
        observe_seat(sight, (me + relative) % sight.seats, relative, out)
    out[AT_SEAT] = fraction(me, MAX_SEATS)
    out[AT_ROUNDS_LEFT] = fraction(sight.options[ROUNDS] - sight.rounds_played, 5)
    for index in range(len(RULE_OPTIONS)):
        out[AT_OPTIONS + index] = sight.options[RULE_OPTIONS[index]]


@lean_kernel
def observe_seat(sight: SightState, other: Seat, relative: int, out: Numbers) -> None:
    """Write what is public about one seat."""
    if sight.options[MUST_PLAY] == 1:
        observe_plays(sight, other, AT_PLAYED + relative * TILES, out)
    else:
        write_bits(sight.played[other], out, AT_PLAYED + relative * TILES, TILES)
    if other == sight.leader and not (sight.played[other] >> int(sight.lead_tile)) & 1:
        out[AT_LEADER + relative] = 1.0
    out[AT_SEATED + relative] = 1.0
    out[AT_COUNTS + relative] = fraction(sight.hand_counts[other], 13)
    out[AT_BALANCES + relative] = fraction(sight.balances[other], CHIPS)
    if sight.holder == other:
        out[AT_HOLDER + relative] = 1.0
    if sight.to_move == other:
        out[AT_ON_TURN + relative] = 1.0
    observe_passes(sight, other, relative, out)


@lean_kernel
def observe_plays(sight: SightState, seat: Seat, start: Index, out: Numbers) -> None:
    """Write the tiles that a seat has played, and in which play: with the option of E6 its passes show more."""
    for index in range(int(sight.play_counts[seat])):
        tiles = tiles_of(int(sight.plays[seat, index]))
        while tiles != 0:
            out[start + lowest_bit(tiles)] = fraction(LATEST - index, LATEST)
            tiles &= tiles - 1


@lean_kernel
def observe_passes(sight: SightState, seat: Seat, relative: int, out: Numbers) -> None:
    """Write what a seat has passed on in this round: the weakest of each size, and by its plays before."""
    one, two, three, five = LIMIT_ONE, LIMIT_TWO, LIMIT_THREE, LIMIT_FIVE
    for period in range(min(int(sight.play_counts[seat]) + 1, MAX_PLAYS)):
        one = weaker(one, int(sight.passed_few[seat, period, 0]))
        passed_two = int(sight.passed_few[seat, period, 1])
        passed_three = int(sight.passed_few[seat, period, 2])
        passed_five = int(sight.passed_made[seat, period])
        two, three, five = weaker(two, passed_two), weaker(three, passed_three), weaker(five, passed_five)
        if is_written(passed_two | passed_three | passed_five):
            code = (without_gaps(passed_five) * LIMIT_THREE + passed_three) * LIMIT_TWO + passed_two
            out[AT_PASSES + relative * MAX_PLAYS + period] = fraction(code, PASSES_LIMIT)
    start = AT_PASSED_ON + relative * 4
    if is_written(LIMIT_ONE - one):
        out[start] = fraction(LIMIT_ONE - one, LIMIT_ONE)
    if is_written(LIMIT_TWO - two):
        out[start + 1] = fraction(LIMIT_TWO - two, LIMIT_TWO)
    if is_written(LIMIT_THREE - three):
        out[start + 2] = fraction(LIMIT_THREE - three, LIMIT_THREE)
    if is_written(LIMIT_FIVE - five):
        out[start + 3] = fraction(LIMIT_FIVE - spread(sight, five), LIMIT_FIVE)


@lean_kernel
def is_written(number: int) -> bool:
    """Whether to compute what a number stands for: a device skips zeros, a processor would mispredict branches."""
    return not is_on_cuda() or number != 0


@lean_kernel
def weaker(strength: int, other: int) -> int:
    """Return the lower of two strengths, of which the other may be 0 for none."""
    return other if 0 < other < strength else strength


@lean_kernel
def without_gaps(strength: int) -> int:
    """Return the strength of five tiles, counted without the gaps between kinds; 0 for none."""
    gaps = 0
    for kind in range(1, len(STRENGTHS_BY_KIND)):  # on CUDA faster than a division and an access by its result
        if strength > kind * FLUSHES:
            gaps = GAPS_BEFORE[kind]
    return strength - gaps


@lean_kernel
def spread(sight: SightState, strength: int) -> int:
    """Return the strength of five tiles on a scale on which each kind fills a range of the same size."""
    if strength == LIMIT_FIVE:
        return LIMIT_FIVE
    kind = (strength - 1) // FLUSHES
    is_by_top = kind == 1 and sight.options[FLUSH] != KICKERS_DECIDE
    return kind * FLUSHES + (strength - kind * FLUSHES) * (TOP_FLUSH_STEP if is_by_top else STEPS[kind])
