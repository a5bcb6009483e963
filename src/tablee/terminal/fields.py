"""Settings with a few possible values, changed by the left and right keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Static

from tablee.bots.roster import NAMES, TRAINED_NAMES, bot_label
from tablee.core.words import Words


class ChoiceField(Static, can_focus=True):
    """A label and the chosen value."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "change(-1)", show=False),
        Binding("right,space", "change(1)", show=False),
    ]

    @dataclass
    class ValueChanged(Message):
        """Another value was chosen."""

        field: ChoiceField

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
        """The chosen value."""
        return self.choices[self.index][0]

    def render(self) -> Text:
        """Return the label, and the value between arrows, which no line separates from it."""
        value = self.choices[self.index][1]
        return Text.assemble(
            f"{self.label}  ", ("‹\N{NO-BREAK SPACE}", "dim"), (value, "bold"), ("\N{NO-BREAK SPACE}›", "dim")
        )

    def action_change(self, step: int) -> None:
        """Choose the next or the previous value."""
        self.index = (self.index + step) % len(self.choices)
        self.refresh(layout=True)
        self.post_message(self.ValueChanged(self))

    def on_click(self) -> None:
        """Choose the next value."""
        self.action_change(1)


def bot_choices(words: Words) -> list[tuple[str, str]]:
    """Return name and label of each bot of the roster, weakest first, then of those of games with a network."""
    return [(name, bot_label(name, words)) for name in (*NAMES, *TRAINED_NAMES)]
