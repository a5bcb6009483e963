"""What a seat knows of a Xe Queo! table, worlds that fit it, and numbers for learning."""

from __future__ import annotations

from tablee.core.compilation import kernel, lean_kernel
from tablee.core.observation import Layout
from tablee.core.randomness import below, reseed
from tablee.core.state import glimpse_head, imagine_head, see_head
from tablee.games.xe_queo.board import DISTANCE, FIELDS
from tablee.games.xe_queo.moves import PAWNS
from tablee.games.xe_queo.state import (
    CHOOSE,
    METRIC,
    NO_FIELD,
    NO_PAWN,
    RINGS,
    RINGS_TO_WIN,
    SEATS,
    UNKNOWN,
)


@kernel
def see(state, seat, out):
    """Write what `seat` knows: everything but the disc under the other's pile (R6), of which it knows that it is there.

    Discs of earlier rounds are known if they were shown (C16).
    """
    see_head(state, seat, out)
    glimpse(state, seat, out)
    see_past_rounds(state, out)


@lean_kernel
def glimpse(state, seat, out):
    """Write the part of a sight that `observe` reads: all of the present round, and the rings."""
    glimpse_head(state, seat, out)
    for other in range(SEATS):
        is_secret = other != seat and state.chosen[other] != NO_PAWN
        out.chosen[other] = UNKNOWN if is_secret else state.chosen[other]
        out.rings[other] = state.rings[other]
    see_board(state, out)


@kernel
def see_board(state, out):
    """Write what lies and happens in the open."""
    out.phase = state.phase
    out.ring = state.ring
    out.starter = state.starter
    out.passes = state.passes
    for pawn in range(PAWNS):
        out.pawns[pawn] = state.pawns[pawn]
    for seat in range(SEATS):
        out.excluded[seat] = state.excluded[seat]
        out.declined[seat] = state.declined[seat]
        for pawn in range(PAWNS):
            out.moved[seat, pawn] = state.moved[seat, pawn]


@kernel
def see_past_rounds(state, out):
    """Write how the rings were won."""
    out.rounds_played = state.rounds_played
    for number in range(RINGS):
        out.winners[number] = state.winners[number]
        out.endings[number] = state.endings[number]
        out.named[number] = state.named[number]
        for seat in range(SEATS):
            out.shown[number, seat] = state.shown[number, seat]


@kernel
def sees_move(state, move, seat):
    """Which pawn is chosen is hidden from the other; all other moves are open (R6)."""
    return state.phase != CHOOSE or seat == state.to_move


@kernel
def imagine(sight, seat, generator):
    """Fill in the unknown: any disc that the play has not excluded, each with the same chance."""
    imagine_head(sight, generator)
    for other in range(SEATS):
        if sight.chosen[other] == UNKNOWN:
            choose_at_random(sight, other, generator)


@kernel
def disguise(state, seat, generator):
    """Change all that `seat` cannot notice: the disc under the other's pile, the chance to come."""
    reseed(state.generator, generator)
    for other in range(SEATS):
        if other != seat and state.chosen[other] != NO_PAWN:
            choose_at_random(state, other, generator)


@kernel
def choose_at_random(state, seat, generator):
    """Let a seat have chosen any pawn but one that stands on the ring and would have won it for him (C6, C17)."""
    pawn = below(generator, PAWNS)
    while (state.excluded[seat] >> pawn) & 1 == 1:
        pawn = below(generator, PAWNS)
    state.chosen[seat] = pawn


# Numbers for learning. Seats are relative: 0 is the viewer, 1 the other (a spectator looks from seat 0).

OBSERVATION = Layout(
    ("pawns", PAWNS * FIELDS, "one-hot per pawn: its field, a1 b1 .. g7"),
    ("ring", FIELDS, "one-hot: the ring's field"),
    ("distance", PAWNS, "per pawn: distance to the ring in the game's metric, as a share of the longest"),
    ("chosen", PAWNS, "one-hot: my secret pawn"),
    ("has_chosen", SEATS, "1 for a relative seat whose disc is under its pile"),
    ("excluded", SEATS * PAWNS, "per relative seat and pawn: 1 if all can tell that it is not the seat's"),
    ("moved", SEATS * PAWNS, "per relative seat and pawn: how often it was moved this round / 10"),
    (
        "declined",
        SEATS * PAWNS,
        "per relative seat and pawn: 1 if it could have entered the ring and did not",
    ),
    ("rings", SEATS, "rings per relative seat / 4"),
    ("phase", 4, "one-hot: placing pawns, placing the ring, choosing, turns"),
    ("on_turn", SEATS, "one-hot: relative seat on turn"),
    ("starter", SEATS, "one-hot: relative seat that makes the first turn of the round"),
    ("passes", 1, "passes in a row / 2"),
)
SEEN_PAWNS = OBSERVATION.start("pawns")
SEEN_RING = OBSERVATION.start("ring")
SEEN_DISTANCE = OBSERVATION.start("distance")
SEEN_CHOSEN = OBSERVATION.start("chosen")
SEEN_HAS_CHOSEN = OBSERVATION.start("has_chosen")
SEEN_EXCLUDED = OBSERVATION.start("excluded")
SEEN_MOVED = OBSERVATION.start("moved")
SEEN_DECLINED = OBSERVATION.start("declined")
SEEN_RINGS = OBSERVATION.start("rings")
SEEN_PHASE = OBSERVATION.start("phase")
SEEN_ON_TURN = OBSERVATION.start("on_turn")
SEEN_STARTER = OBSERVATION.start("starter")
SEEN_PASSES = OBSERVATION.start("passes")


@lean_kernel
def observe(sight, seat, out):
    """Write the numbers of OBSERVATION that are not zero."""
    observe_board(sight, out)
    me = max(seat, 0)
    for relative in range(SEATS):
        observe_seat(sight, (me + relative) % SEATS, relative, out)
    if seat >= 0 and sight.chosen[me] != NO_PAWN:
        out[SEEN_CHOSEN + int(sight.chosen[me])] = 1.0
    out[SEEN_PHASE + sight.phase] = 1.0
    out[SEEN_PASSES] = sight.passes / 2


@lean_kernel
def observe_board(sight, out):
    """Write where the pawns and the ring are."""
    metric = sight.options[METRIC]
    max_game_length = DISTANCE[metric, 0, FIELDS - 1]
    if sight.ring != NO_FIELD:
        out[SEEN_RING + sight.ring] = 1.0
    for pawn in range(PAWNS):
        field = int(sight.pawns[pawn])
        if field != NO_FIELD:
            out[SEEN_PAWNS + pawn * FIELDS + field] = 1.0
            if sight.ring != NO_FIELD:
                out[SEEN_DISTANCE + pawn] = DISTANCE[metric, sight.ring, field] / max_game_length


@lean_kernel
def observe_seat(sight, other, relative, out):
    """Write one seat's rings and roles, and what all have seen of its play."""
    out[SEEN_RINGS + relative] = sight.rings[other] / RINGS_TO_WIN
    if sight.chosen[other] != NO_PAWN:
        out[SEEN_HAS_CHOSEN + relative] = 1.0
    if sight.to_move == other:
        out[SEEN_ON_TURN + relative] = 1.0
    if sight.starter == other:
        out[SEEN_STARTER + relative] = 1.0
    for pawn in range(PAWNS):
        index = relative * PAWNS + pawn
        out[SEEN_EXCLUDED + index] = (sight.excluded[other] >> pawn) & 1
        out[SEEN_DECLINED + index] = (sight.declined[other] >> pawn) & 1
        out[SEEN_MOVED + index] = sight.moved[other, pawn] / 10
