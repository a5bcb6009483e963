"""A dialog over the current screen that shows a text."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen


class TextDialog(ModalScreen[None]):
    """Scrollable Markdown: help and rules."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1,enter", "dismiss", show=False),
    ]

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.markdown = markdown

    def compose(self) -> ComposeResult:
        """Create the widgets."""
        from textual.widgets import Markdown  # imported late: it loads a parser that no other screen needs

        with VerticalScroll(id="dialog"):
            yield Markdown(self.markdown)

    def on_mount(self) -> None:
        """Focus the text, so that the arrow keys scroll it."""
        self.query_one("#dialog").focus()
