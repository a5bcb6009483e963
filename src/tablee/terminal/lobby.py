"""The first screen: which game, how many play, against which bots, by which options, in which language."""

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
from tablee.core.words import LANGUAGES, Words, common
from tablee.terminal.app import TableeApp
from tablee.terminal.fields import Field, bot_choices
from tablee.terminal.play_settings import PlaySettings
from tablee.terminal.sheet import Sheet

LANGUAGE_NAMES = {"en": "English", "fr": "Français"}


class LobbyScreen(Screen[None]):
    """Choose and play."""

    app = getters.app(TableeApp)

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "play", show=False, priority=True),
        Binding("down", "app.focus_next", show=False),
        Binding("up", "app.focus_previous", show=False),
        Binding("question_mark,f1", "help", show=False),
        Binding("f10,escape,q", "app.quit", show=False),
    ]

    def __init__(
        self, games: Sequence[Game], settings: PlaySettings, begin: Callable[[PlaySettings], Screen[None]]
    ) -> None:
        super().__init__()
        self.games = list(games)
        self.settings = settings
        self._begin = begin

    @property
    def words(self) -> Words:
        """The words that belong to no game."""
        return common(self.settings.language)

    def compose(self) -> ComposeResult:
        """Lay everything out."""
        yield Static(self.words.say("terminal.lobby"), id="heading", markup=False)
        with Horizontal(id="main"):
            yield OptionList(*(self._entry(game) for game in self.games), id="games", markup=False)
            with VerticalScroll(id="wishes", can_focus=False):
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
        """Show the game that was wished for."""
        games = self.query_one("#games", OptionList)
        games.highlighted = self.games.index(self.settings.game)
        games.focus()
        await self._show_settings()

    def on_screen_resume(self) -> None:
        """Say where the record of the last game is."""
        if self.app.farewells:
            self._hint(self.app.farewells[-1])

    async def _show_settings(self) -> None:
        """Show what can be chosen for the game."""
        words = self.settings.game.words(self.settings.language)
        self.query_one("#summary", Static).update(
            Text.assemble((words.say("tagline"), "bold"), "\n\n", words.say("summary"))
        )
        await self.query("Field").remove()
        await self.query_one("#wishes").mount(*self._fields())

    def _fields(self) -> list[Field]:
        game, words = self.settings.game, self.words
        languages = [(language, LANGUAGE_NAMES[language]) for language in LANGUAGES]
        return [
            Field("seats", words.say("terminal.seats"), [(n, str(n)) for n in game.seats], self.settings.setup.seats),
            Field("bots", words.say("terminal.bots"), bot_choices(words), self.settings.bots[0]),
            *(self._option_field(option) for option in game.options),
            Field("language", words.say("terminal.language"), languages, self.settings.language),
        ]

    def _option_field(self, option: Option) -> Field:
        words, key = self.settings.game.words(self.settings.language), f"options.{option.name}"
        choices = [(choice, self._choice_label(words, key, choice)) for choice in option.choices]
        helped = f"{words.say(f'{key}.help')} ({option.clause})" if option.clause else words.say(f"{key}.help")
        return Field(option.name, words.say(f"{key}.label"), choices, self.settings.setup.options[option.name], helped)

    def _choice_label(self, words: Words, key: str, choice: Value) -> str:
        if isinstance(choice, bool):
            return self.words.say(f"yes_no.{show(choice)}")
        return words.say(f"{key}.choices.{choice}") if isinstance(choice, str) else str(choice)

    # What the person does

    async def on_option_list_option_highlighted(self) -> None:
        """Look at another game."""
        await self._look_at_game()

    async def _look_at_game(self) -> None:
        game = self.games[self.query_one("#games", OptionList).highlighted or 0]
        if game is not self.settings.game:
            self.settings = replace(self.settings, game=game, setup=game.setup(), seat=0)
            await self._show_settings()

    async def on_field_turned(self, message: Field.Turned) -> None:
        """Take the wish over, or say why it cannot be."""
        if message.field.name == "language":
            self.settings = replace(self.settings, language=message.field.value)
            await self.recompose()
            await self.on_mount()
            return
        try:
            self.settings = self._chosen_settings()
            self._hint(message.field.help_text)
        except BadSetup as why:
            self._hint(str(why), is_refused=True)

    def _chosen_settings(self) -> PlaySettings:
        values = {field.name: field.value for field in self.query(Field)}
        options = {option.name: values[option.name] for option in self.settings.game.options}
        return replace(self.settings, setup=self.settings.game.setup(values["seats"], options), bots=(values["bots"],))

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Explain what the focus is on."""
        self._hint(event.widget.help_text if isinstance(event.widget, Field) else "")

    def _hint(self, text: str, *, is_refused: bool = False) -> None:
        hint = self.query_one("#hint", Static)
        hint.set_class(is_refused, "refused")
        hint.update(text)

    async def action_play(self) -> None:
        """Begin, if it can be played so."""
        await self._look_at_game()  # Enter may come before the list has said that it moved
        try:
            self.settings = self._chosen_settings()
        except BadSetup as why:
            self._hint(str(why), is_refused=True)
            return
        await self.app.push_screen(self._begin(self.settings))

    async def action_help(self) -> None:
        """Show the rules of the game."""
        await self.app.push_screen(Sheet(self.settings.game.rulebook(self.settings.language)))
