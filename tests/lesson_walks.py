"""Guided rounds played step by step in a browser and in the terminal, with wrong turns.

At every step and after every wrong turn, what the coach says there must be what the script says.
"""

from functools import partial

from playwright.sync_api import expect

from tablee import all_games
from tablee.core.lessons import lesson_of, text_in
from tablee.terminal.play_settings import PlaySettings
from terminals import running, shown, table, until

GAMES = [game for game in all_games() if lesson_of(game) is not None]
ALL = 1_000_000  # wrong turns
TALL_PHONE = {"width": 390, "height": 844}

CLICK_MOVE = """
async (text) => {
  const page = document.querySelector("table-page"), board = page.board;
  const choice = page.watched.table.view.choices.find((each) => each.text === text);
  board.clear();
  for (const target of choice.targets) {
    const name = CSS.escape(target);
    const button = document.querySelector(`button[data-id="${name}"]`);
    (button ?? document.querySelector(`[data-zone="${name}"] button[data-id]`)).click();
    await board.updateComplete;
  }
  await page.updateComplete;
  await document.querySelector("table-dock")?.updateComplete;
  document.querySelector(`.shortcuts button[data-move="${CSS.escape(text)}"]`)?.click();
}
"""


def wrong_moves(step, texts):
    """Return the legal moves other than the expected one: one of each turn of the script first."""
    others = [text for text in texts if text != step.move]
    firsts = {id(step.turn_after(text).text): text for text in reversed(others)}.values()
    return sorted(others, key=lambda text: text not in firsts)


def folded(text):
    """Return a text with single spaces, as lines may end anywhere."""
    return " ".join(text.split())


# In a browser


def at_step(player, number, task):
    """Wait until the coach expects something at a step."""
    player.wait(f"table.lesson?.step === {number} && table.lesson.task === '{task}'")


def is_cut_off(player):
    """Whether one must scroll to read all that the coach says."""
    return player.page.evaluate(
        "(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight)(document.querySelector('.coach-words'))"
    )


def covers_own_cards(player):
    """Whether the coach lies over the viewer's own cards."""
    has_own_area = player.page.locator(".own").count()
    own = player.page.locator(".own" if has_own_area else ".board").bounding_box()
    coach = player.page.locator(".coached").bounding_box()
    return own["y"] + own["height"] > coach["y"] + 1


class BrowserWalk:
    """A guided round in a browser, which has been opened."""

    def __init__(self, player, game, language):
        self.player, self.script, self.language = player, lesson_of(game), language
        self.wrong_turns = 0

    def play(self, max_wrong_turns):
        """Play from the first step to the end, with up to so many wrong turns."""
        for number, step in enumerate(self.script.steps, start=1):
            at_step(self.player, number, "move" if step.move else "advance")
            self.check_said(step.text)
            if not step.move:
                self.player.page.locator(".coach .button").click()
                continue
            if step.points:
                expect(self.player.page.locator("[data-pointed]").first).to_be_attached()
            assert not covers_own_cards(self.player)
            choices = [choice["text"] for choice in self.player.table["view"]["choices"]]
            for other in wrong_moves(step, choices)[: max_wrong_turns - self.wrong_turns]:
                self.take_wrong_turn(number, step, other)
            self.player.page.evaluate(CLICK_MOVE, step.move)
        self.player.wait("table.phase === 'over'")

    def take_wrong_turn(self, number, step, move):
        self.wrong_turns += 1
        self.player.page.evaluate(CLICK_MOVE, move)
        at_step(self.player, number, "retry")
        self.check_said(step.turn_after(move).text)
        self.player.page.keyboard.press("n")
        at_step(self.player, number, "move")

    def check_said(self, texts):
        names = [seat["name"] for seat in self.player.table["seats"]]
        said = self.player.page.locator(".coach-words p").inner_text()
        assert folded(said) == folded(text_in(texts, self.language, names))
        assert not is_cut_off(self.player), said


# In the terminal


def lesson_settings(game, language):
    """Return the settings of a guided round in the terminal."""
    return PlaySettings(game, game.setup(), language, bots=(), name="Ana", is_lesson=True)


def is_asked(screen, step, task):
    """Whether the coach expects something at a step, and it is drawn."""
    lesson = screen.host.table.lesson if screen.host and screen.host.table else None
    is_drawn = not screen.is_redraw_due and not screen.requests
    return is_drawn and lesson is not None and (lesson.step, lesson.task) == (step, task)


def coach_lines(app):
    """Return what the screen shows of the coach's words."""
    region = app.screen.query_one("#coach").content_region
    lines = shown(app).split("\n")[region.y : region.bottom]
    return folded("\n".join(line[region.x : region.right] for line in lines))


class TerminalWalk:
    """A guided round in the terminal."""

    def __init__(self, settings, size):
        self.settings, self.size = settings, size
        self.script = lesson_of(settings.game)
        self.wrong_turns = 0

    async def play(self, max_wrong_turns, first=0, last=None):
        """Play the steps with these indices, with up to so many wrong turns per step, and leave the table."""
        screen = table(self.settings)
        async with running(screen, self.size) as (app, pilot):
            for number, step in list(enumerate(self.script.steps, start=1))[first:last]:
                await self._play_step(screen, pilot, number, step, max_wrong_turns)
            if last is None:
                await until(lambda: bool(screen._display.result), pilot)
                assert screen.words.say("table.lesson_over") in folded(shown(app))
            else:
                following = self.script.steps[last]
                await until(partial(is_asked, screen, last + 1, "move" if following.move else "advance"), pilot)
            await screen.close()

    async def _play_step(self, screen, pilot, number, step, max_wrong_turns):
        await until(partial(is_asked, screen, number, "move" if step.move else "advance"), pilot)
        self._check_said(screen, pilot, step.text)
        if not step.move:
            await pilot.press("enter")
            return
        choices = [choice.text for choice in screen._display.view.choices]
        for other in wrong_moves(step, choices)[:max_wrong_turns]:
            self.wrong_turns += 1
            await screen.execute(other)
            await until(partial(is_asked, screen, number, "retry"), pilot)
            self._check_said(screen, pilot, step.turn_after(other).text)
            await pilot.press("enter")
            await until(partial(is_asked, screen, number, "move"), pilot)
        await screen.execute(step.move)

    def _check_said(self, screen, pilot, texts):
        names = [seat.name for seat in screen.host.table.seats]
        said = folded(text_in(texts, self.settings.language, names))
        assert said in coach_lines(pilot.app), coach_lines(pilot.app)
