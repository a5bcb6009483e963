"""Guided rounds in the terminal, by keys: left in the middle and resumed.

`test_lessons.py` tries every wrong turn at the table itself; here one is tried at every step.
"""

from functools import partial

import pytest

from tablee import all_games
from tablee.core.languages import languages
from tablee.core.lessons import lesson_of
from tablee.terminal.play_settings import PlaySettings
from terminals import SMALL, play, running, shown, table, until

GAMES = [game for game in all_games() if lesson_of(game) is not None]
LANGUAGES = list(languages())


def wrong_move(step, texts):
    """Return a legal move other than the expected one, None if there is none."""
    return next((text for text in texts if text != step.move), None)


@pytest.fixture
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TABLEE_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def is_asked(screen, step, task):
    """Whether the coach expects something at a step, and it is drawn."""
    lesson = screen.host.table.lesson if screen.host and screen.host.table else None
    is_drawn = not screen.is_redraw_due and not screen.requests
    return is_drawn and lesson is not None and (lesson.step, lesson.task) == (step, task)


async def walk_in_terminal(screen, pilot, steps):
    """Play some steps of a lesson by keys, numbered from 1, with one wrong turn at each."""
    for number, step in steps:
        await until(partial(is_asked, screen, number, "move" if step.move else "advance"), pilot)
        if not step.move:
            await pilot.press("enter")
            continue
        other = wrong_move(step, [choice.text for choice in screen._display.view.choices])
        if other is not None:
            await screen.execute(other)
            await until(partial(is_asked, screen, number, "retry"), pilot)
            await pilot.press("enter")
            await until(partial(is_asked, screen, number, "move"), pilot)
        await screen.execute(step.move)


@pytest.mark.usefixtures("_own_folder")
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_lesson_is_played_left_and_resumed_in_the_terminal(game):
    language = LANGUAGES[(GAMES.index(game) + 1) % len(LANGUAGES)]
    settings = PlaySettings(game, game.setup(), language, bots=(), name="Ana", is_lesson=True)
    steps = list(enumerate(lesson_of(game).steps, start=1))
    half = len(steps) // 2

    async def test():
        screen = table(settings)
        async with running(screen, SMALL) as (_, pilot):
            await walk_in_terminal(screen, pilot, steps[:half])
            number, step = steps[half]
            await until(partial(is_asked, screen, number, "move" if step.move else "advance"), pilot)
            await screen.close()
        screen = table(settings)
        async with running(screen, SMALL) as (app, pilot):
            await walk_in_terminal(screen, pilot, steps[half:])
            await until(lambda: bool(screen._display.result), pilot)
            assert screen.words.say("table.lesson_over") in " ".join(shown(app).split())
            await screen.close()
        assert not settings.lesson_path.exists()

    play(test())
