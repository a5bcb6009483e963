"""Guided rounds in a browser, by clicks and keys, on a phone.

`test_lessons.py` takes every wrong turn at the table itself; here a few are taken, and `make lessons` takes all.
"""

import re

import pytest
from playwright.sync_api import expect

from lesson_walks import GAMES, TALL_PHONE, BrowserWalk, at_step
from tablee.core.languages import languages
from tablee.core.lessons import lesson_of

LANGUAGES = list(languages())
MAX_WRONG_TURNS = 3  # per lesson


@pytest.mark.xdist_group("web")
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_lesson_is_played_in_the_browser(new_player, game):
    language = LANGUAGES[GAMES.index(game) % len(LANGUAGES)]
    player = new_player("Ana", language=language, size=TALL_PHONE).with_name()
    player.visit("")
    title = game.words(language).say("title")
    player.page.locator("button.learn", has_text=re.compile("Learn|Apprendre")).and_(
        player.page.get_by_role("button", name=re.compile(f" {re.escape(title)}$"))
    ).click()
    at_step(player, 1, "move" if lesson_of(game).steps[0].move else "advance")
    BrowserWalk(player, game, language).play(MAX_WRONG_TURNS)
    expect(player.page.get_by_role("heading", name=title).last).to_be_visible()
    assert not player.violations()
