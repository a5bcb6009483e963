"""Golden playthroughs: a random match of every game is the same as when its text was last reviewed."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from golden import golden_path, golden_text, seat_counts
from tablee import all_games

USUAL = [(game, game.usual_seats) for game in all_games()]
OTHERS = [(game, seats) for game in all_games() for seats in seat_counts(game) if seats != game.usual_seats]


def name(value):
    return getattr(value, "name", str(value))


def compare(game, seats):
    expected = golden_path(game, seats).read_text(encoding="utf-8").splitlines()
    played = golden_text(game, seats).splitlines()
    for number, (line, expected_line) in enumerate(zip(played, expected, strict=False), 1):
        assert line == expected_line, (
            f"line {number} of {golden_path(game, seats)}; if the change is intended, run `make golden`"
        )
    assert len(played) == len(expected)


@pytest.mark.conformance
@pytest.mark.parametrize(("game", "seats"), USUAL, ids=name)
def test_the_playthrough_with_the_usual_seats_is_unchanged(game, seats):
    compare(game, seats)


@pytest.mark.parametrize(("game", "seats"), OTHERS, ids=name)
def test_the_playthrough_with_other_seats_is_unchanged(game, seats):
    compare(game, seats)
