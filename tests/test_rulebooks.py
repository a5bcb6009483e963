"""Rulebooks in the app: examples that can be played, refusals that lead to their clause, pictures that are there."""

import re
import tomllib

import pytest
from playwright.sync_api import expect

from tablee.core.registry import all_games
from tablee.core.words import LANGUAGES
from tablee.server.hall import Hall
from tablee.tables.examples import FILE, examples_of
from tablee.testing.rulebook import read_clauses
from serving import Guest, serving

EXAMPLES = [(game, example) for game in all_games() for example in examples_of(game)]


def matching(match, pattern, example):
    """Return the legal moves that a step of the aim may be."""
    texts = [match.text(move) for move in match.legal_moves()]
    return [text for text in texts if re.fullmatch(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."), text)]


@pytest.mark.parametrize(("game", "example"), EXAMPLES, ids=lambda value: value.name)
def test_an_example_can_be_played_as_it_says(game, example):
    match = example.position(game)
    seat, played = match.to_move, []
    for pattern in example.aim:
        assert match.to_move == seat, "the turn passes before the clause is seen"
        assert not example.is_seen(played)
        played.append(matching(match, pattern, example)[0])
        match.play(played[-1])
    assert example.is_seen(played)
    assert example.clause in [clause for clause, _ in read_clauses(game, "en")]
    assert set(example.words) == set(LANGUAGES)


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_every_rulebook_has_examples_and_its_pictures(game):
    names = [example.name for example in examples_of(game)]
    assert len(names) == len(set(names)) >= 2
    for language in LANGUAGES:
        pictures = re.findall(r"!\[([^\]]+)\]\(([^)]+)\)", game.rulebook(language))
        assert pictures
        for described, picture in pictures:
            assert (game.folder / picture).is_file(), picture
            assert len(described) > 10, "those who listen want to know what is in the picture"
