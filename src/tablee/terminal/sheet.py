"""A sheet of text laid over the table: keys and rules."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen


class Sheet(ModalScreen[None]):
    """Markdown to scroll through; any of the keys that lead away closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1,enter", "dismiss", show=False),
    ]

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.markdown = markdown

    def compose(self) -> ComposeResult:
        """Show the text."""
        from textual.widgets import Markdown  # loads a parser that the table itself does without

        with VerticalScroll(id="sheet"):
            yield Markdown(self.markdown)

    def on_mount(self) -> None:
        """Let the arrows scroll."""
        self.query_one("#sheet").focus()
