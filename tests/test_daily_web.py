"""The daily table and a person's progress in a browser, on a phone and in both languages."""

from playwright.sync_api import expect

from browser import DESKTOP

TALL_PHONE = {"width": 390, "height": 844}
READY_AT_ONCE = """
() => document.querySelector("table-page").watched.addEventListener("change", ({ target }) => {
  if (target.table?.commands.some(({ type }) => type === "ready"))
    document.querySelector("table-page").onCommand({ type: "ready" });
})
"""


def check(player):
    assert player.violations() == []
    assert not player.overflows_sideways


def card(page, title="Xe Queo!"):
    return page.locator(".daily-game").filter(has=page.get_by_role("heading", name=title))


def finish(player):
    """Play the daily table of Xe Queo! from the lobby to its end."""
    page = player.visit()
    page.locator(".daily-line").click()
    card(page).locator("button.primary").click()
    player.wait("table.view && table.source === 'daily'")
    page.evaluate(READY_AT_ONCE)
    player.play(["accuse"])
    player.wait("table.phase === 'over'")
    return page


def test_the_daily_table_is_played_once_compared_and_practised(new_player):
    ana = new_player("Ana", size=TALL_PHONE).with_name()
    page = finish(ana)
    expect(page.get_by_role("button", name="Rematch")).to_have_count(0)
    page.get_by_role("link", name="Compare").click()
    expect(card(page).locator(".daily-own")).to_contain_text("Rank")
    expect(card(page).get_by_text("Nobody else has finished yet.")).to_be_visible()
    expect(card(page).locator("button.primary")).to_have_count(0)  # no second try
    expect(card(page).get_by_role("row", name="Beginner")).to_have_count(1)
    card(page).locator(".daily-proof summary").click()
    expect(card(page).locator(".hash")).to_have_count(1)  # the commitment, not the seed
    check(ana)
    ben = new_player("Ben", size=DESKTOP, language="fr", theme="dark").with_name()
    french = finish(ben)
    french.get_by_role("link", name="Comparer").click()
    expect(card(french).locator(".daily-own")).to_contain_text("Rang")
    expect(card(french)).to_contain_text("autre personne")
    check(ben)
    games = french.locator(".daily-game").count()
    french.get_by_role("link", name="Après").click()  # tomorrow: commitments alone
    expect(french.locator(".daily-game button")).to_have_count(0)
    expect(french.locator(".daily-proof")).to_have_count(games)
    check(ben)
    card(page).get_by_role("button", name="Practise").click()
    ana.wait("table.view && table.source === 'fork'")


def test_progress_offers_reviews_and_says_which_bot_is_next(new_player):
    ana = new_player("Ana", size=TALL_PHONE, language="fr").with_name()
    ana.create_table("xe_queo", seats=2, bots=["random"])
    ana.wait("table.view")
    ana.play(["accuse"])
    ana.wait("table.phase === 'over'")
    page = ana.visit("me")
    progress = page.locator("person-progress")
    expect(progress.get_by_role("heading", name="Progrès")).to_be_visible()
    expect(progress.locator(".progress-advice")).to_be_visible()
    progress.locator("summary").last.click()
    expect(progress.locator(".progress-unreviewed a")).to_have_count(1)
    check(ana)
