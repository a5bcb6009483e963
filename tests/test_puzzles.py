"""Puzzles: their file, ratings, and how they are found and chosen."""

import json
import os
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from made_up_puzzles import made_up_file, made_up_puzzle
from tablee import find_game
from tablee.core.errors import TableeError
from tablee.core.puzzles import FILE, PuzzleSource, count_puzzles, puzzles_of, read_puzzles, write_puzzles
from tablee.core.words import common
from tablee.review.evaluation import NEVER, Comparison, Evaluator
from tablee.review.examination import SEEDS, Criteria, Examiner
from tablee.review.mining import (
    MAX_PER_GAME,
    MIN_DISTANCE,
    MinedGame,
    MiningJournal,
    MiningSettings,
    choose_varied,
    mine,
    mine_game,
)
from tablee.review.puzzle_ratings import (
    BOT_RATINGS,
    INITIAL_RATING,
    MIN_DEVIATION,
    Attempt,
    SolverRating,
    rate_puzzle,
    rate_solver,
)
from tablee.review.puzzle_words import PuzzleWording
from tablee.terminal.puzzles import PuzzleSession
from tablee.testing.template import make_game
from terminals import lobby, play, running, until

GAME = find_game("xe_queo")


# The file


def test_puzzles_are_written_and_read_again(tmp_path):
    puzzles = (made_up_puzzle(GAME), replace(made_up_puzzle(GAME, 1), options={"rings": 3}))
    source = PuzzleSource("xe_queo", 1, "expert 2", 4, 2400)
    write_puzzles(tmp_path / FILE, source, puzzles)
    found = read_puzzles(tmp_path / FILE)
    assert (found.source, found.puzzles) == (source, puzzles)
    assert found.find(puzzles[1].id) == puzzles[1]
    assert found.find("nothing") is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "line 1"),
        ('{"game": "x"}', "line 1"),
        ('{"game":"x","version":1,"bot":"b","seed":1,"worlds":1,"format":7}', "format 7"),
        ('{"game":"x","version":1,"bot":"b","seed":1,"worlds":1}\n{"moves":"1 two"}', "line 2"),
        ('{"game":"x","version":1,"bot":"b","seed":1,"worlds":1}\n[]', "line 2"),
    ],
)
def test_a_bad_file_is_refused_with_its_line(tmp_path, text, why):
    path = tmp_path / FILE
    path.write_text(text)
    with pytest.raises(TableeError, match=why):
        read_puzzles(path)


def test_puzzles_of_other_rules_are_not_used(tmp_path):
    game = replace(GAME, package=GAME.package)
    object.__setattr__(game, "folder", tmp_path)
    assert puzzles_of(game) is None
    source = PuzzleSource("xe_queo", game.version, "expert 2", 4, 2400)
    write_puzzles(tmp_path / FILE, source, [made_up_puzzle(GAME)])
    assert count_puzzles(game) == 1
    write_puzzles(
        tmp_path / FILE, replace(source, version=game.version + 1), [made_up_puzzle(GAME), made_up_puzzle(GAME, 1)]
    )
    assert count_puzzles(game) == 0
    (tmp_path / FILE).write_text("not a file of puzzles")
    assert count_puzzles(game) == 0


def test_a_position_that_its_digest_denies_is_refused():
    with pytest.raises(TableeError, match="digest"):
        replace(made_up_puzzle(GAME), digest="0" * 16).position(GAME)


# Ratings


def test_the_harder_a_puzzle_is_for_the_bots_the_higher_its_rating():
    solved = {"random": 0.1, "greedy": 0.0, "novice": 1.0, "club": 1.0, "expert": 1.0}
    easy = rate_puzzle(solved)
    middle = rate_puzzle({**solved, "novice": 0.0})
    hard = rate_puzzle({**solved, "novice": 0.0, "club": 0.0})
    assert BOT_RATINGS["greedy"] - 200 < easy < middle < hard < BOT_RATINGS["expert"]


def test_a_solver_is_rated_by_their_attempts():
    start = SolverRating()
    right, wrong = start.after(Attempt(1200, True)), start.after(Attempt(1200, False))
    assert wrong.rating < INITIAL_RATING < right.rating
    assert right.rating - INITIAL_RATING == pytest.approx(INITIAL_RATING - wrong.rating)
    assert right.deviation < start.deviation
    assert start.after(Attempt(2000, True)).rating > right.rating
    assert (right.streak, wrong.streak) == (1, 0)


def test_a_solver_of_constant_strength_is_rated_at_it():
    attempts = [Attempt(1500, number % 2 == 0) for number in range(400)]
    solver = rate_solver(attempts)
    assert solver.rating == pytest.approx(1500, abs=60)
    assert solver.deviation == MIN_DEVIATION
    assert (solver.tried, solver.solved, solver.streak, solver.best_streak) == (400, 200, 0, 1)


# Mining


class EverythingIsAPuzzle:
    """An examiner that takes every position with a choice."""

    def screen(self, match, solution):
        return len(match.legal_moves()) > 2

    def examine(self, match, solution):
        texts = [match.text(move) for move in match.legal_moves()]
        puzzle = made_up_puzzle(match.game)
        return replace(puzzle, stream=match.stream, moves=tuple(match.moves), greedy=texts[0])


SETTINGS = MiningSettings("xe_queo", GAME.version, (2,), seed=4, bot="random", max_moves=40)


def test_puzzles_of_one_game_are_apart_and_few():
    mined = mine_game(GAME, SETTINGS, 3, EverythingIsAPuzzle())
    numbers = [len(puzzle.moves) for puzzle in mined.puzzles]
    assert 1 < len(numbers) <= MAX_PER_GAME
    assert all(after - before >= MIN_DISTANCE for before, after in pairwise(numbers))
    assert mined == mine_game(GAME, SETTINGS, 3, EverythingIsAPuzzle())


def test_mining_that_was_stopped_continues_where_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr("tablee.review.mining.Examiner", lambda game, criteria: EverythingIsAPuzzle())
    whole = mine(GAME, SETTINGS, 5, MiningJournal(tmp_path / "whole.jsonl", SETTINGS))
    path = tmp_path / "stopped.jsonl"
    journal = MiningJournal(path, SETTINGS)
    journal.add(mine_game(GAME, SETTINGS, 0, EverythingIsAPuzzle()))
    path.write_text(path.read_text() + '{"number":1,"mov')  # killed while it wrote
    steps = []
    again = mine(
        GAME, SETTINGS, 5, MiningJournal(path, SETTINGS), lambda done, wanted, step: steps.append((done, wanted))
    )
    assert again == whole
    assert path.read_text() == (tmp_path / "whole.jsonl").read_text()
    assert steps[0][0] == MAX_PER_GAME
    assert steps[-1] == (6, 6)


def test_a_journal_of_other_settings_is_refused(tmp_path):
    path = tmp_path / "a.jsonl"
    MiningJournal(path, SETTINGS)
    with pytest.raises(TableeError, match="other settings"):
        MiningJournal(path, replace(SETTINGS, seed=5))
    assert json.loads(path.read_text())["seed"] == 4


def test_the_choice_takes_every_kind_before_it_takes_one_twice(tmp_path):
    easy = [replace(made_up_puzzle(GAME, number), level="novice") for number in range(8)]
    hard = replace(made_up_puzzle(GAME, 9), level="expert")
    chosen = choose_varied([*easy, hard], 2)
    assert hard in chosen
    assert len(choose_varied([*easy, hard], 100)) == 9
    assert MinedGame(0, 1, (hard,)).puzzles == (hard,)


def test_an_examination_is_by_what_the_mover_knows():
    """The chance that greedy plays a move, and the values, are the same in every world that fits the sight."""
    puzzle = made_up_puzzle(GAME, moves=8)
    match = puzzle.position(GAME)
    sight, moves = match.sight(match.to_move), match.legal_moves()
    examiner = Examiner(GAME, Criteria())
    chances = examiner.greedy_chances(sight, moves)
    assert sum(chances.values()) == pytest.approx(1)
    one = examiner.compare(sight, moves[0], moves[:3], 4, 1)
    other = examiner.compare(sight, moves[0], moves[:3], 4, 1)
    assert one.values.tolist() == other.values.tolist()
    favourite = next(iter(chances))
    assert not examiner.is_missed(sight, moves, favourite)
    assert len(SEEDS) > 1


def test_an_examined_position_has_the_value_of_every_move(monkeypatch):
    match = made_up_puzzle(GAME, moves=8).position(GAME)
    solution = match.legal_moves()[1]
    examiner = Examiner(GAME, Criteria(worlds=1, counted=2))
    monkeypatch.setattr("tablee.review.examination.THOROUGH", 1)
    monkeypatch.setattr(examiner, "is_clear", lambda comparison: True)
    monkeypatch.setattr(examiner, "is_found", lambda sight, moves, move, times: move == solution)
    monkeypatch.setattr(examiner, "solves", lambda name, *rest: float(name == "club"))
    puzzle = examiner.examine(match, solution)
    assert puzzle.solution == match.text(solution)
    assert puzzle.level == "club"
    assert sorted(value.move for value in puzzle.values) == sorted(match.text(move) for move in match.legal_moves())
    shares = [value.share for value in puzzle.values[1:]]
    assert shares == sorted(shares, reverse=True)
    assert all(value.better in (0, 500, 1000) for value in puzzle.values)
    assert (puzzle.values[0].better, puzzle.values[0].worse, puzzle.values[0].error) == (0, 0, 0)
    assert examiner.examine(match, match.legal_moves()[0]) is None


@pytest.mark.parametrize(("later", "is_puzzle"), [(0.0, False), (-0.01, False), (-0.1, True)])
def test_where_the_best_move_may_as_well_come_later_is_no_puzzle(monkeypatch, later, is_puzzle):
    match = made_up_puzzle(GAME, moves=8).position(GAME)
    solution = match.legal_moves()[1]

    def compare(self, sight, moves, worlds, generator, followed_by=()):
        """Every other move costs 30 points if the policy plays on, and less if the solution follows."""
        followers = followed_by or [NEVER] * len(moves)
        costs = [
            0 if move == solution else later if follower == solution else -0.3
            for move, follower in zip(moves, followers, strict=True)
        ]
        values = np.full((len(moves), sight.seats), 0.6) + np.array(costs)[:, None]
        return Comparison(sight.seat, tuple(moves), values, np.full(len(moves), 0.001), worlds)

    monkeypatch.setattr(Evaluator, "compare", compare)
    examiner = Examiner(GAME, Criteria(counted=2))
    monkeypatch.setattr(examiner, "is_found", lambda sight, moves, move, times: True)
    monkeypatch.setattr(examiner, "solves", lambda name, *rest: float(name == "club"))
    puzzle = examiner.examine(match, solution)
    assert (puzzle is not None) == is_puzzle
    if puzzle is not None:
        assert {value.share for value in puzzle.values[1:]} == {500}
        assert {value.worse for value in puzzle.values[1:]} == {1000}


def test_a_puzzle_that_claims_too_much_is_not_verified(monkeypatch):
    """Among the first moves of this game nothing is clearly best, and the expert plays something else."""
    puzzle = made_up_puzzle(GAME, moves=8)
    examiner = Examiner(GAME, Criteria(worlds=1))
    monkeypatch.setattr(examiner, "is_found", lambda sight, moves, move, times=1: False)
    results = examiner.verify(puzzle)
    assert list(results) == [
        "missed by `greedy`",
        "solved by `expert`",
        "by ten times its search",
        "best over ten times the worlds",
    ]
    assert not any(list(results.values())[1:])


VERIFY_PUZZLES_OF_A_GAME_FROM_ELSEWHERE = """
from made_up_puzzles import made_up_puzzle
from tablee import find_game
from tablee.cli import app
from tablee.core.puzzles import FILE, PuzzleSource, write_puzzles
from tablee.review.examination import Examiner
game = find_game("toy_with_puzzles")
puzzles = [made_up_puzzle(game, stream) for stream in range(3)]
write_puzzles(game.folder / FILE, PuzzleSource(game.name, game.version, "expert 2", 4, 2400), puzzles)
Examiner.verify = lambda examiner, puzzle: {"missed by greedy": puzzle != puzzles[1], "solved": True}
app(["puzzles", "toy_with_puzzles", "--verify"])
"""


def test_the_puzzles_of_a_game_from_elsewhere_are_verified_on_the_command_line(tmp_path):
    make_game("toy_with_puzzles", tmp_path)
    paths = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", VERIFY_PUZZLES_OF_A_GAME_FROM_ELSEWHERE],
        env=os.environ | {"TABLEE_GAMES": str(tmp_path), "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    assert len([line for line in lines if line.endswith(": missed by greedy.")]) == 1
    assert "2 of 3 puzzles are as they say." in lines


# In the terminal


def test_puzzles_are_set_from_the_lobby(monkeypatch):
    typed, written = iter(["quit"]), []
    monkeypatch.setattr("builtins.input", lambda prompt: next(typed))
    monkeypatch.setattr("builtins.print", lambda *line: written.append(" ".join(line)))

    async def test():
        screen = lobby("en")
        async with running(screen) as (app, pilot):
            monkeypatch.setattr(app, "suspend", nullcontext)  # there is no terminal to give back
            await pilot.press("p")
            await until(lambda: bool(written), pilot)
            assert app.screen is screen

    play(test())
    assert common("en").say("puzzles.how") in written
    assert written[-1] == common("en").say("puzzles.standing", solved=0, tried=0, streak=0)


@pytest.mark.parametrize(("language", "leave"), [("en", "quit"), ("fr", "quitter")])
def test_puzzles_are_solved_in_plain_lines(language, leave):
    first, second, third = (made_up_puzzle(GAME, stream, 1000 + stream) for stream in range(3))
    typed = iter(["", "?", "no such move", "99", second.values[2].move, third.solution])
    written = []
    session = PuzzleSession(
        GAME, made_up_file(GAME, first, second, third), language, lambda: next(typed), written.append
    )
    solver = session.run()
    assert (solver.tried, solver.solved, solver.streak) == (2, 1, 1)
    say = session.words.say
    text = "\n".join(written)
    assert say("play.no_number", text="99", n=len(second.values)) in text
    assert "no such move" in text
    wording = PuzzleWording(third, third.position(GAME), 2400, language)
    assert wording.verdict(third.solution) in text
    assert all(reason in text for reason in wording.reasons(third.solution))
    assert text.endswith(say("puzzles.standing", solved=1, tried=2, streak=1))
    written.clear()
    typed = iter([leave])
    assert session.run(3).tried == 2
    assert third.solution not in written[0]


def test_the_end_of_input_leaves():
    def read():
        raise EOFError

    session = PuzzleSession(GAME, made_up_file(GAME, made_up_puzzle(GAME)), "en", read, lambda line: None)
    assert session.run().tried == 0
