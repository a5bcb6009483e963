"""The coach in a browser: made with the form, agreed to, asked step by step, and heard before a blunder."""

import json

from playwright.sync_api import expect

from browser import DESKTOP

TALL_PHONE = {"width": 390, "height": 844}
PATIENCE = 120_000  # milliseconds: the coach's process starts, and may have to compile


def test_a_hint_in_three_steps_hidden_cards_and_a_warning(new_player):
    ana = new_player("Ana", size=TALL_PHONE, language="fr").with_name()
    ana._store("warnings", "on")
    hints = []

    def give(route):
        """Answer with the server's hint, and call the good move a blunder too."""
        hint = route.fetch(timeout=PATIENCE).json()
        hint["blunders"] = [{**hint["good"][0], "text": "Aïe."}]
        hints.append(hint)
        route.fulfill(json=hint)

    ana.context.route("**/hint*", give)
    page = ana.visit("games/xe_queo")
    page.locator("input[value=bots]").check(force=True)
    page.locator("input[name=coach]").check()
    page.locator(".sticky-action button").click()
    ana.wait("table.commands.some(({type}) => type === 'hint')")
    assert not ana.table["setup"]["options"].get("coach")
    assert ana.table["coach"] == {"is_on": True, "agreed": [0], "waiting": []}
    level_of = "name => import('/words.js').then(({ translate }) => translate('waiting_room.level_of', { name }))"
    assert [page.evaluate(level_of, name) for name in ("Ben", "Élise")] == ["Niveau de Ben", "Niveau d’Élise"]
    coach, words = page.locator(".coach.at-table"), page.locator(".coach-words")
    ask = coach.locator(".button.primary")
    expect(ask).to_have_text("Conseil")
    expect(ask).to_be_enabled(timeout=PATIENCE)  # the hint has come
    ask.click()
    expect(words).to_contain_text("Regardez")
    expect(words).to_contain_text(hints[0]["look"])
    expect(page.locator("[data-pointed]").first).to_be_attached()
    expect(ask).to_have_text("Quels coups ?")
    ask.click()
    expect(words).to_contain_text(hints[0]["good"][0]["label"])
    ask.click()
    expect(words).to_contain_text(hints[0]["why"])
    expect(ask).to_have_count(0)
    assert len(hints) == 1  # asked for when the turn began, and kept
    assert not ana.violations()
    assert not ana.overflows_sideways
    coach.locator("[aria-pressed]").click()
    expect(words).to_contain_text("Rien n’est caché", timeout=PATIENCE)
    # A blunder asks first: once it is taken back, once it is played.
    moves, blunder = ana.table["moves"], hints[0]["good"][0]["move"]
    choose = f"document.querySelector('table-page').onChoose({json.dumps(blunder)})"
    page.evaluate(choose)
    expect(coach).to_contain_text("Aïe.")
    assert not ana.violations()
    coach.get_by_role("button", name="Choisir à nouveau").click()
    expect(coach).not_to_contain_text("Aïe.")
    assert ana.table["moves"] == moves
    page.evaluate(choose)
    coach.get_by_role("button", name="Jouer quand même").click()
    ana.wait(f"table.moves > {moves}")
    ana.context.unroute_all(behavior="ignoreErrors")  # the next turn may have asked already


def test_the_coach_waits_for_everybody(new_player):
    ana, ben = new_player("Ana", size=DESKTOP).with_name(), new_player("Ben", size=TALL_PHONE)
    table = ana.create_table("skyjo", seats=2, coach=True)
    expect(ana.page.locator(".waiting-room .coach")).to_contain_text("Everybody has agreed")
    ben.visit()
    expect(ben.page.locator(f".table-line[href='/t/{table['id']}'] .coach-mark")).to_contain_text("Coach")
    ben.join(table)
    for player in (ana, ben):
        player.wait("table.phase === 'playing' && table.coach.waiting.length === 1")
        expect(player.page.locator(".coach.at-table")).to_contain_text("Still to agree: Ben.")
        assert not player.violations()
    ben.page.locator("[data-command=accept_coach]").click()
    for player in (ana, ben):
        player.wait("table.coach.is_on && table.commands.some(({type}) => type === 'beliefs')")
    ana.page.locator(".coach [aria-pressed]").click()
    expect(ana.page.locator(".coach table.beliefs").first).to_be_visible(timeout=PATIENCE)
    assert not ana.violations()
    ana.page.locator("table-menu .icon-button").click()
    ana.page.get_by_role("button", name="Turn the coach off").click()
    ben.wait("!table.coach.is_on && !table.commands.some(({type}) => type === 'beliefs')")
