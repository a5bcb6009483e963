"""Guided rounds in a browser, by clicks and keys, on a phone.

`test_lessons.py` tries every wrong turn at the table itself; here a few are tried per lesson.
"""

import re

import pytest
from playwright.sync_api import expect

from browser import CHROMIUM, Server
from tablee import all_games
from tablee.core.languages import languages
from tablee.core.lessons import lesson_of

GAMES = [game for game in all_games() if lesson_of(game) is not None]
LANGUAGES = list(languages())
MAX_WRONG_TURNS = 3  # per lesson
TALL_PHONE = {"width": 390, "height": 844}
CLICK_MOVE = """
async (text) => {
  const page = document.querySelector("table-page"), board = page.board;
  const choice = page.watched.table.view.choices.find((each) => each.text === text);
  board.clear();
  for (const target of choice.targets) {
    const name = CSS.escape(target);
    const button = document.querySelector(`button[data-id="${name}"]`);
    (button ?? document.querySelector(`[data-zone="${name}"] button[data-id]`)).click();
    await board.updateComplete;
  }
  await page.updateComplete;
  await document.querySelector("table-dock")?.updateComplete;
  document.querySelector(`.shortcuts button[data-move="${CSS.escape(text)}"]`)?.click();
}
"""


def wrong_move(step, texts):
    """Return a legal move other than the expected one, None if there is none."""
    return next((text for text in texts if text != step.move), None)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    if CHROMIUM is None:
        pytest.skip("chromium is not installed: apt-get install chromium")
    running_server = Server(tmp_path_factory.mktemp("lessons"))
    yield running_server
    running_server.stop()


def at_step(player, number, task):
    """Wait until the coach expects something at a step."""
    player.wait(f"table.lesson?.step === {number} && table.lesson.task === '{task}'")


def covers_own_cards(player):
    """Whether the coach lies over the viewer's own cards."""
    has_own_area = player.page.locator(".own").count()
    own = player.page.locator(".own" if has_own_area else ".board").bounding_box()
    coach = player.page.locator(".coached").bounding_box()
    return own["y"] + own["height"] > coach["y"] + 1


def walk_in_browser(player, lesson):
    """Play a lesson from its first step, with a few wrong turns; return its texts."""
    texts, wrong_turns = [], 0
    for number, step in enumerate(lesson.steps, start=1):
        at_step(player, number, "move" if step.move else "advance")
        texts.append(player.page.locator(".coach-words p").inner_text())
        if not step.move:
            player.page.locator(".coach .button").click()
            continue
        if step.points:
            expect(player.page.locator("[data-pointed]").first).to_be_attached()
        assert not covers_own_cards(player)
        other = wrong_move(step, [choice["text"] for choice in player.table["view"]["choices"]])
        if other is not None and wrong_turns < MAX_WRONG_TURNS:
            wrong_turns += 1
            player.page.evaluate(CLICK_MOVE, other)
            at_step(player, number, "retry")
            player.page.keyboard.press("n")
            at_step(player, number, "move")
        player.page.evaluate(CLICK_MOVE, step.move)
    player.wait("table.phase === 'over'")
    return texts


@pytest.mark.xdist_group("web")
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_lesson_is_played_in_the_browser(new_player, game):
    language = LANGUAGES[GAMES.index(game) % len(LANGUAGES)]
    lesson = lesson_of(game)
    player = new_player("Ana", language=language, size=TALL_PHONE).with_name()
    player.visit("")
    title = game.words(language).say("title")
    player.page.locator("button.learn", has_text=re.compile("Learn|Apprendre")).and_(
        player.page.get_by_role("button", name=re.compile(f" {re.escape(title)}$"))
    ).click()
    at_step(player, 1, "move" if lesson.steps[0].move else "advance")
    texts = walk_in_browser(player, lesson)
    expected = [
        step.text[language].format(seat0="Ana", **{f"seat{n}": name for n, name in names(player)})
        for step in lesson.steps
    ]
    assert [" ".join(text.split()) for text in texts] == [" ".join(text.split()) for text in expected]
    expect(player.page.get_by_role("heading", name=title).last).to_be_visible()
    assert not player.violations()


def names(player):
    """Yield the number and name of each other seat."""
    return ((seat["seat"], seat["name"]) for seat in player.table["seats"] if not seat["is_you"])
