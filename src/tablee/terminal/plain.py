"""A table in plain lines, on any host: for pipes, screen readers and any terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from tablee.core.state import SPECTATOR
from tablee.protocol.shown import LogLine
from tablee.terminal.display import Display, way_on
from tablee.terminal.hosts import Callbacks, Host
from tablee.terminal.input import FRONT_END_COMMANDS, are_numbered, parse_command, shown_text
from tablee.terminal.score_sheet import score_sheet_lines
from tablee.terminal.text import score_line, zone_lines

if TYPE_CHECKING:
    from tablee.core.view import Choice, View

Read = Callable[[], Awaitable[str]]  # raises EOFError at the end of input
Write = Callable[[str], None]

ASK_AGAIN = ("undo", "withdraw", "resume", "retry")  # commands after which the same turn is shown again
MAX_LISTED = 24  # choices listed at each turn; `?` lists all


class PlainFrontEnd:
    """Shows a host's table by `write`, and takes moves and commands from `read`, which writes a prompt.

    Scripted input (without `prompt`) is read only on turn, not for early choices, so that the output depends on the
    input alone. Where a person types, lines may be written while `read` waits; `prompt` then writes the prompt again.
    """

    def __init__(self, host: Host, read: Read, write: Write, prompt: Callable[[], None] | None = None) -> None:
        self.host = host
        self.words = host.words
        self._read = read
        self._write_line = write
        self._prompt = prompt
        self._changed = asyncio.Event()
        self._reading: asyncio.Task[str] | None = None
        self._has_prompt = False  # the cursor is behind a prompt
        self._has_input = True
        self._has_left = False
        self._log: list[str] = []  # lines that are not written yet
        self._display = Display("")  # as it was last shown
        self._zones: dict[str, list[str]] = {}  # as they were last shown
        self._turn: View | None = None  # that was last shown with its choices
        self._moves = 0  # made when a turn was last shown
        self._exit_message = ""  # that was last written

    async def run(self) -> None:
        """Run until the player leaves, the input ends, or the game is over and there is no rematch.

        The host is closed in any case; errors of the host and of `read` are raised after that.
        """
        self.host.callbacks = Callbacks(self._changed.set, self._add_log_lines, self._write)
        hosting = asyncio.create_task(self.host.run())
        try:
            while not self._has_left and not hosting.done():
                self._changed.clear()
                self._show(self.host.display())
                self._start_reading()
                await self._wait(hosting)
                if self._reading is not None and self._reading.done():
                    reading, self._reading, self._has_prompt = self._reading, None, False
                    await self._handle(reading)
            if hosting.done():
                hosting.result()
        finally:
            await self._end(hosting)

    async def _wait(self, hosting: asyncio.Task[None]) -> None:
        """Wait for a change of the display, a line, or the end of the host."""
        changed = asyncio.create_task(self._changed.wait())
        tasks = [task for task in (changed, hosting, self._reading) if task is not None]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            changed.cancel()

    async def _end(self, hosting: asyncio.Task[None]) -> None:
        """Close the host and write where the record is."""
        if self._reading is not None:
            self._reading.cancel()
        if self.host.table is not None and self.host.table.phase != "over":
            self._say("play.interrupted")
        await self.host.close()
        hosting.cancel()
        await asyncio.gather(hosting, return_exceptions=True)
        self._show_exit_message()

    # Output

    def _write(self, text: str) -> None:
        if self._has_prompt:
            self._has_prompt = False
            self._write_line("")
        self._write_line(text)

    def _say(self, key: str, **parameters: object) -> None:
        self._write(self.words.say(key, **parameters))

    def _add_log_lines(self, lines: Sequence[LogLine]) -> None:
        self._log += [line.text for line in lines]

    def _show(self, display: Display) -> None:
        """Write what is new since the last call."""
        before, self._display = self._display, display
        if display.view is not None and before.view is None:
            self._welcome(display)
        log, self._log = self._log, []
        for line in log:
            self._write(line)
        if display.lines != before.lines and display.lines:
            self._write("\n".join(display.lines).rstrip())
        if display.view is not None and display.view.round is not None and display.view != before.view:
            self._write("")
            self._show_zones(display.view)
        if display.coach and display.coach != before.coach:
            self._show_coach(display)
        if display.notice and display.notice != before.notice and not display.waits_for_bot:
            self._write(display.notice)
        if display.result and not before.result:
            self._show_result(display)
        elif display.view is not None and display.view != self._turn and self._is_asked(display):
            self._show_turn(display.view)
        self._show_exit_message()

    def _show_coach(self, display: Display) -> None:
        """Write what the coach of a guided round says, after what has changed on the table if no move is expected."""
        self._write("")
        if display.view is not None and not display.view.choices:
            self._show_zones(display.view)
        self._write(display.coach)

    def _show_result(self, display: Display) -> None:
        self._write("")
        self._write("\n".join([*filter(None, [display.last_round]), *display.result]))
        if "rematch" in display.commands:
            self._say("play.again", command=self.words.say("commands.rematch"))

    def _show_exit_message(self) -> None:
        if self.host.exit_message != self._exit_message:
            self._exit_message = self.host.exit_message
            self._write(self._exit_message)

    def _welcome(self, display: Display) -> None:
        viewer = display.view.viewer if display.view is not None else SPECTATOR
        others = ", ".join(name for seat, name in enumerate(display.names) if seat != viewer)
        if viewer == SPECTATOR:
            self._say("play.watching", title=display.title, players=others)
        else:
            self._say("play.welcome", title=display.title, players=others, name=display.names[viewer])
            self._say("play.how")

    def _show_turn(self, view: View) -> None:
        """Write the zones, the prompt and the choices; within a turn, only the zones that have changed."""
        moves = self.host.table.moves if self.host.table is not None else 0
        if moves - self._moves > 1 or view.seats == 1:  # other players have moved
            self._zones = {}
        self._turn, self._moves = view, moves
        self._write("")
        self._show_zones(view)
        self._write(view.prompt)
        self._list(view.choices, MAX_LISTED)

    def _show_zones(self, view: View) -> None:
        for zone, lines in zone_lines(view, self.host.language).items():
            if self._zones.get(zone) != lines:
                self._zones[zone] = lines
                self._write("\n".join(lines))

    def _list(self, choices: Sequence[Choice], limit: int | None) -> None:
        self._say("play.choices")
        has_numbers = are_numbered(choices)
        for number, choice in enumerate(choices[:limit], start=1):
            index = f"{number}. " if has_numbers else ""
            self._write(f"  {index}{shown_text(choice)}{self.words.say('colon')} {choice.label}")
        if limit is not None and len(choices) > limit:
            self._say("play.more", n=len(choices) - limit)

    # Input

    def _start_reading(self) -> None:
        """Read a line if the table takes input now; write the prompt again if lines were written after it."""
        if self._reading is None and self._takes_input():
            self._reading = asyncio.create_task(_read_line(self._read))
            self._has_prompt = True
        elif self._reading is not None and not self._has_prompt and self._prompt is not None:
            self._prompt()
            self._has_prompt = True

    def _takes_input(self) -> bool:
        table = self.host.table
        if table is None or not self._has_input or self._display.waits_for_bot:
            return False
        has_way_on = bool(way_on(self._display.commands))
        return self._prompt is not None or table.phase != "playing" or has_way_on or self._is_asked(self._display)

    def _is_asked(self, display: Display) -> bool:
        """Whether the player can choose a move now; early choices are for players who type."""
        is_early = self.host.table is not None and self.host.table.is_early
        has_choices = display.view is not None and bool(display.view.choices)
        return has_choices and (self._prompt is not None or not is_early)

    async def _handle(self, reading: asyncio.Task[str]) -> None:
        """Handle a typed line; the end of input is handled like `quit`, but a spectator goes on watching."""
        try:
            text = reading.result().strip()
        except EOFError:
            self._write_line("")
            self._has_input = False
            self._has_left = not self._is_watching()
            return
        display = self._display
        choices = display.view.choices if display.view is not None else ()
        command = parse_command(text, choices, self.words)
        if command is not None and command.name in FRONT_END_COMMANDS:
            await self._execute(command.name, display)
        elif command is not None:
            if command.name in ASK_AGAIN:
                self._turn = None
            self._reply(await self.host.command(command.name, command.argument))
        elif display.result:
            self._has_left = True
            if self._prompt is None:
                self._write_line("")  # ends the line of the prompt: scripted input is not echoed
        elif text:
            self._reply(await self.host.play(text))
        elif way := way_on(display.commands):
            if way == "retry":
                self._turn = None
            self._reply(await self.host.command(way))
        else:
            self._write(self._state_of(display))

    def _is_watching(self) -> bool:
        """Whether this is a spectator of a game that is not over."""
        table = self.host.table
        return table is not None and table.viewer == SPECTATOR and table.phase != "over"

    def _reply(self, text: str) -> None:
        if text:
            self._write(text)

    @staticmethod
    def _state_of(display: Display) -> str:
        """Return what is going on: the notice, or what the player can do."""
        return display.notice or (display.view.prompt if display.view is not None else "")

    async def _execute(self, command: str, display: Display) -> None:
        """Execute a command of the front end."""
        view = display.view
        if command == "quit":
            self._has_left = True
        elif command == "rules":
            self._write(await self.host.rulebook())
        elif command == "help":
            self._help(display)
        elif command == "beliefs":
            self._write(await self.host.beliefs())
        elif command == "warnings":
            self._write(self.host.toggle_warnings())
        elif command == "pace":
            self._say("terminal.no_command", command=self.words.say("commands.pace"))  # nothing here is ever waited for
        elif view is not None and command == "table":
            self._zones = {}
            self._show_zones(view)
            self._write(self._state_of(display))
        elif view is not None:
            lines = score_sheet_lines(display, self.host.language) if display.rounds else []
            self._write("\n".join([*lines, score_line(view.scores, display.names, self.host.language)]))

    def _help(self, display: Display) -> None:
        self._write(self._state_of(display))
        if display.view is not None and display.view.choices:
            self._list(display.view.choices, None)
        self._say("play.also")
        if display.commands:
            names = ", ".join(self.words.say(f"commands.{name}") for name in display.commands)
            self._say("play.commands", commands=names)


async def _read_line(read: Read) -> str:
    return await read()
