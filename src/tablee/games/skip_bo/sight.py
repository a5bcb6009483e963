"""What a seat knows of a Skip-Bo table, worlds that fit it, and numbers for learning."""

from __future__ import annotations

import numpy as np

from tablee.core.compilation import kernel, lean_kernel
from tablee.core.observation import Layout
from tablee.core.randomness import reseed, shuffle
from tablee.core.state import glimpse_head, imagine_head, see_head
from tablee.games.skip_bo.moves import CODES, PILES, SERIES
from tablee.games.skip_bo.rules import STALL_TURNS, TARGET
from tablee.games.skip_bo.state import (
    DECK,
    EDITION,
    HELD,
    MAX_HAND,
    MAX_SEATS,
    NO_CARD,
    NO_DOUBLE_WILD,
    STOCKED,
    UNKNOWN,
    WILD,
    count_cards,
    count_known,
    ends_in_wild,
    first_size,
    pile_end,
    refill_size,
    stock_top,
)


@kernel
def see(state, seat, out):
    """Write what `seat` knows: its own hand, the top of each stock, and all that was ever laid open.

    Nobody has looked below the top of a stock, not even its owner (R5). How many cards a hand holds from which draw
    pile is known to all (D18), and with it which cards of a reshuffled pile are still unseen.
    """
    see_head(state, seat, out)
    hide_cards(state, out)
    glimpse(state, seat, out)
    see_score_sheet(state, out)


@kernel
def hide_cards(state, out):
    """Write how many cards lie where, as if all of them were unknown."""
    for seat in range(MAX_SEATS):
        held = int(state.hand_counts[seat])
        fill(out.hands[seat], 0, held, UNKNOWN)
        fill(out.hands[seat], held, MAX_HAND, NO_CARD)
        copy_run(state.hand_piles[seat], out.hand_piles[seat], MAX_HAND)
    fill(out.stocks, 0, STOCKED, NO_CARD)
    for seat in range(state.seats):
        first = seat * state.stock_size
        fill(out.stocks, first, first + int(state.stock_counts[seat]), UNKNOWN)
    fill(out.draw_pile, 0, state.draw_count, UNKNOWN)
    fill(out.draw_pile, state.draw_count, DECK, NO_CARD)
    fill(out.discards, state.discard_count, DECK, NO_CARD)


@lean_kernel
def glimpse(state, seat, out):
    """Write the part of a sight that `observe` reads: the cards that `seat` knows, and what goes with them."""
    glimpse_head(state, seat, out)
    out.stock_size = state.stock_size
    copy_run(state.stock_counts, out.stock_counts, MAX_SEATS)
    copy_run(state.hand_counts, out.hand_counts, MAX_SEATS)
    copy_run(state.totals, out.totals, MAX_SEATS)
    for other in range(MAX_SEATS):
        copy_run(state.pile_counts[other], out.pile_counts[other], PILES)
        copy_run(state.pile_tops[other], out.pile_tops[other], PILES)
    for other in range(state.seats):
        if state.stock_counts[other] > 0:
            out.stocks[other * state.stock_size + int(state.stock_counts[other]) - 1] = stock_top(state, other)
    if seat >= 0:
        copy_run(state.hands[seat], out.hands[seat], MAX_HAND)
    copy_run(state.series, out.series, SERIES)
    copy_run(state.series_wilds, out.series_wilds, SERIES)
    out.draw_count = state.draw_count
    out.discard_count = state.discard_count
    copy_run(state.discards, out.discards, state.discard_count)
    copy_run(state.completed, out.completed, CODES + 1)
    copy_run(state.deck, out.deck, CODES + 1)
    copy_run(state.unseen_in_pile, out.unseen_in_pile, CODES + 1)
    out.stalled = state.stalled


@kernel
def fill(ranks, first, end, card):
    """Write the same card into a run of places."""
    for index in range(first, end):
        ranks[index] = card


@kernel
def copy_run(ranks, out, count):
    """Copy what lies open to all."""
    for index in range(count):
        out[index] = ranks[index]


@kernel
def see_score_sheet(state, out):
    """Write the rest, which lies open to all in any case."""
    out.rounds_played = state.rounds_played
    out.dealer = state.dealer
    out.turns = state.turns
    out.passes = state.passes
    out.plays = state.plays
    out.series_length = state.series_length
    out.last_end = state.last_end
    out.last_winner = state.last_winner
    out.last_points = state.last_points
    out.pile_number = state.pile_number
    copy_run(state.unseen_held, out.unseen_held, HELD)
    copy_run(state.lots, out.lots, MAX_SEATS)
    copy_run(state.last_left, out.last_left, MAX_SEATS)


@kernel
def sees_move(state, move, seat):
    """Every move is made before everybody's eyes."""
    return True


# Worlds that fit


@kernel
def imagine(sight, seat, generator):
    """Fill in the unknown: cards of one draw pile that `seat` has not seen lie in any order where such cards lie."""
    imagine_head(sight, generator)
    counts = np.zeros(CODES + 1, np.int64)
    cards = np.empty(DECK, np.int8)
    first = 0
    for pile in range(1, sight.pile_number + 1):
        first = count_reshuffled(sight, seat, pile, first, counts)
        spread(counts, cards)
        put_back(sight, seat, pile, cards)
    count_cards(sight, counts)
    for card in range(1, CODES + 1):
        counts[card] = int(sight.deck[card]) - counts[card]
    spread(counts, cards)
    put_back(sight, seat, 0, cards)
    mix_unseen(sight, seat, generator)


@kernel
def count_reshuffled(sight, seat, pile, first, counts):
    """Count the cards of a reshuffled pile that `seat` has not seen; return where in `unseen_held` the next begins."""
    hand_piles = sight.hand_piles
    for card in range(CODES + 1):
        counts[card] = int(sight.unseen_in_pile[card]) if pile == sight.pile_number else 0
    end = first
    for other in range(sight.seats):
        for slot in range(sight.hand_counts[other]):
            if hand_piles[other, slot] == pile:
                end += 1
                if other == seat:
                    counts[sight.hands[other, slot]] -= 1
    if pile < sight.pile_number:
        count_known(sight.unseen_held[first:], end - first, counts)
    return end


@kernel
def spread(counts, cards):
    """Write each card as often as it was counted."""
    size = 0
    for card in range(1, CODES + 1):
        for _ in range(counts[card]):
            cards[size] = card
            size += 1


@kernel
def disguise(state, seat, generator):
    """Change all that `seat` cannot notice: who holds which card it has not seen, their order, the chance to come."""
    reseed(state.generator, generator)
    mix_unseen(state, seat, generator)


@kernel
def mix_unseen(state, seat, generator):
    """Exchange the cards that `seat` has not seen, among those of the same draw pile, each way with the same chance."""
    cards = np.empty(DECK, np.int8)
    for pile in range(state.pile_number + 1):
        size = lift(state, seat, pile, cards)
        shuffle(generator, cards, size)
        put_back(state, seat, pile, cards)
    for other in range(state.seats):
        if other != seat:
            sort_hand(state, other)


@kernel
def lift(state, seat, pile, cards):
    """Write the cards of a draw pile that `seat` has not seen, in the order of `put_back`; return how many."""
    draw_pile, hands, hand_piles, stocks = state.draw_pile, state.hands, state.hand_piles, state.stocks
    size = 0
    if pile == state.pile_number:
        for index in range(state.draw_count):
            cards[size] = draw_pile[index]
            size += 1
    for other in range(state.seats):
        for slot in range(state.hand_counts[other]):
            if other != seat and hand_piles[other, slot] == pile:
                cards[size] = hands[other, slot]
                size += 1
        if pile == 0:
            first = other * state.stock_size
            for index in range(first, first + int(state.stock_counts[other]) - 1):
                cards[size] = stocks[index]
                size += 1
    return size


@kernel
def put_back(state, seat, pile, cards):
    """Lay cards where the cards of a draw pile are that `seat` has not seen; return how many."""
    draw_pile, hands, hand_piles, stocks = state.draw_pile, state.hands, state.hand_piles, state.stocks
    size = 0
    if pile == state.pile_number:
        for index in range(state.draw_count):
            draw_pile[index] = cards[size]
            size += 1
    for other in range(state.seats):
        for slot in range(state.hand_counts[other]):
            if other != seat and hand_piles[other, slot] == pile:
                hands[other, slot] = cards[size]
                size += 1
        if pile == 0:  # stocks were dealt from the first pile, and below their top nobody has looked
            first = other * state.stock_size
            for index in range(first, first + int(state.stock_counts[other]) - 1):
                stocks[index] = cards[size]
                size += 1
    return size


@kernel
def sort_hand(state, seat):
    """Put the cards of each pile in a hand in ascending order."""
    hand, piles = state.hands[seat], state.hand_piles[seat]
    for slot in range(1, int(state.hand_counts[seat])):
        card = hand[slot]
        index = slot
        while index > 0 and hand[index - 1] > card and piles[index - 1] == piles[slot]:
            hand[index] = hand[index - 1]
            index -= 1
        hand[index] = card


# Numbers for learning. Seats are relative: 0 is the viewer, 1 the next on the left (a spectator looks from seat 0).
# Cards are one-hot: 1 to 12, then the wild.

DEPTH = 2  # cards below the top of the viewer's own piles

OBSERVATION = Layout(
    ("hand", CODES, "the viewer's cards: how many of each / 5"),
    ("stock_tops", MAX_SEATS * CODES, "per relative seat, one-hot: open card of the stock"),
    ("stock_counts", MAX_SEATS, "per relative seat: cards in the stock / 30"),
    ("hand_counts", MAX_SEATS, "per relative seat: cards in the hand / 5"),
    ("pile_tops", MAX_SEATS * PILES * CODES, "per relative seat and discard pile, one-hot: top card"),
    ("pile_counts", MAX_SEATS * PILES, "per relative seat and discard pile: cards in it / 20"),
    (
        "below_tops",
        PILES * DEPTH * CODES,
        "per own discard pile, one-hot: the first and the second card below the top",
    ),
    ("next", SERIES * 12, "per series, one-hot: the number it needs next"),
    ("ends_in_wild", SERIES, "per series: 1 if its top card is a wild"),
    ("playable", CODES, "on how many series each card could be laid / 4 (a wild: on all, but for the option)"),
    ("unseen", CODES, "of each card: how many the viewer has not seen / 18"),
    ("unseen_in_pile", CODES, "of each card: how many of a reshuffled draw pile have not been shown since / 18"),
    ("completed", CODES, "of each card: how many were set aside / 18"),
    ("totals", MAX_SEATS, "points per relative seat / 500"),
    ("on_turn", MAX_SEATS, "one-hot: relative seat on turn"),
    ("taken", MAX_SEATS, "1 where somebody plays"),
    ("edition", 3, "one-hot: rulebook, pocket, classic"),
    ("hand_sizes", 2, "cards drawn on a first turn, and later / 5"),
    ("no_double_wild", 1, "1 if a wild may not be laid on a wild"),
    ("draw_pile", 1, "cards in the draw pile / 162"),
    ("stalled", 1, "turns since a stock card was played, as a share of the limit"),
)
SEEN_HAND = OBSERVATION.start("hand")
SEEN_STOCK_TOPS = OBSERVATION.start("stock_tops")
SEEN_STOCK_COUNTS = OBSERVATION.start("stock_counts")
SEEN_HAND_COUNTS = OBSERVATION.start("hand_counts")
SEEN_PILE_TOPS = OBSERVATION.start("pile_tops")
SEEN_PILE_COUNTS = OBSERVATION.start("pile_counts")
SEEN_BELOW_TOPS = OBSERVATION.start("below_tops")
SEEN_NEXT = OBSERVATION.start("next")
SEEN_ENDS_IN_WILD = OBSERVATION.start("ends_in_wild")
SEEN_PLAYABLE = OBSERVATION.start("playable")
SEEN_UNSEEN = OBSERVATION.start("unseen")
SEEN_UNSEEN_IN_PILE = OBSERVATION.start("unseen_in_pile")
SEEN_COMPLETED = OBSERVATION.start("completed")
SEEN_TOTALS = OBSERVATION.start("totals")
SEEN_ON_TURN = OBSERVATION.start("on_turn")
SEEN_TAKEN = OBSERVATION.start("taken")
SEEN_EDITION = OBSERVATION.start("edition")
SEEN_HAND_SIZES = OBSERVATION.start("hand_sizes")
SEEN_NO_DOUBLE_WILD = OBSERVATION.start("no_double_wild")
SEEN_DRAW_PILE = OBSERVATION.start("draw_pile")
SEEN_STALLED = OBSERVATION.start("stalled")

# By card, from the code of an unknown one on: one of it in a word of counts. Four bits hold the count of each number,
# of which there are twelve cards at most, and those above them the wilds'.
ONES = np.array([0 if card <= NO_CARD else 1 << 4 * (card - 1) for card in range(UNKNOWN, CODES + 1)])


@lean_kernel
def observe(sight, seat, out):
    """Write the numbers of OBSERVATION that are not zero."""
    for relative in range(sight.seats):
        observe_seat(sight, (max(seat, 0) + relative) % sight.seats, relative, out)
    if seat >= 0:
        observe_own(sight, seat, out)
    observe_series(sight, out)
    observe_unseen(sight, seat, out)
    out[SEEN_EDITION + sight.options[EDITION]] = 1.0
    out[SEEN_HAND_SIZES] = first_size(sight) / 5
    out[SEEN_HAND_SIZES + 1] = refill_size(sight) / 5
    out[SEEN_NO_DOUBLE_WILD] = sight.options[NO_DOUBLE_WILD]
    out[SEEN_DRAW_PILE] = sight.draw_count / DECK
    out[SEEN_STALLED] = sight.stalled / (STALL_TURNS * sight.seats)


@lean_kernel
def observe_seat(sight, other, relative, out):
    """Write what lies before one seat, and its points."""
    top = stock_top(sight, other)
    if top != NO_CARD:
        out[SEEN_STOCK_TOPS + relative * CODES + top - 1] = 1.0
    out[SEEN_STOCK_COUNTS + relative] = sight.stock_counts[other] / 30
    out[SEEN_HAND_COUNTS + relative] = sight.hand_counts[other] / MAX_HAND
    for pile in range(PILES):
        index = relative * PILES + pile
        card = int(sight.pile_tops[other, pile])
        if card != NO_CARD:
            out[SEEN_PILE_TOPS + index * CODES + card - 1] = 1.0
        out[SEEN_PILE_COUNTS + index] = sight.pile_counts[other, pile] / 20
    out[SEEN_TOTALS + relative] = sight.totals[other] / TARGET
    out[SEEN_TAKEN + relative] = 1.0
    if sight.to_move == other:
        out[SEEN_ON_TURN + relative] = 1.0


@lean_kernel
def observe_own(sight, seat, out):
    """Write the viewer's hand, and what lies below the tops of his piles."""
    counts = count_run(sight.hands[seat], int(sight.hand_counts[seat]))
    for card in range(1, CODES + 1):
        out[SEEN_HAND + card - 1] = count_in(counts, card) / MAX_HAND
    for pile in range(PILES):
        end = pile_end(sight, seat, pile)
        for below_top in range(min(DEPTH, int(sight.pile_counts[seat, pile]) - 1)):
            card = int(sight.discards[end - 2 - below_top])
            out[SEEN_BELOW_TOPS + (pile * DEPTH + below_top) * CODES + card - 1] = 1.0


@lean_kernel
def count_run(cards, count):
    """Count the known cards of a run, each in its bits of a word."""
    counts = 0
    for index in range(count):
        counts += ONES[int(cards[index]) - UNKNOWN]
    return counts


@lean_kernel
def count_in(counts, card):
    """Return how many of a card were counted."""
    return (counts >> (4 * (card - 1))) & (15 if card < WILD else 31)


@lean_kernel
def observe_series(sight, out):
    """Write what the series need, and on how many of them each card could be laid."""
    playable = 0
    for series in range(SERIES):
        height = int(sight.series[series])
        out[SEEN_NEXT + series * 12 + height] = 1.0
        playable += ONES[height + 1 - UNKNOWN]
        if ends_in_wild(sight, series):
            out[SEEN_ENDS_IN_WILD + series] = 1.0
        if sight.options[NO_DOUBLE_WILD] == 0 or not ends_in_wild(sight, series):
            playable += ONES[WILD - UNKNOWN]
    for card in range(1, CODES + 1):
        out[SEEN_PLAYABLE + card - 1] = count_in(playable, card) / SERIES


@lean_kernel
def observe_unseen(sight, seat, out):
    """Write how many of each card the viewer has not seen, and what was set aside."""
    counts = count_run(sight.discards, sight.discard_count) + count_in_series(sight)
    for other in range(sight.seats):
        counts += ONES[stock_top(sight, other) - UNKNOWN]
    if seat >= 0:
        counts += count_run(sight.hands[seat], int(sight.hand_counts[seat]))
    for card in range(1, CODES + 1):
        seen = count_in(counts, card) + int(sight.completed[card])
        out[SEEN_UNSEEN + card - 1] = (int(sight.deck[card]) - seen) / 18
        out[SEEN_UNSEEN_IN_PILE + card - 1] = sight.unseen_in_pile[card] / 18
        out[SEEN_COMPLETED + card - 1] = sight.completed[card] / 18


@lean_kernel
def count_in_series(sight):
    """Count the cards that lie in the series."""
    counts = 0
    for series in range(SERIES):
        wilds = int(sight.series_wilds[series])
        for number in range(1, int(sight.series[series]) + 1):
            counts += ONES[(WILD if (wilds >> (number - 1)) & 1 else number) - UNKNOWN]
    return counts
