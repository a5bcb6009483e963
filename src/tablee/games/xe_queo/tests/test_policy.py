"""Heuristics: take the ring, accuse on evidence, and evaluate a lead in rings."""

import numpy as np
import pytest

from tablee.games.xe_queo import GAME
from tablee.games.xe_queo.moves import move_text
from tablee.games.xe_queo.tests.positions import APART, follow, played, position, won
from tablee.testing import random_positions

BESIDE = """
    . . . . . . .
    . . . . . . .
    . . . O . . .
    . . . * R . .
    . . . . . . .
    . . . . . . .
    B . P Y G . K
"""


def ratings(state, moves):
    """Return the ratings by the texts of the moves."""
    out = np.full(len(moves), np.nan)
    GAME.kernels.rate(state, np.array(moves, np.int32), len(moves), out)
    return {move_text(move): float(rating) for move, rating in zip(moves, out, strict=True)}


def best_move(match):
    """Return the text of the move rated highest."""
    rated = ratings(match.state, match.legal_moves())
    return max(rated, key=rated.get)


def test_the_own_pawn_takes_the_ring():
    assert best_move(played(position(BESIDE, chosen="red blue"))) == "red d4"


def test_no_accusation_is_made_without_evidence():
    assert not best_move(played(position(APART))).startswith("accuse")


def test_a_pawn_that_is_moved_repeatedly_is_suspected():
    match = played(position(APART, chosen="red orange"))
    follow(match, "pink f2", "orange c6", "pink e2", "orange c5", "blue a2", "orange c4")
    rated = ratings(match.state, match.legal_moves())
    accusations = {text: rating for text, rating in rated.items() if text.startswith("accuse")}
    assert max(accusations, key=accusations.get) == "accuse orange"


def test_a_pawn_that_blocks_the_ring_is_not_suspected():
    state = position(BESIDE, chosen="blue pink", options={"foreign_ring": "block"})
    match = played(state, "red d4")
    rated = ratings(match.state, match.legal_moves())
    assert rated["accuse red"] == min(rated.values())


def test_ratings_read_only_what_the_seat_on_turn_sees():
    setup = GAME.setup(2, {"foreign_ring": "block", "allow_pass": True, "placement": "manual"})
    for match in random_positions(GAME, setup, seed=2):
        if not match.is_over:
            moves = match.legal_moves()
            seen = ratings(match.sight(match.to_move).state, moves)
            assert seen == ratings(match.state, moves)
            assert np.isfinite(list(seen.values())).all()


@pytest.mark.parametrize(
    ("winners", "probabilities"), [((), (0.5, 0.5)), ((0, 0, 0), (15 / 16, 1 / 16)), ((0, 1, 1, 1), (1 / 8, 7 / 8))]
)
def test_a_lead_in_rings_is_worth_its_probability_to_win(winners, probabilities):
    out = np.zeros(2)
    GAME.kernels.evaluate(position(APART, **won(*winners)), out)
    assert tuple(out) == pytest.approx(probabilities)


def test_a_won_game_is_worth_1():
    match = played(position(APART, **won(0, 0, 0)), "accuse orange")
    out = np.zeros(2)
    GAME.kernels.evaluate(match.state, out)
    assert tuple(out) == (1.0, 0.0)
