"""A wish with a few possible values, changed by left and right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Static

from tablee.core.words import Words


class Field(Static, can_focus=True):
    """Shows its label and value."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "turn(-1)", show=False),
        Binding("right,space", "turn(1)", show=False),
    ]

    @dataclass
    class Turned(Message):
        """Another value was chosen."""

        field: Field

    def __init__(
        self, name: str, label: str, choices: Sequence[tuple[Any, str]], value: Any, help_text: str = ""
    ) -> None:
        super().__init__(name=name, markup=False)
        self.label = label
        self.choices = list(choices)
        self.index = [known for known, _ in choices].index(value)
        self.help_text = help_text

    @property
    def value(self) -> Any:
        """What is chosen."""
        return self.choices[self.index][0]

    def render(self) -> Text:
        """Draw the label and the value between arrows."""
        return Text.assemble(f"{self.label}  ", ("‹ ", "dim"), (self.choices[self.index][1], "bold"), (" ›", "dim"))

    def action_turn(self, step: int) -> None:
        """Choose the next value."""
        self.index = (self.index + step) % len(self.choices)
        self.refresh(layout=True)
        self.post_message(self.Turned(self))

    def on_click(self) -> None:
        """Choose the next value by mouse."""
        self.action_turn(1)


def bot_choices(words: Words) -> list[tuple[str, str]]:
    """Return the bots one can ask for, weakest first; words know them too, and the roster would load the compiler."""
    return [(key.removeprefix("roster."), label) for key, label in words.texts.items() if key.startswith("roster.")]
