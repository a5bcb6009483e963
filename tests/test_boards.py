"""Whole games on every board: by mouse, by touch, by keyboard, and by accessible roles and names."""

import re
from contextlib import suppress

import pytest
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError
from playwright.sync_api import expect

from browser import CHROMIUM, DESKTOP, PHONE, Player, Server
from tablee.core.registry import all_games, find_game

pytestmark = [
    pytest.mark.xdist_group("boards"),
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: apt-get install chromium"),
]

GAMES = [game.name for game in all_games()]
SHORT = {  # options for short games of one player and one bot
    "lexio": {"options": {"rounds": 1, "two_players": True}},
    "liars_dice": {"options": {"dice": 2}},
    "skip_bo": {"options": {"single_round": True, "edition": "pocket"}},
    "skyjo": {"options": {"stall_turns": 1, "opening": "auto"}},
    "xylo": {"options": {"ties": "auto"}},
}
BOTS = {"skip_bo": "greedy"}  # a random bot would need thousands of moves
FAST_MOVES = {  # texts and labels of moves that end a game soon
    "skip_bo": "stock|discard|Stock|Discard",
    "skyjo": "take|swap|Take|Swap",
}
CROWDED = {"skip_bo": {"edition": "classic"}}  # options that allow more players
MAX_MOVES = 400
MAX_TRIES = 4  # to reach a button by Tab while the table changes
MAX_PRESS = 2_000  # milliseconds to find a button by its name and press it
AXE_MOVE = 6  # the move before which accessibility is checked
MAX_SCROLL = 8  # pixels that may be below the screen
OTHER_BUTTONS = ("Play", "Clear", "Withdraw", "Undo")  # beside the moves

# Waits for the player's turn; returns a choice, or null when the game is over.
TURN = """
async ([fastMoves, index]) => {
  const page = document.querySelector("table-page");
  for (;;) {
    const table = page.watched?.table;
    if (table?.phase === "over") return null;
    const choices = page.watched?.isUpToDate ? (table.view?.choices ?? []) : [];
    if (choices.length && !page.isSending && !table.queued && page.board) {
      await page.board.updateComplete;
      const quick = choices.filter(({ text }) => fastMoves && new RegExp(fastMoves).test(text));
      const pool = quick.length ? quick : choices;
      return pool[(index * 7919) % pool.length];
    }
    await new Promise((resume) => {
      page.watched?.addEventListener("change", resume, { once: true });
      setTimeout(resume, 50);
    });
  }
}
"""

# Returns the centre of an element once nothing covers it (cards being dealt do for a moment), or null without one.
POINT = """
async (selectors) => {
  const page = document.querySelector("table-page");
  await page.updateComplete;
  await page.board?.updateComplete;
  await document.querySelector("table-dock")?.updateComplete;
  const element = selectors.map((selector) => document.querySelector(selector)).find(Boolean);
  if (!element) return null;
  element.scrollIntoView({ block: "nearest" });
  const start = performance.now();
  while (true) {
    const { left, top, width, height } = element.getBoundingClientRect();
    const point = [left + width / 2, top + height / 2];
    const found = document.elementFromPoint(...point);
    if (element.contains(found)) return point;
    if (performance.now() > start + 30000) throw new Error(`${element.outerHTML} is under ${found?.outerHTML}`);
    await new Promise(requestAnimationFrame);
  }
}
"""

# Returns the number of Tab presses (negative: backwards) to the wanted button or to the shortcut of the move, whichever
# is nearer, and which it is; null if the tab key stops at neither.
TAB_DISTANCE = """
async ([selectors, text]) => {
  const page = document.querySelector("table-page");
  await page.updateComplete;
  await page.board?.updateComplete;
  await document.querySelector("table-dock")?.updateComplete;
  const active = document.activeElement;
  const stops = [...document.querySelectorAll("a[href], button:enabled, input:enabled, [tabindex]")]
    .filter((element) => element === active || (element.tabIndex >= 0 && element.checkVisibility()));
  const here = stops.indexOf(active);
  const wanted = { shortcut: `.shortcuts [data-move="${text}"]`, button: selectors.join(", ") };
  const distances = Object.entries(wanted)
    .map(([found, selector]) => [stops.findIndex((element) => element.matches(selector)) - here, found])
    .filter(([distance]) => distance + here >= 0);
  return distances.sort(([one], [other]) => Math.abs(one) - Math.abs(other))[0] ?? null;
}
"""

# Whether the selection could become several moves, so that one must be confirmed.
HAS_SELECTION = """
async () => {
  const { board } = document.querySelector("table-page");
  await board.updateComplete;
  return board.selected.length > 0;
}
"""

# Records every area of the table that changes its position or size.
WATCH_AREAS = """
() => {
  const boxes = new Map();
  window.shifts = [];
  const page = document.querySelector("table-page");
  page.watched.addEventListener("change", async () => {
    await page.updateComplete;
    await page.board?.updateComplete;
    if (page.watched?.table?.phase !== "playing") return;
    for (const area of document.querySelectorAll(".board .strip, .board > .common, .board > .own")) {
      const { left, top, width, height } = area.getBoundingClientRect();
      const box = [left + scrollX, top + scrollY, width, height].map(Math.round).join(" ");
      const name = area.getAttribute("aria-label") ?? area.className;
      if ((boxes.get(name) ?? box) !== box) window.shifts.push(`${name}: ${boxes.get(name)} became ${box}`);
      boxes.set(name, box);
    }
  });
}
"""

# Shows a finished trick with cards of these colours.
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


# Shows the result of a round and a banner; returns how far each reaches into the viewer's own area, in pixels.
SHOW_MESSAGES = """
async () => {
  const { board } = document.querySelector("table-page");
  const { html } = await import("/vendor/lit.js");
  const { showBanner } = await import("/parts/motion.js");
  const lines = Array.from({ length: 9 }, (_, seat) => html`<p>Player ${seat}: 9</p>`);
  board.showRoundSummary(html`<h2>Round 1</h2>${lines}`);
  showBanner(board, "Ana takes the trick with the last card of the round.");
  await board.updateComplete;
  const { top } = board.querySelector(".own").getBoundingClientRect();
  return [".round-summary", ".move-banner"].map(
    (selector) => Math.round(board.querySelector(selector).getBoundingClientRect().bottom - top));
}
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("boards"))
    yield running
    running.stop()


@pytest.fixture(scope="module")
def players(browser, server):
    """Players by screen width and motion, shared by all tests so that their caches stay warm."""
    created = {}
    yield created
    for player in created.values():
        player.close()


@pytest.fixture
def start_game(players, browser, server):
    """Start a short game against a bot; the browser may not report an error until the test is over."""
    used = []

    def start(game, size=DESKTOP, motion="reduce"):
        key = (size["width"], motion)
        if key not in players:
            players[key] = Player(browser, server, "Ana", size=size, motion=motion).with_name()
        player = players[key]
        used.append(player)
        player.create_table(game, seats=2, bots=[BOTS.get(game, "random")], **SHORT.get(game, {}))
        player.wait("table.view && document.querySelector('.board')")
        player.page.evaluate(WATCH_AREAS)
        return player

    yield start
    for player in used:
        assert player.errors == []


def selectors_of(target):
    """Return selectors of the button for an id: its own, else the first in the zone of that name."""
    return [f'button[data-id="{target}"]', f'[data-zone="{target}"] button[data-id]']


def play_to_the_end(player, game, play):
    for index in range(MAX_MOVES):
        choice = player.page.evaluate(TURN, [FAST_MOVES.get(game, ""), index])
        if choice is None:
            break
        play(player, choice)
    assert player.table["result"]["winners"]
    assert player.page.evaluate("window.shifts") == []


# Input methods


def by_pointer(press):
    def play(player, choice):
        for target in choice["targets"]:
            press(player.page, player.page.evaluate(POINT, selectors_of(target)))
        if player.page.evaluate(HAS_SELECTION):
            press(player.page, player.page.evaluate(POINT, [f'.shortcuts [data-move="{choice["text"]}"]']))

    return play


by_mouse = by_pointer(lambda page, point: page.mouse.click(*point))
by_touch = by_pointer(lambda page, point: page.touchscreen.tap(*point))


def by_keyboard(player, choice):
    for target in choice["targets"]:
        if tab_to(player, selectors_of(target), choice["text"]) == "shortcut":
            return
    if player.page.evaluate(HAS_SELECTION):
        tab_to(player, [f'.shortcuts [data-move="{choice["text"]}"]'], choice["text"])


def tab_to(player, selectors, text):
    """Press Tab or Shift+Tab until the wanted button or the shortcut of the move has the focus; then Enter."""
    for _ in range(MAX_TRIES):
        distance = player.page.evaluate(TAB_DISTANCE, [selectors, text])
        assert distance, f"Tab does not stop at {selectors}"
        steps, found = distance
        if not steps:
            player.page.keyboard.press("Enter")
            return found
        for _ in range(abs(steps)):
            player.page.keyboard.press("Tab" if steps > 0 else "Shift+Tab")
    raise AssertionError(f"{selectors} cannot be reached by Tab")


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_by_mouse(game, start_game):
    """With animations; when the game is over, no moving copy is left."""
    player = start_game(game, motion="no-preference")
    play_to_the_end(player, game, by_mouse)
    expect(player.page.locator(".ghost, .move-banner")).to_have_count(0)


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_by_touch_on_a_phone(game, start_game):
    player = start_game(game, size=PHONE)
    play_to_the_end(player, game, by_touch)
    assert not player.overflows_sideways


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_by_keyboard(game, start_game):
    play_to_the_end(start_game(game), game, by_keyboard)


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_by_roles_and_names(game, start_game):
    """Only the accessibility tree is used to find moves and to play them."""
    player = start_game(game)
    page = player.page
    region = page.get_by_role("region", name="Your moves")
    for move in range(MAX_MOVES):
        if page.evaluate(TURN, ["", 0]) is None:
            break
        if move == AXE_MOVE:  # on turn: while a move is sent, a list of disabled buttons cannot be scrolled by keys
            assert player.violations() == []
        read_and_play(region, FAST_MOVES.get(game, ""))
    expect(page.get_by_role("heading", name=re.compile(r" win|^You win"))).to_be_visible()
    expect(page.get_by_role("table").first).to_contain_text("Ana")
    # The last lines may name only one of them
    assert re.search("Ana|Camille", page.get_by_role("log", name="Log").aria_snapshot())


def read_and_play(region, fast_moves):
    """Choose one of the buttons in the accessibility tree and press it."""
    with suppress(PlaywrightTimeoutError):  # another player's move may change the choices before it is pressed
        name = choose_button(region.aria_snapshot(timeout=MAX_PRESS), fast_moves)
        if name:
            region.get_by_role("button", name=name, exact=True).press("Enter", timeout=MAX_PRESS)


def choose_button(snapshot, fast_moves):
    """Return the name of a move among the buttons, else of the button that lists all moves."""
    names = [name for name in re.findall(r'- button "([^"]+)"(?! \[disabled)', snapshot) if name not in OTHER_BUTTONS]
    lists = [name for name in names if re.fullmatch(r"(All )?\d+ moves?", name)]
    moves = [name for name in names if name not in lists]
    pool = [name for name in moves if fast_moves and re.search(fast_moves, name)] or moves or lists
    return pool[len(snapshot) % len(pool)] if pool else ""


# Dragging


def drag(page, start, end):
    """Drag one element to another with the mouse."""
    page.mouse.move(*page.evaluate(POINT, [f'[data-id="{start}"]']))
    page.mouse.down()
    page.mouse.move(*page.evaluate(POINT, [*selectors_of(end), f'[data-zone="{end}"]']), steps=4)
    page.mouse.up()


def test_dragging_a_discard_to_a_cell_takes_and_swaps(start_game):
    player = start_game("skyjo")
    player.page.evaluate(TURN, ["", 0])
    drag(player.page, "discard", "seat0.b2")
    player.wait("watched.log.some(({ code, text }) => code === 'swapped' && text.includes('b2'))")


def test_a_drawn_card_is_dragged_to_its_cell(start_game):
    player = start_game("skyjo")
    player.page.evaluate(TURN, ["", 0])
    drag(player.page, "draw", "hand")
    player.wait("table.view.facts.phase === 'drawn' && table.view.choices.length > 0")
    player.page.evaluate(TURN, ["", 0])
    drag(player.page, "hand.card", "seat0.c3")
    player.wait("watched.log.some(({ code, text }) => code === 'swapped' && text.includes('c3'))")


def test_a_tile_dragged_to_the_table_is_played(start_game):
    player = start_game("lexio")
    single = when_possible(player, r"^play \w+$")
    drag(player.page, single["targets"][0], "table")
    tile = single["label"].removeprefix("Play ")  # as the log names it; `text` has the letters of records
    player.wait(f"watched.log.some(({{ text }}) => text === 'Ana plays {tile}.')")


def when_possible(player, pattern):
    """Play until a move with a text of this pattern is possible; return its choice."""
    while True:
        choice = player.page.evaluate(TURN, [pattern, 0])
        if re.search(pattern, choice["text"]):
            return choice
        by_mouse(player, choice)


# Display


def test_selected_tiles_are_named_and_compared(start_game):
    player = start_game("lexio")
    verdict = player.page.locator(".verdict")
    choice = when_possible(player, "^play")
    for target in choice["targets"]:
        player.page.mouse.click(*player.page.evaluate(POINT, selectors_of(target)))
    expect(verdict).to_contain_text("✓")
    player.page.keyboard.press("Escape")
    expect(verdict).to_contain_text("Touch tiles")


def test_a_finished_trick_stays_legible(start_game):
    player = start_game("xylo")
    player.page.evaluate(
        SHOW_LAST_TRICK, ["red", "blue", "purple"]
    )  # light text on dark colours has the least contrast
    assert player.page.locator(".trick-slot.old .in-trick").count() >= 3
    assert player.violations() == []


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("game", GAMES)
def test_messages_never_cover_the_own_area(game, size, start_game):
    player = start_game(game, size=size)
    if player.page.locator(".board > .own").count():
        assert max(player.page.evaluate(SHOW_MESSAGES)) <= 0


# Counts the copies of pieces that are put on the page to travel.
COUNT_TRAVELLERS = """
() => {
  window.travellers = 0;
  new MutationObserver((changes) => {
    const added = changes.flatMap(({ addedNodes }) => [...addedNodes]);
    window.travellers += added.filter((node) => node.classList?.contains("ghost")).length;
  }).observe(document.documentElement, { childList: true, subtree: true });
}
"""


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_move_is_followed_by_motion_unless_it_is_reduced(motion, start_game):
    player = start_game("skyjo", motion=motion)
    choice = player.page.evaluate(TURN, ["^take", 0])
    player.page.evaluate(COUNT_TRAVELLERS)
    by_mouse(player, choice)
    player.wait("table.view.zones.some(({ id, pieces }) => id === 'hand' && pieces.length)")
    assert bool(player.page.evaluate("window.travellers")) == (motion == "no-preference")


# Gives the dock choices with the longest labels that occur; returns by how much it is higher than boards expect.
SHOW_LONG_CHOICES = """
async (labels) => {
  const dock = document.querySelector("table-dock"), view = dock.table.view;
  const choices = labels.map((label, index) => ({ ...view.choices[0], label, text: `choice ${index}` }));
  const commands = [...dock.table.commands, { ...dock.table.commands[0], type: "play" }];
  const prompt = "Beat the straight 12-13-14-15-1, or pass.";
  dock.table = { ...dock.table, commands, view: { ...view, choices, prompt } };
  await dock.updateComplete;
  const expected = parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--dock"));
  return dock.getBoundingClientRect().height - expected;
}
"""


@pytest.mark.parametrize("flushes", [1, 2])
def test_long_choices_do_not_push_the_board_off_a_phone(flushes, start_game):
    player = start_game("lexio", size=PHONE)
    player.wait("table.view.choices.length")
    labels = ["Pass", *["Play 13N 14N 15N 11N 12N: straight flush up to Cloud 15"] * flushes]
    assert player.page.evaluate(SHOW_LONG_CHOICES, labels) <= MAX_SCROLL


@pytest.mark.parametrize("game", GAMES)
def test_a_phone_shows_the_whole_table_at_every_number_of_players(game, start_game):
    player = start_game(game, size=PHONE)
    for seats in find_game(game).seats:
        options = CROWDED.get(game, {}) | ({"two_players": seats == 2} if game == "lexio" else {})
        player.create_table(game, seats=seats, options=options, bots=["random"] * (seats - 1))
        player.wait("table.view && document.querySelector('.board')?.childElementCount")
        assert not player.overflows_sideways, seats
        assert player.page.evaluate("document.documentElement.scrollHeight - innerHeight") <= MAX_SCROLL, seats
