"""A turn: R12 to R16, and the rulings on passing, jumping and distance."""

from itertools import product

import numpy as np
import pytest

from tablee.core.state import copy_state
from tablee.games.xe_queo import GAME
from tablee.games.xe_queo.board import DISTANCE, FIELD_NAMES, FIELDS, NEARER, SIZE
from tablee.games.xe_queo.moves import COLOURS, field_of, is_pawn_move, pawn_of
from tablee.games.xe_queo.rules import list_pawn_by_pawn
from tablee.games.xe_queo.state import FORBID, FOREIGN_RING, METRIC, NO_PAWN, TURN
from tablee.games.xe_queo.tests.positions import ACCUSATIONS, APART, STUCK, follow, goals, played, position, texts
from tablee.games.xe_queo.tests.positions import field_of as field_name
from tablee.testing import random_positions

DIRECTIONS = [(x, y) for x, y in product((-1, 0, 1), repeat=2) if (x, y) != (0, 0)]

CHAIN = """
    . . . . . . .
    . . Y R . . .
    . O . . . . .
    . . . . . . .
    . . . * . . .
    . . . . . . .
    P . B . G . K
"""


def test_r12_any_pawn_may_step_to_a_free_field_beside_it():
    match = played(position(APART))
    assert goals(match, "red") == ["a6", "b6", "b7"]
    assert goals(match, "orange") == ["b6", "c6", "d6", "d7"]
    assert goals(match, "pink") == ["f1", "f2", "g2"]
    assert {text.split()[0] for text in texts(match)} == {*COLOURS, "accuse"}
    follow(match, "pink f2")
    assert match.to_move == 1


def test_r12_a_pawn_may_not_step_onto_another_pawn():
    match = played(position(APART.replace("R . O", "R O .")))
    assert "b7" not in goals(match, "red")
    assert match.why_not("red b7") == "there is a pawn on that field (R12)"


def test_r13_a_pawn_jumps_over_a_pawn_beside_it():
    match = played(
        position(
            """
    R . . . . . G
    . O . . . . .
    . . . . . . .
    . . . * . . .
    . . . . . . .
    . . . . . . .
    B . P . Y . K
"""
        )
    )
    assert goals(match, "red") == ["c5", "a6", "b7"]
    follow(match, "red c5")
    assert match.state.pawns[1] == FIELD_NAMES.index("b6")


def test_r13_other_fields_are_out_of_reach():
    match = played(position(APART))
    assert match.why_not("red c5") == "the pawn cannot get there by one step or by jumps (R13)"


def test_r14_a_pawn_may_jump_several_times():
    match = played(
        position(
            """
    R . . . . . K
    O . . . . . .
    . . . . . . .
    . Y . . . . .
    . . . . . . .
    . . . G . . .
    B . P . . . *
"""
        )
    )
    assert goals(match, "red") == ["e1", "c3", "a5", "b6", "b7"]
    follow(match, "red e1")
    assert field_name(match, "red") == "e1"
    assert match.to_move == 1


def test_r15_a_pawn_must_move_nearer_to_the_ring():
    match = played(position(APART))
    assert "d7" in goals(match, "orange")
    assert "b7" not in goals(match, "orange")
    assert match.why_not("orange b7") == "that field is not nearer to the ring than where the pawn stands (R15)"


def test_r15_the_same_distance_is_not_nearer():
    match = played(
        position(
            """
    . . . . . . .
    . R . O . Y .
    . . . . . . .
    . . . . . . G
    . . . * . . .
    . . . . . . .
    B . P . . . K
"""
        )
    )
    assert goals(match, "green") == ["f3", "g3", "f4", "f5"]
    assert match.why_not("green g5") is not None
    assert goals(match, "orange") == ["c5", "d5", "e5"]


def test_r16_straight_is_nearer_than_diagonal():
    """The picture of R16, which is ours: B, straight beside the ring, is nearer than A, diagonally; D nearer than C."""
    ring = FIELD_NAMES.index("d4")
    a, b, c, d = (FIELD_NAMES.index(field) for field in ("e5", "e4", "f6", "f4"))
    assert DISTANCE[0, ring, b] < DISTANCE[0, ring, a]
    assert DISTANCE[0, ring, d] < DISTANCE[0, ring, c]
    match = played(
        position(
            """
    . . . . . . .
    . . . . . O .
    . . . . . . .
    . . . * . . .
    . . R . . . .
    . . . . . . .
    B . P . Y G K
""",
            chosen="green pink",
        )
    )
    assert goals(match, "red") == ["d3", "c4"]
    assert goals(match, "orange") == ["e5", "f5", "e6"]


def test_c1_nobody_may_pass():
    match = played(position(APART))
    assert "pass" not in texts(match)
    assert match.why_not("pass") == "passing is not allowed: move a pawn or name your opponent's (C1)"


def test_c1_with_the_option_a_player_may_pass():
    match = played(position(APART, options={"allow_pass": True}))
    assert "pass" in texts(match)
    follow(match, "pass")
    assert match.to_move == 1
    assert match.state.passes == 1
    follow(match, "pink f2")
    assert match.state.passes == 0


@pytest.mark.parametrize("own", ["blue", "pink"])
def test_c2_a_player_who_cannot_move_must_accuse(own):
    assert texts(played(position(STUCK, chosen=f"{own} red"))) == ACCUSATIONS


def test_c2_a_player_who_can_enter_the_ring_is_not_stuck():
    assert texts(played(position(STUCK, chosen="yellow red"))) == ["yellow a1", *ACCUSATIONS]


def test_c23_a_player_who_cannot_move_may_pass_if_passing_is_allowed():
    stuck = position(STUCK, chosen="blue pink", options={"allow_pass": True})
    match = played(stuck)
    assert texts(match) == [*ACCUSATIONS, "pass"]
    assert texts(follow(match, "pass", "pass")) == ACCUSATIONS


def test_c3_only_the_whole_move_must_lead_nearer():
    """From d6 the first jump, to b6, leads farther away; the second one, to b4, makes the whole move lead nearer."""
    match = played(position(CHAIN))
    assert "b6" not in goals(match, "red")
    assert match.why_not("red b6") == "that field is not nearer to the ring than where the pawn stands (R15)"
    assert "b4" in goals(match, "red")


def octile(x: int, y: int) -> float:
    return max(x, y) + (2**0.5 - 1) * min(x, y)


def test_c4_three_distances_agree_on_steps_and_single_jumps():
    """Euclidean, octile, and king distance with ties broken by Manhattan, for every ring, start and end."""
    compared = 0
    for ring, start in product(range(FIELDS), repeat=2):
        for (x, y), length in product(DIRECTIONS, (1, 2)):
            column, row = start % SIZE + length * x, start // SIZE + length * y
            if not (0 <= column < SIZE and 0 <= row < SIZE):
                continue
            ends = [
                (abs(c - ring % SIZE), abs(r - ring // SIZE)) for c, r in ((start % SIZE, start // SIZE), (column, row))
            ]
            euclid = [a * a + b * b for a, b in ends]
            others = [[octile(a, b) for a, b in ends], [(max(a, b), a + b) for a, b in ends]]
            compared += 1
            assert all((other[1] < other[0]) == (euclid[1] < euclid[0]) for other in others)
            is_nearer = bool(NEARER[0, ring, start] >> (8 * row + column) & 1)
            assert is_nearer == (euclid[1] < euclid[0])
    assert compared == 27_048


def test_c4_manhattan_distance_gives_other_moves():
    corner = APART.replace(". . . * . . .", ". R . * . . .").replace("R . O", ". . O")
    assert set(goals(played(position(corner)), "red")) == {"c2", "c3", "c4"}
    match = played(position(corner, options={"metric": "manhattan"}))
    assert goals(match, "red") == ["c3"]
    assert match.why_not("red c4") == "that field is not nearer to the ring than where the pawn stands (R15)"


def test_c5_a_jump_goes_over_exactly_one_pawn_to_the_field_behind():
    match = played(
        position(
            """
    R O . . . . .
    Y . . . . . .
    G . . . . . .
    . . . . . . .
    . . . . . . *
    . . . . . . .
    . B . . P . K
"""
        )
    )
    assert goals(match, "red") == ["b6", "c7"]
    follow(match, "red c7")
    assert match.state.pawns[1] == FIELD_NAMES.index("b7")


def test_c5_a_step_and_a_jump_cannot_be_combined():
    match = played(
        position(
            """
    R . . . . . .
    . . O . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . *
    . . . . . . .
    . Y . B P G K
"""
        )
    )
    assert goals(match, "red") == ["a6", "b6", "b7"]
    assert match.why_not("red d6") == "the pawn cannot get there by one step or by jumps (R13)"


THROUGH = """
    . . . . . . .
    . R . . . . .
    . . O . . . .
    . . . * Y . .
    . . . . . . .
    . . . . . . .
    B . P . G . K
"""


@pytest.mark.parametrize("rule", ["forbid", "block", "owner_wins"])
@pytest.mark.parametrize("own", ["red", "pink"])
def test_c7_c18_no_chain_continues_beyond_the_ring(rule, own):
    match = played(position(THROUGH, chosen=f"{own} green", options={"foreign_ring": rule}))
    assert "f4" not in goals(match, "red")
    assert match.why_not("red f4") == "the pawn cannot get there by one step or by jumps (R13)"


def test_c7_landing_on_the_ring_ends_the_move():
    match = played(position(THROUGH, chosen="red green"), "red d4")
    assert match.state.rounds_played == 1
    assert match.scores() == [1, 0]


def test_c18_another_pawn_may_not_land_on_the_ring_within_a_chain():
    match = played(position(THROUGH, chosen="pink green"))
    assert "d4" not in goals(match, "red")
    assert match.why_not("red d4") == "only your own pawn may enter the ring (C6)"


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_c13_each_move_lowers_one_distance_and_raises_none(metric):
    code = GAME.option("metric").code(metric)
    setup = GAME.setup(2, {"metric": metric, "foreign_ring": "block"})
    before = None
    for match in random_positions(GAME, setup, seed=3):
        state = match.state
        if state.phase != TURN or match.is_over:
            before = None
            continue
        distances = DISTANCE[code, state.ring, state.pawns]
        if before is not None:
            assert (distances <= before).all()
            assert (distances < before).sum() == 1
        before = distances


def test_c19_after_two_passes_the_next_player_must_accuse():
    match = played(position(APART, options={"allow_pass": True}), "pass", "pass")
    assert texts(match) == ACCUSATIONS
    expected = "after two passes in a row you must name your opponent's pawn (C19)"
    assert match.why_not("pass") == match.why_not("red b6") == expected


def reference_goals(state: object, pawn: int) -> set[int]:
    """Return the fields a pawn may be moved to, found by a plain search."""
    occupied = {int(field) for other, field in enumerate(state.pawns) if other != pawn}
    may_enter = state.options[FOREIGN_RING] != FORBID or state.chosen[state.to_move] == pawn
    start = int(state.pawns[pawn])

    def beyond(field: int, x: int, y: int, length: int) -> int:
        column, row = field % SIZE + x * length, field // SIZE + y * length
        return row * SIZE + column if 0 <= column < SIZE and 0 <= row < SIZE else -1

    def is_open(field: int) -> bool:
        return field >= 0 and field not in occupied and (field != state.ring or may_enter)

    found = {beyond(start, x, y, 1) for x, y in DIRECTIONS}
    waiting = [start]
    landed = {start}
    while waiting:
        field = waiting.pop()
        for x, y in DIRECTIONS:
            landing = beyond(field, x, y, 2)
            if (
                is_open(landing)
                and beyond(field, x, y, 1) in occupied
                and landing not in landed
                and field != state.ring
            ):
                landed.add(landing)
                waiting.append(landing)
    metric = DISTANCE[state.options[METRIC], state.ring]
    return {field for field in found | landed if is_open(field) and metric[field] < metric[start]}


@pytest.mark.parametrize("rule", ["forbid", "block"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_r12_r13_r14_r15_c5_moves_agree_with_a_plain_search(rule, metric):
    """Both lists do, the one for CPUs and the one for CUDA devices."""
    setup = GAME.setup(2, {"foreign_ring": rule, "metric": metric})
    chains, out = 0, np.zeros(GAME.max_legal_moves, np.int32)
    for seed in range(12):
        for match in random_positions(GAME, setup, seed):
            if match.is_over or match.state.phase != TURN:
                continue
            listed = [move for move in match.legal_moves() if is_pawn_move(move)]
            found = {(pawn_of(move), field_of(move)) for move in listed}
            expected = {(pawn, field) for pawn in range(7) for field in reference_goals(match.state, pawn)}
            assert found == expected
            assert out[: list_pawn_by_pawn(match.state, out)].tolist() == listed
            chains += sum(np.hypot(*_apart(match.state.pawns[pawn], field)) > 3 for pawn, field in found)
    assert chains > 0


def _apart(one: int, other: int) -> tuple[int, int]:
    return int(one) % SIZE - other % SIZE, int(one) // SIZE - other // SIZE


def test_moved_and_declined_pawns_are_recorded():
    """Which pawns a seat moved and which could have entered the ring: evidence for bots."""
    match = played(position(THROUGH, chosen="pink green"), "green e2")
    assert list(match.state.moved[0]) == [0, 0, 0, 1, 0, 0, 0]
    assert int(match.state.declined[0]) == 0b0000111
    assert int(match.state.declined[1]) == 0
    follow(match, "accuse red")
    assert not match.state.declined.any()
    assert not match.state.moved.any()
    assert list(match.state.chosen) == [NO_PAWN, NO_PAWN]


# Orange is beside the ring, yellow can jump into it over orange, green is beside it once the ring is in the corner.
JUMP = """
    . . . . . . .
    . . . Y . . .
    . . . O . . .
    . . . * . . .
    . . . . . . .
    . . . . . . .
    R . G B P . K
"""
CORNER = """
    O . Y . G . B
    . . . . . . .
    . . . . . . .
    . . . . . . P
    . . . . . . .
    . * . . . . .
    R . . . . . K
"""
BLOCKING = {"foreign_ring": "block"}


def declined(match, seat):
    """Return the colours that a seat could have moved into the ring and did not."""
    return [colour for pawn, colour in enumerate(COLOURS) if int(match.state.declined[seat]) >> pawn & 1]


def test_r6_a_pawn_that_could_enter_and_moves_elsewhere_is_declined():
    assert declined(played(position(JUMP), "yellow c5"), 0) == ["orange", "yellow"]
    assert declined(played(position(CORNER), "green d6"), 0) == ["red"]


def test_r6_the_declined_pawns_are_those_that_a_plain_search_brings_to_the_ring():
    setup, found = GAME.setup(2, BLOCKING), 0
    for seed in range(12):
        before = None
        for match in random_positions(GAME, setup, seed):
            if before is not None and is_pawn_move(match.moves[-1]) and match.state.phase == TURN:
                moved = pawn_of(match.moves[-1]) if field_of(match.moves[-1]) == before.ring else NO_PAWN
                could = [pawn for pawn in range(7) if int(before.ring) in reference_goals(before, pawn)]
                newly = sum(1 << pawn for pawn in could if pawn != moved)
                assert match.state.declined[before.to_move] == before.declined[before.to_move] | newly
                found += len(could)
            before = copy_state(match.state) if match.state.phase == TURN else None
    assert found > 0


def test_c17_a_pawn_that_enters_is_not_declined_and_one_on_a_closed_ring_neither():
    match = played(position(JUMP, options=BLOCKING, chosen="red pink"), "orange d4")
    assert declined(match, 0) == ["yellow"]
    follow(match, "yellow d5")
    assert declined(match, 1) == []
    follow(match, "pink f2", "blue d2")
    assert declined(match, 0) == ["yellow"]
    assert declined(match, 1) == [], "yellow stands beside the ring, which is closed"


@pytest.mark.parametrize(("rule", "excluded"), [("block", [0b10, 0]), ("owner_wins", [0b10, 0b10])])
def test_c6_c17_a_foreign_pawn_on_the_ring_is_known_not_to_be_the_players(rule, excluded):
    match = played(position(JUMP, options={"foreign_ring": rule}, chosen="red pink"), "orange d4")
    assert list(match.state.excluded) == excluded
    assert match.to_move == 1
