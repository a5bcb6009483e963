"""What a seat knows of a Skyjo table, worlds that fit it, and numbers for learning."""

from __future__ import annotations

import numpy as np

from tablee.core.compilation import kernel, lean_kernel
from tablee.core.observation import Layout
from tablee.core.randomness import below, reseed, shuffle
from tablee.core.state import glimpse_head, imagine_head, see_head
from tablee.games.skyjo.state import (
    CELLS,
    DECK,
    DRAWN,
    HIGHEST,
    LOWEST,
    MAX_SEATS,
    NO_CARD,
    OPEN_SECOND,
    STALL_TURNS,
    UNKNOWN,
    VALUES,
    is_gone,
    is_hidden,
    top_discard,
)


@kernel
def see(state, seat, out):
    """Write what `seat` knows: open cards, every discard in its order, the score sheet; in its own hand, a drawn card.

    Nobody has looked at a hidden card (R11), not even its owner. While the first two cards are being opened, each sees
    only his own (B12).
    """
    see_head(state, seat, out)
    glimpse(state, seat, out)
    see_score_sheet(state, out)


@lean_kernel
def glimpse(state, seat, out):
    """Write the part of a sight that `observe` reads: the tableaux, the piles, the points and whose turn it is."""
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
    out.stalled = state.stalled
    out.draw_count = state.draw_count
    out.discard_count = state.discard_count
    for index in range(DECK):
        out.piles[index] = UNKNOWN if index < state.draw_count else state.piles[index]
    for value in range(VALUES):
        out.deck[value] = state.deck[value]


@kernel
def see_score_sheet(state, out):
    """Write the rest, which lies open to all in any case."""
    out.last_ender = state.last_ender
    out.doubled = state.doubled
    out.rounds_played = state.rounds_played
    for value in range(VALUES):
        out.recycled[value] = state.recycled[value]
    for seat in range(MAX_SEATS):
        out.round_scores[seat] = state.round_scores[seat]
        for cell in range(CELLS):
            out.final_grid[seat, cell] = state.final_grid[seat, cell]


@kernel
def sees_move(state, move, seat):
    """Who opens which of his first two cards is hidden from the others; all other moves are open (B12)."""
    return state.phase > OPEN_SECOND or seat == state.to_move


@kernel
def imagine(sight, seat, generator):
    """Fill in the unknown: the cards nobody has seen, in any order; first cards that others opened, at random.

    A reshuffled pile is made of known cards, so these go to the pile and the rest to the tableaux (B11).
    """
    imagine_head(sight, generator)
    if sight.phase <= OPEN_SECOND:
        imagine_openings(sight, seat, generator)
    in_pile = np.zeros(VALUES, np.int64)
    in_grids = np.zeros(VALUES, np.int64)
    count_unseen(sight, in_pile, in_grids)
    cards = np.empty(DECK, np.int8)
    pile_size = spread(in_pile, cards, 0)
    size = spread(in_grids, cards, pile_size)
    shuffle(generator, cards, pile_size)
    shuffle(generator, cards[pile_size:], size - pile_size)
    place_unseen(sight, cards)


@kernel
def imagine_openings(sight, seat, generator):
    """Let the seats that have opened cards unseen have opened any (B12)."""
    for other in range(sight.to_move + 1):
        if other != seat:
            wanted = 2 if other < sight.to_move else sight.phase
            open_at_random(sight, other, wanted, generator)


@kernel
def open_at_random(state, seat, wanted, generator):
    """Open `wanted` cards of a seat, each choice with the same chance."""
    state.opened[seat] = 0
    opened = 0
    while opened < wanted:
        cell = below(generator, CELLS)
        if is_hidden(state, seat, cell):
            state.opened[seat] |= 1 << cell
            opened += 1


@kernel
def count_unseen(sight, in_pile, in_grids):
    """Count the unseen cards of each value: those known to be in a reshuffled pile, and all others."""
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
def spread(counts, cards, size):
    """Write each value as often as it was counted, from `size` on; return the new size."""
    for value in range(VALUES):
        for _ in range(counts[value]):
            cards[size] = value + LOWEST
            size += 1
    return size


@kernel
def place_unseen(state, cards):
    """Put cards where unknown ones lie: first the pile, then a drawn card, then the tableaux."""
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
def disguise(state, seat, generator):
    """Change all that `seat` cannot notice: mix the unseen cards, the others' first openings, the chance to come."""
    reseed(state.generator, generator)
    cards = np.empty(DECK, np.int8)
    size = lift_unseen(state, seat, cards)
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
    place_unseen(state, cards)


@kernel
def lift_unseen(state, seat, cards):
    """Take up the cards that `seat` has not seen, in the order in which they are put back."""
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


# Numbers for learning. Seats are relative: 0 is the viewer, 1 the next on the left (a spectator looks from seat 0).

OBSERVATION = Layout(
    ("values", MAX_SEATS * CELLS, "per relative seat and cell, row by row: value of an open card / 12, else 0"),
    ("opened", MAX_SEATS * CELLS, "1 where the card is open"),
    ("gone", MAX_SEATS * CELLS, "1 where the card is gone, or the seat is not taken"),
    ("discard", VALUES, "one-hot: value on top of the discard, -2 first"),
    ("held", VALUES, "one-hot: value in hand, if it is known"),
    ("unseen", VALUES, "how many cards of each value nobody has seen / 15"),
    ("phase", 6, "one-hot: first opening, second, choose a pile, taken, drawn, flip"),
    ("totals", MAX_SEATS, "points per relative seat / 100"),
    ("on_turn", MAX_SEATS, "one-hot: relative seat on turn"),
    ("ender", MAX_SEATS, "one-hot: relative seat that ended the round"),
    ("draw_pile", 1, "cards in the draw pile / 150"),
    ("stalled", 1, "turns in a row without a newly opened card, as a share of the limit"),
)
SEEN_VALUES = OBSERVATION.start("values")
SEEN_OPENED = OBSERVATION.start("opened")
SEEN_GONE = OBSERVATION.start("gone")
SEEN_DISCARD = OBSERVATION.start("discard")
SEEN_HELD = OBSERVATION.start("held")
SEEN_UNSEEN = OBSERVATION.start("unseen")
SEEN_PHASE = OBSERVATION.start("phase")
SEEN_TOTALS = OBSERVATION.start("totals")
SEEN_ON_TURN = OBSERVATION.start("on_turn")
SEEN_ENDER = OBSERVATION.start("ender")
SEEN_DRAW_PILE = OBSERVATION.start("draw_pile")
SEEN_STALLED = OBSERVATION.start("stalled")

# By card, from the code of no card on: its number for learning, and one of its value in a word of counts. Four bits
# hold each count, because no value is on more than fifteen cards.
CODED = np.arange(NO_CARD, HIGHEST + 1)
SHARES = np.where(CODED < LOWEST, 0, CODED / HIGHEST).astype(np.float32)
ONES = np.array([1 << 4 * (card - LOWEST) if card >= LOWEST else 0 for card in CODED.tolist()])


@lean_kernel
def observe(sight, seat, out):
    """Write the numbers of OBSERVATION that are not zero."""
    me = max(seat, 0)
    for relative in range(sight.seats):
        other = (me + relative) % sight.seats
        observe_tableau(sight, other, relative * CELLS, out)
        out[SEEN_TOTALS + relative] = sight.totals[other] / 100
    for index in range(SEEN_GONE + sight.seats * CELLS, SEEN_GONE + MAX_SEATS * CELLS):
        out[index] = 1.0
    if sight.to_move >= 0:
        out[SEEN_ON_TURN + (sight.to_move - me) % sight.seats] = 1.0
    if sight.ender >= 0:
        out[SEEN_ENDER + (sight.ender - me) % sight.seats] = 1.0
    if sight.discard_count > 0:
        out[SEEN_DISCARD + int(top_discard(sight)) - LOWEST] = 1.0
    if sight.held >= LOWEST:
        out[SEEN_HELD + int(sight.held) - LOWEST] = 1.0
    observe_unseen(sight, out)
    out[SEEN_PHASE + sight.phase] = 1.0
    out[SEEN_DRAW_PILE] = sight.draw_count / DECK
    out[SEEN_STALLED] = sight.stalled / (sight.options[STALL_TURNS] * sight.seats)


@lean_kernel
def observe_tableau(sight, seat, index, out):
    """Write one seat's cards; without a question asked of each, which a processor would guess wrong half the time."""
    cards, opened, gone = sight.grid[seat], int(sight.opened[seat]), int(sight.gone[seat])
    values_out = out[SEEN_VALUES + index : SEEN_VALUES + index + CELLS]
    opened_out = out[SEEN_OPENED + index : SEEN_OPENED + index + CELLS]
    gone_out = out[SEEN_GONE + index : SEEN_GONE + index + CELLS]
    for cell in range(CELLS):
        values_out[cell] = SHARES[int(cards[cell]) - NO_CARD]
        opened_out[cell] = (opened >> cell) & 1
        gone_out[cell] = (gone >> cell) & 1


@lean_kernel
def observe_unseen(sight, out):
    """Count the cards nobody has seen, in the pile or in the tableaux."""
    counts = ONES[int(sight.held) - NO_CARD]
    for seat in range(sight.seats):
        cards = sight.grid[seat]
        for cell in range(CELLS):
            counts += ONES[int(cards[cell]) - NO_CARD]
    for index in range(DECK - sight.discard_count, DECK):
        counts += ONES[int(sight.piles[index]) - NO_CARD]
    for value in range(VALUES):
        seen = (counts >> (4 * value)) & 15
        out[SEEN_UNSEEN + value] = (int(sight.deck[value]) - seen) / 15
