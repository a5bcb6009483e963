"""The front end in a real browser, against a real server: people, bots, phones, losses, and those who listen."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser import CHROMIUM, DESKTOP, PHONE, Server
from tablee.core.registry import all_games
from tablee.testing.template import make_game

pytestmark = [
    pytest.mark.xdist_group("web"),
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here: apt-get install chromium"),
]

GAMES = [game.name for game in all_games()]
WEB = Path(__file__).parent.parent / "src" / "tablee" / "web"
PLUGIN = "pebbles"  # a sixth game, in a folder elsewhere, with a board of its own
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
QUICK = {  # so that whole games are short
    "skyjo": {"stall_turns": 1, "opening": "auto"},
    "lexio": {"rounds": 1},
    "skip_bo": {"single_round": True, "edition": "pocket"},
    "xylo": {"ties": "auto"},
}
CROWDED = {"skip_bo": {"edition": "classic"}}  # so that as many play as can
BOTS = {"skip_bo": "greedy"}  # at random it would take thousands of moves
WHOLE_GAME = 240  # seconds, on a machine that does other things as well
GREEDY = ("stock", "wild", "pile", "hand")  # groups of choices that bring a game to its end


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
def test_two_people_and_two_bots_play_to_the_end(game, meet, server):
    """One on a desktop; one on a phone, in French, who reloads in the middle."""
    seats = min(4, server.get(f"/api/games/{game}")["seats"][1])
    ana, ben = meet("Ana").introduce(), meet("Ben", size=PHONE, language="fr")
    table = ana.make_table(
        game, seats=seats, options=QUICK.get(game, {}), bots=[BOTS.get(game, "random")] * (seats - 2)
    )
    ben.join(table)
    ben.wait("table.view")
    ana.play(GREEDY)
    ben.play(GREEDY)
    ben.wait("table.number > 12")
    ben.page.reload()
    ben.wait("table.view")
    ben.play(GREEDY)
    for person in (ana, ben):
        person.wait("table.phase === 'over'", WHOLE_GAME)
    assert ana.table["result"]["scores"] == ben.table["result"]["scores"]
    assert ana.table["result"]["winners"]
    expect(ben.page.locator(".game-over")).to_contain_text("Enregistrer la partie")
    expect(ben.page.locator(".game-over tbody tr")).to_have_count(seats)
    assert not ben.is_wider_than_the_screen
    assert ben.violations() == []


def test_somebody_watches_a_whole_game(meet):
    ana, cleo = meet("Ana").introduce(), meet(size=PHONE)
    cleo.visit(f"#table/{ana.make_table('xe_queo', bots=['random'])['id']}")
    cleo.wait("table.view")
    ana.play()
    cleo.wait("table.phase === 'over'", WHOLE_GAME)
    codes = cleo.page.evaluate("document.querySelector('table-page').watched.log.map((line) => line.code)")
    assert "chose_unseen" in codes
    assert "chose" not in codes
    expect(cleo.page.locator(".game-over tbody tr")).to_have_count(2)
    assert cleo.page.get_by_role("button", name="Play again").count() == 0


# Losing the connection


def test_a_lost_connection_is_found_again_and_nothing_is_played_twice(meet):
    ana, ben = meet("Ana").introduce(), meet("Ben")
    table = ana.make_table("skyjo", seats=2, is_open=False)
    ben.join(table)
    ana.wait("table.view?.choices.length === 12")
    expect(ana.page.locator("[data-id='seat0.a1']")).to_be_visible()
    ana.context.set_offline(True)
    expect(ana.page.locator(".notice.lost")).to_be_visible()
    ana.page.locator("[data-id='seat0.a1']").click()
    ben.page.locator("[data-id='seat1.b2']").click()
    ben.wait("table.queued === 'flip b2'")
    ben.page.evaluate("""document.querySelector("table-page").ask("chat", { text: "still there?" })""")
    ana.context.set_offline(False)
    ana.wait("table.view.choices.length === 11 && table.phase === 'playing'")
    expect(ana.page.locator(".notice.lost")).to_have_count(0)
    ana.page.get_by_role("button", name="Chat").first.click()
    expect(ana.page.locator(".chat")).to_contain_text("still there?")
    codes = ana.page.evaluate("document.querySelector('table-page').watched.log.map((line) => line.code)")
    assert codes.count("opened") == 1


def test_a_board_that_cannot_be_fetched_is_there_when_the_connection_is(meet):
    ana = meet("Ana").introduce()
    refused = []

    def refuse(route):
        refused.append(route.request.url)
        route.abort("internetdisconnected")

    ana.page.route("**/games/skyjo/web/board.js", refuse)
    ana.make_table("skyjo", seats=2, bots=["random"])
    ana.wait("table.view?.choices.length > 0")
    expect(ana.page.locator("skyjo-board")).to_be_visible()
    assert refused


def test_the_story_survives_a_reload(meet):
    ana = meet("Ana").introduce()
    ana.make_table("skyjo", seats=2, bots=["random"])
    ana.page.locator("[data-id='seat0.a1']").click()
    expect(ana.page.locator(".log")).to_contain_text("Ana turns up a1")
    ana.page.reload()
    expect(ana.page.locator(".log")).to_contain_text("Ana turns up a1")


# Lobby, setting up, joining


def test_playing_with_bots_takes_one_touch(meet):
    ana = meet(size=PHONE)
    ana.visit()
    ana.page.get_by_role("button", name="Play Skyjo with bots now").click()
    ana.wait("table.view?.choices.length > 0")
    assert [seat["kind"] for seat in ana.table["seats"]].count("bot") == 3
    assert not ana.is_wider_than_the_screen


def test_inviting_friends_takes_two_and_joining_only_a_name(meet):
    ana, ben = meet(), meet("Ben", size=PHONE)
    ana.visit()
    ana.page.get_by_role("link", name="Invite friends to Skyjo").click()
    ana.page.get_by_role("radio", name="3").check()
    ana.page.get_by_role("switch", name="Rows leave too").check()
    ana.page.get_by_role("button", name="Set up the table").click()
    expect(ana.page.get_by_role("img", name="QR code")).to_be_visible()
    ana.page.evaluate("document.querySelector('.qr').decode()")  # raises if it is no picture
    link = ana.page.get_by_label("Invite link").input_value()
    assert ana.table["setup"] == {"seats": 3, "options": ana.table["setup"]["options"] | {"rows": True}}
    ben.visit(link.split("/", 3)[3])
    ben.page.get_by_label("What is your name?").fill("Ben")
    assert ben.violations() == []
    assert not ben.is_wider_than_the_screen
    ben.page.get_by_role("button", name="Sit down").click()
    expect(ana.page.locator(".seat-list")).to_contain_text("Ben")
    assert ana.violations() == []
    assert ben.violations() == []
    ana.page.get_by_role("button", name="Fill with bots and begin").click()
    ben.wait("table.phase === 'playing' && table.viewer === 1")


def test_a_private_table_is_not_shown_to_strangers(meet):
    ana, stranger = meet("Ana").introduce(), meet("Eve").introduce()
    table = ana.make_table("skyjo", seats=2, is_open=False)
    stranger.visit(f"#table/{table['id']}")
    expect(stranger.page.locator(".empty-state")).to_contain_text("There is no such table, or you are not invited.")


def test_open_tables_are_listed_with_their_free_seats(meet):
    ana, ben = meet("Ana").introduce(), meet("Ben").introduce()
    table = ana.make_table("xylo", seats=3)
    page = ben.visit()
    line = page.locator(f"a[href='#table/{table['id']}']")
    expect(line).to_contain_text("2 free seats")
    line.click()
    page.get_by_role("button", name="Sit here").first.click()
    ana.wait("table.seats[1].name === 'Ben'")


# Ways to move


def test_a_move_by_keyboard_alone(meet):
    ana = meet("Ana").introduce()
    ana.make_table("skyjo", seats=2, bots=["random"])
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


def test_a_move_from_the_list(meet):
    ana = meet("Ana", language="fr").introduce()
    ana.make_table("xe_queo", seats=2, bots=["random"])
    ana.wait("table.view?.choices.length > 3")
    choice = ana.table["view"]["choices"][2]
    ana.page.locator(".opener").click()
    ana.page.get_by_role("button", name=choice["label"], exact=True).click()
    ana.wait("watched.log.length > 0")


def test_what_is_not_possible_says_why_with_the_clause(meet):
    ana = meet("Ana").introduce()
    ana.make_table("skyjo", seats=2, bots=["random"])
    ana.page.locator("[data-id='seat0.a1']").click()
    ana.wait("table.view.choices.length === 11")
    ana.page.locator("[data-id='seat0.a1']").click(force=True)
    notice = ana.page.locator(".notice")
    expect(notice).to_contain_text("That card lies open already")
    notice.get_by_role("button", name=re.compile("Rule R")).click()
    expect(ana.page.locator(".prose .is-cited")).to_be_in_viewport()
    assert ana.violations() == []


def test_several_pieces_make_one_move_in_any_order(meet):
    ana = meet("Ana").introduce()
    ana.make_table("lexio", seats=3, bots=["random"] * 2)
    ana.page.wait_for_selector(".board")
    view = {"zones": [{"id": "hand", "kind": "fan", "pieces": [{"id": name} for name in "abc"]}], "choices": []}
    for text in ("a", "ab", "bc", "abc"):
        view["choices"].append({"text": text, "targets": list(text)})
    touched = """async ([view, ids]) => {
      const { touch, decided } = await import("/selection.js");
      let picking = { picked: [] };
      for (const id of ids) picking = touch(view, picking.picked, id) ?? picking;
      const complete = picking.complete.map((choice) => choice.text);
      return { complete, next: [...picking.next], decided: decided(picking)?.text ?? null };
    }"""
    results = {ids: ana.page.evaluate(touched, [view, list(ids)]) for ids in ("a", "ba", "cb", "cab", "abb")}
    assert results["a"] == {"complete": ["a"], "next": ["b", "c"], "decided": None}
    assert results["ba"] == {"complete": ["ab"], "next": ["c"], "decided": None}
    assert results["cb"]["complete"] == ["bc"]
    assert results["cab"] == {"complete": ["abc"], "next": [], "decided": "abc"}
    assert results["abb"]["complete"] == ["a"]


def test_an_early_choice_can_be_taken_back(meet):
    ana, ben = meet("Ana").introduce(), meet("Ben")
    ben.join(ana.make_table("skyjo", seats=2))
    ben.page.locator("[data-id='seat1.c2']").click()
    expect(ben.page.locator(".queued")).to_contain_text("Turn up c2")
    ben.page.get_by_role("button", name="Take back").click()
    expect(ben.page.locator(".queued")).to_have_count(0)


# At the table


def test_undo_pause_chat_stop_and_rematch(meet):
    ana, ben = meet("Ana").introduce(), meet("Ben")
    ben.join(ana.make_table("xe_queo", seats=2, options={"placement": "manual"}))
    ana.wait("table.phase === 'playing'")
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
    first.page.get_by_role("button", name="Ask to stop here").click()
    first.page.get_by_role("button", name="Yes").click()
    second.page.get_by_role("button", name="Stop here").click()
    expect(first.page.locator(".game-over")).to_contain_text("Ended by agreement.")
    first.page.get_by_role("button", name="Play again").click()
    first.wait("table.phase === 'playing'")
    second.page.get_by_role("link", name="To the new table").click()
    second.wait("table.phase === 'playing' && table.viewer >= 0")


def test_a_spectator_sees_the_table_and_can_do_nothing(meet):
    ana, cleo = meet("Ana").introduce(), meet()
    cleo.visit(f"#table/{ana.make_table('skyjo', seats=2, bots=['random'])['id']}")
    expect(cleo.page.locator(".prompt")).to_contain_text("You are watching.")
    expect(cleo.page.locator(".strip")).to_have_count(2)
    assert cleo.page.locator(".is-next").count() == 0
    assert cleo.table["view"]["choices"] == []


def test_a_turn_is_noticed_in_the_title(meet):
    ana = meet("Ana").introduce()
    ana.make_table("skyjo", seats=2, bots=["random"])
    expect(ana.page).to_have_title("● Your turn · Skyjo")
    ana.page.locator(".toolbar a").click()
    expect(ana.page).to_have_title("Tablée")


def test_a_games_own_board_replaces_the_general_one(server_with_plugin, meet):
    ana = meet("Ana", at=server_with_plugin).introduce()
    seats = ana.server.get(f"/api/games/{PLUGIN}")["usual_seats"]
    ana.make_table(PLUGIN, seats=seats, bots=["random"] * (seats - 1))
    expect(ana.page.locator("pebbles-board .own-board")).to_have_text("Ana")
    ana.page.locator(".pebble").first.click()
    ana.wait("watched.log.some((line) => line.seat === 0)")


# Looks and listening


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_every_page_is_accessible_and_fits(theme, size, meet):
    ana = meet("Ana", theme=theme, size=size, language="fr").introduce()
    for address in ("", "#new/lexio", "#rules/xylo"):
        ana.visit(address)
        ana.page.wait_for_selector(".game-card, form, .prose")
        assert ana.violations() == [], address
        assert not ana.is_wider_than_the_screen, address
    ana.page.locator(".bar-button").click()
    assert ana.violations() == []


@pytest.mark.parametrize("game", GAMES)
def test_every_board_is_accessible_and_fits_a_phone(game, meet):
    ana = meet("Ana", size=PHONE, theme="dark").introduce()
    seats = ana.server.get(f"/api/games/{game}")["seats"][1]
    ana.make_table(game, seats=seats, options=CROWDED.get(game, {}), bots=["random"] * (seats - 1))
    ana.wait("table.view?.choices.length > 0")
    # Where nothing can be played, passing has no piece: it is a shortcut.
    ana.page.wait_for_selector("general-board .is-next, .shortcuts button, board-holder > :not(general-board)")
    assert ana.violations() == []
    assert not ana.is_wider_than_the_screen
    sizes = ana.page.evaluate(
        """[...document.querySelectorAll("button.is-next, .zone-target, .shortcuts button, .toolbar button")]
        .map((button) => [button.offsetWidth, button.offsetHeight])"""
    )
    assert min(min(size) for size in sizes) >= 40, "touch targets"
    ana.page.locator(".tool").last.click()
    expect(ana.page.locator(".prose h2").first).to_be_visible()
    assert ana.violations() == []


def test_language_and_look_are_remembered(meet):
    ana = meet("Ana").introduce()
    ana.make_table("skyjo", seats=2, bots=["random"])
    ana.page.get_by_role("button", name="More").click()
    ana.page.get_by_role("button", name="Settings").click()
    ana.page.get_by_role("radio", name="Français").check()
    expect(ana.page.locator(".prompt")).to_contain_text("cartes")
    ana.page.get_by_role("radio", name="sombre").check()
    ana.page.reload()
    expect(ana.page.locator("html")).to_have_attribute("lang", "fr")
    expect(ana.page.locator("html")).to_have_attribute("data-theme", "dark")


# Rules as text


def test_markdown_stays_text(meet):
    ana = meet()
    ana.visit()
    text = """# Title\n
**R1.** a <img src=x onerror=alert(1)> [b](javascript:alert(1)) ![c](https://elsewhere/c.png)\n
- one\n- two"""
    drawn = ana.page.evaluate(
        """async (text) => {
          const [{ markdown }, { render }] = await Promise.all([import("/markdown.js"), import("/vendor/lit.js")]);
          const place = document.createElement("div");
          render(markdown(text, "/games/some/"), place);
          const names = [...place.querySelectorAll("*")].map((element) => element.localName);
          return [place.textContent.replace(/\\s+/g, " "), names];
        }""",
        text,
    )
    assert "<img src=x onerror=alert(1)>" in drawn[0]
    assert drawn[1] == ["h2", "p", "strong", "ul", "li", "li"]


# Without a browser


def test_pages_carry_no_inline_script_or_style():
    page = (WEB / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<style|style=|\son\w+=|<script(?![^>]*\ssrc=)", page)
    for script in WEB.rglob("*.js"):
        if script.parent.name != "vendor":
            assert not re.search(r'\sstyle="|unsafeHTML|innerHTML', script.read_text(encoding="utf-8")), script.name


def test_what_we_did_not_write_comes_with_its_licence():
    assert {path.name for path in (WEB / "vendor").iterdir()} >= {"lit.js", "LICENSE-lit.txt"}
    for font in (WEB / "fonts").glob("*.woff2"):
        assert "Open Font License" in (WEB / "fonts" / f"LICENSE-{font.stem}.txt").read_text(encoding="utf-8")
