"""What a seat knows, worlds consistent with it, and observations for learning."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tablee.core.compilation import kernel
from tablee.core.observation import Layout
from tablee.core.randomness import reseed, shuffle
from tablee.core.state import imagine_head, see_head
from tablee.core.types import Generator, Move, Numbers, Seat, SightState, State

from .moves import CARDS
from .rules import sort_hand
from .state import LOW_WINS, MAX_HAND, MAX_SEATS, NO_CARD, UNKNOWN

Cards: TypeAlias = npt.NDArray[np.int8]  # (CARDS,) card numbers


@kernel
def see(state: State, seat: Seat, out: SightState) -> None:
    """Write what `seat` knows: its own hand, all cards played, and how many cards the others have (R1, R2)."""
    see_head(state, seat, out)
    out.leader = state.leader
    out.played_count = state.played_count
    for other in range(MAX_SEATS):
        out.points[other] = state.points[other]
        for index in range(MAX_HAND):
            is_secret = other != seat and state.hands[other, index] != NO_CARD
            out.hands[other, index] = UNKNOWN if is_secret else state.hands[other, index]
    for index in range(CARDS):
        out.new_game_stock[index] = UNKNOWN if state.new_game_stock[index] != NO_CARD else NO_CARD
    for index in range(MAX_SEATS * MAX_HAND):
        out.played[index] = state.played[index]


@kernel
def sees_move(state: State, move: Move, seat: Seat) -> bool:
    """Whether a seat may know a move: every card is played face up (R2)."""
    return True


@kernel
def imagine(sight: SightState, seat: Seat, generator: Generator) -> None:
    """Deal the unseen cards at random, each arrangement with the same probability."""
    imagine_head(sight, generator)
    cards = np.zeros(CARDS, np.int8)
    count = find_unseen(sight, cards)
    shuffle(generator, cards, count)
    put_unseen(sight, cards)


@kernel
def find_unseen(sight: SightState, cards: Cards) -> int:
    """Write the cards that are neither in a known hand nor played; return how many."""
    is_seen = np.zeros(CARDS + 1, np.bool_)
    for index in range(sight.played_count):
        is_seen[sight.played[index]] = True
    for seat in range(sight.seats):
        for index in range(MAX_HAND):
            if sight.hands[seat, index] > NO_CARD:
                is_seen[sight.hands[seat, index]] = True
    count = 0
    for card in range(1, CARDS + 1):
        if not is_seen[card]:
            cards[count] = card
            count += 1
    return count


@kernel
def put_unseen(state: State, cards: Cards) -> None:
    """Replace unknown cards: first in the hands, then in the stock."""
    used = 0
    for seat in range(state.seats):
        for index in range(MAX_HAND):
            if state.hands[seat, index] == UNKNOWN:
                state.hands[seat, index] = cards[used]
                used += 1
        sort_hand(state, seat)
    for index in range(CARDS):
        if state.new_game_stock[index] == UNKNOWN:
            state.new_game_stock[index] = cards[used]
            used += 1


@kernel
def disguise(state: State, seat: Seat, generator: Generator) -> None:
    """Change everything `seat` cannot know: the stock, the hands of the others, the generator."""
    reseed(state.generator, generator)
    cards = np.zeros(CARDS, np.int8)
    count = 0
    for other in range(state.seats):
        for index in range(MAX_HAND):
            if other != seat and state.hands[other, index] != NO_CARD:
                cards[count] = state.hands[other, index]
                state.hands[other, index] = UNKNOWN
                count += 1
    for index in range(CARDS):
        if state.new_game_stock[index] != NO_CARD:
            cards[count] = state.new_game_stock[index]
            state.new_game_stock[index] = UNKNOWN
            count += 1
    shuffle(generator, cards, count)
    put_unseen(state, cards)


# Observations. Seats are relative: 0 is the viewer, 1 the next (a spectator observes from seat 0).

OBSERVATION = Layout(
    ("hand", CARDS, "1 for each card in the viewer's hand"),
    ("played", CARDS, "1 for each card that was played"),
    ("points", MAX_SEATS, "tricks per relative seat / 4"),
    ("on_turn", MAX_SEATS, "one-hot: relative seat on turn"),
    ("low_wins", 1, "1 if the lowest card takes the trick"),
)
AT_HAND = OBSERVATION.start("hand")
AT_PLAYED = OBSERVATION.start("played")
AT_POINTS = OBSERVATION.start("points")
AT_ON_TURN = OBSERVATION.start("on_turn")
AT_LOW_WINS = OBSERVATION.start("low_wins")


@kernel
def observe(sight: SightState, seat: Seat, out: Numbers) -> None:
    """Write the numbers of OBSERVATION that are not zero."""
    me = max(seat, 0)
    for index in range(MAX_HAND):
        if sight.hands[me, index] > NO_CARD:
            out[AT_HAND + int(sight.hands[me, index]) - 1] = 1.0
    for index in range(sight.played_count):
        out[AT_PLAYED + int(sight.played[index]) - 1] = 1.0
    for relative in range(sight.seats):
        other = (me + relative) % sight.seats
        out[AT_POINTS + relative] = sight.points[other] / 4
        if sight.to_move == other:
            out[AT_ON_TURN + relative] = 1.0
    out[AT_LOW_WINS] = sight.options[LOW_WINS]
