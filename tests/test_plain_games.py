"""Every game in plain lines, to its end. Compiled, each game in the process that has compiled it (Makefile)."""

import random
import re

import pytest

from tablee import Match, all_games
from tablee.bots.roster import NAMES
from tablee.core.languages import languages
from tablee.server.warmup import SERVING, exercise_serving
from test_plain import Person, seated


@pytest.mark.parametrize("language", list(languages()))
@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_a_person_can_play_every_game_to_its_end_in_every_language(game, language):
    smallest = next(setup for setup in game.setups() if setup.options == game.setup().options)
    match, chooser, person = Match(game, seats=smallest.seats, seed=5), random.Random(5), Person()
    person.read = lambda: match.text(chooser.choice(match.legal_moves()))
    assert seated(match, person, language).run()
    assert any(game.words(language).say(f"reasons.{match.outcome.reason}") in line for line in person.shown)
    assert not [line for line in person.shown if re.search(r"[{}]|\bNone\b", line)]


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_a_server_does_all_it_does_with_a_table(game):
    """Tests in a browser have a server each, which then find all kernels in the cache."""
    bots = NAMES[:2]
    assert len(list(exercise_serving(game, bots))) == SERVING.steps - len(NAMES) + len(bots)
