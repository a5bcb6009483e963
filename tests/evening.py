"""An evening at a table: two people and a watcher play a whole game in their browsers, whatever happens meanwhile.

The host removes a bot, rounds end and all get ready, the language is changed, a player goes on with another device,
and the server is restarted. At rest and at the end nothing may break a layout rule, at any size of screen.
"""

import re

from playwright.sync_api import expect

from browser import PHONE, Player
from test_layouts import RULES, SIZES

SETUPS = {  # seats and options of a game with several short rounds
    "lexio": (4, {"rounds": 3}),
    "skip_bo": (3, {"edition": "pocket", "single_round": True}),
    "skyjo": (3, {"stall_turns": 1, "opening": "auto"}),
    "xe_queo": (2, {}),
    "xylo": (3, {"ties": "auto"}),
}
BOT = "greedy"
PREFERRED = ("stock", "wild", "pile", "hand")  # groups of choices that end a game soon
GAME_SECONDS = 600  # on a loaded machine
BEFORE_RESTART, BEFORE_MOVING = 12, 20  # events
LOST = re.compile("ERR_CONNECTION_REFUSED|WebSocket connection|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET")

# Gets ready whenever a round has ended, as a person does who has seen enough.
GET_READY = """
() => setInterval(() => {
  const ready = document.querySelector(".rest:not(.game-over) .rest-status .button.primary:not([data-clicked])");
  ready?.setAttribute("data-clicked", "");
  ready?.click();
}, 100)
"""


class Evening:
    """A game from the invitation to the replay."""

    def __init__(self, browser, server, game):
        self.browser, self.server, self.game = browser, server, game
        self.seats, self.options = SETUPS[game]
        self.people = []

    def person(self, name, **settings):
        self.people.append(Player(self.browser, self.server, name, **settings))
        return self.people[-1]

    def play(self):
        """Play the whole evening; raise AssertionError at the first thing that is wrong."""
        ana, ben = self.person("Ana").with_name(), self.person("Ben", size=PHONE, language="fr")
        table = self.gather(ana, ben)
        cleo = self.person("Cleo", size={"width": 844, "height": 390})
        cleo.visit(f"t/{table['id']}#{table['invite']}")
        cleo.wait("table.view")
        self.go_on(ana, ben, until=BEFORE_RESTART)
        self.server.restart()
        self.go_on(ana, ben, until=BEFORE_MOVING)
        self.change_language(ana)
        tablet = self.move_to_another_device(ana, table)
        self.check_rest(tablet, ben, cleo)
        for person in (tablet, ben):
            person.page.evaluate(GET_READY)
            person.play(PREFERRED)
        for person in (tablet, ben, cleo):
            person.wait("table.phase === 'over'", GAME_SECONDS)
            self.check(person)
        assert tablet.table["result"]["scores"] == ben.table["result"]["scores"] == cleo.table["result"]["scores"]
        cleo.page.get_by_role("link", name="Replay").click()
        expect(cleo.page.locator("replay-page .board")).to_be_visible()

    def gather(self, ana, ben):
        """Make a table, remove a bot and seat another; Ben takes the last seat."""
        bots = [BOT] * (self.seats - 2)
        table = ana.create_table(self.game, seats=self.seats, options=self.options, bots=bots, rest=0, is_open=False)
        if bots:
            ana.page.get_by_role("button", name=re.compile("^Remove ")).first.click()
            ana.wait(f"table.seats.filter(({{ kind }}) => kind === 'bot').length === {len(bots) - 1}")
            ana.page.get_by_role("button", name="Add a bot").last.click()
            ana.wait(f"table.seats.filter(({{ kind }}) => kind === 'bot').length === {len(bots)}")
        ben.join(table)
        ben.wait("table.view")
        return table

    def go_on(self, ana, ben, until):
        """Play until both people have seen so many events."""
        for person in (ana, ben):
            person.wait("table.view")
            person.page.evaluate(GET_READY)
            person.play(PREFERRED, until=until)
        for person in (ana, ben):
            person.wait(f"table.number >= {until}", GAME_SECONDS)

    def change_language(self, ana):
        """Change to French in the middle of the game: everything said before is French too."""
        ana.page.get_by_role("button", name="More").click()
        ana.page.get_by_role("button", name="Settings").click()
        ana.page.get_by_role("radio", name="Français").check()
        ana.page.keyboard.press("Escape")
        ana.page.reload()
        ana.wait("table.view && watched.log.length")
        expect(ana.page.locator(".toolbar")).to_contain_text("pts")
        assert ana.page.evaluate("document.documentElement.lang") == "fr"

    def move_to_another_device(self, ana, table):
        """Go on at a tablet, with a code from the first device."""
        code = ana._request("post", "/api/me/transfers", {})["code"]
        tablet = self.person("Ana", size={"width": 820, "height": 1180})
        tablet.visit("me")
        tablet.page.get_by_label("Code from the other device").fill(code)
        tablet.page.get_by_role("button", name="Use the code").click()
        expect(tablet.page.get_by_role("heading", name="Ana", exact=True)).to_be_visible()
        ana.visit()  # the first device is put away
        tablet.visit(f"t/{table['id']}")
        tablet.wait("table.viewer === 0")
        return tablet

    def check_rest(self, tablet, ben, cleo):
        """Play to the end of a round, if the game has several, and look at it at every size."""
        for person in (tablet, ben):
            person.play(PREFERRED)
        tablet.wait("table.resting || table.phase === 'over'", GAME_SECONDS)
        for person in (tablet, ben, cleo):
            person.wait("table.resting || table.phase === 'over'", GAME_SECONDS)
            self.check(person)

    def check(self, person):
        """Check accessibility, and the layout rules at every size, with the table as it is."""
        assert person.violations() == []
        viewport = person.page.viewport_size
        watched = "document.querySelector('table-page').watched"
        table, log = person.page.evaluate(f"[{watched}.table, {watched}.log]")
        shown = [{"name": f"{self.game}, {person.name}", "shown": table, "log": log}]
        for name, size in SIZES.items():
            person.page.set_viewport_size({"width": size.width, "height": size.height})
            rules = {"isTouched": False, "isWhole": size.is_whole, "isWholeAtRest": size.is_whole_at_rest}
            broken = person.page.evaluate(RULES, [shown, rules])
            assert not broken, f"{name}: {broken}"
        person.page.set_viewport_size(viewport)

    def close(self):
        """Close all browsers; none may have reported anything but the restart of the server."""
        for person in self.people:
            person.errors = [error for error in person.errors if not LOST.search(error)]
            person.close()
