"""Replays, rulebooks, statistics and the installed app in a browser."""

import json
import re
import urllib.request

import pytest
from playwright.sync_api import expect

from browser import CHROMIUM, PHONE, Server
from tablee import Match
from tablee.server.static_files import WEB

pytestmark = [
    pytest.mark.xdist_group("pages"),
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: apt-get install chromium"),
]

# Waits until autoplay has reached a move, and stops it there.
STOP_AT = """
async (moves) => {
  const page = document.querySelector("replay-page");
  while (page.moment.moves < moves) await new Promise((resume) => setTimeout(resume, 50));
  await page.updateComplete;
  page.querySelector("button[aria-label='Stop']").click();
}
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("pages"))
    yield running
    running.stop()


def check(player):
    """Check that a page is accessible and fits its screen."""
    assert player.violations() == []
    assert not player.overflows_sideways


def expect_error(player, status):
    """Clear the errors that a browser reports for an expected HTTP status."""
    assert player.errors
    assert all(str(status) in error for error in player.errors)
    player.errors.clear()


def finished_table(player, game="lexio", **settings):
    """Play a few moves against bots, then end the game; return the table."""
    table = player.create_table(
        game, bots=["random"] * (settings.get("seats", 3) - 1), **{"seats": 3, "is_open": False, **settings}
    )
    player.wait("table.view?.choices.length")
    player.play()
    player.wait("table.number > 12 || table.phase === 'over'")
    player.page.evaluate("document.querySelector('table-page').send({ type: 'propose_end' })")
    player.wait("table.phase === 'over'")
    return table


# Replays


def test_a_replay_is_stepped_through_forked_and_played_on(new_player):
    ana = new_player("Ana", size=PHONE).with_name()
    table = finished_table(ana)
    page = ana.page
    page.get_by_role("link", name="Replay").click()
    position = page.locator(".replay-position")
    expect(position).to_have_text("Move 0")  # the total stays hidden
    expect(page.locator(".outcome, .chart")).to_have_count(0)
    page.get_by_role("button", name="Next move").evaluate(
        "(button) => [button.click(), button.click()]"
    )  # before one is shown
    expect(position).to_have_text("Move 2")
    expect(page.locator("#announcements")).not_to_be_empty()
    page.get_by_role("slider", name="Move").press("ArrowLeft")
    expect(position).to_have_text("Move 1")
    page.get_by_role("button", name="Last position seen").click()
    expect(position).to_have_text("Move 2")
    assert page.evaluate("location.pathname").startswith(f"/replay/{table['id']}/2/0")
    check_keys_and_list_of_moves(page, position)

    page.get_by_label("View as").select_option(label="all seats (everything revealed)")
    faces = """[...document.querySelector("replay-page").moment.view.zones.find(({ id }) => id === "seat1").pieces]
      .map(({ face }) => face)"""
    page.wait_for_url(re.compile("/2/open#"))
    assert all(page.evaluate(faces))
    check(ana)
    page.get_by_role("button", name="Continue from here").click()
    page.get_by_label("Play as").select_option("1")
    page.get_by_label("Bot level").select_option("random")
    page.get_by_label("dealt again").check()
    check(ana)
    page.get_by_role("button", name="Play", exact=True).click()
    ana.wait("table.source === 'fork' && table.viewer === 1")
    ana.wait("table.view.choices.length || table.phase === 'over'")
    before = ana.table["number"]
    ana.play()
    ana.wait(f"table.number > {before} && watched.log.some((line) => line.seat === 1)")


def check_keys_and_list_of_moves(page, position):
    """From move 2: keys work wherever the focus is, and every move is a button; ends at move 2."""
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Home")
    expect(position).to_have_text("Move 0")
    page.keyboard.press("ArrowRight")
    expect(position).to_have_text("Move 1")
    page.keyboard.press("Home")
    expect(position).to_have_text("Move 0")
    own = page.evaluate("document.querySelector('replay-page').nextOwnMove()")
    page.keyboard.press("m")
    expect(position).to_have_text(f"Move {own}")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    for words in ("Next move", "Next round", "My next turn"):
        expect(dialog).to_contain_text(words)
    page.keyboard.press("Escape")
    page.locator(".move-list li").filter(has=page.locator("button")).nth(0).get_by_role("button").click()
    expect(position).to_have_text("Move 1")
    page.evaluate("document.querySelector('replay-page').jump(2)")
    expect(position).to_have_text("Move 2")


def test_a_position_has_a_link_and_the_end_is_shown_on_request(new_player):
    ana, ben = new_player("Ana", language="fr").with_name(), new_player("Ben", theme="dark")
    table = finished_table(ana, "skyjo", seats=2, options={"opening": "auto"})
    ben.visit(f"replay/{table['id']}/3/open#{table['invite']}")
    page = ben.page
    expect(page.locator(".replay-position")).to_have_text("Move 3")
    page.get_by_role("button", name="Reveal the result").click()
    expect(page.locator(".replay-position")).to_have_text(re.compile("Move 3 of \\d+"))
    page.get_by_role("button", name="Autoplay").click()
    page.evaluate(STOP_AT, 5)
    expect(page.get_by_role("button", name="Autoplay")).to_be_visible()
    expect(page.locator(".replay-position")).to_have_text(re.compile("Move 5 of"))
    page.get_by_role("button", name="Last position seen").click()
    expect(page.locator(".outcome")).to_be_visible()
    check(ben)
    ben.visit(f"replay/{table['id']}/3/open")
    expect(page.locator(".empty-state")).to_contain_text("There is no such table")
    expect_error(ben, 404)


def test_during_a_game_a_player_replays_only_their_own_view(new_player):
    ana = new_player("Ana").with_name()
    ana.create_table("skyjo", seats=2, bots=["random"], options={"opening": "auto"})
    ana.wait("table.view?.choices.length")
    ana.page.get_by_role("button", name="More").click()
    ana.page.get_by_role("button", name="Replay").click()
    expect(ana.page.get_by_label("View as").locator("option")).to_have_text(["Ana"])
    assert ana.page.get_by_role("button", name="Continue from here").count() == 0
    ana.page.get_by_role("link", name="Back to the table").click()
    ana.wait("table.phase === 'playing'")


def test_a_message_stays_while_it_is_hovered_or_focused_and_no_longer(new_player):
    ana = new_player()
    ana.page.clock.install()
    page = ana.visit()
    toast = page.locator(".toast")
    page.evaluate(
        """import("/notifications.js").then(({ notify }) => notify("It is your turn.", { label: "Go", run() {} }))"""
    )
    toast.get_by_role("button", name="Go").focus()
    page.clock.fast_forward(20_000)
    expect(toast).to_be_visible()
    page.locator(".brand").focus()
    toast.hover()
    page.clock.fast_forward(20_000)
    expect(toast).to_be_visible()
    page.mouse.move(0, 0)
    page.clock.fast_forward(20_000)
    expect(toast).to_have_count(0)


# Newcomers: a new browser, no name, a phone


def test_a_newcomer_sits_down_at_an_open_table_in_two_taps_and_a_name(new_player):
    ana, ben = new_player("Ana").with_name(), new_player("Ben", size=PHONE)
    ana.create_table("lexio", seats=3)
    page = ben.visit()
    expect(page.locator(".game-card").last).to_be_visible()
    edges = "[...document.querySelectorAll('.welcome h1, .game-card')].map((each) => each.getBoundingClientRect().left)"
    assert len(set(page.evaluate(edges))) == 1  # title and games are in line
    page.get_by_role("link", name=re.compile("Join")).tap()
    page.get_by_role("button", name="Sit here").first.tap()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("textbox")).to_be_visible()
    check(ben)
    dialog.get_by_role("textbox").fill("Ben")
    dialog.get_by_role("textbox").press("Enter")
    ana.wait("table.seats.some(({ name }) => name === 'Ben')")
    ben.wait("table.viewer >= 0")


def test_an_invite_is_taken_in_one_tap_and_a_name_and_a_wrong_one_asks_for_nothing(new_player):
    ana, ben = new_player("Ana").with_name(), new_player("Ben", size=PHONE)
    table = ana.create_table("lexio", seats=3, is_open=False)
    for wrong in ("", "#wrong"):
        page = ben.visit(f"t/{table['id']}{wrong}")
        expect(page.locator(".empty-state")).to_contain_text("There is no such table, or you are not invited.")
        assert page.get_by_role("textbox").count() == 0
    ben.visit(f"t/{table['id']}#{table['invite']}")
    expect(page.get_by_role("heading", name="Ana invites you to Lexio")).to_be_visible()
    check(ben)
    page.get_by_role("textbox").fill("Ben")
    page.get_by_role("button", name="Sit down").tap()
    ana.wait("table.seats.some(({ name }) => name === 'Ben')")


def test_a_line_of_chat_waits_for_the_name(new_player):
    ana, eve = new_player("Ana").with_name(), new_player("Eve")
    table = ana.create_table("skyjo", seats=2, bots=["random"])
    page = eve.visit(f"t/{table['id']}")
    page.get_by_role("button", name="Chat").click()
    line = page.get_by_label("Your message")
    line.fill("Hello!")
    line.press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    expect(line).to_have_value("Hello!")
    line.press("Enter")
    page.get_by_role("dialog").get_by_role("textbox").fill("Eve")
    page.get_by_role("dialog").get_by_role("button", name="Send").click()
    ana.wait("watched.chat.some(({ name, text }) => name === 'Eve' && text === 'Hello!')")
    expect(line).to_have_value("")


def test_who_invites_is_asked_for_a_name_and_a_new_one_reaches_the_seat(new_player):
    ana = new_player("Ana", size=PHONE)
    page = ana.visit("rules/skyjo")
    page.get_by_role("button", name="Play with bots now").tap()
    ana.wait("table.seats[0].name === 'Guest'")
    page.goto(f"{ana.server.url}/games/skyjo")
    page.get_by_role("button", name="Create the table").tap()
    page.get_by_role("dialog").get_by_role("textbox").fill("Ana")
    page.get_by_role("dialog").get_by_role("button", name="Create the table").tap()
    ana.wait("table.phase === 'gathering' && table.seats[0].name === 'Ana'")
    page.get_by_role("button", name="Settings").tap()
    page.get_by_label("Your name").fill("Anna")
    page.get_by_role("button", name="Save").tap()
    ana.wait("table.seats[0].name === 'Anna'")


def test_links_of_version_0_1_still_lead_to_their_pages(new_player):
    ana = new_player("Ana").with_name()
    table = ana.create_table("skyjo", seats=2)
    page = ana.visit(f"#table/{table['id']}/{table['invite']}")
    ana.wait("table.phase === 'gathering'")
    assert page.url == f"{ana.server.url}/t/{table['id']}#{table['invite']}"
    page.goto(f"{ana.server.url}/#rules/skyjo/R14")
    expect(page.locator("#clause-R14")).to_be_in_viewport()
    assert page.url == f"{ana.server.url}/rules/skyjo/R14"
    page.go_back()
    ana.wait("table.phase === 'gathering'")


def test_an_unknown_address_is_a_page_in_the_language_of_the_person(new_player):
    zoe = new_player("Zoé", language="fr")
    page = zoe.visit("nowhere")
    expect(page.get_by_text("Il n’y a rien à cette adresse.")).to_be_visible()
    page.get_by_role("link", name="Voir tous les jeux").click()
    page.wait_for_selector(".game-card")
    expect_error(zoe, 404)


# Rulebooks


def test_an_example_is_played_and_a_refusal_leads_to_its_clause(new_player):
    ana = new_player("Ana", size=PHONE)
    page = ana.visit("rules/skyjo/R14")
    expect(page.locator("#clause-R14")).to_be_in_viewport()
    expect(page.locator(".is-cited")).to_have_count(1)
    example = page.locator("#clause-R14 + .clause-examples rule-example")
    example.get_by_role("button", name="Try it").click()
    expect(example).to_contain_text("Two nines lie in column b")
    example.locator("summary").click()
    example.locator("[data-move='take']").click()
    expect(example.locator(".quiet").last).to_contain_text("takes")
    check(ana)
    expect(page.get_by_role("button", name="Play with bots now")).to_be_enabled()
    page.evaluate("document.querySelector('#clause-R14 + .clause-examples rule-example').play('discard')")
    page.locator(".toast").get_by_role("button", name="Rule R9").click()
    expect_error(ana, 409)
    expect(page.locator("#clause-R9")).to_have_class(re.compile("is-cited"))
    page.evaluate("document.querySelector('#clause-R14 + .clause-examples rule-example').play('swap b2')")
    expect(example.locator(".example-seen")).to_contain_text("Three equal cards leave the column")
    example.get_by_role("button", name="Start over").click()
    expect(example.locator(".example-seen")).to_have_count(0)


# Statistics and imported records


def test_statistics_are_shown_as_charts_and_tables(new_player):
    ana = new_player("Ana", size=PHONE, theme="dark").with_name()
    ana.create_table("xe_queo", seats=2, bots=["random"])
    ana.wait("table.view")
    ana.play(["accuse"])
    ana.wait("table.phase === 'over'")
    page = ana.page
    ana.visit()
    page.get_by_role("link", name="My games").click()
    expect(page.get_by_role("heading", name="Xe Queo!")).to_be_visible()
    expect(page.get_by_role("img", name="Ratings, with 95 % intervals")).to_be_visible()
    check(ana)
    for summary in page.locator("summary").all():
        summary.click()
    check(ana)
    expect(page.get_by_role("row", name="Random")).to_have_count(4)  # results, ratings, games, progress
    page.locator("details a").first.click()
    expect(page.locator(".replay-position")).to_have_text("Move 0")


def test_a_record_is_opened_and_an_invalid_one_is_refused_with_its_line(new_player, tmp_path):
    match = Match("skyjo", seats=2, seed=4, options={"opening": "auto"}, players=["Zoé", "Max"])
    for _ in range(8):
        match.play(match.legal_moves()[0])
    record, wrong = tmp_path / "game.tablee", tmp_path / "wrong.tablee"
    match.record().save(record)
    wrong.write_text(record.read_text(encoding="utf-8").replace("seats: 2", "seats: two"), encoding="utf-8")
    ana = new_player("Ana").with_name()
    page = ana.visit("statistics")
    page.locator("input[type=file]").set_input_files(wrong)
    expect(page.get_by_role("alert")).to_contain_text("line 4")
    expect_error(ana, 422)
    page.locator("input[type=file]").set_input_files(record)
    expect(page.locator(".replay-position")).to_have_text("Move 0")
    expect(page.get_by_label("View as")).to_contain_text("Zoé")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the record").click()
    assert download.value.suggested_filename.startswith("skyjo-")


# The installed app


def test_the_app_can_be_installed_and_has_an_offline_page(new_player):
    ana = new_player("Ana")
    page = ana.visit()
    page.wait_for_selector(".game-card")
    manifest = ana.server.get("/manifest.webmanifest")
    for icon in manifest["icons"]:
        assert page.request.get(f"{ana.server.url}{icon['src']}").headers["content-type"] == icon["type"]
    session = ana.context.new_cdp_session(page)
    errors = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert {error["errorId"] for error in errors} <= {"in-incognito"}

    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    ana.context.set_offline(True)
    page.reload()
    expect(page.get_by_text("There is no connection to the server.")).to_be_visible()
    check(ana)
    ana.context.set_offline(False)
    page.get_by_role("link", name="Try again").click()
    page.wait_for_selector(".game-card")


def test_cached_files_are_not_used_while_there_is_a_network(new_player):
    ana = new_player("Ana")
    page = ana.visit()
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    cached = page.evaluate(
        """async () => {
          const [name] = await caches.keys();
          const cache = await caches.open(name);
          const files = (await cache.keys()).map(({ url }) => new URL(url).pathname);
          for (const file of [...files, "/", "/app.js"]) await cache.put(file, new Response("old"));
          return files;
        }"""
    )
    assert sorted(cached) == sorted(json.loads(re.search(r"FILES = (\[.*?\])", worker())[1]))
    page.reload()
    page.wait_for_selector(".game-card")
    assert page.evaluate("fetch('/styles/base.css').then((response) => response.text())") != "old"


@pytest.mark.parametrize(
    ("path", "is_compressed"),
    [("/app.js", True), ("/api/games", True), ("/fonts/inter.woff2", False), ("/api/tables", False)],
)
def test_only_public_files_are_compressed(path, is_compressed, server):
    request = urllib.request.Request(server.url + path, headers={"Accept-Encoding": "gzip"})
    with urllib.request.urlopen(request) as response:
        assert (response.headers.get("Content-Encoding") == "gzip") == is_compressed


def test_scripts_are_sent_without_comments_in_the_same_lines(server):
    source = (WEB / "settings.js").read_text(encoding="utf-8").splitlines()
    with urllib.request.urlopen(f"{server.url}/settings.js") as answer:
        sent = answer.read().decode().splitlines()
    assert not any(re.search(r"(^|\s)(/\*\*|\*|//)\s", line) for line in sent)
    assert all(written.strip().startswith(line.strip()) for line, written in zip(sent, source, strict=True))
    assert sum(bool(line.strip()) for line in sent) > len(source) / 2
    with urllib.request.urlopen(f"{server.url}/vendor/lit.js") as answer:
        assert "@license" in answer.read().decode()


def worker():
    return (WEB / "worker.js").read_text(encoding="utf-8")
