"""The check of words finds what the glossary bans, and nothing else."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from language import GLOSSARY, banned_words, findings

BANNED = banned_words(GLOSSARY.read_text(encoding="utf-8"))


def found(line):
    return [finding.split(": ", 1)[1] for finding in findings("file.py", line, BANNED)]


def test_the_glossary_bans_words_and_says_what_to_write():
    assert len(BANNED) > 20
    assert all(word.instead for word in BANNED)


@pytest.mark.parametrize(
    "line",
    [
        "He sits there.",
        "and his cards",
        "MOST_MOVES = 4",
        "a stranger",
        "state of the true record",
        "carry_out()",
    ],
)
def test_a_banned_word_is_found(line):
    assert len(found(line)) == 1


@pytest.mark.parametrize("line", ["the other sheet", "this, then", "ALMOST_THERE = 1", "whisper", "UPPERMOST_CARD"])
def test_parts_of_other_words_are_allowed(line):
    assert found(line) == []


def test_a_finding_names_file_line_and_remedy():
    assert list(findings("a.py", "x = 1\nhis", BANNED)) == [
        'a.py:2: \'his\': write they, their, them; "the player", "the seat"'
    ]
