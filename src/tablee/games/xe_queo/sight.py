"""What a seat knows of a Xe Queo! table, worlds consistent with it, and observations for learning."""

from __future__ import annotations

from tablee.core.compilation import kernel, lean_kernel
from tablee.core.fractions import fraction
from tablee.core.observation import Layout
from tablee.core.randomness import below, reseed
from tablee.core.state import glimpse_head, imagine_head, see_head
from tablee.core.types import Generator, Move, Numbers, Seat, SightState, State
from tablee.games.xe_queo.board import DISTANCE, FIELDS
from tablee.games.xe_queo.moves import PAWNS
from tablee.games.xe_queo.state import (
    ALLOW_PASS,
    BLOCK,
    CHOOSE,
    FORBID,
    FOREIGN_RING,
    METRIC,
    NO_FIELD,
    NO_PAWN,
    PHASES,
    PLACEMENT,
    REVEAL,
    RINGS,
    RINGS_TO_WIN,
    SEATS,
    UNKNOWN,
)


@kernel
def see(state: State, seat: Seat, out: SightState) -> None:
    """Write what `seat` knows: everything but the other's secret disc (R6), and whether that is chosen.

    Discs of earlier rounds are known if they were shown (C16).
    """
    see_head(state, seat, out)
    glimpse(state, seat, out)
    see_past_rounds(state, out)


@lean_kernel
def glimpse(state: State, seat: Seat, out: SightState) -> None:
    """Write the part of a sight that `observe` reads: the current round and the rings won."""
    glimpse_head(state, seat, out)
    for other in range(SEATS):
        is_secret = other != seat and state.chosen[other] != NO_PAWN
        out.chosen[other] = UNKNOWN if is_secret else state.chosen[other]
        out.rings[other] = state.rings[other]
    see_board(state, out)


@kernel
def see_board(state: State, out: SightState) -> None:
    """Write the public part of the current round."""
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
def see_past_rounds(state: State, out: SightState) -> None:
    """Write how the finished rounds ended."""
    out.rounds_played = state.rounds_played
    for number in range(RINGS):
        out.winners[number] = state.winners[number]
        out.endings[number] = state.endings[number]
        out.named[number] = state.named[number]
        for seat in range(SEATS):
            out.shown[number, seat] = state.shown[number, seat]


@kernel
def sees_move(state: State, move: Move, seat: Seat) -> bool:
    """Whether a seat may know a move: all are public except which pawn the other chooses (R6)."""
    return state.phase != CHOOSE or seat == state.to_move


@kernel
def imagine(sight: SightState, seat: Seat, generator: Generator) -> None:
    """Fill in the unknown discs: any that is not excluded, each with the same probability."""
    imagine_head(sight, generator)
    for other in range(SEATS):
        if sight.chosen[other] == UNKNOWN:
            choose_at_random(sight, other, generator)


@kernel
def disguise(state: State, seat: Seat, generator: Generator) -> None:
    """Change everything `seat` cannot know: the other's secret disc and the generator."""
    reseed(state.generator, generator)
    for other in range(SEATS):
        if other != seat and state.chosen[other] != NO_PAWN:
            choose_at_random(state, other, generator)


@kernel
def choose_at_random(state: State, seat: Seat, generator: Generator) -> None:
    """Choose any pawn for a seat except those on the ring that are known not to be its own (C6, C17)."""
    pawn = below(generator, PAWNS)
    while (state.excluded[seat] >> pawn) & 1 == 1:
        pawn = below(generator, PAWNS)
    state.chosen[seat] = pawn


# Observations. Seats are relative: 0 is the viewer, 1 the other (a spectator observes from seat 0).

RULE_OPTIONS = (ALLOW_PASS, METRIC, PLACEMENT, REVEAL)

OBSERVATION = Layout(
    ("pawns", PAWNS * FIELDS, "one-hot per pawn: its field, a1 b1 .. g7"),
    ("ring", FIELDS, "one-hot: the ring's field"),
    ("distance", PAWNS, "per pawn: distance to the ring in the game's metric, as a share of the maximum"),
    ("chosen", PAWNS, "one-hot: the viewer's secret pawn"),
    ("has_chosen", SEATS, "1 for a relative seat that has chosen its secret pawn"),
    ("excluded", SEATS * PAWNS, "per relative seat and pawn: 1 if it is publicly known not to be the seat's"),
    ("moved", SEATS * PAWNS, "per relative seat and pawn: how often it was moved this round / 10"),
    ("declined", SEATS * PAWNS, "per relative seat and pawn: 1 if it could have entered the ring and did not"),
    ("rings", SEATS, "rings per relative seat / 4"),
    ("phase", len(PHASES), "one-hot: placing pawns, placing the ring, choosing, turns"),
    ("on_turn", SEATS, "one-hot: relative seat on turn"),
    ("starter", SEATS, "one-hot: relative seat that makes the first turn of the round"),
    ("passes", 1, "passes in a row / 2"),
    ("options", len(RULE_OPTIONS), "1 if on: passing, rows plus columns as distance, placed pawns, all discs shown"),
    ("foreign_ring", 2, "1 if other pawns may enter the ring and block it; if their owner wins by it"),
)
AT_PAWNS = OBSERVATION.start("pawns")
AT_RING = OBSERVATION.start("ring")
AT_DISTANCE = OBSERVATION.start("distance")
AT_CHOSEN = OBSERVATION.start("chosen")
AT_HAS_CHOSEN = OBSERVATION.start("has_chosen")
AT_EXCLUDED = OBSERVATION.start("excluded")
AT_MOVED = OBSERVATION.start("moved")
AT_DECLINED = OBSERVATION.start("declined")
AT_RINGS = OBSERVATION.start("rings")
AT_PHASE = OBSERVATION.start("phase")
AT_ON_TURN = OBSERVATION.start("on_turn")
AT_STARTER = OBSERVATION.start("starter")
AT_PASSES = OBSERVATION.start("passes")
AT_OPTIONS = OBSERVATION.start("options")
AT_FOREIGN_RING = OBSERVATION.start("foreign_ring")


@lean_kernel
def observe(sight: SightState, seat: Seat, out: Numbers) -> None:
    """Write the numbers of OBSERVATION that are not zero."""
    observe_board(sight, out)
    me = max(seat, 0)
    for relative in range(SEATS):
        observe_seat(sight, (me + relative) % SEATS, relative, out)
    if seat >= 0 and sight.chosen[me] != NO_PAWN:
        out[AT_CHOSEN + int(sight.chosen[me])] = 1.0
    out[AT_PHASE + sight.phase] = 1.0
    out[AT_PASSES] = fraction(sight.passes, 2)
    for index in range(len(RULE_OPTIONS)):
        out[AT_OPTIONS + index] = sight.options[RULE_OPTIONS[index]]
    if sight.options[FOREIGN_RING] != FORBID:
        out[AT_FOREIGN_RING + sight.options[FOREIGN_RING] - BLOCK] = 1.0


@lean_kernel
def observe_board(sight: SightState, out: Numbers) -> None:
    """Write the pawns and the ring."""
    metric = sight.options[METRIC]
    max_distance = DISTANCE[metric, 0, FIELDS - 1]
    if sight.ring != NO_FIELD:
        out[AT_RING + sight.ring] = 1.0
    for pawn in range(PAWNS):
        field = int(sight.pawns[pawn])
        if field != NO_FIELD:
            out[AT_PAWNS + pawn * FIELDS + field] = 1.0
            if sight.ring != NO_FIELD:
                out[AT_DISTANCE + pawn] = fraction(DISTANCE[metric, sight.ring, field], max_distance)


@lean_kernel
def observe_seat(sight: SightState, other: Seat, relative: Seat, out: Numbers) -> None:
    """Write one seat's rings and roles, and what is publicly known of its play."""
    out[AT_RINGS + relative] = fraction(sight.rings[other], RINGS_TO_WIN)
    if sight.chosen[other] != NO_PAWN:
        out[AT_HAS_CHOSEN + relative] = 1.0
    if sight.to_move == other:
        out[AT_ON_TURN + relative] = 1.0
    if sight.starter == other:
        out[AT_STARTER + relative] = 1.0
    for pawn in range(PAWNS):
        index = relative * PAWNS + pawn
        out[AT_EXCLUDED + index] = (sight.excluded[other] >> pawn) & 1
        out[AT_DECLINED + index] = (sight.declined[other] >> pawn) & 1
        out[AT_MOVED + index] = fraction(sight.moved[other, pawn], 10)
