"""Whole games on every board: by mouse, by touch on a phone, by keyboard alone, and by those who listen."""

import re
from contextlib import suppress

import pytest
from playwright.sync_api import TimeoutError as TooLate
from playwright.sync_api import expect

from browser import CHROMIUM, DESKTOP, PHONE, Person, Server
from tablee.core.registry import all_games, find_game

pytestmark = [
    pytest.mark.xdist_group("boards"),
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here: apt-get install chromium"),
]

GAMES = [game.name for game in all_games()]
SHORT = {  # setups that end early, for one person and one bot
    "lexio": {"options": {"rounds": 1, "two_players": True}},
    "skip_bo": {"options": {"single_round": True, "edition": "pocket"}},
    "skyjo": {"options": {"stall_turns": 1, "opening": "auto"}},
    "xylo": {"options": {"ties": "auto"}},
}
BOTS = {"skip_bo": "greedy"}  # at random it would take thousands of moves
HASTY = {  # texts and labels of moves that bring a game to its end
    "skip_bo": "stock|discard|Stock|Discard",
    "skyjo": "take|swap|Take|Swap",
}
CROWDED = {"skip_bo": {"edition": "classic"}}  # where more may play than usual
MAX_MOVES = 400
MAX_TRIES = 4  # to reach a thing by Tab while the table changes
MIDDLE = 6  # the move before which the page is judged
SPARE = 8  # pixels that may be below the screen
NO_MOVES = ("Play", "Put back", "Take back")  # buttons beside the moves

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

# Where to touch: the middle of a thing that nothing else covers (cards being dealt do, for a moment), or null if there
# is no such thing.
POINT = """
async (selectors) => {
  const page = document.querySelector("table-page");
  await page.updateComplete;
  await page.board?.updateComplete;
  await document.querySelector("table-dock")?.updateComplete;
  const thing = selectors.map((selector) => document.querySelector(selector)).find(Boolean);
  if (!thing) return null;
  thing.scrollIntoView({ block: "nearest" });
  const begun = performance.now();
  while (true) {
    const { left, top, width, height } = thing.getBoundingClientRect();
    const point = [left + width / 2, top + height / 2];
    const found = document.elementFromPoint(...point);
    if (thing.contains(found)) return point;
    if (performance.now() > begun + 2000) throw new Error(`${thing.outerHTML} is under ${found?.outerHTML}`);
    await new Promise(requestAnimationFrame);
  }
}
"""

# How far Tab has to go (back, if negative) to the thing wanted or the shortcut that makes the move at once, whichever
# is nearer; what is found there; null if the tab key stops at neither.
WAY = """
async ([selectors, text]) => {
  const page = document.querySelector("table-page");
  await page.updateComplete;
  await page.board?.updateComplete;
  await document.querySelector("table-dock")?.updateComplete;
  const active = document.activeElement;
  const stops = [...document.querySelectorAll("a[href], button:enabled, input:enabled, [tabindex]")]
    .filter((thing) => thing === active || (thing.tabIndex >= 0 && thing.checkVisibility()));
  const here = stops.indexOf(active);
  const wanted = { shortcut: `.shortcuts [data-move="${text}"]`, thing: selectors.join(", ") };
  const ways = Object.entries(wanted)
    .map(([found, selector]) => [stops.findIndex((thing) => thing.matches(selector)) - here, found])
    .filter(([way]) => way + here >= 0);
  return ways.sort(([one], [other]) => Math.abs(one) - Math.abs(other))[0] ?? null;
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

# Shows a trick that is over, with cards of these colours.
SHOW_LAST_TRICK = """
async (colours) => {
  const { board } = document.querySelector("table-page");
  const view = structuredClone(board.view);
  const card = (colour) => ({ colour, value: 10, symbol: "circle", label: `10 ${colour}` });
  view.facts.last_trick = view.facts.rows.map((_, row) => card(colours[row % colours.length]));
  for (const zone of view.zones) {
    if (zone.id === "trick") zone.pieces = [];
    if (zone.id.endsWith(".tricks")) zone.count = 1;
  }
  board.view = view;
  await board.updateComplete;
}
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("boards"))
    yield running
    running.stop()


@pytest.fixture(scope="module")
def people(browser, server):
    """Those who have come, by what they come with: whoever stays need not load everything anew."""
    known = {}
    yield known
    for person in known.values():
        person.leave()


@pytest.fixture
def sit(people, browser, server):
    """Sit down at a short game against a bot; nothing may go wrong in the browser until the test is over."""
    used = []

    def at(game, size=DESKTOP, motion="reduce"):
        key = (size["width"], motion)
        if key not in people:
            people[key] = Person(browser, server, "Ana", size=size, motion=motion).introduce()
        person = people[key]
        used.append(person)
        person.make_table(game, seats=2, bots=[BOTS.get(game, "random")], **SHORT.get(game, {}))
        person.wait("table.view && document.querySelector('.board')")
        person.page.evaluate(WATCH_PLACES)
        return person

    yield at
    for person in used:
        assert person.troubles == []


def things(target):
    """Return how to find what stands for an id: the thing itself, else what lies in the place of that name."""
    return [f'button[data-id="{target}"]', f'[data-zone="{target}"] button[data-id]']


def play_to_the_end(person, game, make):
    for rank in range(MAX_MOVES):
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


by_mouse = by_pointer(lambda page, point: page.mouse.click(*point))
by_touch = by_pointer(lambda page, point: page.touchscreen.tap(*point))


def by_keyboard(person, choice):
    for target in choice["targets"]:
        if tab_to(person, things(target), choice["text"]) == "shortcut":
            return
    if person.page.evaluate(IS_PICKED):
        tab_to(person, [f'.shortcuts [data-move="{choice["text"]}"]'], choice["text"])


def tab_to(person, selectors, text):
    """Press Tab, or Shift and Tab, until the thing wanted or what makes the move at once has the focus; then Enter."""
    for _ in range(MAX_TRIES):
        way = person.page.evaluate(WAY, [selectors, text])
        assert way, f"Tab does not stop at {selectors}"
        steps, found = way
        if not steps:
            person.page.keyboard.press("Enter")
            return found
        for _ in range(abs(steps)):
            person.page.keyboard.press("Tab" if steps > 0 else "Shift+Tab")
    raise AssertionError(f"{selectors} cannot be reached by Tab")


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_by_mouse(game, sit):
    """With everything in motion; when it is over, nothing that travelled is left above the table."""
    person = sit(game, motion="no-preference")
    play_to_the_end(person, game, by_mouse)
    expect(person.page.locator(".ghost, .moment")).to_have_count(0)


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_by_touch_on_a_phone(game, sit):
    person = sit(game, size=PHONE)
    play_to_the_end(person, game, by_touch)
    assert not person.is_wider_than_the_screen


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_by_keyboard(game, sit):
    play_to_the_end(sit(game), game, by_keyboard)


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_by_roles_and_names_alone(game, sit):
    """Nothing but the accessibility tree says what can be done, and nothing else is used to do it."""
    person = sit(game)
    page = person.page
    region = page.get_by_role("region", name="What you can do")
    over = page.get_by_role("heading", name=re.compile(r" win|^You win"))
    for rank in range(MAX_MOVES):
        if not listen_and_play(region, HASTY.get(game, "")) and over.count():
            break
        if rank == MIDDLE:
            assert person.violations() == []
    expect(page.get_by_role("table").first).to_contain_text("Ana")
    # Its end may tell of one of them only
    assert re.search("Ana|Camille", page.get_by_role("log", name="Story").aria_snapshot())


def listen_and_play(region, hasty):
    """Read out what can be done, choose, and press; return whether there was anything to press."""
    name = ""
    with suppress(TooLate):  # what is heard may have changed before it is pressed
        heard = region.aria_snapshot(timeout=500)
        name = chosen(heard, hasty)
        if name:
            region.get_by_role("button", name=name, exact=True).press("Enter", timeout=500)
    region.page.wait_for_timeout(20)
    return bool(name)


def chosen(heard, hasty):
    """Return the name of a move among the buttons heard, else of the button that lists all moves."""
    names = [name for name in re.findall(r'- button "([^"]+)"(?! \[disabled)', heard) if name not in NO_MOVES]
    lists = [name for name in names if re.fullmatch(r"(All )?\d+ moves?", name)]
    moves = [name for name in names if name not in lists]
    pool = [name for name in moves if hasty and re.search(hasty, name)] or moves or lists
    return pool[len(heard) % len(pool)] if pool else ""


# Dragging


def drag(page, start, end):
    """Carry one thing to another with the mouse."""
    page.mouse.move(*page.evaluate(POINT, [f'[data-id="{start}"]']))
    page.mouse.down()
    page.mouse.move(*page.evaluate(POINT, [*things(end), f'[data-zone="{end}"]']), steps=4)
    page.mouse.up()


def test_a_card_is_taken_from_the_discard_and_laid_in_one_movement(sit):
    person = sit("skyjo")
    person.page.evaluate(TURN, ["", 0])
    drag(person.page, "discard", "seat0.b2")
    person.wait("watched.log.some(({ code, text }) => code === 'swapped' && text.includes('b2'))")


def test_a_drawn_card_is_carried_to_its_place(sit):
    person = sit("skyjo")
    person.page.evaluate(TURN, ["", 0])
    drag(person.page, "draw", "hand")
    person.wait("table.view.facts.phase === 'drawn' && table.view.choices.length > 0")
    person.page.evaluate(TURN, ["", 0])
    drag(person.page, "hand.card", "seat0.c3")
    person.wait("watched.log.some(({ code, text }) => code === 'swapped' && text.includes('c3'))")


def test_a_tile_carried_to_the_middle_is_played(sit):
    person = sit("lexio")
    single = when_possible(person, r"^play \w+$")
    drag(person.page, single["targets"][0], "table")
    person.wait(f"watched.log.some(({{ text }}) => text === 'Ana plays {single['text'][5:]}.')")


def when_possible(person, pattern):
    """Play on until a move of this text is possible."""
    while True:
        choice = person.page.evaluate(TURN, [pattern, 0])
        if re.search(pattern, choice["text"]):
            return choice
        by_mouse(person, choice)


# What one sees


def test_tiles_picked_are_named_and_judged(sit):
    person = sit("lexio")
    verdict = person.page.locator(".verdict")
    choice = when_possible(person, "^play")
    for target in choice["targets"]:
        person.page.mouse.click(*person.page.evaluate(POINT, things(target)))
    expect(verdict).to_contain_text("✓")
    person.page.keyboard.press("Escape")
    expect(verdict).to_contain_text("Touch tiles")


def test_a_trick_that_is_over_can_still_be_read(sit):
    person = sit("xylo")
    person.page.evaluate(SHOW_LAST_TRICK, ["red", "blue", "purple"])  # light on dark: what is pale is lost here first
    assert person.page.locator(".trick-slot.old .in-trick").count() >= 3
    assert person.violations() == []


@pytest.mark.parametrize("game", GAMES)
def test_a_phone_shows_the_whole_table_at_every_number_of_players(game, sit):
    person = sit(game, size=PHONE)
    for seats in find_game(game).seats:
        options = CROWDED.get(game, {}) | ({"two_players": seats == 2} if game == "lexio" else {})
        person.make_table(game, seats=seats, options=options, bots=["random"] * (seats - 1))
        person.wait("table.view && document.querySelector('.board')?.childElementCount")
        assert not person.is_wider_than_the_screen, seats
        assert person.page.evaluate("document.documentElement.scrollHeight - innerHeight") <= SPARE, seats
