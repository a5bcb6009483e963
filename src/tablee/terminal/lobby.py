"""The lobby: choose the game, the number of players, the bots, the options and the language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar

from rich.text import Text
from textual import events, getters
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option as Entry

from tablee.core.errors import BadSetup
from tablee.core.game import Game, Option, Value, show
from tablee.core.languages import languages
from tablee.core.lessons import lesson_of
from tablee.core.puzzles import puzzles_of
from tablee.core.words import Words, common
from tablee.terminal.app import TableeApp
from tablee.terminal.dialogs import TextDialog
from tablee.terminal.fields import ChoiceField, bot_choices
from tablee.terminal.play_settings import PlaySettings


class GameList(OptionList):
    """The list of games: Enter plays the highlighted one, a click only highlights."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "screen.play", show=False)]


class LobbyScreen(Screen[None]):
    """The list of games, and the settings of the selected game."""

    app = getters.app(TableeApp)

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "play", show=False),
        Binding("down", "app.focus_next", show=False),
        Binding("up", "app.focus_previous", show=False),
        Binding("l", "learn", show=False),
        Binding("p", "puzzles", show=False),
        Binding("question_mark,f1", "help", show=False),
        Binding("f10,escape,q", "app.quit", show=False),
    ]

    def __init__(
        self, games: Sequence[Game], settings: PlaySettings, open_table: Callable[[PlaySettings], Screen[None]]
    ) -> None:
        super().__init__()
        self.games = list(games)
        self.settings = settings
        self._open_table = open_table

    @property
    def words(self) -> Words:
        """The common catalogue."""
        return common(self.settings.language)

    def compose(self) -> ComposeResult:
        """Create the widgets."""
        yield Static(self.words.say("terminal.lobby"), id="heading", markup=False)
        with Horizontal(id="main"):
            yield GameList(*(self._entry(game) for game in self.games), id="games", markup=False)
            with VerticalScroll(id="settings", can_focus=False):
                yield Static(id="summary", markup=False)
        yield Static(id="hint", markup=False)
        yield Static(self.words.say("terminal.lobby_keys"), id="keys")

    def _entry(self, game: Game) -> Entry:
        low, high = game.seats[0], game.seats[-1]
        seats = str(low) if low == high else f"{low}–{high}"
        about = self.words.say("terminal.about_game", seats=seats, minutes=game.minutes)
        title = game.words(self.settings.language).say("title")
        return Entry(Text.assemble((title, "bold"), "\n", (about, "dim")), id=game.name)

    async def on_mount(self) -> None:
        """Select the game given in the settings."""
        games = self.query_one("#games", OptionList)
        games.highlighted = self.games.index(self.settings.game)
        games.focus()
        await self._show_settings()

    def on_screen_resume(self) -> None:
        """Show where the record of the last game was saved."""
        if self.app.exit_messages:
            self._hint(self.app.exit_messages[-1])

    async def _show_settings(self) -> None:
        """Show the settings of the selected game."""
        words = self.settings.game.words(self.settings.language)
        self.query_one("#summary", Static).update(
            Text.assemble((words.say("tagline"), "bold"), "\n\n", words.say("summary"))
        )
        await self.query("ChoiceField").remove()
        await self.query_one("#settings").mount(*self._fields())

    def _fields(self) -> list[ChoiceField]:
        game, words = self.settings.game, self.words
        seats = [(n, str(n)) for n in game.seats]
        known_languages = [(code, language.name) for code, language in languages().items()]
        return [
            ChoiceField("seats", words.say("terminal.seats"), seats, self.settings.setup.seats),
            ChoiceField("bots", words.say("terminal.bots"), bot_choices(words), self.settings.bots[0]),
            *(self._option_field(option) for option in game.options),
            ChoiceField("language", words.say("terminal.language"), known_languages, self.settings.language),
        ]

    def _option_field(self, option: Option) -> ChoiceField:
        words, key = self.settings.game.words(self.settings.language), f"options.{option.name}"
        choices = [(choice, self._choice_label(words, key, choice)) for choice in option.choices]
        help_text = f"{words.say(f'{key}.help')} ({option.clause})" if option.clause else words.say(f"{key}.help")
        return ChoiceField(
            option.name, words.say(f"{key}.label"), choices, self.settings.setup.options[option.name], help_text
        )

    def _choice_label(self, words: Words, key: str, choice: Value) -> str:
        if isinstance(choice, bool):
            return self.words.say(f"yes_no.{show(choice)}")
        return words.say(f"{key}.choices.{choice}") if isinstance(choice, str) else str(choice)

    # Input

    async def on_option_list_option_highlighted(self) -> None:
        """Show the settings of the highlighted game."""
        await self._apply_highlighted_game()

    async def _apply_highlighted_game(self) -> None:
        game = self.games[self.query_one("#games", OptionList).highlighted or 0]
        if game is not self.settings.game:
            self.settings = replace(self.settings, game=game, setup=game.setup(), seat=0)
            await self._show_settings()

    async def on_choice_field_value_changed(self, message: ChoiceField.ValueChanged) -> None:
        """Apply the new value, or show why the setup is refused."""
        if message.field.name == "language":
            self.settings = replace(self.settings, language=message.field.value)
            await self.recompose()
            await self.on_mount()
            return
        try:
            self.settings = self._chosen_settings()
            self._hint(message.field.help_text)
        except BadSetup as error:
            self._hint(str(error), is_refused=True)

    def _chosen_settings(self) -> PlaySettings:
        values = {field.name: field.value for field in self.query(ChoiceField)}
        options = {option.name: values[option.name] for option in self.settings.game.options}
        return replace(self.settings, setup=self.settings.game.setup(values["seats"], options), bots=(values["bots"],))

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Show the help text of the focused setting."""
        self._hint(event.widget.help_text if isinstance(event.widget, ChoiceField) else "")

    def _hint(self, text: str, *, is_refused: bool = False) -> None:
        hint = self.query_one("#hint", Static)
        hint.set_class(is_refused, "refused")
        hint.update(text)

    async def action_play(self) -> None:
        """Open a table with the chosen settings, or show why the setup is refused."""
        await self._apply_highlighted_game()  # the list may not have reported its new highlight yet
        try:
            self.settings = self._chosen_settings()
        except BadSetup as error:
            self._hint(str(error), is_refused=True)
            return
        await self.app.push_screen(self._open_table(self.settings))

    async def action_learn(self) -> None:
        """Open the guided round of the selected game."""
        await self._apply_highlighted_game()
        game = self.settings.game
        if lesson_of(game) is None:
            title = game.words(self.settings.language).say("title")
            self._hint(self.words.say("lesson.none", title=title), is_refused=True)
            return
        await self.app.push_screen(self._open_table(replace(self.settings, bots=(), is_lesson=True)))

    async def action_puzzles(self) -> None:
        """Set the puzzles of the selected game in plain lines, until the player comes back."""
        from tablee.terminal.puzzles import PuzzleSession  # a lobby appears before anything slow is imported

        await self._apply_highlighted_game()
        game = self.settings.game
        found = puzzles_of(game)
        if found is None or not found.puzzles:
            title = game.words(self.settings.language).say("title")
            self._hint(self.words.say("puzzles.none", title=title), is_refused=True)
            return
        with self.app.suspend():
            PuzzleSession(game, found, self.settings.language, lambda: input("> "), print).run()

    async def action_help(self) -> None:
        """Show the rules of the selected game."""
        await self.app.push_screen(TextDialog(self.settings.game.rulebook(self.settings.language)))
