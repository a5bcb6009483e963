"""The host of a table that a front end shows: this process or a server, behind one interface."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tablee.core.view import Event, View


@dataclass(frozen=True)
class Display:
    """What a front end shows of a table now."""

    title: str
    names: tuple[str, ...] = ()
    view: View | None = None
    notice: str = ""  # a state outside the game: a bot is thinking, the connection is lost
    last_events: tuple[Event, ...] = ()  # of the last move
    result: tuple[str, ...] = ()  # how the game ended, in sentences; empty before the end
    commands: tuple[str, ...] = ()  # names of the commands that are possible now
    lines: tuple[str, ...] = ()  # shown while there is no view

    @property
    def moved(self) -> set[str]:
        """Ids of what the last move moved."""
        return {identity for event in self.last_events for identity in event.path}


@dataclass
class Callbacks:
    """Functions of a front end that a host calls."""

    changed: Callable[[], None] = field(default=lambda: None)  # the display has changed
    logged: Callable[[Sequence[str]], None] = field(default=lambda lines: None)  # new lines of the log
    replied: Callable[[str], None] = field(default=lambda text: None)  # a late reply to a move or command


class Host(Protocol):
    """A table that can be watched and played at."""

    language: str
    callbacks: Callbacks
    exit_message: str  # printed after leaving: where the record is

    def display(self) -> Display:
        """Return what to show now."""
        ...

    async def run(self) -> None:
        """Run the table until it is over or left."""
        ...

    def play(self, text: str) -> str:
        """Play a typed move; return why it is refused if that is known at once, else an empty string."""
        ...

    def request(self, command: str, argument: str) -> str:
        """Execute one of `Display.commands`; return why it is refused if that is known at once, else empty."""
        ...

    async def rulebook(self) -> str:
        """Return the rules, in Markdown."""
        ...

    async def close(self) -> None:
        """Leave the table and save the record."""
        ...
