"""Who keeps the table that a screen shows: this process, or a server. The screen does not care."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tablee.core.view import Event, View


@dataclass(frozen=True)
class Scene:
    """All that a screen shows of a table now."""

    title: str
    names: tuple[str, ...] = ()
    view: View | None = None
    notice: str = ""  # what is going on besides the game: a bot thinks, the connection is lost
    told: tuple[Event, ...] = ()  # the last move
    end: tuple[str, ...] = ()  # how it ended, in sentences
    commands: tuple[str, ...] = ()  # what can be asked of the table now, by name
    lines: tuple[str, ...] = ()  # what is shown while there is no view

    @property
    def moved(self) -> set[str]:
        """What the last move moved."""
        return {identity for event in self.told for identity in event.path}


@dataclass
class Listener:
    """Whom a host tells what is new."""

    changed: Callable[[], None] = field(default=lambda: None)
    told: Callable[[Sequence[str]], None] = field(default=lambda lines: None)
    answered: Callable[[str], None] = field(default=lambda sentence: None)  # why something was refused later


class Host(Protocol):
    """A table that can be looked at and played at."""

    language: str
    listener: Listener
    farewell: str  # what to tell somebody who has left: where the record is

    def scene(self) -> Scene:
        """Return what there is to see."""
        ...

    async def run(self) -> None:
        """Keep the table going until it is over or left."""
        ...

    def play(self, text: str) -> str:
        """Play a move, given as a person typed it; return why not, as far as that is known at once."""
        ...

    def ask(self, command: str, argument: str) -> str:
        """Ask something else of the table (`Scene.commands`); return why not, as far as that is known at once."""
        ...

    async def rulebook(self) -> str:
        """Return the rules, in Markdown."""
        ...

    async def close(self) -> None:
        """Leave; whatever there is to save is saved."""
        ...
