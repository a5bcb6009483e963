"""What a seat knows of a Skip-Bo table, worlds consistent with it, and observations for learning."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tablee.core.compilation import kernel, lean_kernel
from tablee.core.observation import Layout
from tablee.core.randomness import reseed, shuffle
from tablee.core.state import glimpse_head, imagine_head, see_head
from tablee.core.types import Generator, Index, Move, Numbers, Seat, SightState, State
from tablee.games.skip_bo.moves import CARD_CODES, PILES, SERIES
from tablee.games.skip_bo.rules import STALL_TURNS, TARGET
from tablee.games.skip_bo.state import (
    EDITION,
    MAX_DECK,
    MAX_HAND,
    MAX_HELD,
    MAX_SEATS,
    MAX_STOCKED,
    NO_CARD,
    NO_DOUBLE_WILD,
    UNKNOWN,
    WILD,
    Card,
    Cards,
    Counts,
    count_cards,
    count_known,
    ends_in_wild,
    first_size,
    pile_end,
    refill_size,
    stock_top,
)

Run: TypeAlias = npt.NDArray[np.integer]  # the first elements of an array of any integer type


@kernel
def see(state: State, seat: Seat, out: SightState) -> None:
    """Write what `seat` knows: its own hand, the top of each stock, and every card that was ever face up.

    Nobody has seen the cards below the top of a stock, not even its owner (R5). All know how many cards of a hand come
    from which draw pile (D18), and so which cards of a reshuffled pile are still unseen.
    """
    see_head(state, seat, out)
    hide_cards(state, out)
    glimpse(state, seat, out)
    see_score_sheet(state, out)


@kernel
def hide_cards(state: State, out: SightState) -> None:
    """Write how many cards are where, all of them unknown."""
    for seat in range(MAX_SEATS):
        held = int(state.hand_counts[seat])
        fill(out.hands[seat], 0, held, UNKNOWN)
        fill(out.hands[seat], held, MAX_HAND, NO_CARD)
        copy_run(state.hand_piles[seat], out.hand_piles[seat], MAX_HAND)
    fill(out.stocks, 0, MAX_STOCKED, NO_CARD)
    for seat in range(state.seats):
        first = seat * state.stock_size
        fill(out.stocks, first, first + int(state.stock_counts[seat]), UNKNOWN)
    fill(out.draw_pile, 0, state.draw_count, UNKNOWN)
    fill(out.draw_pile, state.draw_count, MAX_DECK, NO_CARD)
    fill(out.discards, state.discard_count, MAX_DECK, NO_CARD)


@lean_kernel
def glimpse(state: State, seat: Seat, out: SightState) -> None:
    """Write the part of a sight that `observe` reads: the cards that `seat` knows, and their counts."""
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
    copy_run(state.completed, out.completed, CARD_CODES + 1)
    copy_run(state.deck, out.deck, CARD_CODES + 1)
    copy_run(state.unseen_in_pile, out.unseen_in_pile, CARD_CODES + 1)
    out.stalled = state.stalled


@kernel
def fill(cards: Cards, first: Index, end: Index, card: Card) -> None:
    """Set the elements from `first` to before `end` to one card."""
    for index in range(first, end):
        cards[index] = card


@kernel
def copy_run(run: Run, out: Run, count: int) -> None:
    """Copy the first `count` elements."""
    for index in range(count):
        out[index] = run[index]


@kernel
def see_score_sheet(state: State, out: SightState) -> None:
    """Write the rest of the sight, all of it public."""
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
    copy_run(state.unseen_held, out.unseen_held, MAX_HELD)
    copy_run(state.lots, out.lots, MAX_SEATS)
    copy_run(state.last_left, out.last_left, MAX_SEATS)


@kernel
def sees_move(state: State, move: Move, seat: Seat) -> bool:
    """Whether a seat may know a move: every move is public."""
    return True


# Worlds consistent with a sight


@kernel
def imagine(sight: SightState, seat: Seat, generator: Generator) -> None:
    """Fill in the unknown: for each draw pile, its cards that `seat` has not seen, in random order.

    Exact if every card of a hand was equally likely to be played. If every number was, worlds in which a player still
    holds the number that they last played, from another draw pile, get too much weight: the choice between equal cards
    was made by chance (D18), and the state does not hold how often. tests/test_imagine.py enumerates a small example:
    2/3 instead of 7/13 at worst.
    """
    imagine_head(sight, generator)
    counts = np.zeros(CARD_CODES + 1, np.int64)
    cards = np.empty(MAX_DECK, np.int8)
    first = 0
    for pile in range(1, sight.pile_number + 1):
        first = count_reshuffled(sight, seat, pile, first, counts)
        write_cards(counts, cards)
        put_unseen(sight, seat, pile, cards)
    count_cards(sight, counts)
    for card in range(1, CARD_CODES + 1):
        counts[card] = int(sight.deck[card]) - counts[card]
    write_cards(counts, cards)
    put_unseen(sight, seat, 0, cards)
    shuffle_unseen(sight, seat, generator)


@kernel
def count_reshuffled(sight: SightState, seat: Seat, pile: int, first: Index, counts: Counts) -> Index:
    """Count the cards of a reshuffled pile that `seat` has not seen; return where the next begins in `unseen_held`."""
    hand_piles = sight.hand_piles
    for card in range(CARD_CODES + 1):
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
def write_cards(counts: Counts, cards: Cards) -> None:
    """Write each card as many times as it was counted."""
    size = 0
    for card in range(1, CARD_CODES + 1):
        for _ in range(counts[card]):
            cards[size] = card
            size += 1


@kernel
def disguise(state: State, seat: Seat, generator: Generator) -> None:
    """Change everything `seat` cannot know: where the cards are that it has not seen, and the generator."""
    reseed(state.generator, generator)
    shuffle_unseen(state, seat, generator)


@kernel
def shuffle_unseen(state: State, seat: Seat, generator: Generator) -> None:
    """Permute the cards that `seat` has not seen, uniformly among those of the same draw pile."""
    cards = np.empty(MAX_DECK, np.int8)
    for pile in range(state.pile_number + 1):
        size = take_unseen(state, seat, pile, cards)
        shuffle(generator, cards, size)
        put_unseen(state, seat, pile, cards)
    for other in range(state.seats):
        if other != seat:
            sort_hand(state, other)


@kernel
def take_unseen(state: State, seat: Seat, pile: int, cards: Cards) -> int:
    """Write the cards of a draw pile that `seat` has not seen, in the order of `put_unseen`; return their number."""
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
def put_unseen(state: State, seat: Seat, pile: int, cards: Cards) -> None:
    """Replace the cards of a draw pile that `seat` has not seen, in the order of `take_unseen`."""
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
        if pile == 0:  # stocks were dealt from the first pile; nobody has seen the cards below the top
            first = other * state.stock_size
            for index in range(first, first + int(state.stock_counts[other]) - 1):
                stocks[index] = cards[size]
                size += 1


@kernel
def sort_hand(state: State, seat: Seat) -> None:
    """Sort the cards of each draw pile in a hand, ascending."""
    hand, piles = state.hands[seat], state.hand_piles[seat]
    for slot in range(1, int(state.hand_counts[seat])):
        card = hand[slot]
        index = slot
        while index > 0 and hand[index - 1] > card and piles[index - 1] == piles[slot]:
            hand[index] = hand[index - 1]
            index -= 1
        hand[index] = card


# Observations. Seats are relative: 0 is the viewer, 1 the next on the left (a spectator observes from seat 0).
# Cards are one-hot: 1 to 12, then the wild.

DEPTH = 2  # cards below the top of the viewer's own piles
NUMBERS = CARD_CODES - 1

OBSERVATION = Layout(
    ("hand", CARD_CODES, "the viewer's cards: how many of each / 5"),
    ("stock_tops", MAX_SEATS * CARD_CODES, "per relative seat, one-hot: face-up card of the stock"),
    ("stock_counts", MAX_SEATS, "per relative seat: cards in the stock / 30"),
    ("hand_counts", MAX_SEATS, "per relative seat: cards in the hand / 5"),
    ("pile_tops", MAX_SEATS * PILES * CARD_CODES, "per relative seat and discard pile, one-hot: top card"),
    ("pile_counts", MAX_SEATS * PILES, "per relative seat and discard pile: cards in it / 20"),
    (
        "below_tops",
        PILES * DEPTH * CARD_CODES,
        "per own discard pile, one-hot: the first and the second card below the top",
    ),
    ("next", SERIES * NUMBERS, "per series, one-hot: the number it needs next"),
    ("ends_in_wild", SERIES, "per series: 1 if its top card is a wild"),
    ("playable", CARD_CODES, "on how many series each card could be laid / 4"),
    ("unseen", CARD_CODES, "of each card: how many the viewer has not seen / 18"),
    ("unseen_in_pile", CARD_CODES, "of each card: how many of the current reshuffled draw pile are still unseen / 18"),
    ("completed", CARD_CODES, "of each card: how many were set aside / 18"),
    ("totals", MAX_SEATS, "points per relative seat / 500"),
    ("on_turn", MAX_SEATS, "one-hot: relative seat on turn"),
    ("taken", MAX_SEATS, "per relative seat: 1 if it is in the game"),
    ("edition", 3, "one-hot: rulebook, pocket, classic"),
    ("hand_sizes", 2, "cards drawn on a first turn, and later / 5"),
    ("no_double_wild", 1, "1 if a wild may not be laid on a wild"),
    ("draw_pile", 1, "cards in the draw pile / 162"),
    ("stalled", 1, "turns since the last stock card was played / their limit"),
)
AT_HAND = OBSERVATION.start("hand")
AT_STOCK_TOPS = OBSERVATION.start("stock_tops")
AT_STOCK_COUNTS = OBSERVATION.start("stock_counts")
AT_HAND_COUNTS = OBSERVATION.start("hand_counts")
AT_PILE_TOPS = OBSERVATION.start("pile_tops")
AT_PILE_COUNTS = OBSERVATION.start("pile_counts")
AT_BELOW_TOPS = OBSERVATION.start("below_tops")
AT_NEXT = OBSERVATION.start("next")
AT_ENDS_IN_WILD = OBSERVATION.start("ends_in_wild")
AT_PLAYABLE = OBSERVATION.start("playable")
AT_UNSEEN = OBSERVATION.start("unseen")
AT_UNAT_IN_PILE = OBSERVATION.start("unseen_in_pile")
AT_COMPLETED = OBSERVATION.start("completed")
AT_TOTALS = OBSERVATION.start("totals")
AT_ON_TURN = OBSERVATION.start("on_turn")
AT_TAKEN = OBSERVATION.start("taken")
AT_EDITION = OBSERVATION.start("edition")
AT_HAND_SIZES = OBSERVATION.start("hand_sizes")
AT_NO_DOUBLE_WILD = OBSERVATION.start("no_double_wild")
AT_DRAW_PILE = OBSERVATION.start("draw_pile")
AT_STALLED = OBSERVATION.start("stalled")

# Indexed by card - UNKNOWN: one such card in a word of counts. Four bits count each number, of which there are twelve
# cards at most; the bits above count the wilds.
PACKED_ONES = np.array([0 if card <= NO_CARD else 1 << 4 * (card - 1) for card in range(UNKNOWN, CARD_CODES + 1)])


@lean_kernel
def observe(sight: SightState, seat: Seat, out: Numbers) -> None:
    """Write the numbers of OBSERVATION that are not zero."""
    for relative in range(sight.seats):
        observe_seat(sight, (max(seat, 0) + relative) % sight.seats, relative, out)
    if seat >= 0:
        observe_own(sight, seat, out)
    observe_series(sight, out)
    observe_unseen(sight, seat, out)
    out[AT_EDITION + sight.options[EDITION]] = 1.0
    out[AT_HAND_SIZES] = first_size(sight) / 5
    out[AT_HAND_SIZES + 1] = refill_size(sight) / 5
    out[AT_NO_DOUBLE_WILD] = sight.options[NO_DOUBLE_WILD]
    out[AT_DRAW_PILE] = sight.draw_count / MAX_DECK
    out[AT_STALLED] = sight.stalled / (STALL_TURNS * sight.seats)


@lean_kernel
def observe_seat(sight: SightState, other: Seat, relative: int, out: Numbers) -> None:
    """Write the cards on the table of one seat, and its points."""
    top = stock_top(sight, other)
    if top != NO_CARD:
        out[AT_STOCK_TOPS + relative * CARD_CODES + top - 1] = 1.0
    out[AT_STOCK_COUNTS + relative] = sight.stock_counts[other] / 30
    out[AT_HAND_COUNTS + relative] = sight.hand_counts[other] / MAX_HAND
    for pile in range(PILES):
        index = relative * PILES + pile
        card = int(sight.pile_tops[other, pile])
        if card != NO_CARD:
            out[AT_PILE_TOPS + index * CARD_CODES + card - 1] = 1.0
        out[AT_PILE_COUNTS + index] = sight.pile_counts[other, pile] / 20
    out[AT_TOTALS + relative] = sight.totals[other] / TARGET
    out[AT_TAKEN + relative] = 1.0
    if sight.to_move == other:
        out[AT_ON_TURN + relative] = 1.0


@lean_kernel
def observe_own(sight: SightState, seat: Seat, out: Numbers) -> None:
    """Write the viewer's hand, and the cards below the tops of its discard piles."""
    counts = count_run(sight.hands[seat], int(sight.hand_counts[seat]))
    for card in range(1, CARD_CODES + 1):
        out[AT_HAND + card - 1] = count_in(counts, card) / MAX_HAND
    for pile in range(PILES):
        end = pile_end(sight, seat, pile)
        for below_top in range(min(DEPTH, int(sight.pile_counts[seat, pile]) - 1)):
            card = int(sight.discards[end - 2 - below_top])
            out[AT_BELOW_TOPS + (pile * DEPTH + below_top) * CARD_CODES + card - 1] = 1.0


@lean_kernel
def count_run(cards: Cards, count: int) -> int:
    """Count the known cards among the first `count`, as a word of counts."""
    counts = 0
    for index in range(count):
        counts += PACKED_ONES[int(cards[index]) - UNKNOWN]
    return counts


@lean_kernel
def count_in(counts: int, card: Card) -> int:
    """Return the count of a card in a word of counts."""
    return (counts >> (4 * (card - 1))) & (15 if card < WILD else 31)


@lean_kernel
def observe_series(sight: SightState, out: Numbers) -> None:
    """Write the next number of each series, and on how many of them each card could be laid."""
    playable = 0
    for series in range(SERIES):
        height = int(sight.series[series])
        out[AT_NEXT + series * NUMBERS + height] = 1.0
        playable += PACKED_ONES[height + 1 - UNKNOWN]
        if ends_in_wild(sight, series):
            out[AT_ENDS_IN_WILD + series] = 1.0
        if sight.options[NO_DOUBLE_WILD] == 0 or not ends_in_wild(sight, series):
            playable += PACKED_ONES[WILD - UNKNOWN]
    for card in range(1, CARD_CODES + 1):
        out[AT_PLAYABLE + card - 1] = count_in(playable, card) / SERIES


@lean_kernel
def observe_unseen(sight: SightState, seat: Seat, out: Numbers) -> None:
    """Write how many of each card the viewer has not seen, and how many were set aside."""
    counts = count_run(sight.discards, sight.discard_count) + count_in_series(sight)
    for other in range(sight.seats):
        counts += PACKED_ONES[stock_top(sight, other) - UNKNOWN]
    if seat >= 0:
        counts += count_run(sight.hands[seat], int(sight.hand_counts[seat]))
    for card in range(1, CARD_CODES + 1):
        seen = count_in(counts, card) + int(sight.completed[card])
        out[AT_UNSEEN + card - 1] = (int(sight.deck[card]) - seen) / 18
        out[AT_UNAT_IN_PILE + card - 1] = sight.unseen_in_pile[card] / 18
        out[AT_COMPLETED + card - 1] = sight.completed[card] / 18


@lean_kernel
def count_in_series(sight: SightState) -> int:
    """Count the cards in the series, as a word of counts."""
    counts = 0
    for series in range(SERIES):
        wilds = int(sight.series_wilds[series])
        for number in range(1, int(sight.series[series]) + 1):
            counts += PACKED_ONES[(WILD if (wilds >> (number - 1)) & 1 else number) - UNKNOWN]
    return counts
