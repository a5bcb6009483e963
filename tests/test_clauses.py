"""Every clause of every rulebook has a test, and docs/clauses.md is up to date."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from clauses import PAGE, page, problems_of
from tablee import all_games
from tablee.testing.rulebook import cited_clauses


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_every_clause_has_a_test(game):
    assert list(problems_of(game)) == []


def test_the_table_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == page(all_games()), "run `make clauses`"


@pytest.mark.parametrize(
    ("test", "clauses"),
    [
        ("test_r14_three_equal_cards_leave", ["R14"]),
        ("test_r9_b10_taken_card", ["R9", "B10"]),
        ("test_r2", ["R2"]),
        ("test_two_players", []),
        ("test_r3d_printing", []),
    ],
)
def test_clauses_are_read_from_names_of_tests(test, clauses):
    assert cited_clauses(test) == clauses


@pytest.fixture
def game(tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "rules.en.md").write_text("# Rules\n\n**R1.** One.\n\n**R2.** Two.\n")
    (tmp_path / "rules.fr.md").write_text("# Règles\n\n**R1.** Un.\n\n**R2.** Deux.\n")
    (tmp_path / "tests" / "test_rules.py").write_text("def test_r1_r2_both(): pass\n")
    return SimpleNamespace(
        name="toy",
        folder=tmp_path,
        languages=lambda: ["en", "fr"],
        rulebook_path=lambda language: tmp_path / f"rules.{language}.md",
    )


def test_a_tested_rulebook_has_no_problems(game):
    assert list(problems_of(game)) == []


def test_a_clause_without_a_test_is_reported(game):
    (game.folder / "tests" / "test_rules.py").write_text("class TestAll:\n    def test_r1_one(self): pass\n")
    assert list(problems_of(game)) == ["toy: R2 has no test"]


def test_a_test_of_an_unknown_clause_is_reported(game):
    (game.folder / "tests" / "test_more.py").write_text("def test_b7_nothing(): pass\n")
    assert list(problems_of(game)) == ["toy: test_more.py::test_b7_nothing cites B7, which is not a clause"]


def test_rulebooks_that_differ_are_reported(game):
    (game.folder / "rules.fr.md").write_text("**R1.** Un.\n")
    assert list(problems_of(game)) == ["toy: rules.fr.md and rules.en.md differ in ['R2']"]
