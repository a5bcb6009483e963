"""What a seat knows of a Skyjo table, worlds consistent with it, and observations for learning."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tablee.core.compilation import kernel, lean_kernel
from tablee.core.fractions import fraction
from tablee.core.observation import Layout
from tablee.core.randomness import below, reseed, shuffle
from tablee.core.state import glimpse_head, imagine_head, see_head
from tablee.core.types import Generator, Index, Move, Numbers, Seat, SightState, State
from tablee.games.skyjo.rules import MAX_ROUNDS
from tablee.games.skyjo.state import (
    CELLS,
    CLEAR_ROWS,
    DECK,
    DOUBLE_NEGATIVE,
    DRAWN,
    HIGHEST,
    LOWEST,
    MAX_SEATS,
    NO_CARD,
    OPEN_SECOND,
    OPENING,
    PHASES,
    STALL_TURNS,
    START,
    UNKNOWN,
    VALUES,
    is_gone,
    is_hidden,
    top_discard,
)

Cards: TypeAlias = npt.NDArray[np.int8]  # (DECK,) card values
Counts: TypeAlias = npt.NDArray[np.int64]  # (VALUES,) cards of each value


@kernel
def see(state: State, seat: Seat, out: SightState) -> None:
    """Write what `seat` knows: open cards, all discards in order, the score sheet, and a card it has drawn.

    Nobody has seen a hidden card (R11), not even its owner. While the first two cards are being opened, a seat sees
    only its own (B12).
    """
    see_head(state, seat, out)
    glimpse(state, seat, out)
    see_score_sheet(state, out)


@lean_kernel
def glimpse(state: State, seat: Seat, out: SightState) -> None:
    """Write the part of a sight that `observe` reads: tableaux, piles, points and whose turn it is."""
    glimpse_head(state, seat, out)
    for other in range(MAX_SEATS):
        out.totals[other] = state.totals[other]
        out.gone[other] = state.gone[other]
        out.opened[other] = state.opened[other] if other == seat or state.phase > OPEN_SECOND else 0
        known = int(out.opened[other] | out.gone[other])
        for cell in range(CELLS):
            out.grid[other, cell] = state.grid[other, cell] if (known >> cell) & 1 else UNKNOWN
    out.held = UNKNOWN if state.phase == DRAWN and state.to_move != seat else state.held
    out.phase = state.phase
    out.ender = state.ender
    out.last_ender = state.last_ender
    out.rounds_played = state.rounds_played
    out.stalled = state.stalled
    out.draw_count = state.draw_count
    out.discard_count = state.discard_count
    for index in range(DECK):
        out.piles[index] = UNKNOWN if index < state.draw_count else state.piles[index]
    for value in range(VALUES):
        out.deck[value] = state.deck[value]
        out.recycled[value] = state.recycled[value]


@kernel
def see_score_sheet(state: State, out: SightState) -> None:
    """Write the rest of the sight, all of it public."""
    out.doubled = state.doubled
    for seat in range(MAX_SEATS):
        out.round_scores[seat] = state.round_scores[seat]
        for cell in range(CELLS):
            out.final_grid[seat, cell] = state.final_grid[seat, cell]


@kernel
def sees_move(state: State, move: Move, seat: Seat) -> bool:
    """Whether a seat may know a move: all are public except which of the first two cards others open (B12)."""
    return state.phase > OPEN_SECOND or seat == state.to_move


@kernel
def imagine(sight: SightState, seat: Seat, generator: Generator) -> None:
    """Fill in the unknown: the unseen cards in random order, and which first cards others have opened.

    The cards of a reshuffled draw pile are known: these go to the pile, the rest to the tableaux (B11).
    """
    imagine_head(sight, generator)
    if sight.phase <= OPEN_SECOND:
        imagine_openings(sight, seat, generator)
    in_pile = np.zeros(VALUES, np.int64)
    in_grids = np.zeros(VALUES, np.int64)
    count_unseen(sight, in_pile, in_grids)
    cards = np.empty(DECK, np.int8)
    pile_size = write_cards(in_pile, cards, 0)
    size = write_cards(in_grids, cards, pile_size)
    shuffle(generator, cards, pile_size)
    shuffle(generator, cards[pile_size:], size - pile_size)
    put_unseen(sight, cards)


@kernel
def imagine_openings(state: State, seat: Seat, generator: Generator) -> None:
    """Choose at random which first cards the other seats have opened (B12)."""
    for other in range(state.to_move + 1):
        if other != seat:
            count = 2 if other < state.to_move else state.phase
            open_at_random(state, other, count, generator)


@kernel
def open_at_random(state: State, seat: Seat, count: int, generator: Generator) -> None:
    """Open `count` cards of a seat, each combination with the same probability."""
    state.opened[seat] = 0
    opened = 0
    while opened < count:
        cell = below(generator, CELLS)
        if is_hidden(state, seat, cell):
            state.opened[seat] |= 1 << cell
            opened += 1


@kernel
def count_unseen(sight: SightState, in_pile: Counts, in_grids: Counts) -> None:
    """Count the unseen cards of each value: those known to be in a reshuffled draw pile, and all others."""
    for value in range(VALUES):
        in_pile[value] = sight.recycled[value]
        in_grids[value] = int(sight.deck[value]) - in_pile[value]
    for seat in range(sight.seats):
        for cell in range(CELLS):
            if sight.grid[seat, cell] >= LOWEST:
                in_grids[sight.grid[seat, cell] - LOWEST] -= 1
    for index in range(DECK - sight.discard_count, DECK):
        in_grids[sight.piles[index] - LOWEST] -= 1
    if sight.held >= LOWEST:
        value = sight.held - LOWEST
        if sight.phase == DRAWN and in_pile[value] > 0:
            in_pile[value] -= 1
        else:
            in_grids[value] -= 1


@kernel
def write_cards(counts: Counts, cards: Cards, size: int) -> int:
    """Append each value as often as it was counted, from index `size` on; return the new size."""
    for value in range(VALUES):
        for _ in range(counts[value]):
            cards[size] = value + LOWEST
            size += 1
    return size


@kernel
def put_unseen(state: State, cards: Cards) -> None:
    """Replace unknown cards: first the draw pile, then a drawn card, then the tableaux."""
    size = 0
    for index in range(state.draw_count):
        state.piles[index] = cards[size]
        size += 1
    if state.held == UNKNOWN:
        state.held = cards[size]
        size += 1
    for seat in range(state.seats):
        for cell in range(CELLS):
            if state.grid[seat, cell] == UNKNOWN:
                state.grid[seat, cell] = cards[size]
                size += 1


@kernel
def disguise(state: State, seat: Seat, generator: Generator) -> None:
    """Change everything `seat` cannot know: the unseen cards, the first cards others opened, the generator."""
    reseed(state.generator, generator)
    cards = np.empty(DECK, np.int8)
    size = take_unseen(state, seat, cards)
    if state.phase <= OPEN_SECOND:
        imagine_openings(state, seat, generator)
    in_pile = state.draw_count + (1 if state.held == UNKNOWN else 0)
    was_recycled = False
    for value in range(VALUES):
        was_recycled = was_recycled or state.recycled[value] > 0
    if was_recycled:
        shuffle(generator, cards, in_pile)
        shuffle(generator, cards[in_pile:], size - in_pile)
    else:
        shuffle(generator, cards, size)
    put_unseen(state, cards)


@kernel
def take_unseen(state: State, seat: Seat, cards: Cards) -> int:
    """Take the cards that `seat` has not seen, in the order in which `put_unseen` replaces them; return how many."""
    size = 0
    for index in range(state.draw_count):
        cards[size] = state.piles[index]
        size += 1
    if state.phase == DRAWN and state.to_move != seat:
        cards[size] = state.held
        state.held = UNKNOWN
        size += 1
    for other in range(state.seats):
        for cell in range(CELLS):
            is_secret = state.phase <= OPEN_SECOND and other != seat
            if is_hidden(state, other, cell) or (is_secret and not is_gone(state, other, cell)):
                cards[size] = state.grid[other, cell]
                state.grid[other, cell] = UNKNOWN
                size += 1
    return size


# Observations. Seats are relative: 0 is the viewer, 1 the next on the left (a spectator observes from seat 0).

RULE_OPTIONS = (START, DOUBLE_NEGATIVE, CLEAR_ROWS, OPENING)

OBSERVATION = Layout(
    ("values", MAX_SEATS * CELLS, "per relative seat and cell, row by row: value of an open card / 12, else 0"),
    ("opened", MAX_SEATS * CELLS, "1 where the card is open"),
    ("gone", MAX_SEATS * CELLS, "1 where the card is gone"),
    ("discard", VALUES, "one-hot: value on top of the discard, -2 first"),
    ("held", VALUES, "one-hot: value in hand, if known"),
    ("unseen", VALUES, "how many cards of each value the viewer has not seen in this round / 15"),
    (
        "recycled",
        VALUES,
        "once the discard was reshuffled (B11): how many cards of each value are in the draw pile, a card just drawn "
        "included / 15; the other unseen ones lie in tableaux",
    ),
    ("phase", len(PHASES), "one-hot: first opening, second, choose a pile, taken, drawn, flip"),
    ("totals", MAX_SEATS, "points per relative seat / 100"),
    ("on_turn", MAX_SEATS, "one-hot: relative seat on turn"),
    (
        "ender",
        MAX_SEATS,
        "one-hot: relative seat that ended the round; while the first cards are opened, the previous round",
    ),
    ("seated", MAX_SEATS, "per relative seat: 1 if it is in the game"),
    ("seat", 1, "the viewer's seat, counted from 0 / 8: seats open cards in this order, which also decides ties (B2)"),
    ("draw_pile", 1, "cards in the draw pile / 150"),
    ("stalled", 1, "turns in a row without a newly opened card, as a share of the limit"),
    ("rounds", 1, "finished rounds / 100"),
    (
        "options",
        len(RULE_OPTIONS) + 1,
        "1 if on: highest sum starts every round, negative sums are doubled, rows leave, first cards are opened "
        "automatically; then `stall_turns` / 50",
    ),
)
AT_VALUES = OBSERVATION.start("values")
AT_OPENED = OBSERVATION.start("opened")
AT_GONE = OBSERVATION.start("gone")
AT_DISCARD = OBSERVATION.start("discard")
AT_HELD = OBSERVATION.start("held")
AT_UNSEEN = OBSERVATION.start("unseen")
AT_RECYCLED = OBSERVATION.start("recycled")
AT_PHASE = OBSERVATION.start("phase")
AT_TOTALS = OBSERVATION.start("totals")
AT_ON_TURN = OBSERVATION.start("on_turn")
AT_ENDER = OBSERVATION.start("ender")
AT_SEATED = OBSERVATION.start("seated")
AT_SEAT = OBSERVATION.start("seat")
AT_DRAW_PILE = OBSERVATION.start("draw_pile")
AT_STALLED = OBSERVATION.start("stalled")
AT_ROUNDS = OBSERVATION.start("rounds")
AT_OPTIONS = OBSERVATION.start("options")

# Tables indexed by card - NO_CARD: the observed value, and a 1 in the card's four bits of a word of counts. Four bits
# are enough: no value is on more than fifteen cards.
CARD_CODES = np.arange(NO_CARD, HIGHEST + 1)
FIFTEENTHS = (np.arange(16) / 15).astype(np.float32)  # quicker than divisions
OBSERVED_VALUES = np.where(CARD_CODES < LOWEST, 0, CARD_CODES / HIGHEST).astype(np.float32)
PACKED_ONES = np.array([1 << 4 * (card - LOWEST) if card >= LOWEST else 0 for card in CARD_CODES.tolist()])


@lean_kernel
def observe(sight: SightState, seat: Seat, out: Numbers) -> None:
    """Write the numbers of OBSERVATION that are not zero."""
    me = max(seat, 0)
    for relative in range(sight.seats):
        other = (me + relative) % sight.seats
        observe_tableau(sight, other, relative * CELLS, out)
        out[AT_TOTALS + relative] = fraction(sight.totals[other], 100)
        out[AT_SEATED + relative] = 1.0
    out[AT_SEAT] = fraction(me, MAX_SEATS)
    if sight.to_move >= 0:
        out[AT_ON_TURN + (sight.to_move - me) % sight.seats] = 1.0
    ender = sight.last_ender if sight.phase <= OPEN_SECOND else sight.ender
    if ender >= 0:
        out[AT_ENDER + (ender - me) % sight.seats] = 1.0
    if sight.discard_count > 0:
        out[AT_DISCARD + int(top_discard(sight)) - LOWEST] = 1.0
    if sight.held >= LOWEST:
        out[AT_HELD + int(sight.held) - LOWEST] = 1.0
    observe_unseen(sight, out)
    out[AT_PHASE + sight.phase] = 1.0
    out[AT_DRAW_PILE] = fraction(sight.draw_count, DECK)
    out[AT_STALLED] = fraction(sight.stalled, sight.options[STALL_TURNS] * sight.seats)
    out[AT_ROUNDS] = fraction(sight.rounds_played, MAX_ROUNDS)
    for index in range(len(RULE_OPTIONS)):
        out[AT_OPTIONS + index] = sight.options[RULE_OPTIONS[index]]
    out[AT_OPTIONS + len(RULE_OPTIONS)] = fraction(sight.options[STALL_TURNS], 50)


@lean_kernel
def observe_tableau(sight: SightState, seat: Seat, index: Index, out: Numbers) -> None:
    """Write one tableau, without branches: the processor would mispredict half of them."""
    cards, opened, gone = sight.grid[seat], int(sight.opened[seat]), int(sight.gone[seat])
    values_out = out[AT_VALUES + index : AT_VALUES + index + CELLS]
    opened_out = out[AT_OPENED + index : AT_OPENED + index + CELLS]
    gone_out = out[AT_GONE + index : AT_GONE + index + CELLS]
    for cell in range(CELLS):
        values_out[cell] = OBSERVED_VALUES[int(cards[cell]) - NO_CARD]
        opened_out[cell] = (opened >> cell) & 1
        gone_out[cell] = (gone >> cell) & 1


@lean_kernel
def observe_unseen(sight: SightState, out: Numbers) -> None:
    """Write how many cards of each value the viewer has not seen, and how many of them are in a reshuffled pile."""
    counts = PACKED_ONES[int(sight.held) - NO_CARD]
    for seat in range(sight.seats):
        cards = sight.grid[seat]
        for cell in range(CELLS):
            counts += PACKED_ONES[int(cards[cell]) - NO_CARD]
    for index in range(DECK - sight.discard_count, DECK):
        counts += PACKED_ONES[int(sight.piles[index]) - NO_CARD]
    for value in range(VALUES):
        seen = (counts >> (4 * value)) & 15
        out[AT_UNSEEN + value] = FIFTEENTHS[int(sight.deck[value]) - seen]
        out[AT_RECYCLED + value] = FIFTEENTHS[int(sight.recycled[value])]
