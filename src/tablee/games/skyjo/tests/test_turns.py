"""A turn and the special rule: R8 to R14, and the rulings on clearing, reshuffling and cleared cells."""

import pytest

from tablee.core.errors import IllegalMove
from tablee.core.state import copy_state
from tablee.games.skyjo import GAME
from tablee.games.skyjo.moves import CELL_NAMES
from tablee.games.skyjo.state import CHOOSE, DRAWN, FLIP, LOWEST, NO_CARD, TAKEN, UNKNOWN
from tablee.games.skyjo.tests.positions import (
    OPEN_TWO,
    discard_pile,
    draw_pile,
    played,
    position,
    tableau,
    texts,
)

SWAPS = [f"swap {name}" for name in CELL_NAMES]


def test_r8_a_turn_begins_with_a_card_from_either_pile():
    match = played(position(OPEN_TWO, OPEN_TWO))
    assert texts(match) == ["draw", "take"]
    for move in ("discard", "flip c1", "swap a1"):
        assert match.why_not(move) == "first draw a card or take the one on the discard (R8)"


def test_r8_the_turn_passes_to_the_next_seat_and_around():
    match = played(position(OPEN_TWO, OPEN_TWO, OPEN_TWO, to_move=1), "take", "swap a1")
    assert match.to_move == 2
    for move in ("take", "swap a1"):
        match.play(move)
    assert match.to_move == 0


def test_r9_the_top_of_the_discard_is_taken():
    match = played(position(OPEN_TWO, OPEN_TWO, discard=(1, 2, 9)), "take")
    assert match.state.held == 9
    assert discard_pile(match.state) == [1, 2]
    assert match.state.phase == TAKEN
    assert match.to_move == 0


def test_r9_a_taken_card_must_be_exchanged_with_any_card():
    match = played(position(OPEN_TWO, OPEN_TWO), "take")
    assert texts(match) == SWAPS
    with pytest.raises(IllegalMove, match="must be swapped") as refused:
        match.play("discard")
    assert refused.value.clause == "R9"
    assert match.why_not("flip c1") == match.why_not("draw") == match.why_not("discard")


@pytest.mark.parametrize(("cell", "old", "after"), [("a1", 3, "9 4 (5) (6)"), ("c1", 5, "3 4 9 (6)")])
@pytest.mark.parametrize("pile", ["take", "draw"])
def test_r10_the_new_card_lies_open_and_the_old_one_is_on_top_of_the_discard(pile, cell, old, after):
    state = position(OPEN_TWO, OPEN_TWO, discard=(2, 9), draw=(9,))
    match = played(state, pile, f"swap {cell}")
    assert tableau(match.state, 0).startswith(after)
    below = [2] if pile == "take" else [2, 9]
    assert discard_pile(match.state) == [*below, old]
    assert match.state.held == NO_CARD
    assert match.sight(1).state.piles[-len(below) - 1] == old, "face up: the others see it"


@pytest.mark.parametrize("moves", [(), ("take",), ("draw",), ("draw", "discard")])
def test_r11_nobody_sees_hidden_cards_before_an_exchange(moves):
    match = played(position(OPEN_TWO, OPEN_TWO), *moves)
    twin = copy_state(match.state)
    twin.grid[0, 2], twin.grid[0, 3] = match.state.grid[0, 3], match.state.grid[0, 2]
    assert twin.tobytes() != match.state.tobytes()
    other = played(twin)
    for viewer in (0, 1, -1):
        assert match.sight(viewer).state.grid[0, 2] == UNKNOWN
        assert match.sight(viewer).to_bytes() == other.sight(viewer).to_bytes()
        assert match.view(viewer) == other.view(viewer)


def test_r12_a_drawn_card_may_be_exchanged_with_any_card():
    match = played(position(OPEN_TWO, OPEN_TWO, draw=(7, 11)), "draw")
    assert match.state.phase == DRAWN
    assert match.state.held == 11
    assert texts(match) == ["discard", *SWAPS]
    assert match.why_not("flip c1") == "swap the drawn card with one of yours, or discard it (R12)"
    assert match.why_not("take") == match.why_not("draw") == match.why_not("flip c1")


def test_r12_only_the_seat_on_turn_sees_the_drawn_card():
    match = played(position(OPEN_TWO, OPEN_TWO, draw=(11,)), "draw")
    assert match.sight(0).state.held == 11
    assert match.sight(1).state.held == match.sight(-1).state.held == UNKNOWN
    assert match.events(0)[0].text == "Player 1 draws the 11."
    assert match.events(1)[0].text == "Player 1 draws a card."


def test_r13_after_discarding_a_hidden_card_is_turned_up():
    match = played(position(OPEN_TWO, OPEN_TWO, discard=(2,), draw=(11,)), "draw", "discard")
    assert discard_pile(match.state) == [2, 11]
    assert match.state.phase == FLIP
    assert match.to_move == 0
    assert texts(match) == [f"flip {name}" for name in CELL_NAMES[2:]]
    for move in ("draw", "take", "discard", "swap c1"):
        assert match.why_not(move) == "after discarding you must turn up one of your hidden cards (R13)"
    assert match.why_not("flip a1") == "that card lies open already (R13)"
    match.play("flip d3")
    assert tableau(match.state, 0).endswith("(2) 0")
    assert discard_pile(match.state) == [2, 11]
    assert (match.to_move, match.state.phase) == (1, CHOOSE)


def test_r14_three_equal_cards_in_a_column_leave_after_an_exchange():
    state = position("7 4 (5) (6) / 7 8 (9) (10) / (11) 1 (2) (0)", OPEN_TWO, discard=(7,))
    match = played(state, "take", "swap a3")
    assert tableau(match.state, 0) == ". 4 (5) (6) / . 8 (9) (10) / . 1 (2) (0)"
    assert [event.code for event in match.events(1)] == ["swapped", "cleared"]


def test_r14_three_equal_cards_in_a_column_leave_after_a_flip():
    state = position("7 4 (5) (6) / 7 8 (9) (10) / (7) 1 (2) (0)", OPEN_TWO)
    match = played(state, "draw", "discard", "flip a3")
    assert tableau(match.state, 0) == ". 4 (5) (6) / . 8 (9) (10) / . 1 (2) (0)"


@pytest.mark.parametrize("column", "abcd")
@pytest.mark.parametrize("row", "123")
def test_r14_holds_for_every_cell(column, row):
    cells = ["(3)", "(4)", "(5)", "(6)", "(8)", "(9)", "(10)", "(11)", "(1)", "(2)", "(0)", "(12)"]
    for index in range("abcd".index(column), 12, 4):
        cells[index] = "7"
    cells[CELL_NAMES.index(column + row)] = "(-1)"
    match = played(position(" ".join(cells), OPEN_TWO, discard=(7,)), "take", f"swap {column}{row}")
    assert match.state.gone[0] == 0b0001_0001_0001 << "abcd".index(column)
    assert all(card == NO_CARD for card in match.state.grid[0, "abcd".index(column) :: 4])


def test_r14_a_hidden_third_card_does_not_count():
    state = position("7 4 (5) (6) / (8) 8 (9) (10) / (7) 1 (2) (0)", OPEN_TWO, discard=(7,))
    match = played(state, "take", "swap a2")
    assert match.state.gone[0] == 0


def test_r14_two_equal_cards_stay():
    match = played(position(OPEN_TWO, OPEN_TWO, discard=(3,)), "take", "swap a2")
    assert match.state.gone[0] == 0


def test_b6_the_three_lie_on_top_of_the_exchanged_card():
    state = position("7 4 (5) (6) / 7 8 (9) (10) / (11) 1 (2) (0)", OPEN_TWO, discard=(2, 7))
    match = played(state, "take", "swap a3")
    assert discard_pile(match.state) == [2, 11, 7, 7, 7]
    match.play("take")
    assert match.state.held == 7, "the next player may take that value"


def test_b6_the_three_lie_on_top_of_the_discarded_card():
    state = position("7 4 (5) (6) / 7 8 (9) (10) / (7) 1 (2) (0)", OPEN_TWO, discard=(2,), draw=(12,))
    match = played(state, "draw", "discard", "flip a3")
    assert discard_pile(match.state) == [2, 12, 7, 7, 7]


@pytest.mark.parametrize("value", [-2, -1, 0])
def test_b7_clearing_is_compulsory_even_if_it_costs_points(value):
    state = position(f"{value} 4 (5) (6) / {value} 8 (9) (10) / (11) 1 (2) (3)", OPEN_TWO, discard=(value,))
    match = played(state, "take", "swap a3")
    assert match.state.gone[0] == 0b0001_0001_0001


ROW_OF_SEVENS = "7 7 7 (6) / 1 (8) (9) (10) / (11) 2 (2) (0)"


def test_b8_rows_are_not_cleared():
    match = played(position(ROW_OF_SEVENS, OPEN_TWO, discard=(7,)), "take", "swap d1")
    assert match.state.gone[0] == 0


def test_b8_with_the_option_four_in_a_row_leave_too():
    match = played(position(ROW_OF_SEVENS, OPEN_TWO, discard=(2, 7), options={"rows": True}), "take", "swap d1")
    assert tableau(match.state, 0) == ". . . . / 1 (8) (9) (10) / (11) 2 (2) (0)"
    assert discard_pile(match.state) == [2, 6, 7, 7, 7, 7]


def test_b8_with_the_option_columns_leave_as_before():
    state = position("7 4 (5) (6) / 7 8 (9) (10) / (11) 1 (2) (0)", OPEN_TWO, discard=(7,), options={"rows": True})
    assert played(state, "take", "swap a3").state.gone[0] == 0b0001_0001_0001


@pytest.mark.parametrize("row", [0, 1, 2])
def test_b8_with_the_option_rows_leave_too_when_the_last_cards_are_turned_up(row):
    rows = ["(1) 2 3 (4)", "5 (6) 8 (9)", "10 (11) 1 (2)"]
    rows[row] = "(7) 7 (7) 7"
    ending = ". . . (0) / . . . 4 / . . . 6"
    state = position(ending, " / ".join(rows), draw=(12, 12), options={"rows": True})
    match = played(state, "draw", "discard", "flip d1", "take", "swap b1" if row else "swap b2")
    points = sum(int(card) for card in match.state.final_grid[1]) - 4 * 7
    assert match.state.round_scores[1] == points


def test_b8_a_row_that_has_lost_a_card_stays():
    tableau_text = ". 7 7 (6) / . (8) (9) (10) / . 2 (2) (0)"
    match = played(position(tableau_text, OPEN_TWO, discard=(7,), options={"rows": True}), "take", "swap d1")
    assert match.state.gone[0] == 0b0001_0001_0001


def test_b17_a_column_and_a_row_that_cross_leave_together():
    crossing = "7 7 7 (6) / 1 (8) (9) 7 / (11) 2 (2) 7"
    match = played(position(crossing, OPEN_TWO, discard=(7,), options={"rows": True}), "take", "swap d1")
    assert tableau(match.state, 0) == ". . . . / 1 (8) (9) . / (11) 2 (2) ."
    assert discard_pile(match.state) == [6, 7, 7, 7, 7, 7, 7]


def test_b17_a_column_and_a_row_that_cross_leave_together_at_the_end_of_the_round():
    crossing = "(7) 7 7 7 / (7) (8) (9) 6 / (7) 2 (2) 1"
    finished = "(0) 0 1 1 / 1 -1 0 0 / -1 1 2 0"
    state = position(crossing, finished, to_move=1, draw=(12, 12), options={"rows": True})
    match = played(state, "draw", "swap a1", "draw", "discard", "flip b2")
    assert match.state.round_scores[0] == 8 + 9 + 6 + 2 + 2 + 1


def test_b11_an_empty_draw_pile_is_made_from_the_discard_when_a_card_is_drawn():
    state = position(OPEN_TWO, OPEN_TWO, discard=(1, 2, 9, 9, 4), whole_deck=False)
    match = played(state)
    assert texts(match) == ["draw", "take"]
    assert discard_pile(match.state) == [1, 2, 9, 9, 4], "not before a card must be drawn"
    match.play("draw")
    assert discard_pile(match.state) == [4]
    assert sorted([*draw_pile(match.state), int(match.state.held)]) == [1, 2, 9, 9]
    assert match.events(1)[0].code == "reshuffled"


@pytest.mark.parametrize("size", [3, 74, 76, 110])
def test_b11_the_discard_is_moved_whatever_its_size(size):
    cards = [value for value in range(1, 12) for _ in range(10)][:size]
    lone = ". . . 12 / . . . (12) / . . . 0"
    match = played(position(lone, lone, discard=cards, whole_deck=False), "draw")
    assert sorted([*draw_pile(match.state), int(match.state.held)]) == cards[:-1]
    assert discard_pile(match.state) == [cards[-1]]


def test_b11_taking_from_the_discard_does_not_reshuffle():
    match = played(position(OPEN_TWO, OPEN_TWO, discard=(1, 2, 9, 9, 4), whole_deck=False), "take", "swap a1")
    assert discard_pile(match.state) == [1, 2, 9, 9, 3]
    assert match.state.draw_count == 0


def test_b11_the_new_pile_is_shuffled():
    state = position(OPEN_TWO, OPEN_TWO, discard=(1, 2, 9, 12, 4), whole_deck=False)
    drawn = set()
    for stream in range(40):
        state.generator["stream"] = stream
        drawn.add(int(played(state, "draw").state.held))
    assert drawn == {1, 2, 9, 12}


def test_b11_what_was_discarded_is_known_to_be_in_the_new_pile():
    match = played(position(OPEN_TWO, OPEN_TWO, discard=(1, 2, 9, 9, 4), whole_deck=False), "draw")
    for viewer in (0, 1, -1):
        recycled = match.sight(viewer).state.recycled
        assert {value + LOWEST: int(count) for value, count in enumerate(recycled) if count} == {1: 1, 2: 1, 9: 2}
    held = int(match.state.held)
    match.play("discard")
    left = {value + LOWEST: int(count) for value, count in enumerate(match.state.recycled) if count}
    assert left == {card: draw_pile(match.state).count(card) for card in set(draw_pile(match.state))}
    assert held == discard_pile(match.state)[-1]


def test_b11_the_draw_pile_can_be_reshuffled_repeatedly():
    match = played(position(OPEN_TWO, OPEN_TWO, discard=(1, 2, 4), whole_deck=False))
    reshuffled = 0
    for _ in range(12):
        for move in ("draw", "swap a1"):
            match.play(move)
            reshuffled += any(event.code == "reshuffled" for event in match.events(-1))
        assert GAME.kernels.problems(match.state) == 0
    assert reshuffled == 6
    assert match.state.draw_count + match.state.discard_count == 3


CLEARED = ". 4 (5) (6) / . 8 (9) (10) / . 1 (2) (0)"


def test_b13_any_remaining_card_can_be_exchanged():
    match = played(position(CLEARED, OPEN_TWO), "take")
    assert texts(match) == [move for move in SWAPS if move[-2] != "a"]
    assert match.why_not("swap a2") == "there is no card there any more (B13)"


def test_b13_cleared_cells_cannot_be_turned_up():
    match = played(position(CLEARED, OPEN_TWO), "draw", "discard")
    assert match.why_not("flip a1") == "there is no card there any more (B13)"
    assert texts(match) == ["flip c1", "flip d1", "flip c2", "flip d2", "flip c3", "flip d3"]
