"""The front end in a browser against a server: whole games, lost connections, input methods, accessibility."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser import CHROMIUM, DESKTOP, PHONE, Server
from tablee import Record
from tablee.bots.roster import FIRST_BOT
from tablee.core.registry import all_games
from tablee.testing.template import make_game
from test_layouts import SIZES

pytestmark = [
    pytest.mark.xdist_group("web"),
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: apt-get install chromium"),
]

GAMES = [game.name for game in all_games()]
WEB = Path(__file__).parent.parent / "src" / "tablee" / "web"
TALL_PHONE = {"width": 390, "height": 844}
PLUGIN = "pebbles"  # a third-party game in another folder, with its own board
BOARD = """
import { html } from "/vendor/lit.js";
import { Board } from "/parts/board.js";

export default class extends Board {
  render() {
    return html`<p class="own-board">${this.nameOf(this.view.viewer)}</p>
      ${this.view.choices.map(({ text, label }) => html`
        <button class="pebble" @click=${() => this.onChoose(text)}>${label}</button>`)}`;
  }
}
"""
SHORT = {  # options for short games
    "skyjo": {"stall_turns": 1, "opening": "auto"},
    "lexio": {"rounds": 1},
    "skip_bo": {"single_round": True, "edition": "pocket"},
    "xylo": {"ties": "auto"},
}
CROWDED = {"skip_bo": {"edition": "classic"}}  # options that allow the most players
ROUNDS = {  # options for short rounds of several
    "skyjo": {"stall_turns": 1, "opening": "auto"},
    "skip_bo": {"edition": "pocket"},
    "xylo": {"ties": "auto"},
}
BOTS = {"skip_bo": "greedy"}  # a random bot would need thousands of moves
PAGE_ITEMS = ["Replay", "Keyboard shortcuts", "Settings"]  # of every menu
GAME_SECONDS = 240  # on a loaded machine
GREEDY = ("stock", "wild", "pile", "hand")  # groups of choices that end a game soon


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("web"))
    yield running
    running.stop()


@pytest.fixture
def server_with_plugin(tmp_path):
    board = make_game(PLUGIN, tmp_path / "games") / "web" / "board.js"
    board.parent.mkdir()
    board.write_text(BOARD, encoding="utf-8")
    running = Server(tmp_path, tmp_path / "games")
    yield running
    running.stop()


# Whole games


@pytest.mark.parametrize("game", GAMES)
def test_two_players_and_two_bots_finish_a_game(game, new_player, server):
    """One player on a desktop; one on a phone, in French, who reloads during the game."""
    seats = min(4, server.get(f"/api/games/{game}")["seats"][1])
    ana, ben = new_player("Ana").with_name(), new_player("Ben", size=PHONE, language="fr")
    table = ana.create_table(
        game, seats=seats, options=SHORT.get(game, {}), bots=[BOTS.get(game, "random")] * (seats - 2)
    )
    ben.join(table)
    ben.wait("table.view")
    ana.play(GREEDY)
    ben.play(GREEDY)
    ben.wait("table.number > 12")
    ben.page.reload()
    ben.wait("table.view")
    ben.play(GREEDY)
    for player in (ana, ben):
        player.wait("table.phase === 'over'", GAME_SECONDS)
    assert ana.table["result"]["scores"] == ben.table["result"]["scores"]
    assert ana.table["result"]["winners"]
    expect(ben.page.locator(".game-over")).to_contain_text("Enregistrer la partie")
    expect(ben.page.locator(".game-over tbody tr")).to_have_count(seats)
    last = ben.table["round_view"]
    expect(ben.page.locator(".game-over .last-round")).to_contain_text(last["prompt"])
    for score in last["round"]["scores"]:
        expect(ben.page.locator(".game-over tbody")).to_contain_text(score["note"])
    assert not ben.overflows_sideways
    assert ben.violations() == []


def test_a_spectator_watches_a_whole_private_game_and_looks_back_at_it(new_player):
    """The invite opens the replay and the record too, which a link alone would lose."""
    ana, cleo = new_player("Ana").with_name(), new_player("Cleo", size=PHONE).with_name()
    table = ana.create_table("xe_queo", is_open=False, bots=["random"])
    cleo.visit(f"t/{table['id']}#{table['invite']}")
    cleo.wait("table.view")
    ana.play()
    cleo.wait("table.phase === 'over'", GAME_SECONDS)
    codes = cleo.page.evaluate("document.querySelector('table-page').watched.log.map((line) => line.code)")
    assert "chose_unseen" in codes
    assert "chose" not in codes
    expect(cleo.page.locator(".game-over tbody tr")).to_have_count(2)
    assert cleo.page.get_by_role("button", name="Play again").count() == 0
    with cleo.page.expect_download() as saved:
        cleo.page.get_by_role("button", name="Save the record").click()
    assert Record.load(saved.value.path()).header.game == "xe_queo"
    cleo.page.get_by_role("link", name="Replay").click()
    expect(cleo.page.locator("replay-page .board")).to_be_visible()
    cleo.page.get_by_role("button", name="Continue from here").click()
    form = cleo.page.locator("form.fork")
    form.get_by_label("Play as").select_option(label="Ana")
    form.get_by_role("button", name="Play").click()
    cleo.wait("table.seats[0].name === 'Cleo' && table.view")
    assert cleo.table["id"] != table["id"]


# Lost connections


def test_a_lost_connection_is_restored_and_no_move_is_played_twice(new_player):
    ana, ben = new_player("Ana").with_name(), new_player("Ben")
    table = ana.create_table("skyjo", seats=2, is_open=False)
    ben.join(table)
    ana.wait("table.view?.choices.length === 12")
    expect(ana.page.locator("[data-id='seat0.a1']")).to_be_visible()
    ana.context.set_offline(True)
    expect(ana.page.locator(".toast.lost")).to_be_visible()
    ana.page.locator("[data-id='seat0.a1']").click()
    ben.page.locator("[data-id='seat1.b2']").click()
    ben.wait("table.queued === 'flip b2'")
    ben.page.evaluate("""document.querySelector("table-page").send({ type: "chat", text: "still there?" })""")
    ana.context.set_offline(False)
    ana.wait("table.view.choices.length === 11 && table.phase === 'playing'")
    expect(ana.page.locator(".toast.lost")).to_have_count(0)
    ana.page.get_by_role("button", name="Chat").first.click()
    expect(ana.page.locator(".chat")).to_contain_text("still there?")
    codes = ana.page.evaluate("document.querySelector('table-page').watched.log.map((line) => line.code)")
    assert codes.count("opened") == 1


def test_a_board_that_fails_to_load_is_loaded_again(new_player):
    ana = new_player("Ana").with_name()
    refused = []

    def refuse(route):
        refused.append(route.request.url)
        route.abort("internetdisconnected")

    ana.page.route("**/games/skyjo/web/board.js", refuse)
    ana.create_table("skyjo", seats=2, bots=["random"])
    ana.wait("table.view?.choices.length > 0")
    expect(ana.page.locator("skyjo-board")).to_be_visible()
    assert refused


# The log


def test_the_log_is_complete_on_every_device_and_in_every_language(new_player):
    ana, phone = new_player("Ana").with_name(), new_player(size=PHONE, language="fr")
    table = ana.create_table("skyjo", seats=2, bots=["random"])
    ana.page.locator("[data-id='seat0.a1']").click()
    log = ana.page.locator(".log")
    expect(log).to_contain_text("Ana turns up a1")
    ana.page.reload()
    expect(log).to_contain_text("Ana turns up a1")
    expect(ana.page.locator(".last-events")).not_to_be_empty()
    second_tab = ana.context.new_page()
    second_tab.goto(f"{ana.server.url}/t/{table['id']}")
    expect(second_tab.locator(".log")).to_contain_text("Ana turns up a1")
    second_tab.close()
    phone.visit(f"t/{table['id']}")
    phone.page.get_by_role("button", name="Journal").click()
    expect(phone.page.locator(".log")).to_contain_text("Ana retourne une carte")  # a spectator does not know which
    ana.page.get_by_role("button", name="More").click()
    ana.page.get_by_role("button", name="Settings").click()
    ana.page.get_by_role("radio", name="Français").check()
    expect(log).to_contain_text("Ana retourne a1")
    expect(log).not_to_contain_text("turns up")


def test_earlier_lines_of_the_log_are_loaded_on_request(new_player):
    """By its button, and by scrolling to the beginning of the list; no page of lines is loaded twice."""
    ana = new_player("Ana").with_name()
    requests = []
    ana.page.on("request", lambda request: requests.append(request.url) if "/log?" in request.url else None)
    ana.create_table("skip_bo", seats=2, bots=["random"])
    ana.wait("table.view?.choices.length")
    ana.play(until=220)
    ana.wait("table.number >= 220 && table.view.choices.length > 1", GAME_SECONDS)
    lines = ana.page.locator(".log li")
    texts = lines.all_inner_texts()
    assert len(texts) > 200, "a page of the log, a second one and a part of a third"
    ana.page.reload()
    expect(lines).to_have_count(100)
    assert lines.all_inner_texts() == texts[-100:]
    assert ana.violations() == []
    older = ana.page.get_by_role("button", name="Earlier lines")
    expect(older).to_have_text(f"Earlier lines ({len(texts) - 100})")
    older.evaluate("(button) => { button.click(); button.click(); }")  # Playwright would scroll to it, and load by that
    expect(lines).to_have_count(200)
    assert lines.all_inner_texts() == texts[-200:]
    for shown in range(300, len(texts) + 100, 100):
        ana.page.locator(".log").evaluate("(log) => (log.scrollTop = 0)")
        expect(lines).to_have_count(min(shown, len(texts)))
    assert lines.all_inner_texts() == texts
    expect(older).to_have_count(0)
    assert len(requests) == len(set(requests)) == (len(texts) - 1) // 100


def test_undone_moves_leave_the_log(new_player):
    ana, ben = new_player("Ana").with_name(), new_player("Ben")
    ben.join(ana.create_table("xe_queo", seats=2, options={"placement": "manual"}))
    for player in (ana, ben):
        player.wait("table.phase === 'playing'")
    first = ana if ana.table["view"]["to_move"] == 0 else ben
    for target in first.table["view"]["choices"][0]["targets"]:
        first.page.locator(f"button[data-id='{target}']").click()
    first.wait("table.moves === 1")
    expect(first.page.locator(".log li")).not_to_have_count(0)
    before = first.page.locator(".log li").count()
    first.page.get_by_role("button", name="Undo").click()
    first.wait("table.moves === 0")
    expect(first.page.locator(".log")).to_contain_text("takes the last move back")
    assert first.page.evaluate("document.querySelector('table-page').watched.log.every((line) => !line.move)")
    expect(first.page.locator(".log li")).to_have_count(before)  # the move's line is gone, the undo's is new


# Lobby, new tables, joining


def test_one_click_starts_a_game_with_bots(new_player):
    ana = new_player(size=PHONE)
    ana.visit()
    ana.page.get_by_role("button", name="Play with bots now: Skyjo").click()
    ana.wait("table.view?.choices.length > 0")
    bots = [seat for seat in ana.table["seats"] if seat["kind"] == "bot"]
    assert [seat["bot"] for seat in bots] == [FIRST_BOT] * 3
    plate = ana.page.locator(".strip-head").first
    expect(plate.locator(".unit")).to_have_text("pts")  # no number without a word
    plate.click()
    expect(plate.locator(".bot-level")).to_have_text(bots[0]["level"])
    expect(plate.locator(".bot-level")).to_be_visible()
    assert not ana.overflows_sideways


def test_inviting_takes_two_clicks_and_joining_only_a_name(new_player):
    ana, ben = new_player(), new_player("Ben", size=PHONE)
    ana.visit()
    ana.page.get_by_role("link", name="Invite friends to Skyjo").click()
    ana.page.get_by_role("radio", name="3").check()
    ana.page.get_by_role("switch", name="Rows leave too").check()
    ana.page.get_by_role("button", name="Create the table").click()
    dialog = ana.page.get_by_role("dialog", name="What is your name?")
    dialog.get_by_role("textbox").fill("Ana")
    dialog.get_by_role("button", name="Create the table").click()
    expect(ana.page.get_by_role("img", name="QR code")).to_be_visible()
    ana.page.evaluate("document.querySelector('.qr').decode()")  # raises if it is not an image
    link = ana.page.get_by_label("Invite link").input_value()
    assert ana.table["setup"] == {"seats": 3, "options": ana.table["setup"]["options"] | {"rows": True}}
    ben.visit(link.split("/", 3)[3])
    ben.page.get_by_label("What is your name?").fill("Ben")
    assert ben.violations() == []
    assert not ben.overflows_sideways
    ben.page.get_by_role("button", name="Sit down").click()
    expect(ana.page.locator(".seat-list")).to_contain_text("Ben")
    assert ana.violations() == []
    assert ben.violations() == []
    ana.page.get_by_role("button", name="Fill with bots and begin").click()
    ben.wait("table.phase === 'playing' && table.viewer === 1")


def test_the_host_changes_the_table_while_it_gathers_and_removes_a_person_who_learns_it(new_player):
    ana, ben = new_player("Ana", size=PHONE).with_name(), new_player("Ben", language="fr")
    ben.join(ana.create_table("skyjo", seats=4, is_open=False, bots=["random"]))
    ana.wait("table.seats[1].kind === 'person'")
    ana.page.get_by_label("Level of").select_option(label="Club player")
    ana.wait("table.seats[3].bot === 'club'")
    ana.page.get_by_text("Rules and clock of this table").click()
    ana.page.get_by_label("Time limit").select_option(label="5 minutes each, and 5 seconds more per move")
    ana.wait("table.bank === 300 && table.increment === 5")
    ana.page.get_by_role("button", name="Lock the table").click()
    ana.wait("table.is_locked")
    assert ana.violations() == []
    assert not ana.overflows_sideways
    ana.page.get_by_role("button", name="Remove Ben").click()
    ana.page.get_by_role("button", name="Yes").click()
    expect(ben.page.locator(".empty-state")).to_contain_text("L’hôte vous a exclu de cette table.")
    ben.page.evaluate("document.querySelector('table-page').presence.ask()")  # as every few seconds: nothing is asked
    ana.page.get_by_role("radio", name="2").click()  # nobody is missing then: the waiting room gives way to the table
    ana.wait("table.phase === 'playing' && table.seats[0].time_left === 300")
    expect(ana.page.locator(".strip .bot-mark")).to_have_attribute("title", "bot, level: Club player")


def test_a_private_table_needs_the_invite(new_player):
    ana, eve = new_player("Ana").with_name(), new_player("Eve").with_name()
    table = ana.create_table("skyjo", seats=2, is_open=False)
    eve.visit(f"t/{table['id']}")
    expect(eve.page.locator(".empty-state")).to_contain_text("There is no such table, or you are not invited.")


def test_open_tables_are_listed_with_their_free_seats(new_player):
    ana, ben = new_player("Ana").with_name(), new_player("Ben").with_name()
    table = ana.create_table("xylo", seats=3)
    page = ben.visit()
    line = page.locator(f"a[href='/t/{table['id']}']")
    expect(line).to_contain_text("2 free seats")
    line.click()
    page.get_by_role("button", name="Sit here").first.click()
    ana.wait("table.seats[1].name === 'Ben'")


# Input methods


def test_a_move_by_keyboard(new_player):
    ana = new_player("Ana").with_name()
    ana.create_table("skyjo", seats=2, bots=["random"])
    ana.page.locator("[data-id='seat0.a1']").focus()
    ana.page.keyboard.press("ArrowDown")
    ana.page.keyboard.press("ArrowRight")
    ana.page.keyboard.press("Enter")
    expect(ana.page.locator(".log")).to_contain_text("Ana turns up b2")
    ana.page.get_by_role("button", name="All 11 moves").focus()
    ana.page.keyboard.press("Enter")
    ana.page.keyboard.type("flip c3")
    expect(ana.page.locator(".choice-list .choice")).to_have_count(1)
    ana.page.keyboard.press("Enter")
    expect(ana.page.locator(".log")).to_contain_text("Ana turns up c3")
    expect(ana.page.locator("#announcements")).to_contain_text("Ana turns up c3")


def test_the_drawer_takes_the_focus_and_escape_closes_it_from_anywhere(new_player):
    ana = new_player("Ana").with_name()
    ana.create_table("skyjo", seats=2, bots=["random"])
    card = ana.page.locator("[data-id='seat0.a1']")
    rings = "(card) => [getComputedStyle(card).boxShadow, getComputedStyle(card).outlineStyle]"
    playable, outline = card.evaluate(rings)
    card.focus()
    ana.page.keyboard.press("ArrowDown")  # by keyboard: only then the focus is shown
    ana.page.keyboard.press("ArrowUp")
    assert "none" not in (playable, card.evaluate(rings)[1])  # the ring of playable pieces, and that of the focus
    assert (outline, card.evaluate(rings)[1]) == ("none", "double")
    ana.page.keyboard.press("c")
    expect(ana.page.locator("#tab-chat")).to_be_focused()
    card.focus()
    ana.page.keyboard.press("Escape")
    expect(ana.page.locator("table-drawer")).to_have_count(0)
    ana.page.keyboard.press("?")
    expect(ana.page.get_by_role("dialog", name="Keyboard shortcuts")).to_contain_text("Undo")
    ana.page.keyboard.press("Escape")
    expect(ana.page.get_by_role("dialog")).to_have_count(0)


def test_a_closed_menu_returns_the_focus_to_its_button(new_player):
    ana = new_player("Ana").with_name()
    ana.create_table("skyjo", seats=2, bots=["random"])
    menu = ana.page.locator("table-menu > button")
    item = ana.page.locator("table-menu .menu-item").last
    expect(menu).to_be_visible()  # keys count once the table is drawn
    ana.page.keyboard.press("c")
    expect(ana.page.locator("#tab-chat")).to_be_focused()
    menu.click()
    item.focus()
    ana.page.keyboard.press("Escape")
    expect(item).to_have_count(0)
    expect(menu).to_be_focused()
    expect(ana.page.locator("table-drawer")).to_be_visible()  # Escape closed the menu alone
    menu.click()
    item.focus()
    ana.page.keyboard.press("Enter")  # the settings
    expect(ana.page.get_by_role("dialog")).to_be_visible()
    ana.page.keyboard.press("Escape")
    expect(menu).to_be_focused()


@pytest.fixture
def slow_drawer(new_player):
    """A player at a table whose drawer is still being loaded, and a function that lets it arrive."""
    ana = new_player("Ana").with_name()
    held = ana.hold("**/parts/drawer.js")
    with ana.page.expect_request("**/parts/drawer.js"):
        ana.create_table("skyjo", seats=2, bots=["random"])
    ana.page.locator("[data-id='seat0.a1']").focus()
    return ana, lambda: held.pop().continue_()


def test_a_drawer_that_arrives_late_takes_the_focus_that_was_meant_for_it(slow_drawer):
    ana, arrive = slow_drawer
    ana.page.keyboard.press("c")
    expect(ana.page.get_by_role("complementary", name="Chat")).to_be_focused()
    arrive()
    expect(ana.page.locator("#tab-chat")).to_be_focused()
    ana.page.keyboard.press("Escape")
    expect(ana.page.locator("[data-id='seat0.a1']")).to_be_focused()


def test_a_drawer_that_arrives_late_leaves_the_focus_where_the_player_has_moved_it(slow_drawer):
    ana, arrive = slow_drawer
    ana.page.keyboard.press("c")
    card = ana.page.locator("[data-id='seat0.b1']")
    card.focus()
    arrive()
    expect(ana.page.locator("#tab-chat")).to_be_visible()
    expect(card).to_be_focused()
    ana.page.keyboard.press("Escape")
    expect(ana.page.locator("table-drawer")).to_have_count(0)
    expect(card).to_be_focused()


@pytest.mark.parametrize("moves_on", [False, True], ids=["waiting", "moving on"])
def test_a_clause_that_arrives_late_takes_the_focus_unless_the_player_has_moved_it(moves_on, new_player):
    ana = new_player("Ana").with_name()
    held = ana.hold("**/api/games/skyjo/rules*")
    ana.create_table("skyjo", seats=2, bots=["random"])
    ana.page.locator("[data-id='seat0.a1']").click()
    ana.wait("table.view.choices.length === 11")
    ana.page.locator("[data-id='seat0.a1']").click(force=True)
    ana.page.locator(".toast-action").focus()  # the message stays while it has the focus
    with ana.page.expect_request("**/api/games/skyjo/rules*"):
        ana.page.keyboard.press("Enter")
    expect(ana.page.locator("#tab-rules")).to_be_focused()
    card = ana.page.locator("[data-id='seat0.b1']")
    if moves_on:
        card.focus()
    held.pop().continue_()
    clause = ana.page.locator(".prose .is-cited")
    expect(clause).to_be_in_viewport()
    expect(card if moves_on else clause).to_be_focused()


def test_a_move_from_the_list(new_player):
    ana = new_player("Ana", language="fr").with_name()
    ana.create_table("xe_queo", seats=2, bots=["random"])
    ana.wait("table.view?.choices.length > 3")
    choice = ana.table["view"]["choices"][2]
    ana.page.locator(".opener").click()
    ana.page.get_by_role("button", name=choice["label"], exact=True).click()
    ana.wait("watched.log.length > 0")


TOAST_OVER_OWN_CARDS = """
(() => {
  const box = document.querySelector(".toast").getBoundingClientRect();
  return [...document.querySelectorAll(".own .piece")].some((piece) => {
    const { left, right, top, bottom } = piece.getBoundingClientRect();
    return left < box.right && box.left < right && top < box.bottom && box.top < bottom;
  });
})()
"""


def test_an_impossible_move_is_explained_with_its_clause(new_player):
    ana = new_player("Ana").with_name()
    sent = sent_messages(ana)
    ana.create_table("skyjo", seats=2, bots=["random"])
    ana.page.locator("[data-id='seat0.a1']").click()
    ana.wait("table.view.choices.length === 11")
    ana.page.locator("[data-id='seat0.a1']").click(force=True)
    toast = ana.page.locator(".toast")
    toast.get_by_role("button", name=re.compile("Rule R")).focus()  # it stays while it has the focus
    expect(toast).to_contain_text("That card lies open already")
    for name in ("phone", "phone sideways", "zoomed to 200 %", "desktop"):
        ana.page.set_viewport_size({"width": SIZES[name].width, "height": SIZES[name].height})
        assert not ana.page.evaluate(TOAST_OVER_OWN_CARDS), name
    assert [message["targets"] for message in sent if message["type"] == "explain"] == [["seat0.a1"]]
    assert [message["move"] for message in sent if message["type"] == "play"] == ["flip a1"]  # and no illegal one
    toast.get_by_role("button", name=re.compile("Rule R")).click()
    expect(ana.page.locator(".prose .is-cited")).to_be_in_viewport()
    expect(ana.page.locator(".toolbar")).to_be_in_viewport(ratio=1)  # only the drawer is scrolled
    assert ana.page.evaluate("[...document.querySelectorAll('.table-page, .play-area')].every((e) => !e.scrollTop)")
    assert ana.page.evaluate("scrollY") == 0
    assert ana.violations() == []


def test_an_early_choice_can_be_withdrawn(new_player):
    ana, ben = new_player("Ana").with_name(), new_player("Ben")
    ben.join(ana.create_table("skyjo", seats=2))
    ben.page.locator("[data-id='seat1.c2']").click()
    expect(ben.page.locator(".queued")).to_contain_text("Turn up c2")
    ben.page.get_by_role("button", name="Withdraw").click()
    expect(ben.page.locator(".queued")).to_have_count(0)


def sent_messages(player):
    """Return a list that collects the messages which the player's page sends over its socket."""
    sent = []
    player.page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(json.loads(frame))))
    return sent


def test_a_typed_move_is_played_or_explained(new_player):
    ana = new_player("Ana").with_name()
    sent = sent_messages(ana)
    ana.create_table("skyjo", seats=2, bots=["random"])
    ana.page.get_by_role("button", name="All 12 moves").click()
    for text in ("flip z9", "draw", "flip b1"):
        ana.page.get_by_role("textbox", name="Type a move").fill(text)
        ana.page.get_by_role("button", name="Play", exact=True).click()
        if text != "flip b1":
            ana.page.locator(".toast-close").focus()  # it stays while it has the focus
            ana.page.locator(".toast-close").click()
    ana.wait("table.view.choices.length === 11")
    assert [message["move"] for message in sent if message["type"] == "explain"] == ["flip z9", "draw"]
    assert [message["move"] for message in sent if message["type"] == "play"] == ["flip b1"]


# At the table


def test_menu_and_banners_show_exactly_the_available_commands(new_player):
    ana, ben, cleo = new_player("Ana").with_name(), new_player("Ben"), new_player()
    table = ana.create_table("skyjo", seats=2)
    ben.join(table)
    ana.wait("table.phase === 'playing'")
    cleo.visit(f"t/{table['id']}")
    cleo.wait("table.view")
    hosts = ["Remove Ben", "Make Ben the host"]
    assert menu_items(ana) == ["Pause", "Propose to end the game", "Give up my seat", *hosts, *PAGE_ITEMS]
    assert menu_items(cleo) == PAGE_ITEMS
    ana.page.get_by_role("button", name="Propose to end the game").click()
    ana.page.get_by_role("button", name="Yes").click()
    ben.wait("table.proposal")
    ana.wait("table.proposal")
    assert menu_items(ana) == ["Pause", "Give up my seat", *hosts, *PAGE_ITEMS]
    assert banner_buttons(ana) == []
    assert banner_buttons(ben) == ["End the game", "Play on"]
    assert banner_buttons(cleo) == []
    ben.page.get_by_role("button", name="Play on").click()
    ana.wait("!table.proposal")
    ana.page.get_by_role("button", name="Pause").click()
    ben.wait("table.phase === 'paused'")
    assert banner_buttons(ben) == ["Resume"]
    assert banner_buttons(cleo) == []
    assert menu_items(ben) == ["Resume", "Propose to end the game", "Give up my seat", *PAGE_ITEMS]
    ben.page.locator(".menu").get_by_role("button", name="Give up my seat").click()
    ben.page.get_by_role("button", name="Yes").click()
    cleo.wait("table.commands.some(({ type }) => type === 'claim')")
    assert banner_buttons(cleo) == ["Take the seat"]


def test_players_see_the_end_of_a_round_until_all_are_ready(new_player):
    ana, ben, cleo = new_player("Ana").with_name(), new_player("Ben", size=TALL_PHONE, language="fr"), new_player()
    table = ana.create_table("lexio", seats=3, bots=["random"], rest=0)
    ben.join(table)
    cleo.visit(f"t/{table['id']}")
    for player in (ana, ben):
        player.wait("table.view")
        player.play()
    for player in (ana, ben, cleo):
        player.wait("table.resting", GAME_SECONDS)
    final = ana.table["round_view"]
    for player in (ana, ben, cleo):
        page = player.page
        rows = page.locator(".rest tbody tr")
        expect(rows).to_have_count(3)
        for row, score in zip(rows.all(), final["round"]["scores"], strict=True):
            expect(row.locator("td").last).to_have_text(str(score["total"]))
        assert page.locator(".little-rack i").count() == 0  # the tiles left are turned up
        assert player.violations() == []
        assert not player.overflows_sideways
    assert own_area_is_uncovered(ben)
    assert cleo.page.locator(".rest button").count() == 0
    check_replay_of_the_last_move(ana, table, final)
    ben.page.get_by_role("button", name="Continuer").click()
    expect(ben.page.locator(".rest button")).to_have_count(0)
    expect(ben.page.locator(".rest [role=status]")).to_have_text("On attend Ana.")
    expect(ana.page.locator(".rest tbody tr").nth(1).get_by_role("img", name="ready")).to_be_visible()
    ana.page.reload()
    expect(ana.page.locator(".rest tbody tr")).to_have_count(3)
    ana.page.get_by_role("button", name="Ready").click()
    for player in (ana, ben, cleo):
        player.wait("!table.resting")
    expect(cleo.page.locator(".rest")).to_have_count(0)
    expect(ana.page.locator(".log")).to_contain_text("Round 2 is dealt.")
    held = ana.hold("**/log?*")
    with ana.page.expect_request("**/log?*"):
        ana.visit(f"replay/{table['id']}/0/0")
    expect(ana.page.locator(".replay-position")).to_contain_text("Move 0")
    ana.page.keyboard.press("]")  # before the list of rounds is there: the key waits for it
    held.pop().continue_()
    expect(ana.page.locator(".outcome .round-scores tbody tr")).to_have_count(3)
    expect(ana.page.locator(".replay-dock .prompt")).to_have_text(final["prompt"])


def check_replay_of_the_last_move(player, table, final):
    """In another tab: a replay shows the round that has just ended before anybody has moved again."""
    tab = player.context.new_page()
    tab.goto(f"{player.server.url}/replay/{table['id']}/{player.table['moves']}/0")
    expect(tab.locator(".outcome .round-scores tbody tr")).to_have_count(3)
    expect(tab.locator(".replay-dock .prompt")).to_have_text(final["prompt"])
    tab.close()


@pytest.mark.parametrize("game", GAMES)
def test_every_board_shows_a_finished_round(game, new_player):
    ana = new_player("Ana", size=TALL_PHONE, motion="no-preference").with_name()
    seats = ana.server.get(f"/api/games/{game}")["usual_seats"]
    settings = {"seats": seats, "bots": [BOTS.get(game, "random")] * (seats - 1), "options": ROUNDS.get(game, {})}
    phase = "over"
    while phase == "over":  # a game can end with its first round
        ana.create_table(game, rest=3600, **settings)
        ana.wait("table.view")
        ana.play(GREEDY)
        ana.wait("table.resting || table.phase === 'over'", GAME_SECONDS)
        phase = ana.table["phase"]
    expect(ana.page.locator(".rest tbody tr")).to_have_count(seats)
    expect(ana.page.get_by_role("timer")).to_be_visible()
    assert ana.violations() == []
    assert not ana.overflows_sideways
    assert own_area_is_uncovered(ana)
    ana.page.get_by_role("button", name="Ready").click()
    ana.wait("!table.resting")


def own_area_is_uncovered(player):
    """Whether the lower edge of the board is above the panel of the rest."""
    return player.page.evaluate(
        """document.querySelector(".board > :last-child").getBoundingClientRect().bottom
        <= document.querySelector(".rest").getBoundingClientRect().top + 1"""
    )


# A card is played, two players pass, a card is played: returns what step by step is shown first, and with one tap.
SHARED_BEAT = """
async () => {
  const { EventQueue } = await import("/pace.js");
  const shown = [];
  const queue = new EventQueue(({ number }) => shown.push(number), () => true);
  const lines = [["played", ["hand", "pile"]], ["passed", []], ["passed", []], ["played", ["hand", "pile"]]];
  lines.forEach(([code, path], index) => {
    queue.push({ number: index + 1, event: { kind: "moved" }, lines: [{ code, path }], state: {} });
  });
  queue.advance();
  return shown;
}
"""


# Two moves arrive at once, then two more; only the second of each pair has the table. Returns what is shown after the
# first move, after the second, after all four, and after a tap.
EVENTS_AT_ONCE = """
async () => {
  const { EventQueue } = await import("/pace.js");
  let shown = [];
  const queue = new EventQueue(({ number }) => shown.push(number), () => true);
  const lines = [{ code: "played", path: ["hand", "pile"] }];
  const push = (number, state) => {
    queue.push({ number, event: { kind: "moved" }, lines, state });
    return [...shown];
  };
  const first = push(1, null), second = push(2, {});
  push(3, null);
  const fourth = push(4, {});
  queue.advance();
  return [first, second, fourth, shown];
}
"""


def test_moves_are_not_shown_before_the_table_after_them_is_known(new_player):
    ana = new_player("Ana", pace="step").with_name()
    ana.visit()
    assert ana.page.evaluate(EVENTS_AT_ONCE) == [[], [1, 2], [1, 2], [1, 2, 3, 4]]


def test_bots_are_shown_at_the_players_pace_and_banners_move_nothing(new_player):
    ana = new_player("Ana", size=TALL_PHONE, pace="step").with_name()
    ana.create_table("lexio", seats=4, bots=["random"] * 3)
    play_until_bots_wait(ana)
    shown = ana.table["number"]
    ana.page.get_by_role("button", name="Next (").click()
    ana.wait(f"table.number > {shown}")
    for _ in range(3):  # each of the bots may move only after what waited has been skipped
        ana.wait("watched.waiting || table.view.choices.length")
        ana.page.keyboard.press("s")
    ana.wait("!watched.waiting && table.view.choices.length")
    assert ana.page.evaluate(SHARED_BEAT) == [1, 2, 3]

    boxes = """["banner", "own", "board"]
      .map((name) => document.querySelector(`.${name}`)?.getBoundingClientRect().toJSON())"""
    play_until_bots_wait(ana)
    board_before = ana.page.evaluate(boxes)[2]
    ana.page.get_by_role("button", name="More").click()
    ana.page.get_by_role("button", name="Pause").click()
    expect(ana.page.locator(".banner")).to_be_visible()  # it does not wait behind the bots' moves
    banner, own, board = ana.page.evaluate(boxes)
    assert banner["bottom"] <= own["top"]
    assert board == board_before


def play_until_bots_wait(player):
    """Play step by step until moves of bots wait to be shown."""
    player.wait("watched.waiting || table.view?.choices.length")
    while not player.page.evaluate("document.querySelector('table-page').watched.waiting"):
        move = player.table["view"]["choices"][-1]["text"]
        player.page.evaluate("(move) => document.querySelector('table-page').play(move)", move)
        player.wait("watched.waiting || table.view.choices.length && !document.querySelector('table-page').isSending")
    player.page.evaluate("document.querySelector('table-page').updateComplete")


def menu_items(player):
    """Open the table's menu if it is closed; return its items."""
    if not player.page.locator(".menu").count():
        player.page.get_by_role("button", name="More").click()
    return player.page.locator(".menu-item").all_inner_texts()


def banner_buttons(player):
    player.page.evaluate("document.querySelector('table-page').updateComplete")
    return player.page.locator(".banner button").all_inner_texts()


def test_undo_pause_chat_stop_and_rematch(new_player):
    ana, ben = new_player("Ana").with_name(), new_player("Ben")
    ben.join(ana.create_table("xe_queo", seats=2, options={"placement": "manual"}))
    for player in (ana, ben):
        player.wait("table.phase === 'playing'")
    first, second = (ana, ben) if ana.table["view"]["to_move"] == 0 else (ben, ana)
    for target in first.table["view"]["choices"][0]["targets"]:
        first.page.locator(f"button[data-id='{target}']").click()
    first.page.get_by_role("button", name="Undo").click()
    expect(second.page.locator(".log")).to_contain_text("takes the last move back")

    first.page.get_by_role("button", name="More").click()
    first.page.get_by_role("button", name="Pause").click()
    expect(second.page.locator(".banner")).to_contain_text("The game is paused.")
    second.page.get_by_role("button", name="Resume").click()
    first.wait("table.phase === 'playing'")

    second.page.get_by_role("tab", name="Chat").click()
    second.page.get_by_label("Your message").fill("<b>well</b> played")
    second.page.get_by_role("button", name="Send").click()
    expect(first.page.get_by_role("tab", name="Chat 1 new message")).to_be_visible()
    first.page.get_by_role("tab", name="Chat").click()
    expect(first.page.locator(".chat")).to_contain_text("<b>well</b> played")

    first.page.get_by_role("button", name="More").click()
    first.page.get_by_role("button", name="Propose to end the game").click()
    first.page.get_by_role("button", name="Yes").click()
    second.page.get_by_role("button", name="End the game").click()
    expect(first.page.locator(".game-over")).to_contain_text("Ended by agreement.")
    first.page.get_by_role("button", name="Play again").click()
    first.wait("table.phase === 'gathering'")
    second.page.get_by_role("button", name="Join the rematch").click()
    for player in (first, second):
        player.wait("table.phase === 'playing' && table.viewer >= 0")


def test_a_spectator_sees_the_table_without_choices(new_player):
    ana, cleo = new_player("Ana").with_name(), new_player()
    cleo.visit(f"t/{ana.create_table('skyjo', seats=2, bots=['random'])['id']}")
    expect(cleo.page.locator(".prompt")).to_contain_text("You are a spectator.")
    expect(cleo.page.locator(".strip")).to_have_count(2)
    assert cleo.page.locator(".is-next").count() == 0
    assert cleo.table["view"]["choices"] == []


def test_the_title_shows_the_players_turn(new_player):
    ana = new_player("Ana").with_name()
    ana.create_table("skyjo", seats=2, bots=["random"])
    expect(ana.page).to_have_title("● Your turn · Skyjo")
    ana.page.locator(".toolbar a").click()
    expect(ana.page).to_have_title("Tablée")


def test_a_games_own_board_replaces_the_general_one(server_with_plugin, new_player):
    ana = new_player("Ana", at=server_with_plugin).with_name()
    seats = ana.server.get(f"/api/games/{PLUGIN}")["usual_seats"]
    ana.create_table(PLUGIN, seats=seats, bots=["random"] * (seats - 1))
    expect(ana.page.locator("pebbles-board .own-board")).to_have_text("Ana")
    ana.page.locator(".pebble").first.click()
    ana.wait("watched.log.some((line) => line.seat === 0)")


# Accessibility and layout


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_every_page_is_accessible_and_fits(theme, size, new_player):
    ana = new_player("Ana", theme=theme, size=size, language="fr").with_name()
    for address in ("", "games/lexio", "rules/xylo", "me"):
        ana.visit(address)
        ana.page.wait_for_selector(".game-card, form, .prose, .me")
        assert ana.violations() == [], address
        assert not ana.overflows_sideways, address
    ana.page.locator(".bar-button").click()
    assert ana.violations() == []


@pytest.mark.parametrize("game", GAMES)
def test_every_board_is_accessible_and_fits_a_phone(game, new_player):
    ana = new_player("Ana", size=PHONE, theme="dark").with_name()
    seats = ana.server.get(f"/api/games/{game}")["seats"][1]
    ana.create_table(game, seats=seats, options=CROWDED.get(game, {}), bots=["random"] * (seats - 1))
    ana.wait("table.view?.choices.length > 0")
    # Passing may have no piece: then it is a shortcut.
    ana.page.wait_for_selector("general-board .is-next, .shortcuts button, board-holder > :not(general-board)")
    assert ana.violations() == []
    assert not ana.overflows_sideways
    sizes = ana.page.evaluate(
        """[...document.querySelectorAll("button.is-next, .zone-target, .shortcuts button, .toolbar button")]
        .map((button) => [button.offsetWidth, button.offsetHeight])"""
    )
    assert min(min(size) for size in sizes) >= 40, "touch targets"
    ana.page.locator(".tool").last.click()
    expect(ana.page.locator(".prose h2").first).to_be_visible()
    assert ana.violations() == []


def test_nothing_sounds_vibrates_or_notifies_until_a_person_wants_it(new_player):
    ana = new_player("Ana", motion="no-preference").with_name()
    ana.visit()
    ana.page.get_by_role("button", name="Settings").click()
    for name in ("Sounds", "Vibrate on my turn", "Notify me when it is my turn"):
        expect(ana.page.get_by_role("switch", name=name)).not_to_be_checked()


def test_language_and_theme_are_stored(new_player):
    ana = new_player("Ana").with_name()
    ana.create_table("skyjo", seats=2, bots=["random"])
    ana.page.get_by_role("button", name="More").click()
    ana.page.get_by_role("button", name="Settings").click()
    ana.page.get_by_role("radio", name="Français").check()
    expect(ana.page.locator(".prompt")).to_contain_text("cartes")
    ana.page.get_by_role("radio", name="sombre").check()
    ana.page.reload()
    expect(ana.page.locator("html")).to_have_attribute("lang", "fr")
    expect(ana.page.locator("html")).to_have_attribute("data-theme", "dark")


# Without a browser


def test_pages_have_no_inline_script_or_style():
    page = (WEB / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<style|style=|\son\w+=|<script(?![^>]*\ssrc=)", page)
    for script in scripts():
        assert not re.search(r'\sstyle="', script.read_text(encoding="utf-8")), script.name


def test_only_the_rulebook_inserts_html():
    """Its HTML is rendered and escaped by the server (tests/test_rulebooks.py)."""
    inserts = r"unsafeHTML|innerHTML|outerHTML|insertAdjacentHTML|DOMParser|createContextualFragment|document\.write"
    found = {script.name for script in scripts() if re.search(inserts, script.read_text(encoding="utf-8"))}
    assert found == {"rulebook.js"}


def scripts():
    games = WEB.parent / "games"
    return [path for path in (*WEB.rglob("*.js"), *games.glob("*/web/*.js")) if path.parent.name != "vendor"]


def test_third_party_files_come_with_their_licences():
    assert {path.name for path in (WEB / "vendor").iterdir()} >= {"lit.js", "LICENSE-lit.txt"}
    for font in (WEB / "fonts").glob("*.woff2"):
        assert "Open Font License" in (WEB / "fonts" / f"LICENSE-{font.stem}.txt").read_text(encoding="utf-8")
