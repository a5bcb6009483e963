"""Whole games on every board: by mouse, by touch on a phone, by keyboard alone, and by those who listen."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import TimeoutError, expect, sync_playwright

from browsing import CHROMIUM, PHONE, Person, Server
from tablee.core.registry import all_games

pytestmark = [
    pytest.mark.xdist_group("boards"),
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here: apt-get install chromium"),
]

GAMES = [game.name for game in all_games()]
SHORT = {  # setups that end early; one person against one bot where the game allows it
    "lexio": {"options": {"rounds": 1}, "seats": 3},
    "skip_bo": {"options": {"single_round": True, "edition": "pocket"}},
    "skyjo": {"options": {"stall_turns": 1, "opening": "auto"}},
    "xylo": {"options": {"ties": "auto"}},
}
BOTS = {"skip_bo": "greedy"}  # at random it would take thousands of moves
HASTY = {"skip_bo": "stock|discard|Stock|Discard"}  # texts and labels of moves that bring a game to its end
MOST_MOVES = 400
MOST_TABS = 80

# Waits for our turn; returns a choice to make, or null when the game is over.
TURN = """
async ([hasty, rank]) => {
  const page = document.querySelector("table-page");
  for (;;) {
    const table = page.watched?.table;
    if (table?.phase === "over") return null;
    const choices = table?.view?.choices ?? [];
    if (choices.length && !page.isSending && !table.queued && page.board) {
      await page.board.updateComplete;
      const quick = choices.filter(({ text }) => hasty && new RegExp(hasty).test(text));
      const pool = quick.length ? quick : choices;
      return pool[(rank * 7919) % pool.length];
    }
    await new Promise((resume) => {
      page.watched?.addEventListener("change", resume, { once: true });
      setTimeout(resume, 50);
    });
  }
}
"""

# Where to touch: the middle of a thing that nothing else covers, or null if there is no such thing.
POINT = """
async (selectors) => {
  const page = document.querySelector("table-page");
  await page.updateComplete;
  await page.board?.updateComplete;
  await document.querySelector("table-dock")?.updateComplete;
  const thing = selectors.map((selector) => document.querySelector(selector)).find(Boolean);
  if (!thing) return null;
  thing.scrollIntoView({ block: "nearest" });
  const { left, top, width, height } = thing.getBoundingClientRect();
  const point = [left + width / 2, top + height / 2];
  const found = document.elementFromPoint(...point);
  if (!thing.contains(found)) throw new Error(`${thing.outerHTML} is under ${found?.outerHTML}`);
  return point;
}
"""

# What has the focus: the thing wanted, the shortcut that makes the move at once, or something else.
FOCUSED = """
async ([ids, text]) => {
  const page = document.querySelector("table-page");
  await page.updateComplete;
  await page.board?.updateComplete;
  const active = document.activeElement;
  if (active?.matches(`.shortcuts [data-move="${text}"]`)) return "shortcut";
  return active?.matches(ids.join(", ")) ? "thing" : "else";
}
"""

# Whether what was touched could become more, so that the move is still to be confirmed.
IS_PICKED = """
async () => {
  const { board } = document.querySelector("table-page");
  await board.updateComplete;
  return board.picked.length > 0;
}
"""

# Notes wherever a place of the table begins to stand elsewhere than at first.
WATCH_PLACES = """
() => {
  const boxes = new Map();
  window.shifts = [];
  const page = document.querySelector("table-page");
  page.watched.addEventListener("change", async () => {
    await page.updateComplete;
    await page.board?.updateComplete;
    if (page.watched?.table?.phase !== "playing") return;
    for (const place of document.querySelectorAll(".board .strip, .board > .common, .board > .own")) {
      const { left, top, width, height } = place.getBoundingClientRect();
      const box = [left + scrollX, top + scrollY, width, height].map(Math.round).join(" ");
      const name = place.getAttribute("aria-label") ?? place.className;
      if ((boxes.get(name) ?? box) !== box) window.shifts.push(`${name}: ${boxes.get(name)} became ${box}`);
      boxes.set(name, box);
    }
  });
}
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("boards")
    running = Server(folder, folder)
    yield running
    running.stop()


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def sit(browser, server):
    """Sit down at a short game against bots."""
    people = []

    def at(game, **wishes):
        person = Person(browser, server, "Ana", **wishes).introduce()
        people.append(person)
        short = {"seats": 2} | SHORT.get(game, {})
        person.make_table(game, bots=[BOTS.get(game, "random")] * (short["seats"] - 1), **short)
        person.wait("table.view && document.querySelector('.board')")
        person.page.evaluate(WATCH_PLACES)
        return person

    yield at
    for person in people:
        person.leave()


def things(target):
    """Return how to find what stands for an id: the thing itself, else what lies in the place of that name."""
    return [f'button[data-id="{target}"]', f'[data-zone="{target}"] button[data-id]']


def play_to_the_end(person, game, make):
    for rank in range(MOST_MOVES):
        choice = person.page.evaluate(TURN, [HASTY.get(game, ""), rank])
        if choice is None:
            break
        make(person, choice)
    assert person.table["result"]["winners"]
    assert person.page.evaluate("window.shifts") == []


# Ways to play


def by_pointer(press):
    def make(person, choice):
        for target in choice["targets"]:
            press(person.page, person.page.evaluate(POINT, things(target)))
        if person.page.evaluate(IS_PICKED):
            press(person.page, person.page.evaluate(POINT, [f'.shortcuts [data-move="{choice["text"]}"]']))

    return make


def by_keyboard(person, choice):
    for target in choice["targets"]:
        if tab_to(person, things(target), choice["text"]) == "shortcut":
            return
    if person.page.evaluate(IS_PICKED):
        tab_to(person, [f'.shortcuts [data-move="{choice["text"]}"]'], choice["text"])


def tab_to(person, selectors, text):
    """Press Tab until the thing wanted, or what makes the move at once, has the focus; then Enter."""
    for _ in range(MOST_TABS):
        found = person.page.evaluate(FOCUSED, [selectors, text])
        if found != "else":
            person.page.keyboard.press("Enter")
            return found
        person.page.keyboard.press("Tab")
    raise AssertionError(f"{selectors} cannot be reached by Tab")


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_by_mouse(game, sit):
    play_to_the_end(sit(game), game, by_pointer(lambda page, point: page.mouse.click(*point)))


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_by_touch_on_a_phone(game, sit):
    person = sit(game, size=PHONE)
    play_to_the_end(person, game, by_pointer(lambda page, point: page.touchscreen.tap(*point)))
    assert not person.is_wider_than_the_screen


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_by_keyboard(game, sit):
    play_to_the_end(sit(game), game, by_keyboard)


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_by_roles_and_names_alone(game, sit):
    """Nothing but the accessibility tree says what can be done, and nothing else is used to do it."""
    page = sit(game).page
    region = page.get_by_role("region", name="What you can do")
    story = page.get_by_role("log", name="Story")
    for _ in range(MOST_MOVES):
        if page.get_by_role("heading", name=re.compile(r" win|^You win")).count():
            break
        listen_and_play(region, HASTY.get(game, ""))
    expect(page.get_by_role("table")).to_contain_text("Ana")
    assert "Ana" in story.aria_snapshot()


def listen_and_play(region, hasty):
    """Read out what can be done, choose, and press."""
    try:
        heard = region.aria_snapshot(timeout=2000)
        choices = [name for name in re.findall(r'- button "([^"]+)"(?! \[disabled)', heard) if name not in ("Play", "Take back")]
        lists = [name for name in choices if re.fullmatch(r"(All )?\d+ moves?", name)]
        choices = [name for name in choices if name not in lists]
        quick = [name for name in choices if hasty and re.search(hasty, name)]
        if lists and not choices:
            region.get_by_role("button", name=lists[0]).click(timeout=2000)
        elif choices:
            name = (quick or choices)[len(heard) % len(quick or choices)]
            region.get_by_role("button", name=name, exact=True).click(timeout=2000)
            region.page.wait_for_timeout(30)
        else:
            region.page.wait_for_timeout(60)
    except TimeoutError:
        pass  # what was heard was no longer so: listen again
