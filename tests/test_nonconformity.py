"""What the conformance suite tells authors: the field, the sentence, the line, the position, a command to repeat it."""

import re

import numpy as np
import pytest

from tablee.core.compilation import is_interpreted
from tablee.core.errors import BadGame
from tablee.core.game import Game
from tablee.core.observation import Layout
from tablee.core.state import state_type
from tablee.testing import Check, Nonconformity, random_positions, walk_checks
from tablee.testing.budget import BRIEF, replace
from tablee.testing.elements import element_name, element_names, number_name
from tablee.testing.faults import Fault
from tablee.testing.mode_checks import run_interpreted
from tablee.testing.move_checks import options_are_observed
from tablee.testing.nonconformity import move_name
from tablee.testing.template.game import GAME
from tablee.testing.walk import MOVE
from tablee.testing.walk_checks import describe, new_buffers, positions_checked

SETUP = GAME.setup(2)
MODE = "NUMBA_DISABLE_JIT=1 " if is_interpreted() else ""
DTYPE = np.dtype([("turn", "i4"), ("hands", "i2", (2, 3)), ("generator", [("key", "u4", (8,)), ("counter", "i8")])])


@pytest.mark.parametrize(
    ("byte", "name"),
    [
        (0, "turn"),
        (3, "turn"),
        (4, "hands[0, 0]"),
        (15, "hands[1, 2]"),
        (16 + 4 * 7, "generator.key[7]"),
        (16 + 32, "generator.counter"),
        (999, "byte 999"),
    ],
)
def test_a_byte_is_named_by_its_field_and_index(byte, name):
    assert element_name(DTYPE, byte) == name


def test_many_elements_are_listed_in_part():
    assert element_names(DTYPE, [0, 1, 4]) == "turn, hands[0, 0]"
    assert element_names(DTYPE, range(DTYPE.itemsize)).endswith("hands[1, 2], generator.key[0] and 8 more")


def test_a_number_of_an_observation_is_named_by_its_block():
    layout = Layout(("hand", 3, "cards"), ("points", 2, "points"), multiple_of=1)
    assert [number_name(layout, index) for index in (0, 2, 3, 9)] == ["hand[0]", "hand[2]", "points[0]", "number 9"]


def test_moves_are_named_by_number_and_text():
    assert move_name(GAME, 6) == "6 ('play 7')"


@pytest.mark.parametrize(
    ("fault", "detail", "sentence"),
    [
        (Fault.HAS_PROBLEMS, 0b11, "`problems` finds: a card is not in exactly one position; a hand is not in order"),
        (Fault.REFUSES_LISTED, 4, "`refusal` refuses move 4 ('play 5'), which is listed"),
        (Fault.NOT_FINITE, 3, "`hand[3]` of the observation is not finite"),
    ],
)
def test_faults_are_told_in_words(fault, detail, sentence):
    buffers = new_buffers(GAME)
    buffers.found[:] = (-2, detail, 0)
    assert describe(GAME, buffers, fault) == sentence


def test_a_fault_in_a_sight_names_the_field_and_the_viewer():
    buffers = new_buffers(GAME)
    offset = GAME.kernels.state_type.fields["hands"][1]
    buffers.found[:] = (1, offset + 5, 0)
    assert "`hands[1, 1]` of the sight depends on what is hidden" in describe(GAME, buffers, Fault.SIGHT_LEAKS)
    assert describe(GAME, buffers, Fault.SIGHT_LEAKS).endswith("(for seat 1)")


def test_a_nonconformity_has_a_command_that_repeats_it():
    found = Nonconformity(GAME, "it is wrong", setup=SETUP, seed=7, stream=2, move=5)
    found.check = "nothing_leaks"
    assert str(found) == (
        "nothing_leaks: new_game (seats=2 hand=3 low_wins=off, seed 7, stream 2, after move 5): it is wrong"
    )
    assert found.command == (
        f'{MODE}tablee check new_game --only nothing_leaks --seed 7 --setup "seats=2 hand=3 low_wins=off"'
    )


def test_the_command_names_a_budget_that_is_not_the_usual_one():
    def fail(game, budget):
        raise Nonconformity(game, "it is wrong")

    with pytest.raises(Nonconformity) as caught:
        Check("failing", fail).run(GAME, replace(BRIEF, name="thorough"))
    assert caught.value.command == f"{MODE}tablee check new_game --only failing --thorough"


def test_an_exception_is_told_with_the_line_of_the_game_and_the_position():
    def fail(game, budget):
        for match in random_positions(game, SETUP, budget.seed):
            if len(match.moves) == 2:
                game.module("moves").parse_move(None)

    with pytest.raises(Nonconformity) as caught:
        Check("failing", fail).run(GAME, BRIEF)
    found = caught.value
    assert found.what.startswith("AttributeError: ")
    assert found.location.startswith("moves.py, line ")
    assert (found.setup, found.seed, found.move) == (SETUP, BRIEF.seed, 2)


@pytest.mark.parametrize(
    ("moves", "stride", "first"), [(18, 23, 24), (18, 5, 0), (18, 1, 0), (100, 7, 24), (100, 23, 0)]
)
def test_positions_of_a_walk_are_counted(moves, stride, first):
    checked = {number for number in range(moves) if number % stride == 0 or number < first}
    assert positions_checked(moves, stride, first) == len(checked) + 1  # the last one is always checked


def test_the_setup_of_a_command_is_tried_with_the_brief_budget_too():
    budget = replace(BRIEF, setup=GAME.setup(4))
    options_are_observed(GAME, budget)
    assert budget.tried.setups == {str(GAME.setup(4))}


def test_an_exception_on_the_way_to_the_end_of_a_game_has_a_position(monkeypatch):
    def fail(buffers, law, stride, max_moves):
        buffers.found[MOVE] = 3
        raise ZeroDivisionError

    monkeypatch.setattr(walk_checks, "walk_positions", fail)
    with pytest.raises(Nonconformity) as caught:
        list(walk_checks.end_reasons(GAME, BRIEF))
    assert (caught.value.setup, caught.value.seed, caught.value.move) == (GAME.setup(), BRIEF.seed, 3)


def test_an_exception_of_the_interpreted_process_is_told_with_the_line_of_the_game():
    package = "tablee.testing.template.game"
    with pytest.raises(Nonconformity) as caught:
        run_interpreted(GAME, f"from {package}.moves import parse_move; parse_move(None)")
    assert caught.value.what.startswith("with interpreted kernels, AttributeError: ")
    assert re.fullmatch(r"moves\.py, line \d+", caught.value.location)
    with pytest.raises(Nonconformity, match=r"(?s)cannot be played with interpreted kernels:\n.*ZeroDivisionError"):
        run_interpreted(GAME, "1 / 0")


def test_a_game_imported_under_two_names_is_explained():
    fields = [("only_here", "i1", (3,))]
    state_type(game_of("tablee.games.twice"), fields)
    with pytest.raises(BadGame, match=r"as tablee.games.twice and as twice; .*find_game\('twice'\).module\(NAME\)"):
        state_type(game_of("twice"), fields)


def game_of(package):
    return Game(
        name="twice",
        version=1,
        seats=range(2, 3),
        usual_seats=2,
        minutes=1,
        moves=1,
        max_legal_moves=1,
        max_game_length=1,
        score_bounds=(0, 1),
        fewest_points_win=False,
        package=package,
    )
