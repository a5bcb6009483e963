"""The screen of a table: board, what can be done, a line to type moves, the story."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual import events, getters
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from tablee.core.errors import TableeError
from tablee.core.view import Choice
from tablee.core.words import common
from tablee.terminal.app import KeepingScreen, TableeApp
from tablee.terminal.board_widget import BoardWidget
from tablee.terminal.hosts import Host, Scene
from tablee.terminal.input import COMMANDS, are_numbered, matching
from tablee.terminal.move_line import MoveLine
from tablee.terminal.sheet import Sheet
from tablee.terminal.text import last_lines, score_line

WIDE = 110  # columns from which there is room beside the board
TAIL = 2  # lines of the story where there is no room beside the board
MAX_PROMPT_LINES = 3
MAX_LISTED = 400
MAX_HINTED = 24
MAX_STORY_LINES = 500
FRAME = 0.02  # seconds; the eye does not see more than one picture in that time


class TableScreen(KeepingScreen):
    """A person at a table, or looking at one."""

    app = getters.app(TableeApp)

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,f1", "help", show=False),
        Binding("f2", "drawer", show=False),
        Binding("f10", "leave", show=False),
    ]

    def __init__(self, title: str, language: str, open_host: Callable[[], Host]) -> None:
        super().__init__()
        self.heading = title
        self.language = language
        self.words = common(language)
        self.host: Host | None = None
        self.story: list[str] = []
        self.is_due = False  # whether there is something new to be drawn
        self._open_host = open_host
        self._scene = Scene(title, notice=self.words.say("terminal.laying"))
        self._answer = ""  # what the person is told about his last wish
        self._looked = ""  # what the cursor is on
        self._is_wide = True
        self._has_drawer = False
        self._listed: tuple[Choice, ...] | None = None

    def compose(self) -> ComposeResult:
        """Lay the table."""
        with Horizontal(id="main"):
            yield BoardWidget(self.language)
            with Vertical(id="side"):
                yield Static(id="scores", markup=False)
                yield OptionList(id="choices", markup=False, compact=True)
                yield Static(id="story", markup=False)
        yield Static(id="tail", markup=False)
        yield Static(id="prompt", markup=False)
        yield MoveLine(self.words.say("terminal.type_here"))
        yield Static(id="hint", markup=False)
        yield Static(self.words.say("terminal.keys"), id="keys")

    # The course of things

    def on_mount(self) -> None:
        """Sit down."""
        self.board.focus()
        self.show()
        self.run_worker(self._keep_going(), name="table")

    async def _keep_going(self) -> None:
        try:
            self.host = await asyncio.to_thread(self._open_host)
            self.host.listener.changed = self.show_soon
            self.host.listener.told = self.tell
            self.host.listener.answered = self.answer
            await self.host.run()
        except (TableeError, OSError) as why:
            self._scene = Scene(self.heading, notice=str(why))
            self.host = None
            self.show()

    async def close(self) -> None:
        """Leave the table; the record is saved."""
        if self.host is not None:
            await self.host.close()
            self.app.farewells.extend(filter(None, [self.host.farewell]))

    # What is shown

    @property
    def board(self) -> BoardWidget:
        """The board."""
        return self.query_one(BoardWidget)

    def tell(self, lines: Sequence[str]) -> None:
        """Go on with the story."""
        self.story = [*self.story, *lines][-MAX_STORY_LINES:]

    def show_soon(self) -> None:
        """Draw everything anew, once for all that happens until then."""
        if not self.is_due:
            self.is_due = True
            self.set_timer(FRAME, self.show)

    def show(self) -> None:
        """Draw everything anew."""
        self.is_due = False
        if not self.is_mounted:
            return
        before, scene = self._scene, self.host.scene() if self.host is not None else self._scene
        if scene.view != before.view:
            self._answer = ""
        self._scene = scene
        if scene.view is None:
            self.board.show_lines(scene.lines)
        else:
            self.board.show_view(scene.view, scene.names, scene.moved)
        self._show_prompt()
        self._show_story()
        self._show_choices()
        self._show_hint()

    def _show_prompt(self) -> None:
        view, notice = self._scene.view, self._scene.notice
        prompt = self.query_one("#prompt", Static)
        is_on_turn = view is not None and bool(view.choices)
        prompt.set_class(is_on_turn and not notice, "on-turn")
        text = " ".join(self._scene.end) or notice or (view.prompt if view else "")
        prompt.update(text)
        lines = len(last_lines([text], self.size.width - 2, MAX_PROMPT_LINES))
        # The story gives way to a long prompt, so that the board keeps its room.
        self.query_one("#tail").styles.height = max(TAIL + 1 - lines, 0)

    def _show_story(self) -> None:
        tail, story = self.query_one("#tail", Static), self.query_one("#story", Static)
        tail.update("\n".join(last_lines(self.story, tail.content_size.width, tail.content_size.height)))
        story.update("\n".join(last_lines(self.story, story.content_size.width, story.content_size.height)))
        view = self._scene.view
        scores = score_line(view.scores, self._scene.names, self.language) if view else ""
        self.query_one("#scores", Static).update(Text.assemble((self._scene.title, "bold"), "\n", scores))

    def _choices(self) -> tuple[Choice, ...]:
        """Return what can be done with what is picked."""
        view = self._scene.view
        if view is None:
            return ()
        picking = self.board.picking
        if not picking.picked:
            return view.choices
        return tuple(choice for choice in view.choices if set(picking.picked) <= set(choice.targets))

    def _show_choices(self) -> None:
        choices = self._choices()
        if choices == self._listed:
            return
        self._listed = choices
        every = self._scene.view.choices if self._scene.view else ()
        numbers = {choice.move: number for number, choice in enumerate(every, start=1)} if are_numbered(every) else {}
        chooser = self.query_one("#choices", OptionList)
        chooser.clear_options()
        chooser.add_options([_listed(choice, numbers.get(choice.move)) for choice in choices[:MAX_LISTED]])
        self.query_one(MoveLine).offer(every)

    def _show_hint(self) -> None:
        self.query_one("#hint", Static).update(self._hint())
        self.query_one("#hint").set_class(bool(self._answer), "refused")

    def _hint(self) -> str:
        """Say the most useful thing there is room for."""
        typed = self.query_one(MoveLine).value
        picking = self.board.picking
        if self._answer:
            return self._answer
        if typed:
            return self._few(matching(typed, self._choices()))
        if picking.picked and len(picking.complete) == 1:
            return self.words.say("terminal.enter_plays", label=picking.complete[0].label)
        if self._looked:
            return self._looked
        if "rematch" in self._scene.commands:
            return self.words.say("terminal.again", command=self.words.say("commands.rematch"))
        return self._few(self._choices()) if picking.picked or not self._is_wide else ""

    def _few(self, choices: Sequence[Choice]) -> str:
        colon = self.words.say("colon")
        return " · ".join(
            f"{choice.text}{colon} {choice.label}" if _says_more(choice) else choice.text
            for choice in choices[:MAX_HINTED]
        )

    # Resizing

    def on_resize(self, event: events.Resize) -> None:
        """Put the story beside the board where there is room."""
        self._is_wide = event.size.width >= WIDE
        self._arrange()

    def _arrange(self) -> None:
        self.set_class(self._is_wide, "wide")
        self.set_class(self._has_drawer and not self._is_wide, "drawer")
        self.call_after_refresh(self.show)

    def action_drawer(self) -> None:
        """Show or hide the list of moves and the story, where there is no room beside the board."""
        self._has_drawer = not self._has_drawer
        self._arrange()
        if self._has_drawer or self._is_wide:
            self.query_one("#choices").focus()
        else:
            self.board.focus()

    # What the person does

    def on_key(self, event: events.Key) -> None:
        """Begin to type a move wherever the focus is."""
        line = self.query_one(MoveLine)
        if self.focused is line or not event.is_printable or event.character in (None, " ", "?"):
            return
        line.focus()
        line.insert_text_at_cursor(event.character or "")
        event.stop()

    def on_input_changed(self, message: Input.Changed) -> None:
        """Show what fits; an emptied line leaves the answer to it in sight."""
        if message.value:
            self._answer = ""
        self._show_hint()

    async def on_input_submitted(self) -> None:
        """Obey, or play what was typed."""
        line = self.query_one(MoveLine)
        text, line.value = line.value.strip(), ""
        if text:
            await self.do(text)
        self.board.focus()

    async def on_board_widget_chosen(self, message: BoardWidget.Chosen) -> None:
        """Play what was touched."""
        await self.do(message.text)

    async def on_board_widget_refused(self, message: BoardWidget.Refused) -> None:
        """Say why nothing can be done with that."""
        if message.text is None:
            self.answer(self.words.say("terminal.not_now"))
        else:
            await self.do(message.text)

    def on_board_widget_looked(self, message: BoardWidget.Looked) -> None:
        """Say what it is."""
        self._looked, self._answer = message.label, ""
        self._show_hint()

    def on_board_widget_picked(self) -> None:
        """Show what can be done with what was picked."""
        self._looked = self._answer = ""
        self._show_choices()
        self._show_hint()
        if len(self.board.picking.complete) > 1:
            self.query_one("#choices").focus()

    async def on_option_list_option_selected(self, message: OptionList.OptionSelected) -> None:
        """Play what was chosen from the list."""
        if message.option.id is not None:
            await self.do(message.option.id)
            self.board.focus()

    def answer(self, text: str) -> None:
        """Tell the person something about his wish."""
        self._answer = text
        self._show_hint()

    async def do(self, text: str) -> None:
        """Do what a person typed or touched: a command, or a move."""
        view = self._scene.view
        is_move = view is not None and any(choice.text == text.lower() for choice in view.choices)
        word, _, argument = text.partition(" ")
        commands = {self.words.say(f"commands.{name}"): name for name in (*COMMANDS.values(), *self._scene.commands)}
        command = None if is_move else {**COMMANDS, **commands}.get(word.lower())
        if command is not None:
            await self._obey(command, argument.strip())
        elif self.host is not None:
            self._looked = ""
            self.answer(self.host.play(text))

    async def _obey(self, command: str, argument: str) -> None:
        if command in ("help", "rules"):
            await self.action_help()
        elif command == "table":
            self.show()
        elif command == "score" and self._scene.view is not None:
            self.answer(score_line(self._scene.view.scores, self._scene.names, self.language))
        elif command == "quit":
            await self.action_leave()
        elif self.host is not None:
            self.answer(self.host.ask(command, argument))

    async def action_help(self) -> None:
        """Show keys, commands and rules."""
        commands = ", ".join(self.words.say(f"commands.{name}") for name in self._scene.commands)
        also = self.words.say("terminal.commands", commands=commands) if commands else ""
        rules = await self.host.rulebook() if self.host is not None else ""
        await self.app.push_screen(Sheet("\n\n".join([self.words.say("terminal.help"), also, rules])))

    async def action_leave(self) -> None:
        """Leave the table; the record is saved."""
        await self.close()
        self.workers.cancel_all()
        self.app.leave()


def _says_more(choice: Choice) -> bool:
    """Whether the label of a choice says more than its text."""
    return choice.label.lower() != choice.text.lower()


def _listed(choice: Choice, number: int | None) -> Option:
    index = f"{number:>3}. " if number else ""
    label = f"  {choice.label}" if _says_more(choice) else ""
    return Option(Text.assemble((index, "dim"), (choice.text, "bold"), label), id=choice.text)
