"""The input line for moves: Tab completes, the arrow keys browse the matching moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.suggester import SuggestFromList
from textual.widgets import Input

from tablee.terminal.input import matching, shown_text
from tablee.terminal.text import common_prefix

if TYPE_CHECKING:
    from tablee.core.view import Choice


class MoveLine(Input):
    """A text input that completes legal moves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "complete", show=False),
        Binding("up", "browse(-1)", show=False),
        Binding("down", "browse(1)", show=False),
        Binding("escape", "clear", show=False),
    ]

    def __init__(self, placeholder: str) -> None:
        super().__init__(placeholder=placeholder, id="move", compact=True, select_on_focus=False)
        self._choices: Sequence[Choice] = ()
        self._browsing: tuple[str, int] = ("", -1)  # the text typed before browsing, and the index of the match shown

    def set_choices(self, choices: Sequence[Choice]) -> None:
        """Set the moves that can be completed."""
        self._choices = choices
        self._browsing = ("", -1)
        self.suggester = SuggestFromList([shown_text(choice) for choice in choices], case_sensitive=False)

    def action_complete(self) -> None:
        """Insert the common prefix of all matching moves; in an empty line, focus the next widget."""
        texts = [shown_text(choice) for choice in matching(self.value, self._choices)]
        prefix = common_prefix(texts)
        if not self.value:
            self.screen.focus_next()
        elif prefix.startswith(self.value.lower()):
            self._set_text(prefix)

    def action_browse(self, step: int) -> None:
        """Insert the next or the previous matching move."""
        typed, index = self._browsing
        texts = [shown_text(choice) for choice in matching(typed, self._choices)]
        if index == -1 or self.value not in texts:
            typed, index = self.value, -1 if step > 0 else 0
            texts = [shown_text(choice) for choice in matching(typed, self._choices)]
        if texts:
            index = (index + step) % len(texts)
            self._set_text(texts[index])
            self._browsing = (typed, index)

    def action_clear(self) -> None:
        """Clear the line and focus the board."""
        self.value = ""
        self.screen.query_one("#board").focus()

    def _set_text(self, text: str) -> None:
        self.value = text
        self.cursor_position = len(text)
