"""What a seat knows of a Lexio table, worlds that fit it, and numbers for learning."""

from __future__ import annotations

import numpy as np

from tablee.core.bits import count_of
from tablee.core.compilation import kernel, lean_kernel
from tablee.core.observation import Layout
from tablee.core.randomness import below, reseed
from tablee.core.state import glimpse_head, imagine_head, see_head
from tablee.games.lexio.catalogue import TILES, tiles_of
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
    out_of_hands,
)
from tablee.games.lexio.strength import KINDS, STRAIGHT_FLUSH_FLOOR, kind_of, strongest


@kernel
def see(state, seat, out):
    """Write what `seat` knows: all but the others' hands, which are shown when a round is over (E19)."""
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
def glimpse(state, seat, out):
    """Write the part of a sight that `observe` reads: the tiles of this round, what was passed on, and the chips."""
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
def sees_move(state, move, seat):
    """Everything is played and passed in the open."""
    return True


# Worlds that fit


@kernel
def imagine(sight, seat, generator):
    """Fill in the others' hands: each way to deal the unseen tiles has the same chance.

    The leader of the round has the tile that made him lead, and no weaker one was dealt (R12, E20). Where one must
    play if he can (E6), a pass tells what a hand does not hold, and only the deals that fit are left.
    """
    imagine_head(sight, generator)
    deal_unseen(sight, seat, generator)


@kernel
def disguise(state, seat, generator):
    """Change all that `seat` cannot notice: the others' hands, the tiles left out, the chance to come."""
    reseed(state.generator, generator)
    deal_unseen(state, seat, generator)


@kernel
def deal_unseen(state, seat, generator):
    """Deal the tiles that a seat does not see to the hands that it does not see."""
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
def unseen_by(state, seat):
    """Return the tiles that may be in a hand which a seat does not see."""
    unseen = state.deck & ~out_of_hands(state) & ~((1 << int(state.lead_tile)) - 1)
    return unseen & ~state.hands[seat] if seat >= 0 else unseen


@kernel
def known_of(state, seat, known):
    """Return what is known of an unseen hand: `known` is the leader's."""
    return known if seat == state.leader else 0


@kernel
def deal_freely(state, seat, unseen, known, generator):
    """Give each tile to one of the places that are still free, each place with the same chance."""
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


DEALS_TRIED = 1_000_000  # in random play a few do, and some hundreds at worst


@kernel
def deal_as_passed(state, seat, unseen, known, generator):
    """Deal until everyone who passed had nothing stronger (E6).

    Passes on single tiles are limits, within which every deal has the same chance; deals that break a pass on more
    tiles are thrown away, so those that remain have the same chance too.
    """
    limits = np.zeros(MAX_SEATS, np.int64)
    for other in range(state.seats):
        weakest = weakest_passed(state, other, 0)
        limits[other] = weakest if weakest > 0 else TILES
    for _ in range(DEALS_TRIED):
        if deal_within(state, seat, unseen, known, limits, generator):
            return
    deal_freely(state, seat, unseen, known, generator)


@kernel
def deal_within(state, seat, unseen, known, limits, generator):
    """Deal once, the lowest limit first; say whether all the passes fit.

    A hand with a lower limit takes its tiles from those that all later hands could take as well, so how many ways the
    later ones have does not depend on what it takes: each deal within the limits has the same chance.
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
        hand |= take(within, state.hand_counts[following] - count_of(hand), generator)
        state.hands[following] = hand
        unseen &= ~hand
        dealt |= 1 << following
        if not fits_passes(state, following):
            return False
    return True


@kernel
def take(tiles, wanted, generator):
    """Take so many of the tiles, each choice with the same chance."""
    taken = 0
    left = count_of(tiles)
    for tile in range(TILES):
        if wanted > 0 and (tiles >> tile) & 1:
            if below(generator, left) < wanted:
                taken |= 1 << tile
                wanted -= 1
            left -= 1
    return taken


@kernel
def fits_passes(state, seat):
    """Say whether a hand, with the tiles played from it since, never held anything stronger than it passed on."""
    hand = state.hands[seat]
    for period in range(int(state.play_counts[seat]), -1, -1):
        if not fits_period(state, seat, period, hand):
            return False
        if period > 0:
            hand |= tiles_of(int(state.plays[seat, period - 1]))
    return True


@kernel
def fits_period(state, seat, period, hand):
    """Say whether a hand fits what was passed on between two plays, pairs, triples and five tiles."""
    for size in (2, 3, 5):
        noted = int(state.passed_made[seat, period] if size == 5 else state.passed_few[seat, period, size - 1])
        if noted > 0 and strongest(state, hand, size) > noted:
            return False
    return True


# Numbers for learning. Seats are relative: 0 is the viewer, 1 the next on the left (a spectator looks from seat 0).

OBSERVATION = Layout(
    ("hand", TILES, "1 per tile in the viewer's hand; tiles weak to strong: 3N 3E 3L 3S 4N … 2S"),
    ("unseen", TILES, "1 per tile that the viewer has not seen and that may be in another hand"),
    ("lead_tile", TILES, "one-hot: the weakest tile dealt, while it is in the hand of the round's leader"),
    ("leader", MAX_SEATS, "one-hot: relative seat that holds it"),
    ("played", MAX_SEATS * TILES, "per relative seat: 1 per tile it has played in this round"),
    ("table", TILES, "1 per tile of the combination to beat"),
    ("kind", len(KINDS), f"one-hot: what is to be beaten: {', '.join(KINDS)}"),
    ("holder", MAX_SEATS, "one-hot: relative seat that played it"),
    ("on_turn", MAX_SEATS, "one-hot: relative seat on turn"),
    ("seated", MAX_SEATS, "1 per relative seat that is taken"),
    ("counts", MAX_SEATS, "tiles in hand per relative seat / 13"),
    ("passed_on", MAX_SEATS * 4, "per relative seat: weakest 1, 2, 3, 5 tiles passed on in this round, 0 none, 1 weak"),
    ("balances", MAX_SEATS, "chips per relative seat / 149"),
    ("rounds_left", 1, "rounds to play, this one included / 5"),
    ("options", 5, "1 where it is on: highest tile decides straights, kickers, flat twos, must play, capped payments"),
)
SEEN_HAND = OBSERVATION.start("hand")
SEEN_UNSEEN = OBSERVATION.start("unseen")
SEEN_LEAD_TILE = OBSERVATION.start("lead_tile")
SEEN_LEADER = OBSERVATION.start("leader")
SEEN_PLAYED = OBSERVATION.start("played")
SEEN_TABLE = OBSERVATION.start("table")
SEEN_KIND = OBSERVATION.start("kind")
SEEN_HOLDER = OBSERVATION.start("holder")
SEEN_ON_TURN = OBSERVATION.start("on_turn")
SEEN_SEATED = OBSERVATION.start("seated")
SEEN_COUNTS = OBSERVATION.start("counts")
SEEN_PASSED_ON = OBSERVATION.start("passed_on")
SEEN_BALANCES = OBSERVATION.start("balances")
SEEN_ROUNDS_LEFT = OBSERVATION.start("rounds_left")
SEEN_OPTIONS = OBSERVATION.start("options")
RULE_OPTIONS = (STRAIGHT_TIEBREAK, FLUSH, TWOS, MUST_PLAY, CAP_PAYMENTS)
STRONGEST = (60, 60, 15, STRAIGHT_FLUSH_FLOOR + 56)  # of 1, 2, 3 and 5 tiles


@lean_kernel
def observe(sight, seat, out):
    """Write the numbers of OBSERVATION that are not zero."""
    me = max(seat, 0)
    if sight.hands[me] != UNKNOWN:
        observe_tiles(sight.hands[me], out, SEEN_HAND)
    if sight.end_reason == 0:
        observe_tiles(unseen_by(sight, seat), out, SEEN_UNSEEN)
    observe_tiles(tiles_of(int(sight.table)), out, SEEN_TABLE)
    out[SEEN_KIND + kind_of(sight, int(sight.table))] = 1.0
    for relative in range(sight.seats):
        observe_seat(sight, (me + relative) % sight.seats, relative, out)
    out[SEEN_ROUNDS_LEFT] = (sight.options[ROUNDS] - sight.rounds_played) / 5
    for index in range(len(RULE_OPTIONS)):
        out[SEEN_OPTIONS + index] = sight.options[RULE_OPTIONS[index]]


@lean_kernel
def observe_tiles(tiles, out, start):
    """Write a set of tiles; without a question asked of each, which a processor would guess wrong half the time."""
    block = out[start : start + TILES]
    for tile in range(TILES):
        block[tile] = (tiles >> tile) & 1


@lean_kernel
def observe_seat(sight, other, relative, out):
    """Write what all know of one seat."""
    observe_tiles(sight.played[other], out, SEEN_PLAYED + relative * TILES)
    if other == sight.leader and not (sight.played[other] >> int(sight.lead_tile)) & 1:
        out[SEEN_LEAD_TILE + sight.lead_tile] = 1.0
        out[SEEN_LEADER + relative] = 1.0
    out[SEEN_SEATED + relative] = 1.0
    out[SEEN_COUNTS + relative] = sight.hand_counts[other] / 13
    out[SEEN_BALANCES + relative] = sight.balances[other] / CHIPS
    if sight.holder == other:
        out[SEEN_HOLDER + relative] = 1.0
    if sight.to_move == other:
        out[SEEN_ON_TURN + relative] = 1.0
    for size in range(4):
        weakest = weakest_passed(sight, other, size)
        if weakest > 0:
            out[SEEN_PASSED_ON + relative * 4 + size] = (STRONGEST[size] + 1 - weakest) / (STRONGEST[size] + 1)


@lean_kernel
def weakest_passed(sight, seat, size):
    """Return the weakest combination that a seat passed on in this round, by place of its size; 0 for none."""
    weakest = 0
    for period in range(min(int(sight.play_counts[seat]) + 1, MAX_PLAYS)):
        noted = int(sight.passed_made[seat, period] if size == 3 else sight.passed_few[seat, period, size])
        if noted > 0 and (weakest == 0 or noted < weakest):
            weakest = noted
    return weakest
