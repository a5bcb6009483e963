"""The puzzles that games ship: legal positions, clear solutions that `greedy` misses, of many kinds."""

from itertools import combinations

import pytest

from tablee import all_games
from tablee.bots.roster import NAMES
from tablee.core.languages import languages
from tablee.core.puzzles import FILE, puzzles_of
from tablee.review.examination import Criteria, Examiner
from tablee.review.mining import MIN_DISTANCE, kind_of, usual_seats
from tablee.review.puzzle_words import PuzzleWording

SHIPPED = 60
MAX_FILE_BYTES = 200_000
GAMES = [game for game in all_games() if game.package.startswith("tablee.games.")]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_shipped_puzzles_are_legal_positions_whose_best_move_greedy_misses(game):
    found = puzzles_of(game)
    assert found is not None
    assert len(found.puzzles) == SHIPPED
    assert (game.folder / FILE).stat().st_size < MAX_FILE_BYTES
    examiner = Examiner(game, Criteria())
    for puzzle in found.puzzles:
        match = puzzle.position(game)  # plays and checks every move, and compares the digest
        moves, sight = match.legal_moves(), match.sight(match.to_move)
        assert sorted(value.move for value in puzzle.values) == sorted(match.text(move) for move in moves)
        solution = match.parse(puzzle.solution)
        assert examiner.is_missed(sight, moves, solution), puzzle.id
        assert match.parse(puzzle.greedy) in examiner.greedy_chances(sight, moves)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_shipped_puzzles_are_clear_and_of_many_kinds(game):
    found = puzzles_of(game)
    puzzles = found.puzzles
    assert len({puzzle.id for puzzle in puzzles}) == len(puzzles)
    assert len({puzzle.digest for puzzle in puzzles}) == len(puzzles)
    assert [puzzle.rating for puzzle in puzzles] == sorted(puzzle.rating for puzzle in puzzles)
    assert {puzzle.level for puzzle in puzzles} <= set(NAMES[2:])
    assert len({puzzle.level for puzzle in puzzles}) > 1
    assert {puzzle.seats for puzzle in puzzles} == set(usual_seats(game))
    assert len({kind_of(puzzle) for puzzle in puzzles}) >= 8
    for puzzle in puzzles:
        best, *others = puzzle.values
        assert all(0 <= value.share <= 1000 and value.better + value.worse <= 1000 for value in puzzle.values)
        assert all(best.share - other.share >= 10 for other in others), puzzle.id
        assert all(best.share - other.share >= 4 * other.error for other in others), puzzle.id
    for one, other in combinations(puzzles, 2):
        if (one.seed, one.stream) == (other.seed, other.stream):
            assert abs(len(one.moves) - len(other.moves)) >= MIN_DISTANCE


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_answer_is_explained_in_every_language(game):
    found = puzzles_of(game)
    puzzle = found.puzzles[0]
    match = puzzle.position(game)
    for move in (puzzle.solution, puzzle.values[-1].move):
        texts = set()
        for language in languages():
            wording = PuzzleWording(puzzle, match, found.source.worlds, language)
            text = " ".join([wording.verdict(move), *wording.reasons(move)])
            assert "{" not in text
            assert wording.label(puzzle.solution) in text
            texts.add(text)
        assert len(texts) == len(languages())
