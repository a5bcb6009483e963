"""The terminal application: screens, themes, signals, and what is printed after it ends."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.screen import Screen

from tablee.terminal.palette import DARK, LIGHT, THEMES

INTERRUPTED = 130


class SavingScreen(Screen[None]):
    """A screen that saves something when it is left."""

    async def close(self) -> None:
        """Save; called before the screen is left and when the application is interrupted."""

    def save(self) -> None:
        """Save at once, without the event loop."""


class TableeApp(App[None]):
    """The application. Leaving a table returns to the screen before it, or ends the application."""

    CSS_PATH = "terminal.tcss"
    TITLE = "Tablée"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", show=False, priority=True),
        Binding("f3", "toggle_theme", show=False),
    ]

    def __init__(self, first_screen: Callable[[], Screen[None]]) -> None:
        super().__init__()
        self.exit_messages: list[str] = []  # printed after the application has ended
        self._first_screen = first_screen
        self._old_hangup: Any = None  # the handler of SIGHUP before this application's
        for theme in THEMES.values():
            self.register_theme(theme)
        self.theme = default_theme()

    def get_default_screen(self) -> Screen[None]:
        """Return the first screen, so that no other screen is drawn before it."""
        return self._first_screen()

    def on_mount(self) -> None:
        """Handle SIGTERM and SIGHUP, so that games are saved when the terminal is closed."""
        loop = asyncio.get_running_loop()
        with suppress(NotImplementedError, AttributeError):  # Windows has no such signals
            loop.add_signal_handler(signal.SIGTERM, self._handle_signal)
            # Not by the event loop: it may be blocked by writing to a window that is closed.
            self._old_hangup = signal.signal(signal.SIGHUP, lambda *_: self._handle_hangup(loop))

    def on_unmount(self) -> None:
        """Give SIGHUP back."""
        if self._old_hangup is not None:
            signal.signal(signal.SIGHUP, self._old_hangup)

    def _handle_hangup(self, loop: asyncio.AbstractEventLoop) -> None:
        """Save and end at once if the window is closed: Textual would wait for ever to draw there."""
        if self.is_headless or (sys.__stdin__ is not None and sys.__stdin__.isatty()):
            loop.call_soon_threadsafe(self._handle_signal)
            return
        for screen in reversed(self.screen_stack):
            if isinstance(screen, SavingScreen):
                screen.save()
        os._exit(INTERRUPTED)

    def _handle_signal(self) -> None:
        self.run_worker(self.action_interrupt())

    def leave(self) -> None:
        """Return to the previous screen, or end the application on the first one."""
        if len(self.screen_stack) > 1:
            self.pop_screen()
        else:
            self.exit()

    async def action_interrupt(self) -> None:
        """Save all games in progress and end with exit code 130."""
        for screen in reversed(self.screen_stack):
            if isinstance(screen, SavingScreen):
                await screen.close()
        self.exit(return_code=INTERRUPTED)

    def action_toggle_theme(self) -> None:
        """Switch between the light and the dark theme."""
        self.theme = LIGHT.name if self.theme == DARK.name else DARK.name


def default_theme() -> str:
    """Return the theme for the terminal's background as given by `COLORFGBG`; dark if it is not set."""
    background = os.environ.get("COLORFGBG", "").rpartition(";")[2]
    return LIGHT.name if background in ("7", "15") else DARK.name
