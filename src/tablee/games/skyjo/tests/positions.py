"""Positions for tests, written as text: `5` an open card, `(5)` a hidden one, `.` a cleared cell, `/` between rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tablee import Match
from tablee.core.state import NOBODY, blank_state
from tablee.games.skyjo import GAME
from tablee.games.skyjo.state import (
    ALL_CELLS,
    CELLS,
    CHOOSE,
    COPIES,
    DECK,
    LOWEST,
    NO_CARD,
    VALUES,
    Problem,
)

# No line of these tableaux can be cleared by accident.
OPEN_TWO = "3 4 (5) (6) / (7) (8) (9) (10) / (11) (1) (2) (0)"
ALL_HIDDEN = "(3) (4) (5) (6) / (7) (8) (9) (10) / (11) (1) (2) (0)"
ONE_HIDDEN = "(3) 4 5 6 / 7 8 9 10 / 11 1 2 0"


def position(
    *tableaux: str,
    discard: Sequence[int] = (5,),
    draw: Sequence[int] = (),
    whole_deck: bool = True,
    options: dict[str, Any] | None = None,
    **fields: Any,
) -> Any:
    """Build a state; the last card of a pile is its top.

    Cards of the deck that are not named lie at the bottom of the draw pile; without `whole_deck` they do not exist.
    """
    state = blank_state(GAME, GAME.setup(len(tableaux), options), seed=1)
    empty = {"phase": CHOOSE, "held": NO_CARD, "ender": NOBODY, "last_ender": NOBODY, "doubled": NOBODY}
    for name, value in (empty | fields).items():
        state[name] = value
    state.grid[:] = NO_CARD
    state.final_grid[:] = NO_CARD
    state.piles[:] = NO_CARD
    state.gone[:] = ALL_CELLS
    for seat, tableau in enumerate(tableaux):
        lay_out(state, seat, tableau)
    state.discard_count = len(discard)
    for index, card in enumerate(discard):
        state.piles[DECK - 1 - index] = card
    named = count_cards(state, draw)
    state.deck[:] = COPIES if whole_deck else named
    pile = [LOWEST + value for value in range(VALUES) for _ in range(state.deck[value] - named[value])] + list(draw)
    state.draw_count = len(pile)
    state.piles[: len(pile)] = pile
    assert broken(state) == []
    return state


def lay_out(state: Any, seat: int, tableau: str) -> None:
    """Write one tableau into a state."""
    tokens = tableau.replace("/", " ").split()
    assert len(tokens) == CELLS, tableau
    state.gone[seat] = 0
    for cell, token in enumerate(tokens):
        if token == ".":
            state.gone[seat] |= 1 << cell
            continue
        state.grid[seat, cell] = int(token.strip("()"))
        if not token.startswith("("):
            state.opened[seat] |= 1 << cell


def narrow(cards: str) -> str:
    """Return a tableau of which only column d is left: three cards, top first."""
    top, middle, bottom = cards.split()
    return f". . . {top} / . . . {middle} / . . . {bottom}"


def count_cards(state: Any, draw: Sequence[int]) -> np.ndarray:
    """Count the cards of each value in the tableaux, the discard, the hand and a pile."""
    cards = [*state.grid.flatten(), *state.piles[DECK - state.discard_count :], state.held, *draw]
    return np.bincount([int(card) - LOWEST for card in cards if card != NO_CARD], minlength=VALUES)


def broken(state: Any) -> list[str]:
    """Return the sentences of the broken invariants."""
    return Problem.sentences(int(GAME.kernels.problems(state)))


def played(state: Any, *moves: str) -> Match:
    """Return a match from a position after these moves."""
    match = Match.from_state(GAME, state)
    for move in moves:
        match.play(move)
        assert broken(match.state) == []
    return match


def dealt(seats: int, seed: int = 1, **options: Any) -> Match:
    """Return a new match."""
    return Match(GAME, seats=seats, seed=seed, options=options)


def after_opening(seats: int, seed: int = 1, **options: Any) -> Match:
    """Return a new match in which every seat has opened its first two cards."""
    match = dealt(seats, seed, **options)
    for _ in range(2 * seats):
        match.play(match.legal_moves()[0])
    return match


def tableau(state: Any, seat: int) -> str:
    """Return a seat's tableau as text, as `position` reads it."""
    tokens = []
    for cell in range(CELLS):
        card = str(int(state.grid[seat, cell]))
        bit = 1 << cell
        tokens.append("." if state.gone[seat] & bit else card if state.opened[seat] & bit else f"({card})")
    return " / ".join(" ".join(tokens[row : row + 4]) for row in range(0, CELLS, 4))


def discard_pile(state: Any) -> list[int]:
    """Return the discard pile, top last."""
    return [int(card) for card in state.piles[DECK - state.discard_count :][::-1]]


def draw_pile(state: Any) -> list[int]:
    """Return the draw pile, top last."""
    return [int(card) for card in state.piles[: state.draw_count]]


def texts(match: Match) -> list[str]:
    """Return the texts of the legal moves."""
    return [match.text(move) for move in match.legal_moves()]


def hidden_cells(state: Any, seat: int) -> list[int]:
    """Return the cells of a seat's face-down cards."""
    return [cell for cell in range(CELLS) if not (state.opened[seat] | state.gone[seat]) >> cell & 1]
