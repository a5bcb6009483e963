"""Guided rounds in the terminal: left in the middle and resumed.

`test_lessons.py` takes every wrong turn at the table itself; here one is taken per step, and `make lessons` takes all.
"""

import pytest

from lesson_walks import GAMES, TerminalWalk, lesson_settings
from tablee.core.languages import languages
from tablee.core.lessons import lesson_of
from terminals import SMALL, play

LANGUAGES = list(languages())


@pytest.fixture
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TABLEE_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("_own_folder")
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_lesson_is_played_left_and_resumed_in_the_terminal(game):
    settings = lesson_settings(game, LANGUAGES[(GAMES.index(game) + 1) % len(LANGUAGES)])
    half = len(lesson_of(game).steps) // 2
    play(TerminalWalk(settings, SMALL).play(1, last=half))
    assert settings.lesson_path.exists()
    play(TerminalWalk(settings, SMALL).play(1, first=half))
    assert not settings.lesson_path.exists()
