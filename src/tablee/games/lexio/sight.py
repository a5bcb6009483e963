"""What a seat knows of a Lexio table, worlds consistent with it, and observations for learning."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tablee.core.bits import count_of
from tablee.core.compilation import kernel, lean_kernel
from tablee.core.observation import Layout
from tablee.core.randomness import below, reseed
from tablee.core.state import glimpse_head, imagine_head, see_head
from tablee.core.types import Generator, Index, Move, Numbers, Seat, SightState, State
from tablee.games.lexio.catalogue import TILES, Tiles, tiles_of
from tablee.games.lexio.state import (
    CAP_PAYMENTS,
    CHIPS,
    FLUSH,
    MAX_PLAYS,
    MAX_SEATS,
    MUST_PLAY,
    ROUNDS,
    STRAIGHT_TIEBREAK,
    TWOS,
    UNKNOWN,
    played_tiles,
)
from tablee.games.lexio.strength import STRAIGHT_FLUSH_FLOOR, CombinationKind, kind_of, strongest

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
        for index in range(MAX_PLAYS):
            out.plays[other, index] = state.plays[other, index]


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
        weakest = weakest_passed(state, other, 0)
        limits[other] = weakest if weakest > 0 else TILES
    for _ in range(MAX_DEALS):
        if deal_within(state, seat, unseen, known, limits, generator):
            return
    deal_freely(state, seat, unseen, known, generator)


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
MAX_STRENGTHS = (60, 60, 15, STRAIGHT_FLUSH_FLOOR + 56)  # of 1, 2, 3 and 5 tiles

OBSERVATION = Layout(
    ("hand", TILES, "1 per tile in the viewer's hand; tiles weak to strong: 3N 3E 3L 3S 4N … 2S"),
    ("unseen", TILES, "1 per tile that the viewer has not seen and that may be in another hand"),
    ("lead_tile", TILES, "one-hot: the weakest tile dealt, while it is in the hand of the leader of the round"),
    ("leader", MAX_SEATS, "one-hot: relative seat that holds it"),
    ("played", MAX_SEATS * TILES, "per relative seat: 1 per tile it has played in this round"),
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
        MAX_SEATS * len(MAX_STRENGTHS),
        "per relative seat: the weakest 1, 2, 3, 5 tiles passed on in this round; 0: none, 1: weak",
    ),
    ("balances", MAX_SEATS, "chips per relative seat / 149"),
    ("rounds_left", 1, "rounds left, this one included / 5"),
    (
        "options",
        len(RULE_OPTIONS),
        "1 if on: highest tile decides straights, kickers, flat twos, must play, capped payments",
    ),
)
AT_HAND = OBSERVATION.start("hand")
AT_UNSEEN = OBSERVATION.start("unseen")
AT_LEAD_TILE = OBSERVATION.start("lead_tile")
AT_LEADER = OBSERVATION.start("leader")
AT_PLAYED = OBSERVATION.start("played")
AT_TABLE = OBSERVATION.start("table")
AT_KIND = OBSERVATION.start("kind")
AT_HOLDER = OBSERVATION.start("holder")
AT_ON_TURN = OBSERVATION.start("on_turn")
AT_SEATED = OBSERVATION.start("seated")
AT_COUNTS = OBSERVATION.start("counts")
AT_PASSED_ON = OBSERVATION.start("passed_on")
AT_BALANCES = OBSERVATION.start("balances")
AT_ROUNDS_LEFT = OBSERVATION.start("rounds_left")
AT_OPTIONS = OBSERVATION.start("options")


@lean_kernel
def observe(sight: SightState, seat: Seat, out: Numbers) -> None:
    """Write the numbers of OBSERVATION that are not zero."""
    me = max(seat, 0)
    if sight.hands[me] != UNKNOWN:
        observe_tiles(sight.hands[me], out, AT_HAND)
    if sight.end_reason == 0:
        observe_tiles(unseen_by(sight, seat), out, AT_UNSEEN)
    observe_tiles(tiles_of(int(sight.table)), out, AT_TABLE)
    out[AT_KIND + kind_of(sight, int(sight.table))] = 1.0
    for relative in range(sight.seats):
        observe_seat(sight, (me + relative) % sight.seats, relative, out)
    out[AT_ROUNDS_LEFT] = (sight.options[ROUNDS] - sight.rounds_played) / 5
    for index in range(len(RULE_OPTIONS)):
        out[AT_OPTIONS + index] = sight.options[RULE_OPTIONS[index]]


@lean_kernel
def observe_tiles(tiles: Tiles, out: Numbers, start: Index) -> None:
    """Write a set of tiles, without branches: the processor would mispredict many of them."""
    block = out[start : start + TILES]
    for tile in range(TILES):
        block[tile] = (tiles >> tile) & 1


@lean_kernel
def observe_seat(sight: SightState, other: Seat, relative: int, out: Numbers) -> None:
    """Write what is public about one seat."""
    observe_tiles(sight.played[other], out, AT_PLAYED + relative * TILES)
    if other == sight.leader and not (sight.played[other] >> int(sight.lead_tile)) & 1:
        out[AT_LEAD_TILE + sight.lead_tile] = 1.0
        out[AT_LEADER + relative] = 1.0
    out[AT_SEATED + relative] = 1.0
    out[AT_COUNTS + relative] = sight.hand_counts[other] / 13
    out[AT_BALANCES + relative] = sight.balances[other] / CHIPS
    if sight.holder == other:
        out[AT_HOLDER + relative] = 1.0
    if sight.to_move == other:
        out[AT_ON_TURN + relative] = 1.0
    for index in range(len(MAX_STRENGTHS)):
        weakest = weakest_passed(sight, other, index)
        if weakest > 0:
            limit = MAX_STRENGTHS[index] + 1
            out[AT_PASSED_ON + relative * len(MAX_STRENGTHS) + index] = (limit - weakest) / limit


@lean_kernel
def weakest_passed(sight: SightState, seat: Seat, size_index: Index) -> int:
    """Return the weakest combination that a seat passed on in this round, 0 for none; sizes are 1, 2, 3, 5."""
    weakest = 0
    for period in range(min(int(sight.play_counts[seat]) + 1, MAX_PLAYS)):
        passed = int(sight.passed_made[seat, period] if size_index == 3 else sight.passed_few[seat, period, size_index])
        if passed > 0 and (weakest == 0 or passed < weakest):
            weakest = passed
    return weakest
