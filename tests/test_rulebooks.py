"""Rulebooks in the app: examples that can be played, refusals that lead to their clause, pictures that are there."""

import re

import pytest

from server_process import Guest, serving
from tablee.core.registry import all_games
from tablee.core.words import LANGUAGES
from tablee.tables.examples import examples_of
from tablee.testing.rulebook import read_clauses

EXAMPLES = [(game, example) for game in all_games() for example in examples_of(game)]


def matching(match, pattern):
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
        played.append(matching(match, pattern)[0])
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


# Over the network


@pytest.fixture(scope="module")
def guest(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("rules") / "tablee.db") as server:
        yield Guest(server.url)


def test_an_example_is_shown_step_by_step(guest):
    listed = guest.get("/api/games/skyjo/examples?lang=fr").json()
    assert {"name": "column", "clause": "R14", "title": "Trois neuf"} in listed
    address = "/api/games/skyjo/examples/column"
    begun = guest.get(address).json()
    assert [choice["text"] for choice in begun["view"]["choices"]] == ["draw", "take"]
    assert (begun["is_over"], begun["seen"], begun["told"]) == (False, None, [])
    taken = guest.get(f"{address}?move=take").json()
    assert taken["told"]
    assert not taken["is_over"]
    seen = guest.get(f"{address}?move=take&move=swap+b2").json()
    assert seen["is_over"]
    assert seen["seen"].startswith("Three equal cards leave")
    other = guest.get(f"{address}?move=take&move=swap+a1").json()
    assert (other["is_over"], other["seen"]) == (True, None)


def test_what_an_example_refuses_comes_with_its_clause(guest):
    refused = guest.get("/api/games/skyjo/examples/column?move=take&move=discard")
    assert refused.status_code == 409
    assert refused.json()["clause"] == "R9"
    assert guest.get("/api/games/skyjo/examples/column?move=rubbish").status_code == 422
    assert guest.get("/api/games/skyjo/examples/nothing").status_code == 404
    assert guest.get(f"/api/games/skyjo/examples/column?{'move=take&' * 31}").status_code == 422
    beyond = guest.get("/api/games/skyjo/examples/column?move=take&move=swap+b2&move=draw")
    assert beyond.status_code == 409


def test_an_example_shows_no_more_than_its_seat_knows(guest):
    for game, example in EXAMPLES:
        match = example.position(game)
        shown = guest.get(f"/api/games/{game.name}/examples/{example.name}").json()["view"]
        assert shown["viewer"] == match.to_move
        assert shown["prompt"] == match.view(match.to_move).prompt
