"""The layout rules of docs/web.md, for every board at every size of screen, in every language."""

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from browser import CHROMIUM, Server
from positions import positions_of
from tablee.core.languages import languages
from tablee.core.registry import all_games

pytestmark = [
    pytest.mark.xdist_group("layouts"),
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: apt-get install chromium"),
]

RULES = (Path(__file__).parent / "layout_rules.js").read_text(encoding="utf-8")
WORDY_LANGUAGE = "fr"  # the language in which all positions are checked; in the others those that are fullest
FULLEST = ("middle", "rest", "usual players")
MAX_LOBBY_SCREENS = 2.5  # of a phone, for all games


class Size(NamedTuple):
    """A screen in CSS pixels; whether it is touched, and whether the whole table fits, in play and between rounds."""

    width: int
    height: int
    is_touched: bool = False
    is_whole: bool = True
    is_whole_at_rest: bool = True


SIZES = {
    "narrow phone": Size(320, 568, is_whole=False, is_whole_at_rest=False),  # 1280 px zoomed to 400 %, too
    "small phone": Size(360, 640, is_touched=True, is_whole_at_rest=False),
    "phone": Size(390, 844, is_touched=True),
    "phone sideways": Size(844, 390, is_touched=True),
    "zoomed to 200 %": Size(720, 450),
    "tablet": Size(820, 1180, is_touched=True),
    "tablet sideways": Size(1180, 820, is_touched=True),
    "desktop": Size(1280, 800),
    "large desktop": Size(1920, 1080),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("layouts"))
    yield running
    running.stop()


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("game", [game.name for game in all_games()])
def test_every_board_keeps_the_layout_rules_at_every_size(game, language, new_player):
    player = new_player("Ana", language=language).with_name()
    player.create_table(game)
    player.page.wait_for_selector("waiting-room")
    shown = [
        {"name": name, "shown": json.loads(table), "log": json.loads(log)}
        for name, table, log in positions_of(game, language)
        if language == WORDY_LANGUAGE or name in FULLEST
    ]
    broken = []
    for name, size in SIZES.items():
        player.page.set_viewport_size({"width": size.width, "height": size.height})
        rules = {
            "isTouched": size.is_touched,
            "isWhole": size.is_whole,
            "isWholeAtRest": size.is_whole_at_rest,
        }
        broken += [f"{name}: {each}" for each in player.page.evaluate(RULES, [shown, rules])]
    assert not broken, "\n".join(broken)


# The width of words with a hyphen, as pages show them and with the font's own hyphen.
HYPHENATED = """
["normal", getComputedStyle(document.body).fontFeatureSettings].map((features) => {
  const words = Object.assign(document.createElement("span"), { textContent: "peut-être" });
  words.style.fontFeatureSettings = features;
  document.body.append(words);
  return words.getBoundingClientRect().width;
})
"""


def test_hyphens_are_as_wide_as_the_font_has_them(new_player):
    page = new_player().visit()
    page.wait_for_selector(".game-card")
    page.evaluate("document.fonts.ready")
    plain, shown = page.evaluate(HYPHENATED)
    assert plain == pytest.approx(shown, abs=0.5)


@pytest.mark.parametrize("language", languages())
def test_buttons_of_the_lobby_have_one_line_on_a_phone(language, new_player):
    player = new_player(language=language)
    player.visit().wait_for_selector(".game-card")
    for name in ("narrow phone", "small phone", "phone"):
        player.page.set_viewport_size({"width": SIZES[name].width, "height": SIZES[name].height})
        assert not player.overflows_sideways, name
        heights = player.page.evaluate(
            "[...document.querySelectorAll('.game-actions .button')].map((each) => each.offsetHeight)"
        )
        assert set(heights) == {44}, name
    end = player.page.evaluate("document.querySelector('.covers').getBoundingClientRect().bottom + scrollY")
    assert end < MAX_LOBBY_SCREENS * SIZES["phone"].height
