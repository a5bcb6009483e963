"""Every game fulfils the contract."""

import pytest

from tablee import all_games
from tablee.core.registry import scan
from tablee.testing import CHECKS


@pytest.mark.conformance
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_game_conforms(game, check):
    check.run(game)


def test_every_folder_is_a_usable_game():
    assert scan().games
    assert scan().broken == {}
