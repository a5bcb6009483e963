"""How a sensible player judges a Lexio hand: what to shed, what to keep, when a rival is about to go out."""

from __future__ import annotations

import math

import numpy as np

from tablee.core.bits import count_of
from tablee.core.compiling import kernel
from tablee.core.kernels import evaluate_lead, evaluate_places
from tablee.games.lexio.catalogue import RANK_OF_TWO, SUITS, ranks_in, size_of, tiles_of
from tablee.games.lexio.state import ROUNDS, out_of_hands
from tablee.games.lexio.strength import strongest

# What a rank still in hand costs, in turns: weak ones need a turn of their own, strong ones bring the lead.
BURDENS = np.array([1.0, 0.97, 0.94, 0.91, 0.88, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55, 0.5, 0.1, -0.3])
NATS_PER_TURN = 2.0
PER_TILE = 0.25  # turns that a tile less is worth by itself
BROKEN_FIVE = 1.2  # turns lost where the last combination of five is broken up
CONTROL = 0.5  # turns that a certain lead is worth
STRONGER_TILES = 2.0  # unseen stronger tiles that leave e times less hope for the lead
GOING_OUT = 20.0  # turns for playing the last tile
LAST_TILE = 2.0  # turns lost by a weak single tile when a rival has one left
LATE_TWO = 1.5  # turns that a 2 in hand costs when a rival is about to go out (R19)
FEW_TILES = 3  # in a rival's hand: he is about to go out
CHIPS_PER_ROUND = 14.0  # how far one round moves a lead


@kernel
def rate(record, moves, count, out):
    """Rate by the turns that are still needed afterwards."""
    seat = record.to_move
    hand = record.hands[seat]
    unseen = record.deck & ~(hand | out_of_hands(record))
    fewest = fewest_of_rivals(record)
    late_two = LATE_TWO if fewest <= FEW_TILES else 0.0
    now = burden(hand, late_two)
    has_five = strongest(record, hand, 5) > 0
    for index in range(count):
        move = int(moves[index])
        tiles, size = tiles_of(move), size_of(move)
        if tiles == 0:
            out[index] = 0.0
            continue
        left = hand & ~tiles
        turns = now - burden(left, late_two) + PER_TILE * size
        turns += hope_for_lead(tiles, unseen, size, fewest)
        if left == 0:
            turns += GOING_OUT
        elif has_five and size < 5 and strongest(record, left, 5) == 0:
            turns -= BROKEN_FIVE
        out[index] = turns * NATS_PER_TURN


@kernel
def fewest_of_rivals(record):
    """Return how many tiles the smallest other hand has."""
    fewest = 99
    for seat in range(record.seats):
        if seat != record.to_move:
            fewest = min(fewest, int(record.hand_counts[seat]))
    return fewest


@kernel
def burden(hand, late_two):
    """Return about how many turns a hand needs: one per number, less for strong ones."""
    ranks = ranks_in(hand)
    turns = late_two * count_of((hand >> (RANK_OF_TWO * SUITS)) & 0b1111)
    rank = 0
    while ranks:
        if ranks & 1:
            turns += BURDENS[rank]
        ranks >>= 1
        rank += 1
    return turns


@kernel
def hope_for_lead(tiles, unseen, size, fewest):
    """Return what the chance is worth that nobody beats these tiles, less what a weak single tile gives away."""
    highest = tiles
    while highest & (highest - 1):
        highest &= highest - 1
    stronger = count_of(unseen & ~((highest << 1) - 1)) / size  # of pairs, triples and fives there are fewer
    hope = math.exp(-stronger / STRONGER_TILES)
    turns = CONTROL * hope
    if size == 1 and fewest == 1:
        turns -= LAST_TILE * (1.0 - hope)
    return turns


@kernel
def evaluate(state, out):
    """Look at the chips: at the end the places, before it what a lead is worth with the rounds to come."""
    if state.end_reason != 0:
        evaluate_places(state, out)
        return
    left = state.options[ROUNDS] - state.rounds_played
    evaluate_lead(state.balances, state.seats, CHIPS_PER_ROUND * math.sqrt(left), out)


@kernel
def stage(state):
    """Return the number of the round: a simulated game may stop where it ends."""
    return state.rounds_played
