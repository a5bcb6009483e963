"""The terminal application: which screens there are, how they look, and what remains when it ends."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.screen import Screen

from tablee.terminal.palette import DARK, LIGHT, THEMES

INTERRUPTED = 130


class KeepingScreen(Screen[None]):
    """A screen that has something to save when it is left."""

    async def close(self) -> None:
        """Save it."""


class TableeApp(App[None]):
    """Opens with one screen; where that is the lobby, leaving a table leads back to it."""

    CSS_PATH = "terminal.tcss"
    TITLE = "Tablée"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", show=False, priority=True),
        Binding("f3", "light_or_dark", show=False),
    ]

    def __init__(self, first: Callable[[], Screen[None]]) -> None:
        super().__init__()
        self.farewells: list[str] = []  # to be said when the screen is gone
        self._first = first
        for theme in THEMES.values():
            self.register_theme(theme)
        self.theme = usual_theme()

    def get_default_screen(self) -> Screen[None]:
        """Begin with the first screen itself, so that nothing else is drawn before it."""
        return self._first()

    def on_mount(self) -> None:
        """Save what is being played also when the terminal is closed."""
        with suppress(NotImplementedError, AttributeError):  # Windows has no such signals
            for number in (signal.SIGTERM, signal.SIGHUP):
                asyncio.get_running_loop().add_signal_handler(number, self._end_soon)

    def _end_soon(self) -> None:
        self.run_worker(self.action_interrupt())

    def leave(self) -> None:
        """Go back to the screen before, or end."""
        if len(self.screen_stack) > 1:
            self.pop_screen()
        else:
            self.exit()

    async def action_interrupt(self) -> None:
        """Save every game that is being played, and end."""
        for screen in reversed(self.screen_stack):
            if isinstance(screen, KeepingScreen):
                await screen.close()
        self.exit(return_code=INTERRUPTED)

    def action_light_or_dark(self) -> None:
        """Change between light and dark."""
        self.theme = LIGHT.name if self.theme == DARK.name else DARK.name


def usual_theme() -> str:
    """Return light or dark as the terminal says it is (`COLORFGBG`), dark if it does not."""
    background = os.environ.get("COLORFGBG", "").rpartition(";")[2]
    return LIGHT.name if background in ("7", "15") else DARK.name
