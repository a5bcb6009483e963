"""The host of a table that a front end shows: this process or a server.

Both keep the table as the viewer is shown it, and its log; both take the requests of the protocol and reply as a server
does. Front ends know nothing else: what is possible is what the table lists in its commands.
"""

from __future__ import annotations

import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from tablee.core.errors import UnknownGame
from tablee.core.registry import find_game
from tablee.core.words import common
from tablee.protocol import messages
from tablee.protocol.messages import Ack, CommandRequest, ExplainRequest, Explanation, RefusedMessage
from tablee.protocol.shown import FinishedRound, LogLine, PresenceShown, TableShown
from tablee.terminal.coaching import Suggestion, TableBeliefs, TerminalCoach
from tablee.terminal.display import Display, Snapshot, display_table
from tablee.terminal.input import nearest_texts, numbered, typed_choice
from tablee.terminal.pace import FASTEST, PacedChange, PacedQueue
from tablee.terminal.typed_commands import BadArgument, request_of

MAX_LOG_LINES = 500
COMPILER = "compiler"  # the name of the thread that compiles a game

Reply = Ack | RefusedMessage | Explanation


@dataclass
class Callbacks:
    """Functions of a front end that a host calls."""

    changed: Callable[[], None] = field(default=lambda: None)  # the display has changed
    logged: Callable[[Sequence[LogLine]], None] = field(default=lambda lines: None)  # the log has new lines
    refused: Callable[[str], None] = field(default=lambda text: None)  # a request of the host itself was refused


class Host(ABC):
    """A table that can be watched and played at. What bots do is shown at the player's pace."""

    def __init__(self, title: str, language: str, pace: str = FASTEST) -> None:
        self.title = title
        self.language = language
        self.words = common(language)
        self.callbacks = Callbacks()
        self.exit_message = ""  # printed after leaving: where the record is, or how to return
        self.table: TableShown | None = None
        self.log: list[LogLine] = []
        self.rounds: list[FinishedRound] = []  # the score sheet
        self.coach = TerminalCoach(self.words, self._ask_hint, self._ask_beliefs)
        self.shown: Snapshot | None = None  # what is shown of these: all, or what the queue has come to
        self.queue: PacedQueue[Snapshot] = PacedQueue(self._show, pace)
        self._presence: Sequence[PresenceShown] = ()
        self._clock_end = 0.0  # of `time.monotonic`, for the last table
        self._notice = ""
        self._is_saved = False

    # Implemented by each host

    @abstractmethod
    async def run(self) -> None:
        """Open the table and stay until it is left; raises TableeError or OSError if that fails."""

    @abstractmethod
    async def request(self, message: CommandRequest | ExplainRequest) -> Reply:
        """Execute a request and return the reply."""

    @abstractmethod
    async def rulebook(self) -> str:
        """Return the rules, in Markdown."""

    @abstractmethod
    async def close(self) -> None:
        """Leave the table; a record that is not saved yet is saved."""

    @abstractmethod
    def save(self) -> None:
        """Save at once what would be lost with this process."""

    @abstractmethod
    def _save_finished(self) -> None:
        """Save the record of the finished game."""

    @abstractmethod
    async def _switch_to(self, table_id: str) -> None:
        """Go to another table: a rematch."""

    @abstractmethod
    async def _ask_hint(self) -> Suggestion:
        """Ask the coach about the player's decision; raises TableeError or OSError."""

    @abstractmethod
    async def _ask_beliefs(self) -> TableBeliefs:
        """Ask the coach what hidden pieces can be; raises TableeError or OSError."""

    def _claim_request(self, message_id: str, table_id: str) -> CommandRequest:
        return messages.ClaimRequest(message_id, table_id)

    def _invite_link(self) -> str:
        return ""

    # Display

    def display(self) -> Display:
        """Return what to show now."""
        if self.shown is None:
            return Display(self.title, notice=self._notice)
        notice = self._notice or (self._waiting_notice() if len(self.queue) else "")
        shown = display_table(self.shown, self.words, notice, self._invite_link(), self._presence)
        view = None if shown.view is None else self.coach.with_beliefs(shown.view)
        if not self.coach.text:
            return replace(shown, view=view)
        return replace(shown, view=view, coach=self.coach.text, points=self.coach.points)

    def _waiting_notice(self) -> str:
        return self.words.say("terminal.moves_wait", n=len(self.queue)) if self.queue.pace == "step" else ""

    @property
    def seconds_left(self) -> int | None:
        """Seconds left for the move, or of the rest between two rounds; None without a clock."""
        if self.table is None or _deadline(self.table) is None:
            return None
        return max(0, round(self._clock_end - time.monotonic()))

    def _set_notice(self, notice: str) -> None:
        self._notice = notice
        self.callbacks.changed()

    def _set_table(self, table: TableShown, log: Sequence[LogLine], rounds: Sequence[FinishedRound]) -> None:
        """Show a whole table in place of the one before."""
        self.table, self.log, self.rounds = table, list(log), list(rounds)
        self.queue.clear()
        self._table_changed(PacedChange(Snapshot(table, self.log, self.rounds)))

    def _forget_table(self) -> None:
        """Show no table until one arrives."""
        self.table, self.log, self.rounds, self.shown = None, [], [], None
        self.queue.clear()

    def _apply_event(
        self, lines: Sequence[LogLine], moves: int, rounds: Sequence[FinishedRound], table: TableShown
    ) -> None:
        """Show the table after an event, and add its lines and rounds; those of undone moves are removed."""
        self.table = table
        self.log = [line for line in self.log if (line.move or 0) <= moves]
        self.rounds = [*(each for each in self.rounds if each.moves <= moves), *rounds]
        self._add_log_lines(lines)
        is_quiet = len(lines) == 1 and not lines[0].path
        snapshot = Snapshot(table, self.log, self.rounds)
        self._table_changed(PacedChange(snapshot, _is_bots_move(table, lines), lines[0].code if is_quiet else ""))

    def _add_log_lines(self, lines: Sequence[LogLine]) -> None:
        self.log = [*self.log, *lines][-MAX_LOG_LINES:]
        if lines:
            self.callbacks.logged(lines)

    def _table_changed(self, change: PacedChange[Snapshot]) -> None:
        table = change.shown.table
        deadline = _deadline(table)
        if deadline is not None:
            self._clock_end = time.monotonic() + deadline - table.now
        self.coach.update(table)
        if table.phase == "over" and table.view is not None and not self._is_saved:
            self._is_saved = True
            self._save_finished()
        self._notice = ""
        self.queue.push(change)
        self.callbacks.changed()  # what waits is shown as well

    def _show(self, snapshot: Snapshot) -> None:
        self.shown = snapshot
        self.callbacks.changed()

    # Input

    async def play(self, text: str) -> str:
        """Play a move, given as its text or its number in the list; return why it is refused, or an empty text."""
        self.queue.catch_up()
        table = self.table
        if table is None or table.view is None:
            return self.display().notice
        choices = table.view.choices
        chosen = numbered(text, choices, self.words)
        if isinstance(chosen, str):
            return chosen
        chosen = chosen or typed_choice(text, choices)
        move = self._canonical(text, table.game) if chosen is None else chosen.text
        if "hint" in self.display().commands and (warning := await self.coach.doubt(move)):
            return warning
        reply = await self.request(messages.PlayRequest(_new_id(), table.id, table.number, move))
        if not isinstance(reply, RefusedMessage):
            return ""
        if reply.code == "illegal":
            return self.words.say("play.refused", text=move, why=_with_clause(reply))
        if reply.code == "bad_move" and choices:
            return self.words.say("play.not_a_move", text=text, near=", ".join(nearest_texts(text, choices)))
        return _with_clause(reply)

    def _canonical(self, text: str, game: str) -> str:
        """Return what was typed as the canonical text of a move, if the game is installed here."""
        try:
            return find_game(game).move_words(self.language).canonical(text)
        except UnknownGame:
            return text

    async def command(self, name: str, argument: str = "") -> str:
        """Execute one of `Display.commands`; return why it is refused, or an empty text."""
        self.queue.catch_up()
        table = self.table
        if table is None or name not in self.display().commands:
            return self.words.say("terminal.no_command", command=self.words.say(f"commands.{name}"))
        if name == "hint":
            self._set_notice(self.words.say("coach.thinking"))
            reason = await self.coach.next_step()
            self._set_notice("")
            return reason
        if name == "rematch" and table.rematch is not None:
            await self._switch_to(table.rematch)
            return ""
        try:
            message = self._message(name, argument.strip(), table)
        except BadArgument as why:
            return str(why)
        reply = await self.request(message)
        if isinstance(reply, Ack) and reply.new_table is not None:
            await self._switch_to(reply.new_table)
        return _with_clause(reply) if isinstance(reply, RefusedMessage) else ""

    async def beliefs(self) -> str:
        """Return what hidden pieces can be, in Markdown, or why the coach does not say it."""
        if "beliefs" not in self.display().commands:
            return self.words.say("terminal.no_command", command=self.words.say("commands.beliefs"))
        return await self.coach.beliefs()

    def toggle_warnings(self) -> str:
        """Turn the warnings before a blunder on or off; return which."""
        self.coach.warns = not self.coach.warns
        return self.words.say(f"coach.warnings_{'on' if self.coach.warns else 'off'}")

    async def explain(self, targets: Sequence[str]) -> str:
        """Return why no move is possible with these targets, selected in order."""
        if self.table is None:
            return ""
        reply = await self.request(ExplainRequest(_new_id(), self.table.id, list(targets)))
        return "" if isinstance(reply, Ack) else _sentence(_with_clause(reply))

    def _message(self, name: str, argument: str, table: TableShown) -> CommandRequest:
        """Return the request for a typed command; raises `BadArgument`."""
        if name == "sit":
            return self._claim_request(_new_id(), table.id)
        return request_of(name, argument, table, _new_id(), self.words)


def _deadline(table: TableShown) -> float | None:
    """Return the server time at which the turn or the rest ends; None without a limit."""
    if table.resting is not None:
        return table.resting.deadline
    return table.deadline if table.phase == "playing" else None


def _is_bots_move(table: TableShown, lines: Sequence[LogLine]) -> bool:
    """Whether lines are about the move of a bot; guided rounds have a pace of their own."""
    seat = lines[0].seat if lines and lines[0].move is not None else None
    return seat is not None and table.seats[seat].bot is not None and table.lesson is None


def _new_id() -> str:
    return secrets.token_hex(8)


def _with_clause(reply: RefusedMessage | Explanation) -> str:
    """Return the text of a reply, with the clause of the rulebook if the text does not contain it."""
    return reply.text if not reply.clause or reply.clause in reply.text else f"{reply.text} ({reply.clause})"


def _sentence(text: str) -> str:
    """Return a text that begins with a capital letter."""
    return text[:1].upper() + text[1:]
