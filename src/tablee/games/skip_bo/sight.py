"""What a seat knows of a Skip-Bo table, and worlds consistent with it."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tablee.core.compilation import kernel, lean_kernel
from tablee.core.randomness import reseed, shuffle
from tablee.core.state import glimpse_head, imagine_head, see_head
from tablee.core.types import Generator, Index, Move, Seat, SightState, State
from tablee.games.skip_bo.moves import CARD_CODES, PILES, SERIES
from tablee.games.skip_bo.observation import OBSERVATION, observe  # noqa: F401 (the contract looks for them here)
from tablee.games.skip_bo.state import (
    MAX_DECK,
    MAX_HAND,
    MAX_HELD,
    MAX_SEATS,
    MAX_STOCKED,
    NO_CARD,
    UNKNOWN,
    Card,
    Cards,
    Counts,
    count_cards,
    count_known,
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
    see_reshuffled(state, out)
    see_score_sheet(state, out)


@kernel
def hide_cards(state: State, out: SightState) -> None:
    """Write how many cards are where, all of them unknown."""
    for seat in range(MAX_SEATS):
        held = int(state.hand_counts[seat])
        fill(out.hands[seat], 0, held, UNKNOWN)
        fill(out.hands[seat], held, MAX_HAND, NO_CARD)
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
    see_turns(state, out)
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
    out.pile_number = state.pile_number
    if state.pile_number > 0:
        see_reshuffled(state, out)


@kernel
def see_reshuffled(state: State, out: SightState) -> None:
    """Write what all know of reshuffled piles: from which one each card is held, and which are still unseen (D18)."""
    for seat in range(MAX_SEATS):
        copy_run(state.hand_piles[seat], out.hand_piles[seat], MAX_HAND)
    copy_run(state.unseen_in_pile, out.unseen_in_pile, CARD_CODES + 1)
    copy_run(state.unseen_held, out.unseen_held, MAX_HELD)


@kernel
def see_turns(state: State, out: SightState) -> None:
    """Write who deals, and everything that is counted: rounds, turns, passes, plays."""
    out.rounds_played = state.rounds_played
    out.dealer = state.dealer
    out.turns = state.turns
    out.stalled = state.stalled
    out.passes = state.passes
    out.plays = state.plays


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
    out.series_length = state.series_length
    out.last_end = state.last_end
    out.last_winner = state.last_winner
    out.last_points = state.last_points
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
