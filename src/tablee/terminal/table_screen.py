"""The screen of a table: board, legal moves, input line and log."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual import events, getters
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from tablee.core.errors import TableeError
from tablee.core.words import common
from tablee.terminal.app import SavingScreen, TableeApp
from tablee.terminal.board_widget import BoardWidget
from tablee.terminal.dialogs import TextDialog
from tablee.terminal.display import Display, way_on
from tablee.terminal.input import FRONT_END_COMMANDS, are_numbered, matching, parse_command, shown_text
from tablee.terminal.move_line import MoveLine
from tablee.terminal.pace import BEATS, next_pace, store_pace
from tablee.terminal.score_sheet import score_sheet_markdown
from tablee.terminal.side_pane import LogPane, SidePane
from tablee.terminal.text import clock_text, last_lines, score_line

if TYPE_CHECKING:
    from tablee.core.view import Choice
    from tablee.terminal.hosts import Host

WIDE = 110  # columns from which players, score sheet, moves and log are beside the board
SPACIOUS = 170  # columns from which they have more room
LOG_TAIL_LINES = 2  # of the log below the board of a narrow screen
MAX_PROMPT_LINES = 3
CLOCK_WIDTH = 10  # columns
URGENT_SECONDS = 10
MAX_LISTED = 400
MAX_HINTED = 24
REDRAW_DELAY = 0.02  # seconds in which changes are collected into one redraw


class TableScreen(SavingScreen):
    """A table, for a player or a spectator."""

    app = getters.app(TableeApp)

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,f1", "help", show=False),
        Binding("f2", "drawer", show=False),
        Binding("f4", "score", show=False),
        Binding("f5", "pace", show=False),
        Binding("f10", "leave", show=False),
    ]

    def __init__(self, title: str, language: str, open_host: Callable[[], Host]) -> None:
        super().__init__()
        self.heading = title
        self.language = language
        self.words = common(language)
        self.host: Host | None = None
        self.is_redraw_due = False
        self.requests = 0  # that the host has not answered yet
        self._open_host = open_host
        self._display = Display(title, notice=self.words.say("terminal.loading"))
        self._reply = ""  # to the last move or command
        self._hovered = ""  # label of what the cursor is on
        self._is_wide = True
        self._has_drawer = False
        self._listed: tuple[Choice, ...] | None = None

    def compose(self) -> ComposeResult:
        """Create the widgets."""
        with Horizontal(id="main"):
            yield BoardWidget(self.language)
            yield SidePane(self.language)
        yield LogPane("log-tail")
        yield Static(id="coach", markup=False)
        with Horizontal(id="question"):
            yield Static(id="prompt", markup=False)
            yield Static(id="clock", markup=False)
        yield MoveLine(self.words.say("terminal.type_here"))
        yield Static(id="hint", markup=False)
        yield Static(self.words.say("terminal.keys"), id="keys")

    # Lifetime

    def on_mount(self) -> None:
        """Start the host."""
        self.board.focus()
        self.show()
        self.run_worker(self._run_host(), name="table")
        self.set_interval(1, self._show_clock)

    async def _run_host(self) -> None:
        try:
            self.host = await asyncio.to_thread(self._open_host)
            context = copy_context()  # a timer needs the app's, and hosts call from other threads' contexts
            self.host.callbacks.changed = lambda: context.run(self.show_soon)
            self.host.callbacks.refused = self.show_reply
            await self.host.run()
        except (TableeError, OSError) as error:
            self._display = Display(self.heading, notice=str(error))
            self.host = None
            self.show()

    async def close(self) -> None:
        """Leave the table and save the record."""
        if self.host is not None:
            await self.host.close()
            self.app.exit_messages.extend(filter(None, [self.host.exit_message]))

    def save(self) -> None:
        """Save the record."""
        if self.host is not None:
            self.host.save()

    # Display

    @property
    def board(self) -> BoardWidget:
        """The board."""
        return self.query_one(BoardWidget)

    @property
    def log_lines(self) -> list[str]:
        """The texts of the table's log."""
        shown = self.host.shown if self.host is not None else None
        return [line.text for line in shown.log] if shown is not None else []

    def show_soon(self) -> None:
        """Redraw soon; calls until then cause one redraw."""
        if not self.is_redraw_due:
            self.is_redraw_due = True
            self.set_timer(REDRAW_DELAY, self.show)

    def show(self) -> None:
        """Redraw everything."""
        self.is_redraw_due = False
        if not self.is_mounted:
            return
        before, display = self._display, self.host.display() if self.host is not None else self._display
        if display.view != before.view:
            self._reply = ""
        self._display = display
        if display.view is None:
            self.board.show_lines(display.lines)
        else:
            self.board.show_view(display.view, display.names, display.moved, display.points, display.players)
        self._show_coach()
        self._show_prompt()
        self._show_clock()
        self.query_one(SidePane).show(display)
        self._show_log()
        self._show_choices()
        self._show_hint()

    def _show_coach(self) -> None:
        """Show what the coach says, in place of the end of the log."""
        is_lesson = bool(self._display.coach) or (self._display.waits_for_bot and self.has_class("lesson"))
        self.set_class(is_lesson, "lesson")
        if self._display.coach:
            self.query_one("#coach", Static).update(self._display.coach)

    def _show_prompt(self) -> None:
        view, notice = self._display.view, self._display.notice
        prompt = self.query_one("#prompt", Static)
        is_on_turn = view is not None and bool(view.choices)
        prompt.set_class(is_on_turn and not notice, "on-turn")
        text = self._result() or notice or (view.prompt if view else "")
        prompt.update(text)
        # A long prompt takes lines from the log, so that the board keeps its height.
        clock = 0 if self.host is None or self.host.seconds_left is None else CLOCK_WIDTH
        extra = len(last_lines([text], self.size.width - 2 - clock, MAX_PROMPT_LINES)) - 1
        self.query_one("#log-tail").styles.height = LOG_TAIL_LINES - max(extra, 0)

    def _result(self) -> str:
        """Return the result of the game and where its record is; empty before the end."""
        if not self._display.result or self.host is None:
            return ""
        return " ".join([*self._display.result, self.host.exit_message])

    def _show_log(self) -> None:
        for pane in self.query(LogPane):
            pane.show(self.log_lines)

    def _show_clock(self) -> None:
        """Show the time left for the move or the rest."""
        seconds = self.host.seconds_left if self.host is not None else None
        clock = self.query_one("#clock", Static)
        clock.set_class(seconds is not None, "running")
        clock.set_class(seconds is not None and seconds < URGENT_SECONDS, "urgent")
        clock.update("" if seconds is None else f"◷ {clock_text(seconds)}")

    def _choices(self) -> tuple[Choice, ...]:
        """Return the choices that contain the selected targets."""
        view = self._display.view
        if view is None:
            return ()
        selected = self.board.selection.selected
        if not selected:
            return view.choices
        return tuple(choice for choice in view.choices if set(selected) <= set(choice.targets))

    def _show_choices(self) -> None:
        choices = self._choices()
        if choices == self._listed:
            return
        self._listed = choices
        legal = self._display.view.choices if self._display.view else ()
        numbers = {choice.move: number for number, choice in enumerate(legal, start=1)} if are_numbered(legal) else {}
        options = self.query_one("#choices", OptionList)
        options.clear_options()
        options.add_options([_option(choice, numbers.get(choice.move)) for choice in choices[:MAX_LISTED]])
        self.query_one(MoveLine).set_choices(legal)

    def _show_hint(self) -> None:
        self.query_one("#hint", Static).update(self._hint())
        self.query_one("#hint").set_class(bool(self._reply), "refused")

    def _hint(self) -> str:
        """Return the most useful text for the hint line."""
        typed = self.query_one(MoveLine).value
        selection = self.board.selection
        if self._reply:
            return self._reply
        if typed:
            return self._summary(matching(typed, self._choices()))
        if selection.selected and len(selection.complete) == 1:
            return self.words.say("terminal.enter_plays", label=selection.complete[0].label)
        if self._hovered:
            return self._hovered
        if "rematch" in self._display.commands:
            return self.words.say("terminal.again", command=self.words.say("commands.rematch"))
        is_listed = self._is_wide and not selection.selected
        return self._commands() if is_listed or not self._choices() else self._summary(self._choices())

    def _commands(self) -> str:
        """Return the commands that are possible now."""
        names = ", ".join(self.words.say(f"commands.{name}") for name in self._display.commands)
        return self.words.say("terminal.commands", commands=names) if names else ""

    def _summary(self, choices: Sequence[Choice]) -> str:
        colon = self.words.say("colon")
        return " · ".join(
            f"{shown_text(choice)}{colon} {choice.label}" if _label_adds(choice) else shown_text(choice)
            for choice in choices[:MAX_HINTED]
        )

    # Resizing

    def on_resize(self, event: events.Resize) -> None:
        """Show moves and log beside the board if the screen is wide enough."""
        self._is_wide = event.size.width >= WIDE
        self._arrange()

    def _arrange(self) -> None:
        self.set_class(self._is_wide, "wide")
        self.set_class(self.size.width >= SPACIOUS, "spacious")
        self.set_class(self._has_drawer and not self._is_wide, "drawer")
        self.call_after_refresh(self.show)

    def action_drawer(self) -> None:
        """Show or hide the list of moves and the log on a narrow screen."""
        self._has_drawer = not self._has_drawer
        self._arrange()
        if self._has_drawer or self._is_wide:
            self.query_one("#choices").focus()
        else:
            self.board.focus()

    # Input

    def on_key(self, event: events.Key) -> None:
        """Type into the input line, wherever the focus is; a space that continues no text selects on the board."""
        line = self.query_one(MoveLine)
        if self.focused is line or not event.is_printable or event.character in (None, "?"):
            return
        if event.character == " " and not line.value:
            self.board.action_select()
        else:
            line.focus()
            line.insert_text_at_cursor(event.character or "")
        event.stop()

    def on_input_changed(self, message: Input.Changed) -> None:
        """Show the matching moves; clearing the line keeps the last reply."""
        if message.value:
            self._reply = ""
        self._show_hint()

    async def on_input_submitted(self) -> None:
        """Execute the typed command or play the typed move."""
        line = self.query_one(MoveLine)
        text, line.value = line.value.strip(), ""
        if text:
            await self.execute(text)
        else:
            await self.on_board_widget_confirmed()
        self.board.focus()

    async def on_board_widget_confirmed(self) -> None:
        """Show the next moves of bots that wait, be ready for the next round, or go on in a guided one."""
        way = way_on(self._display.commands)
        if self.host is not None and len(self.host.queue):
            self._skip(self.host)
        elif way:
            await self.execute(way)

    @staticmethod
    def _skip(host: Host) -> None:
        """Show the next move of a bot step by step, else all that wait."""
        if host.queue.pace == "step":
            host.queue.advance()
        else:
            host.queue.catch_up()

    async def on_board_widget_move_chosen(self, message: BoardWidget.MoveChosen) -> None:
        """Play the move chosen on the board."""
        await self.execute(message.text)

    def on_board_widget_target_refused(self, message: BoardWidget.TargetRefused) -> None:
        """Show why no move has this target."""
        if self.host is not None:
            self._request(self.host.explain(message.targets))

    def on_board_widget_target_hovered(self, message: BoardWidget.TargetHovered) -> None:
        """Show the label of the piece."""
        self._hovered, self._reply = message.label, ""
        self._show_hint()

    def on_board_widget_selection_changed(self) -> None:
        """Show the moves that contain the selected targets."""
        self._hovered = self._reply = ""
        self._show_choices()
        self._show_hint()
        if len(self.board.selection.complete) > 1:
            self.query_one("#choices").focus()

    async def on_option_list_option_selected(self, message: OptionList.OptionSelected) -> None:
        """Play the move selected in the list."""
        if message.option.id is not None:
            await self.execute(message.option.id)
            self.board.focus()

    def show_reply(self, text: str) -> None:
        """Show the reply to a move or command."""
        self._reply = text
        self._show_hint()

    async def execute(self, text: str) -> None:
        """Execute a command or play a move, given as text."""
        choices = self._display.view.choices if self._display.view else ()
        command = parse_command(text, choices, self.words)
        if command is not None and command.name in FRONT_END_COMMANDS:
            await self._execute_own(*command)
        elif self.host is not None:
            self._hovered = ""
            self._request(self.host.play(text) if command is None else self.host.command(*command))

    def _request(self, work: Coroutine[Any, Any, str]) -> None:
        """Run a request of the host in the background and show its reply."""
        self.requests += 1
        self.show_reply("")
        self.run_worker(self._await_reply(work))

    async def _await_reply(self, work: Coroutine[Any, Any, str]) -> None:
        try:
            self.show_reply(await work)
        finally:
            self.requests -= 1

    async def _execute_own(self, command: str, argument: str) -> None:
        """Execute a command of the front end."""
        if command in ("help", "rules"):
            await self.action_help()
        elif command == "table":
            self.show()
        elif command == "score":
            await self.action_score()
        elif command == "beliefs":
            self.run_worker(self._show_beliefs())
        elif command == "warnings" and self.host is not None:
            self.show_reply(self.host.toggle_warnings())
        elif command == "pace":
            self._change_pace(argument)
        elif command == "quit":
            await self.action_leave()

    async def action_help(self) -> None:
        """Show keys, commands and rules."""
        rules = await self.host.rulebook() if self.host is not None else ""
        parts = [self.words.say("terminal.help"), self._commands(), rules]
        await self.app.push_screen(TextDialog("\n\n".join(parts)))

    async def action_score(self) -> None:
        """Show the score sheet; the points alone before a round has ended."""
        display = self._display
        if display.rounds:
            await self.app.push_screen(TextDialog(score_sheet_markdown(display, self.language)))
        elif display.view is not None:
            self.show_reply(score_line(display.view.scores, display.names, self.language))

    async def _show_beliefs(self) -> None:
        """Show what hidden pieces can be, if the coach may say it; the board then tells it of each piece."""
        if self.host is None:
            return
        self.show_reply(self.words.say("coach.thinking"))
        await self.app.push_screen(TextDialog(await self.host.beliefs()))
        self.show_reply("")
        self.show()

    def action_pace(self) -> None:
        """Change to the next pace of the bots."""
        if self.host is not None:
            self._set_pace(next_pace(self.host.queue.pace))

    def _change_pace(self, typed: str) -> None:
        """Change to the pace that was typed, in the player's language or as its key; without one, to the next."""
        labels = {self.words.say(f"terminal.paces.{pace}").casefold(): pace for pace in BEATS}
        pace = labels.get(typed.casefold(), typed.casefold())
        if not typed:
            self.action_pace()
        elif pace in BEATS:
            self._set_pace(pace)
        else:
            command = self.words.say("commands.pace")
            self.show_reply(self.words.say("terminal.which_pace", command=command, paces=", ".join(labels)))

    def _set_pace(self, pace: str) -> None:
        if self.host is not None:
            self.host.queue.pace = pace
            store_pace(pace)
            self.show_reply(self.words.say("terminal.pace", pace=self.words.say(f"terminal.paces.{pace}")))

    async def action_leave(self) -> None:
        """Leave the table and save the record."""
        await self.close()
        self.workers.cancel_all()
        self.app.leave()


def _label_adds(choice: Choice) -> bool:
    """Whether the label of a choice differs from its text."""
    return choice.label.lower() != shown_text(choice).lower()


def _option(choice: Choice, number: int | None) -> Option:
    index = f"{number:>3}. " if number else ""
    label = f"  {choice.label}" if _label_adds(choice) else ""
    return Option(Text.assemble((index, "dim"), (shown_text(choice), "bold"), label), id=choice.text)
