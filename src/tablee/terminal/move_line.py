"""The line to type moves in: completes with Tab, walks through what fits with the arrows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.suggester import SuggestFromList
from textual.widgets import Input

from tablee.core.view import Choice
from tablee.terminal.input import matching
from tablee.terminal.text import shared_beginning


class MoveLine(Input):
    """A line of text that knows the possible moves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "complete", show=False),
        Binding("up", "browse(-1)", show=False),
        Binding("down", "browse(1)", show=False),
        Binding("escape", "forget", show=False),
    ]

    def __init__(self, placeholder: str) -> None:
        super().__init__(placeholder=placeholder, id="move", compact=True, select_on_focus=False)
        self._choices: Sequence[Choice] = ()
        self._browsed: tuple[str, int] = ("", -1)  # what was typed before browsing, and how far it went

    def offer(self, choices: Sequence[Choice]) -> None:
        """Know what can be typed."""
        self._choices = choices
        self._browsed = ("", -1)
        self.suggester = SuggestFromList([choice.text for choice in choices], case_sensitive=False)

    def action_complete(self) -> None:
        """Add what all that fits has in common; an empty line leads back to the board."""
        fitting = [choice.text for choice in matching(self.value, self._choices)]
        shared = shared_beginning(fitting)
        if not self.value:
            self.screen.focus_next()
        elif shared.startswith(self.value.lower()):
            self._write(shared)

    def action_browse(self, step: int) -> None:
        """Put the next possible move into the line."""
        typed, index = self._browsed
        fitting = [choice.text for choice in matching(typed, self._choices)]
        if index == -1 or self.value not in fitting:
            typed, index = self.value, -1 if step > 0 else 0
            fitting = [choice.text for choice in matching(typed, self._choices)]
        if fitting:
            index = (index + step) % len(fitting)
            self._write(fitting[index])
            self._browsed = (typed, index)

    def action_forget(self) -> None:
        """Empty the line and go back to the board."""
        self.value = ""
        self.screen.query_one("#board").focus()

    def _write(self, text: str) -> None:
        self.value = text
        self.cursor_position = len(text)
